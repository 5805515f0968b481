"""The report in a real browser: it draws, answers to the hand, asks nothing of the network, fits a telephone."""

import base64
import fcntl
import json
import os
import re
import select
import shutil
import signal
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from tests.made_run import LABEL, PLACES, grid, made_run
from twin.core.estimate import Form
from twin.core.places import Direction
from twin.report import RunData, write_html

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no chromium here; try: apt-get install chromium")

NON_BLANK = """[...document.querySelectorAll('.strip canvas')].map(canvas => {
  const data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
  let count = 0;
  for (let i = 3; i < data.length; i += 4) count += data[i] > 0;
  return count;
})"""


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


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    started = Browser(tmp_path_factory.mktemp("profile"))
    yield started
    started.close()


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "report.html"
    write_html(made_run(), path)
    return path


def middle_of_strip(browser: Browser, title: str) -> tuple[float, float, float]:
    """Left edge, width and height of the middle of a strip's canvas on the screen [px]."""
    box = browser.evaluate(
        f"""(() => {{
          const strip = [...document.querySelectorAll('.strip')].find(s => s.textContent.includes('{title}'));
          strip.scrollIntoView({{ block: 'center' }});
          const box = strip.querySelector('canvas').getBoundingClientRect();
          return [box.left, box.width, box.top + box.height / 2];
        }})()"""
    )
    browser.pause()
    return box[0], box[1], box[2]


def shown_length(browser: Browser) -> float:
    """Kilometres in view, as the charts tell a reader who cannot see them."""
    label = browser.evaluate("document.getElementById('charts').getAttribute('aria-label')")
    first, last = re.findall(r"km (\S+) – (\S+);", label)[0]
    return float(last) - float(first)


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [1400, 390])
def test_every_strip_is_drawn_without_complaint_or_request(
    browser: Browser, report: Path, width: int, dark: bool
) -> None:
    browser.open(report, width=width, dark=dark)
    drawn = browser.evaluate(NON_BLANK)
    assert len(drawn) == 8
    assert min(drawn) > 500
    assert browser.requests() == [report.as_uri()]
    assert browser.complaints() == []
    paper = browser.screenshot()[5, 5].mean()
    assert paper < 60 if dark else paper > 200


@pytest.mark.parametrize("width", [1400, 390])
def test_the_page_never_scrolls_sideways(browser: Browser, report: Path, width: int) -> None:
    browser.open(report, width=width)
    assert browser.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_the_cursor_reads_the_same_numbers_that_were_packed(browser: Browser, report: Path) -> None:
    browser.open(report, width=1400)
    left, width, y = middle_of_strip(browser, "Lateral")
    browser.mouse("mouseMoved", left + 0.4 * width, y)
    browser.pause()
    km = float(browser.evaluate("document.querySelector('#where b').textContent")[3:])
    table = made_run().best
    assert table is not None
    i = int(np.argmin(np.abs(PLACES.kilometre(table.s) - km)))
    read = browser.evaluate("[...document.querySelectorAll('.strip li b')].map(b => b.textContent.replace('−', '-'))")
    assert f"{1000 * table.column('r_y')[i]:.2f}" in read
    assert f"{3.6 * table.column('speed')[i]:.1f}" in read
    assert f"{2000 * table.column('sd_r_z')[i]:.2f}" in read


def test_a_spike_of_one_point_is_seen_in_the_whole_run(browser: Browser, tmp_path: Path) -> None:
    calm = made_run(50_000.0)
    table = calm.best
    assert table is not None
    values = np.zeros_like(table.values)
    values[90_000, table.layout.index("r_y")] = 0.05
    spiky = replace(calm, tables={table.form: replace(table, values=values)}, events=(), health=())
    write_html(spiky, tmp_path / "spike.html")
    browser.open(tmp_path / "spike.html", width=1400)
    heights = browser.evaluate(
        """(() => {
          const canvas = document.querySelectorAll('.strip canvas')[5];
          const pen = canvas.getContext('2d');
          const blue = (x, y) => { const [r, g, b] = pen.getImageData(x, y, 1, 1).data; return b > r + 60; };
          let columns = 0;
          for (let x = 60; x < canvas.width; x++) columns += blue(x, Math.round(canvas.height * 0.15));
          return columns;
        })()"""
    )
    assert 1 <= heights <= 4


def test_dragging_zooms_and_a_key_shows_the_whole_run_again(browser: Browser, report: Path) -> None:
    browser.open(report, width=1400)
    whole = shown_length(browser)
    left, width, y = middle_of_strip(browser, "Cant")
    browser.drag(left + 0.3 * width, left + 0.4 * width, y)
    assert shown_length(browser) == pytest.approx(0.1 * whole, rel=0.15)
    browser.key("0")
    assert shown_length(browser) == whole


def test_keys_zoom_move_the_cursor_and_fit_the_height(browser: Browser, report: Path) -> None:
    browser.open(report, width=1400)
    whole = shown_length(browser)
    browser.evaluate("document.getElementById('charts').focus()")
    browser.key("+")
    assert shown_length(browser) < 0.6 * whole
    places = []
    for _ in range(2):
        browser.key("ArrowRight")
        places.append(browser.evaluate("document.querySelector('#where b').textContent"))
    assert places[0] < places[1]
    drawn = browser.evaluate(NON_BLANK)
    browser.key("f")
    assert browser.evaluate(NON_BLANK) != drawn


def test_the_wheel_zooms_with_control_and_scrolls_the_page_without(browser: Browser, report: Path) -> None:
    browser.open(report, width=1400, height=600)
    left, width, y = middle_of_strip(browser, "Curvature")
    whole, top = shown_length(browser), browser.evaluate("scrollY")
    browser.mouse("mouseWheel", left + 0.5 * width, y, deltaX=0, deltaY=100)
    for _ in range(100):
        browser.pause()
        if browser.evaluate("scrollY") > top:
            break
    assert browser.evaluate("scrollY") > top
    assert shown_length(browser) == whole
    browser.mouse("mouseWheel", left + 0.5 * width, y, deltaX=0, deltaY=-100, modifiers=2)
    browser.pause()
    assert shown_length(browser) < 0.8 * whole


def test_an_event_in_the_list_leads_to_its_place(browser: Browser, report: Path) -> None:
    browser.open(report, width=1400)
    browser.evaluate("document.querySelector('[data-s]').click()")
    browser.pause()
    assert "rough ride" in browser.evaluate("document.getElementById('where').textContent")


@pytest.mark.parametrize("points", [0, 1, 3])
def test_a_run_of_a_few_points_is_shown_without_complaint(browser: Browser, tmp_path: Path, points: int) -> None:
    blocks = [grid(0.25 * points, Form.SMOOTHED, Direction.INCREASING)] if points else []
    data = RunData.build(blocks, label=LABEL, places=PLACES, direction=Direction.INCREASING)
    write_html(data, tmp_path / "short.html")
    browser.open(tmp_path / "short.html", width=1400)
    assert browser.complaints() == []
    assert len(browser.evaluate(NON_BLANK)) == (8 if points else 0)


def test_a_run_without_a_single_number_is_shown_without_complaint(browser: Browser, tmp_path: Path) -> None:
    block = grid(100.0, Form.SMOOTHED, Direction.INCREASING)
    unknown = replace(block, values=np.full_like(block.values, np.nan))
    data = RunData.build([unknown], label=LABEL, places=PLACES, direction=Direction.INCREASING)
    write_html(data, tmp_path / "unknown.html")
    browser.open(tmp_path / "unknown.html", width=1400)
    assert browser.complaints() == []
    assert browser.evaluate("document.body.innerText").count("not estimated in this run") == 6
