"""The truth of a run in one file, truth.npz, written as the run goes on: memory does not grow with its length."""

import shutil
from dataclasses import dataclass, fields
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from zipfile import ZIP_DEFLATED, ZipFile

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from twin.core.arrays import frozen
from twin.core.places import Direction
from twin.simulation.dynamic.sensed import SensedTruth
from twin.simulation.dynamic.surface import SurfaceTruth
from twin.simulation.rail_head import RailSectionConfig, rail_section
from twin.simulation.scenario import Scenario
from twin.simulation.truth import TrackTruth, Truth
from twin.vehicle.running import WHEEL_FIELDS, Record

EFFORT = 1
"""Of the compression: noise hardly shrinks, and the least effort is four times as fast as the usual one."""


@dataclass(slots=True)
class _Column:
    """An array that grows in a file of its own."""

    path: Path
    dtype: np.dtype[Any]
    row: tuple[int, ...]
    """Shape of one sample."""
    count: int = 0


class TruthArchive:
    """truth.npz in the making. Use as a context manager; what was added is kept whatever ends the run."""

    def __init__(self, path: Path) -> None:
        self._path, self._parts = path, path.with_suffix(".parts")
        self._columns: dict[str, _Column] = {}
        self._whole: dict[str, NDArray[Any]] = {}

    def __enter__(self) -> Self:
        shutil.rmtree(self._parts, ignore_errors=True)
        self._parts.mkdir(parents=True)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if self._columns:
                self._pack()
        finally:
            shutil.rmtree(self._parts, ignore_errors=True)

    def add(
        self, truth: Truth, track: TrackTruth, vehicle: Record | None = None, sensed: SensedTruth | None = None
    ) -> None:
        """A stretch of the run, the next one."""
        for name, values in _growing(truth, vehicle, sensed).items():
            self._append(name, values)
        self._whole |= _fixed(track, vehicle)

    def describe(self, scenario: Scenario, *, start: float, end: float) -> None:
        """What the rails' surfaces are like between two arc lengths of the run [m]."""
        dynamics = scenario.dynamics
        if dynamics is None:
            return
        self._whole |= _head(dynamics.rail_head)
        if dynamics.wheels is not None:
            turned_at = None if scenario.direction is Direction.INCREASING else scenario.design().length
            roughness = dynamics.wheels.short_waves.rails
            self._whole |= _surface(SurfaceTruth.of(roughness, start=start, end=end, turned_at=turned_at))

    def _append(self, name: str, values: NDArray[Any]) -> None:
        if name not in self._columns or not self._columns[name].count:  # an empty first part may not know its width
            self._columns[name] = _Column(self._parts / name, values.dtype, values.shape[1:])
        with self._columns[name].path.open("ab") as file:
            file.write(np.ascontiguousarray(values).data)
        self._columns[name].count += values.shape[0]

    def _pack(self) -> None:
        with ZipFile(self._path, "w", ZIP_DEFLATED, compresslevel=EFFORT) as archive:
            for name, column in self._columns.items():
                header = {
                    "descr": npy.dtype_to_descr(column.dtype),
                    "fortran_order": False,
                    "shape": (column.count, *column.row),
                }
                with archive.open(f"{name}.npy", "w", force_zip64=True) as member, column.path.open("rb") as source:
                    npy.write_array_header_1_0(member, header)
                    shutil.copyfileobj(source, member, 1 << 20)
            for name, values in self._whole.items():
                with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                    npy.write_array(member, values, allow_pickle=False)


def save_truth(
    path: Path,
    truth: Truth,
    track: TrackTruth,
    vehicle: Record | None = None,
    sensed: SensedTruth | None = None,
) -> None:
    """Write the truth of a whole run into one npz archive.

    Everything is SI, in running direction, on the time of the run. The names, with n samples at the IMU's rate:

    - t, s, s_body, v, a, roll_abs ... omega_b: the measuring body, as in Truth, (n,) or (n, 3);
    - track_s, track_alignment, track_gauge, track_level, track_cross_level: the rails off their design, as in
      TrackTruth, on a grid of 0.25 m.

    Of a run by dynamics also:

    - vehicle_coordinates, vehicle_q, vehicle_v, vehicle_a: names (c,) and values (n, c) of all coordinates, their
      rates and accelerations; vehicle_wheel_fields, vehicle_wheels: names (f,) and values (n, wheels, f) of forces and
      contacts of all wheels without short waves, as in Record;
    - wheel_t, wheel_s, wheel_angle, wheel_X, wheel_Y, wheel_Q, wheel_offset: the wheels of the leading bogie at 2 kHz
      with short waves, as in WheelTruth, for bridges and distance lasers;
    - rail_head_t, rail_head_left, rail_head_right: places of the rails below the scanners, as in RailHeadTruth;
      image_t, image_rail_left, image_rail_right: the same below the cameras, for each image;
    - rail_head_section (points, 2): y and z of the worn outline of a left rail about its place, and rail_head_wear
      (2,): its vertical and side wear [m];
    - roughness_s0, roughness_step, roughness_left, roughness_right: the running surfaces on a grid, and
      corrugation (patches, 4), corrugation_rails (patches,): the patches in them, as in SurfaceTruth.

    The last two are written where a scenario is recorded (TruthArchive.describe).
    """
    with TruthArchive(path) as archive:
        archive.add(truth, track, vehicle, sensed)


def load_truth(path: Path) -> tuple[Truth, TrackTruth]:
    """The measuring body and the rails, of any run."""
    with np.load(path, allow_pickle=False) as archive:
        motion = {field.name: frozen(archive[field.name]) for field in fields(Truth)}
        rails = {field.name: frozen(archive[f"track_{field.name}"]) for field in fields(TrackTruth)}
    return Truth(**motion), TrackTruth(**rails)


def _growing(truth: Truth, vehicle: Record | None, sensed: SensedTruth | None) -> dict[str, NDArray[Any]]:
    """What has a sample for each of many times."""
    found = {field.name: getattr(truth, field.name) for field in fields(Truth)}
    if vehicle is not None:
        found |= {f"vehicle_{name}": getattr(vehicle, name) for name in ("q", "v", "a", "wheels")}
    if sensed is not None:
        found |= {f"wheel_{field.name}": getattr(sensed.wheels, field.name) for field in fields(sensed.wheels)}
        heads, images = sensed.rail_heads, sensed.images
        found |= {"rail_head_t": heads.t, "rail_head_left": heads.left, "rail_head_right": heads.right}
        found |= {"image_t": images.t, "image_rail_left": images.left, "image_rail_right": images.right}
    return found


def _fixed(track: TrackTruth, vehicle: Record | None) -> dict[str, NDArray[Any]]:
    """What stays as it is."""
    found = {f"track_{field.name}": getattr(track, field.name) for field in fields(TrackTruth)}
    if vehicle is not None:
        found["vehicle_coordinates"] = np.array(vehicle.layout.coordinates)
        found["vehicle_wheel_fields"] = np.array(WHEEL_FIELDS)
    return found


def _head(config: RailSectionConfig) -> dict[str, NDArray[Any]]:
    section = rail_section(config)
    return {
        "rail_head_section": np.column_stack((section.y, section.z)),
        "rail_head_wear": np.array([config.vertical_wear, config.side_wear]),
    }


def _surface(surface: SurfaceTruth) -> dict[str, NDArray[Any]]:
    return {
        "roughness_s0": np.array(surface.s0),
        "roughness_step": np.array(surface.step),
        "roughness_left": surface.left,
        "roughness_right": surface.right,
        "corrugation": surface.patches,
        "corrugation_rails": np.array(surface.patch_rails, dtype=np.str_),
    }
