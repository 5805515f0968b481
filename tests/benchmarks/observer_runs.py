"""Runs that the inertial observer is judged on: the nonlinear vehicle on elastic contacts, and what its bodies feel.

The truth is the full vehicle with measured-profile contact and digressive dampers; nothing of the observer's linear
model makes it. Sensors are read without errors at 500 Hz; errors are added, seeded, where a run is judged. Runs are
kept in a folder, since one takes minutes: RAILTWIN_RUNS, or build/runs.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Self

import numpy as np
from scipy.signal import decimate

from tests.benchmarks.vehicle_figure import LEAD_IN
from twin.core.arrays import Array, G
from twin.core.track import DesignTrack, HorizontalElement
from twin.simulation.irregularity import IrregularityConfig, SpectrumClass, realise
from twin.simulation.kinematics import BodyMotion, inertial, track_motion
from twin.vehicle.description import LineDamper, Vehicle
from twin.vehicle.library import vehicle
from twin.vehicle.running import Record, RoughRails, Running, RunSettings, WheelRailSettings, faded_in, rails_between
from twin.vehicle.symbolic import VehicleModel, vehicle_model

TUNING_SEEDS, JUDGED_SEEDS = (901, 902), (911, 912, 913, 914, 915)
RATE, KEPT = 500.0, 2000.0
"""Of sensors, and of states of the run [Hz]."""
FIRST_ROUGH, END = 20.0, 40.0
"""Where irregularities begin, and how much of the track a run leaves [m]."""
STRETCH = 20.0
"""Computed at a time [s]."""
POINTS: dict[str, tuple[str, tuple[float, float, float]]] = {
    **{f"box {w} left": (f"wheelset {w}", (0.0, 1.0, 0.0)) for w in (1, 2, 3, 4)},
    **{f"box {w} right": (f"wheelset {w}", (0.0, -1.0, 0.0)) for w in (1, 2, 3, 4)},
    **{f"{name} bogie": (f"{name} bogie", (0.0, 0.0, 0.0)) for name in ("front", "rear")},
    "carbody front": ("carbody", (9.5, 0.0, -0.6)),
    "carbody rear": ("carbody", (-9.5, 0.0, -0.6)),
}
"""Sensor points: body, and arm from its centre of mass [m]."""
BENT = ((0.0, 0.0), (0.01, 1.3), (0.05, 4.1), (1.0, 60.0))
"""Digressive dampers: speed [m/s], and force over what the nominal curve has at 0.01 m/s."""


@dataclass(frozen=True, slots=True)
class Sight:
    """One run as its sensors and the truth saw it, 500 times a second."""

    t: Array
    s: Array
    """(samples,) of the vehicle's middle [m]."""
    V: Array
    felt: dict[str, Array]
    """(samples, 6) specific force and rate at each of POINTS."""
    rails_s: Array
    rails: Array
    """(points, 4): y and z of the left rail, y and z of the right one [m]."""
    coordinates: tuple[str, ...]
    q: Array
    """(samples, n)"""
    sums: Array
    """(samples, wheelsets) lateral force of the rails on each wheelset [N]."""
    shift: Array
    """(samples, wheelsets) of the wheelset against its rails [m]."""
    creep: Array
    """(samples, wheelsets, 2) lateral creepage, and longitudinal one of the left wheel."""

    def rail(self, word: str, s: Array) -> Array:
        """One irregularity at arc lengths s (n,) [m]."""
        y_l, z_l, y_r, z_r = self.rails.T
        values = {
            "alignment": (y_l + y_r) / 2,
            "level": (z_l + z_r) / 2,
            "cross_level": z_l - z_r,
            "gauge": y_l - y_r,
        }
        return np.asarray(np.interp(s, self.rails_s, values[word]))

    def save(self, path: Path) -> None:
        """To a file."""
        arrays = {name: getattr(self, name) for name in ARRAYS}
        arrays |= {f"felt {name}": values.astype(np.float32) for name, values in self.felt.items()}
        path.parent.mkdir(parents=True, exist_ok=True)
        partial = path.with_suffix(f".{os.getpid()}.npz")
        np.savez(partial, coordinates=np.array(self.coordinates), **arrays)
        partial.rename(path)

    @classmethod
    def load(cls, path: Path) -> Self:
        """From a file."""
        with np.load(path, allow_pickle=False) as kept:
            felt = {name[5:]: kept[name].astype(np.float64) for name in kept.files if name.startswith("felt ")}
            coordinates = tuple(str(each) for each in kept["coordinates"])
            return cls(felt=felt, coordinates=coordinates, **{name: kept[name] for name in ARRAYS})


ARRAYS = ("t", "s", "V", "rails_s", "rails", "q", "sums", "shift", "creep")


@dataclass(frozen=True, slots=True)
class Case:
    """Which run."""

    profile: str
    speed: float
    seed: int
    line: str = "mild"
    name: str = "manchester"

    @property
    def path(self) -> Path:
        """Its file."""
        folder = Path(os.environ.get("RAILTWIN_RUNS", "build/runs"))
        return folder / f"{self.name}_{self.line}_{self.profile}_{self.speed:g}_{self.seed}.npz"


def sight(case: Case) -> Sight:
    """The run, simulated once."""
    if not case.path.is_file():
        _simulated(case).save(case.path)
    return Sight.load(case.path)


def mild_line(*, length: float = 2200.0) -> DesignTrack:
    """Straight, a left arc of 3000 m radius, straight, a right one of 2000 m, each with balanced cant at 20 m/s."""
    elements = [HorizontalElement(length=450.0)]
    for curvature, cant, arc in ((1 / 3000, 0.02, 350.0), (-1 / 2000, -0.03, 350.0)):
        elements += [
            HorizontalElement(length=150.0, curvature_end=curvature, cant_end=cant),
            HorizontalElement(
                length=arc, curvature_start=curvature, curvature_end=curvature, cant_start=cant, cant_end=cant
            ),
            HorizontalElement(length=150.0, curvature_start=curvature, cant_start=cant),
            HorizontalElement(length=150.0),
        ]
    elements.append(HorizontalElement(length=max(length - sum(each.length for each in elements), 1.0)))
    return DesignTrack.from_elements(elements, [])


def straight_line(*, length: float = 2200.0) -> DesignTrack:
    """A tangent."""
    return DesignTrack.from_elements([HorizontalElement(length=length)], [])


LINES = {"mild": mild_line, "straight": straight_line}


def real_vehicle(name: str) -> Vehicle:
    """The vehicle as it is: its dampers bend."""
    nominal = vehicle(name)
    elements = tuple(_bent(each) if isinstance(each, LineDamper) else each for each in nominal.elements)
    return nominal.model_copy(update={"elements": elements})


def _bent(damper: LineDamper) -> LineDamper:
    if len(damper.curve) > 2:
        return damper
    force = damper.curve[1][1] / damper.curve[1][0] * 0.01
    return damper.model_copy(update={"curve": tuple((speed, share * force) for speed, share in BENT)})


@cache
def _model(name: str) -> VehicleModel:
    return vehicle_model(real_vehicle(name))


def _simulated(case: Case) -> Sight:
    design = LINES[case.line]()
    drawn = realise(
        IrregularityConfig(seed=case.seed, spectrum=SpectrumClass.GERMAN_LOW), s0=-50.0, length=design.length + 100.0
    )
    places = np.stack((drawn.y_left, drawn.z_left, drawn.y_right, drawn.z_right), axis=1)
    rough = faded_in(RoughRails(drawn.s0, drawn.step, places), first=FIRST_ROUGH, length=LEAD_IN)
    rails = rails_between(design, rough, first=-50.0, last=design.length + 50.0)
    settings = RunSettings(contact="elastic", step=5e-4, rate=KEPT, wheel_rail=WheelRailSettings(wheel=case.profile))
    real = real_vehicle(case.name)
    running = Running(real, rails, speed=case.speed, s=0.0, settings=settings, model=_model(case.name))
    duration = (design.length - END) / case.speed
    parts = []
    while running.t < duration:
        record = running.stretch(round(min(STRETCH, duration - running.t) * KEPT) or 1)
        assert record.stopped is None, record.stopped
        parts.append(_seen(record, real, design))
    joined = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    every = round(KEPT / RATE)
    felt = {name: decimate(joined.pop(name), every, ftype="fir", axis=0, zero_phase=True) for name in POINTS}
    kept = {name: values[::every] for name, values in joined.items()}
    rails_s = rough.s0 + rough.step * np.arange(len(rough.places))
    starts = [record.layout.index(f"{wheelset.name}.s") for wheelset in real.wheelsets]
    shift, creep = _riding(kept, starts, real, (design, rough))
    return Sight(
        t=kept["t"],
        s=kept["q"][:, record.layout.index("carbody.s")],
        V=kept["v"][:, record.layout.index("carbody.s")],
        felt=felt,
        rails_s=rails_s,
        rails=rough.places,
        coordinates=record.layout.coordinates,
        q=kept["q"],
        sums=kept["sums"],
        shift=shift,
        creep=creep,
    )


def _seen(record: Record, real: Vehicle, design: DesignTrack) -> dict[str, Array]:
    """What one stretch leaves, at the rate of kept states."""
    Y = record.wheel("Y")
    seen = {"t": record.t, "q": record.q, "v": record.v, "sums": Y[:, ::2] + Y[:, 1::2]}
    for name, (body, arm) in POINTS.items():
        start = record.layout.index(f"{body}.s")
        q, v, a = (each[:, start : start + 6] for each in (record.q, record.v, record.a))
        track = track_motion(design, s=q[:, 0], V=v[:, 0], V_dot=a[:, 0])
        held = (1.0, 1.0, 1.0, 0.0 if real.body(body).kind == "wheelset" else 1.0, 1.0)  # boxes do not turn
        motion = BodyMotion(*(each[:, 1:] * held for each in (q, v, a)))
        felt = inertial(track, motion, p_b=np.array(arm), g=G)
        seen[name] = np.concatenate((felt.f_b, felt.omega_b), axis=1)
    return seen


def _riding(
    kept: dict[str, Array], starts: Sequence[int], real: Vehicle, line: tuple[DesignTrack, RoughRails]
) -> tuple[Array, Array]:
    """Shift of the contacts of each wheelset, and its creepages (lateral, longitudinal without that of the shift)."""
    design, rough = line
    alignment = (rough.places[:, 0] + rough.places[:, 2]) / 2
    rails_s = rough.s0 + rough.step * np.arange(alignment.size)
    shifts, creeps = [], []
    for wheelset, start in zip(real.wheelsets, starts, strict=True):
        q, v = kept["q"][:, start : start + 6], kept["v"][:, start : start + 6]
        assert wheelset.wheels is not None
        r0, l0 = wheelset.wheels.radius, wheelset.wheels.half_distance
        shifts.append(q[:, 1] - np.interp(q[:, 0], rails_s, alignment) + r0 * q[:, 3])
        eta = (v[:, 1] + r0 * v[:, 3]) / v[:, 0] - q[:, 5]
        xi = l0 * (v[:, 5] / v[:, 0] + design.curvature(q[:, 0]))
        creeps.append(np.stack((eta, xi), axis=1))
    return np.stack(shifts, axis=1), np.stack(creeps, axis=1)
