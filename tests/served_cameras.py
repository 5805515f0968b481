"""Two emulated cameras beside emulated ports: images of a worn rail, written into watched folders at their times."""

import threading
from pathlib import Path
from types import TracebackType
from typing import Self

import cv2
import numpy as np

from sensors.camera import RAILS, CameraDevice
from sensors.emulator import Emulator
from sensors.host_clock import HostClock
from sensors.laser_camera import INDEX
from tests.laser_cases import NOMINAL, SPECKLED, calibration_of
from twin.core.vehicle import Mounting
from twin.simulation.rail_head import Rail, RailCamera, RailSectionConfig, rail_section

RATE = 10.0
"""Images per second of the run's clock: it may run fast, and two cameras at 100 take a core in real time."""
DIFFERENT = 12
"""Images that are served over and over."""


def camera_devices(folder: Path) -> tuple[CameraDevice, ...]:
    """Both cameras, watching folders of their own."""
    return tuple(
        CameraDevice(
            name=f"camera_{side}",
            rail=side,
            source="watched",
            path=str(folder / side),
            rate=RATE,
            mounting=Mounting(x=0.3, y=0.0, z=0.45),
            plane=calibration_of(_camera(rail).truth),
        )
        for rail, side in zip((0, 1), RAILS, strict=True)
    )


def _camera(rail: Rail) -> RailCamera:
    return RailCamera(SPECKLED, rail=rail, section=rail_section(RailSectionConfig()), seed=6)


def write_images(folder: Path) -> None:
    """The images to be served, in the folder of each camera."""
    sides: tuple[tuple[Rail, str], ...] = ((0, "left"), (1, "right"))
    for rail, side in sides:
        (folder / side).mkdir(parents=True, exist_ok=True)
        mirror = np.array([1.0, 1.0, 1.0]) if rail == 0 else np.array([-1.0, 1.0, -1.0])
        for k in range(DIFFERENT):
            sway = np.array([2e-3, 1e-3, 1e-3]) * np.sin(2 * np.pi * k / DIFFERENT)
            image = _camera(rail).render(k, (NOMINAL + sway) * mirror)
            assert cv2.imwrite(str(folder / side / f"{k}.png"), image)


class CameraServer:
    """Names images in the indices when they are due. Use as a context manager, beside an emulator."""

    def __init__(self, folder: Path, emulator: Emulator, clock: HostClock, *, rails: tuple[str, ...] = RAILS) -> None:
        self._folder, self._emulator, self._clock, self._rails = folder, emulator, clock, rails
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="cameras", daemon=True)

    def __enter__(self) -> Self:
        for side in self._rails:
            (self._folder / side / INDEX).write_text("t_ns,file\n")
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        self._thread.join()

    def _run(self) -> None:
        number = 0
        while not self._over.wait(0.002) and not self._emulator.finished.is_set():
            origin_ns = self._emulator.origin_ns
            if origin_ns is None or self._clock.now_ns() < origin_ns + number * 1e9 / RATE:
                continue
            for side in self._rails:
                with (self._folder / side / INDEX).open("a") as index:
                    index.write(f"{origin_ns + round(number * 1e9 / RATE)},{number % DIFFERENT}.png\n")
            number += 1
