"""A live run: acquire, record, estimate. Recording comes first; nothing else may make it wait."""

import os
import select
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from types import FrameType

from firmware_interface import Chunk
from recordings import (
    ClockPair,
    RecordedImage,
    RecordingHeader,
    RecordingWriter,
    ResultWriter,
    WriterStatus,
    open_recording,
)
from recordings.segments import IMAGES
from sensors.acquisition import Acquisition, DeviceStatus
from sensors.host_clock import HostClock
from twin.cli.camera_process import CameraImage, CameraStatus
from twin.cli.config import RunConfig
from twin.cli.console import terminal
from twin.cli.estimation import Estimation
from twin.cli.live_cameras import LiveCameras, PixelKeeper
from twin.cli.processing import Item
from twin.cli.replaying import images_beside, recorded_items
from twin.cli.run_directory import RunDirectory, result_metadata
from twin.cli.watch import Ending, Parts, Watch
from twin.core.errors import ConfigError, RecordingError
from twin.core.estimate import OperatorEvent
from twin.version import __version__

LISTEN_PERIOD = 0.2
"""Between two looks at whether the run is over, while nobody types [s, real]."""
SWITCH_INTERVAL = 0.5e-3
"""How long a busy thread may keep the interpreter from one that has just read a port [s]: reads are stamped late by
as much. On a busy machine at 8 times real time the first clock fits of a run are known to 4-5 ms, with the
interpreter's own 5 ms to 12-31 ms; later ones gain little."""
NOTE_LENGTH = 1000
"""Longest note of an operator [characters]; a pasted file is cut."""
STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a run."""

    recording: WriterStatus
    devices: dict[str, DeviceStatus]
    cameras: tuple[CameraStatus, ...]
    points: int
    """Points of the grid passed."""
    skipped: int
    """Reads the live estimate left out."""
    failure: str | None
    """Why the live estimate ended early."""

    def problems(self) -> list[str]:
        """What went wrong, each with its remedy."""
        found = []
        if self.recording.lost:
            found.append(f"{self.recording.lost} reads could not be recorded: the disk is too slow or full")
        for status in self.devices.values():
            if status.bytes_received == 0:
                found.append(f"{status.name}: never heard; {status.error or 'it is silent, check its supply'}")
            elif status.chunks_lost:
                found.append(
                    f"{status.name}: {status.chunks_lost} reads lost before recording: the machine is too slow"
                )
        for camera in self.cameras:
            if camera.images == 0:
                found.append(f"{camera.name}: no image came; {camera.error or 'check its supply and its source'}")
            elif camera.lost:
                found.append(f"{camera.name}: {camera.lost} images could not be recorded: the disk is too slow or full")
            if camera.faults:
                left_out = ", ".join(f"{count} {fault}" for fault, count in sorted(camera.faults.items()))
                found.append(f"{camera.name}: images left out: {left_out}")
        if self.failure is not None:
            found.append(f"the live estimate ended early ({self.failure}); the recording is whole: replay it")
        elif self.skipped:
            found.append(f"the live estimate left out {self.skipped} reads; the recording is whole: replay it")
        return found


def record_run(config: RunConfig, run: RunDirectory, clock: HostClock, ending: Ending) -> Outcome:
    """Run until told to stop by a signal, or by the ending. A folder that holds a run already is continued."""
    earlier = earlier_items(config, run, clock)
    run.make()
    run.config.write_text(config.to_toml(), encoding="utf-8")
    sys.setswitchinterval(SWITCH_INTERVAL)
    recording_header = header_of(config, clock)
    with ExitStack() as stack:
        results = ResultWriter(run.results, result_metadata(config))
        estimation = stack.enter_context(Estimation(config, results, earlier=earlier))
        recording = stack.enter_context(RecordingWriter(run.recording, recording_header, config.recording))
        images = stack.enter_context(_image_writer(config, run, recording_header))
        intake = _Intake(recording, images, estimation)
        cameras = stack.enter_context(LiveCameras(config, clock, intake.take_image))
        acquisition = stack.enter_context(Acquisition(config.device, clock))
        stack.enter_context(_stopped_by_signals(acquisition.stop))
        stack.enter_context(_beside("notes", lambda over: _listen(intake, clock, over)))
        if config.camera:
            keeper = PixelKeeper(config, run.recording, lambda event: intake.take(replace(event, t_ns=clock.now_ns())))
            stack.enter_context(_beside("pixels", keeper.watch))
        watch = Watch(Parts(run, config.places, clock, acquisition, cameras, recording, estimation), ending)
        stack.enter_context(_beside("watch", watch.look))
        terminal().say(f"{run.path}: ready and recording. Type a line to note an event; Ctrl-C ends the run")
        for chunk in acquisition.chunks():
            intake.take(chunk)
    return Outcome(
        recording.status,
        acquisition.status(),
        cameras.status(),
        estimation.points,
        estimation.skipped,
        estimation.failure,
    )


@contextmanager
def _image_writer(config: RunConfig, run: RunDirectory, header: RecordingHeader) -> Iterator[RecordingWriter | None]:
    """Where images go; None without cameras."""
    if not config.camera:
        yield None
        return
    with RecordingWriter(run.recording, header, config.recording.of_images(), stem=IMAGES) as writer:
        yield writer


def header_of(config: RunConfig, clock: HostClock) -> RecordingHeader:
    """Everything a replay needs beside the bytes."""
    now = datetime.now(UTC)
    return RecordingHeader(
        config_toml=config.to_toml(),
        version=__version__,
        started=now.isoformat(timespec="seconds"),
        clock=ClockPair(monotonic_ns=clock.now_ns(), wall_ns=round(now.timestamp() * 1e9)),
        devices=tuple(device.name for device in config.device),
        cameras=tuple(camera.name for camera in config.camera),
    )


def earlier_items(config: RunConfig, run: RunDirectory, clock: HostClock) -> Iterator[Item]:
    """What the folder of a run to be continued holds already; ConfigError where the two do not go together."""
    if not any(run.recording.glob("*.mcap")):
        return iter(())
    remedy = "choose another --out"
    try:
        reader = open_recording(run.recording)
        recorded = reader.header.config_toml
    except RecordingError as error:
        raise ConfigError(f"{run.path}: holds a recording that cannot be continued ({error}); {remedy}") from None
    if recorded != config.to_toml():
        raise ConfigError(f"{run.path}: holds a run with another configuration; {remedy}")
    if any(segment.head is not None and segment.head.first_ns > clock.now_ns() for segment in reader.segments):
        raise ConfigError(f"{run.path}: holds a run from before the machine was restarted; {remedy}")
    terminal().say(f"{run.path}: holds a run already; it is continued")
    return recorded_items(reader, images_beside(run.recording))


class _Intake:
    """The one order of things: what is recorded in it is estimated in it, so that a replay finds the same."""

    def __init__(self, recording: RecordingWriter, images: RecordingWriter | None, estimation: Estimation) -> None:
        self._recording, self._images, self._estimation = recording, images, estimation
        self._order = threading.Lock()

    def take_image(self, camera: str, image: CameraImage) -> bool:
        """False where it cannot be recorded: then it is not estimated with either."""
        with self._order:
            record = RecordedImage(camera, image.t_ns, self._recording.offered, image.data)
            if self._images is None or not self._images.write_image(record):
                return False
            if image.found is not None:
                self._estimation.offer(image.found)
        return True

    def take(self, item: Chunk | OperatorEvent) -> None:
        with self._order:
            if isinstance(item, Chunk):
                self._recording.write(item)
            else:
                self._recording.write_event(item)
            self._estimation.offer(item)


def _listen(intake: _Intake, clock: HostClock, over: threading.Event) -> None:
    """Every line typed becomes an event. Waits by select, not in a read: a read would outlive the run."""
    if sys.stdin is None or sys.stdin.closed:
        return
    handle, text = sys.stdin.fileno(), b""
    while not over.is_set():
        try:
            if not select.select([handle], [], [], LISTEN_PERIOD)[0]:
                continue
            data = os.read(handle, 4096)
        except OSError:  # no terminal to read from: a run in the background
            return
        *lines, text = (text + data).split(b"\n")
        for line in lines if data else [text]:
            note = line.decode(errors="replace").strip()[:NOTE_LENGTH]
            if note:
                intake.take(OperatorEvent(clock.now_ns(), "note", note))
                terminal().say(f"noted: {note}")
        if not data:
            return


@contextmanager
def _beside(name: str, work: Callable[[threading.Event], None]) -> Iterator[None]:
    """Work on another thread, told by an event when it is over."""
    over = threading.Event()
    thread = threading.Thread(target=work, args=(over,), name=name, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


@contextmanager
def _stopped_by_signals(stop: Callable[[], None]) -> Iterator[None]:
    """The first signal ends the run in order; a second one of the same kind ends it at once."""

    def ask(number: int, frame: FrameType | None) -> None:
        signal.signal(number, before[number])
        stop()

    # a signal ignored from outside, as nohup does, stays ignored
    heard = [number for number in STOP_SIGNALS if signal.getsignal(number) is not signal.SIG_IGN]
    before = {int(number): signal.signal(number, ask) for number in heard}
    # a run in the background of a shell must not be halted for listening to the terminal
    waiting = signal.signal(signal.SIGTTIN, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGTTIN, waiting)
        for number, handler in before.items():
            signal.signal(number, handler)
