"""A real browser over its debugging pipe, for tests of pages."""

import base64
import fcntl
import json
import os
import select
import shutil
import signal
from pathlib import Path
from typing import Any

import cv2
import numpy as np

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
NO_CHROMIUM = "no chromium here; try: apt-get install chromium"


class Browser:
    """Chromium over its debugging pipe: JSON messages, each closed by a zero byte."""

    PATIENCE = 60.0
    """Without a word for so long, something hangs [s]."""

    def __init__(self, profile: Path) -> None:
        from_us, self._out = _pipe()
        self._in, to_us = _pipe()
        options = "headless=new no-sandbox disable-gpu disable-dev-shm-usage no-first-run remote-debugging-pipe"
        arguments = [f"--{option}" for option in options.split()] + [f"--user-data-dir={profile}"]
        self._pid = os.posix_spawn(
            str(CHROMIUM),
            [str(CHROMIUM), *arguments, "about:blank"],
            os.environ,
            file_actions=[
                (os.POSIX_SPAWN_DUP2, from_us, 3),
                (os.POSIX_SPAWN_DUP2, to_us, 4),
                (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
                (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
            ],
        )
        os.close(from_us)
        os.close(to_us)
        self._number, self._buffer, self._session = 0, b"", None
        self.events: list[dict[str, Any]] = []

    def open(self, path: Path, *, width: int, dark: bool = False, height: int = 900) -> None:
        """Open a file in a fresh page and wait until it says that it is ready."""
        self._session = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.events.clear()
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        mobile = width < 600
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=mobile)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])
        self.call("Page.navigate", url=path.as_uri())
        for _ in range(200):
            if self.evaluate("document.body && document.body.dataset.ready") == "yes":
                return
            self.evaluate("new Promise(done => setTimeout(done, 50))")
        raise AssertionError(f"the page was never ready: {self.evaluate('document.body.innerText')[:300]}")

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """One command and its answer; events on the way are kept."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._receive()
            if answer.get("id") == self._number:
                assert "error" not in answer, answer
                return answer["result"]
            self.events.append(answer)

    def evaluate(self, expression: str) -> Any:
        """The value of an expression in the page."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def pause(self) -> None:
        """Until the page has drawn once more."""
        self.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def mouse(self, kind: str, x: float, y: float, **more: Any) -> None:
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def drag(self, x0: float, x1: float, y: float) -> None:
        self.mouse("mousePressed", x0, y, button="left", buttons=1, clickCount=1)
        self.mouse("mouseMoved", x1, y, button="left", buttons=1)
        self.mouse("mouseReleased", x1, y, button="left", clickCount=1)
        self.pause()

    def key(self, key: str) -> None:
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key)
        self.pause()

    def screenshot(self) -> np.ndarray:
        """The whole page, (rows, columns, 3) BGR."""
        data = self.call("Page.captureScreenshot", captureBeyondViewport=True)["data"]
        return cv2.imdecode(np.frombuffer(base64.b64decode(data), np.uint8), cv2.IMREAD_COLOR)

    def complaints(self) -> list[str]:
        """Exceptions, console errors and blocked resources since the page was opened."""
        kinds = ("Runtime.exceptionThrown", "Log.entryAdded", "Runtime.consoleAPICalled")
        return [json.dumps(event["params"]) for event in self.events if event.get("method") in kinds]

    def requests(self) -> list[str]:
        """Addresses asked for since the page was opened."""
        sent = [event for event in self.events if event.get("method") == "Network.requestWillBeSent"]
        return [event["params"]["request"]["url"] for event in sent]

    def close(self) -> None:
        os.kill(self._pid, signal.SIGKILL)
        os.waitpid(self._pid, 0)
        os.close(self._in)
        os.close(self._out)

    def _receive(self) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            assert select.select([self._in], [], [], self.PATIENCE)[0], "the browser hangs"
            data = os.read(self._in, 1 << 20)
            assert data, "the browser has gone"
            self._buffer += data
        message, _, self._buffer = self._buffer.partition(b"\0")
        return dict(json.loads(message))


def _pipe() -> tuple[int, int]:
    """A pipe whose descriptors do not stand in the way of 3 and 4."""
    ends = os.pipe()
    high = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in ends]
    for end in ends:
        os.close(end)
    return high[0], high[1]
