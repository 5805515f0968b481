"""The weakly coupled linear vehicle against the nonlinear one with elastic contacts.

Conicity and roll per shift are linearised over the lateral motion of the very run (twin.vehicle.linear_contact), so for
curved profiles this asks how well the best line does. Wheelsets' lateral positions below 20 Hz, the worst of the four.
"""

import numpy as np
from scipy.signal import butter, sosfiltfilt

from tests.benchmarks.figure import Figure
from tests.benchmarks.vehicle_figure import curved, named, rms, rough_rails, straight
from twin.core.arrays import Array
from twin.core.track import DesignTrack
from twin.vehicle.library import vehicle
from twin.vehicle.linear import LinearVehicle, StateSpace
from twin.vehicle.linear_contact import wheel_rails
from twin.vehicle.running import Rails, Record, Running, RunSettings, WheelRailSettings, rails_between, run
from twin.vehicle.running.rails import rails_many
from twin.vehicle.symbolic import NUMBERS, frame_numbers

SPEEDS = (20.0, 30.0, 40.0)
PROFILES = {"cone": "cone-20", "s1002": "S1002"}
DURATION, SETTLED = 20.0, 2000
"""Of a run [s], and samples at its start that are not judged."""
CUT = 20.0
"""[Hz]"""
SEED = 5
WHEELSETS = tuple(f"wheelset {i}" for i in (1, 2, 3, 4))


def figures() -> list[Figure]:
    """Irregular straight track at three speeds, and a wide curve."""
    found = []
    for label, profile in PROFILES.items():
        for speed in SPEEDS:
            error = _irregular(profile, speed)
            found.append(named(f"vehicle.linear_vs_nonlinear_{label}_{speed:.0f}", 100 * error, "percent"))
    found.append(named("vehicle.linear_vs_nonlinear_curve_3000", 1e3 * _curve(3000.0), "mm"))
    return found


def _irregular(profile: str, speed: float) -> float:
    design = straight(speed * DURATION + 150.0)
    rails = rough_rails(design, seed=SEED)
    running, record = _nonlinear(profile, speed, rails)
    ours, theirs = _positions(running, record, rails, design, speed)
    sos = butter(4, CUT, fs=running.settings.rate, output="sos")
    a, b = (sosfiltfilt(sos, each, axis=0)[SETTLED:] for each in (ours, theirs))
    return max(rms(a[:, i] - b[:, i]) / rms(b[:, i]) for i in range(len(WHEELSETS)))


def _curve(radius: float) -> float:
    """Largest difference of lateral positions in the arc [m], cones, cant in balance."""
    speed = 25.0
    design = curved(radius=radius, cant=1.5 * speed**2 / (9.80665 * radius), arc=600.0)
    rails = rails_between(design, None, first=-50.0, last=design.length + 50.0)
    running, record = _nonlinear("cone-20", speed, rails, duration=22.0)
    ours, theirs = _positions(running, record, rails, design, speed)
    last = slice(-3000, None)
    return float(np.abs(ours[last].mean(axis=0) - theirs[last].mean(axis=0)).max())


def _nonlinear(profile: str, speed: float, rails: Rails, duration: float = DURATION) -> tuple[Running, Record]:
    settings = RunSettings(contact="elastic", step=5e-4, wheel_rail=WheelRailSettings(wheel=profile))
    running = Running(vehicle("manchester"), rails, speed=speed, s=0.0, settings=settings)
    record = run(running, duration)
    assert record.stopped is None, record.stopped
    return running, record


def _positions(
    running: Running, record: Record, rails: Rails, design: DesignTrack, speed: float
) -> tuple[Array, Array]:
    """(samples, 4) lateral positions of the linear vehicle and of the nonlinear one [m]."""
    theirs = np.stack([record[f"{name}.r_y"] for name in WHEELSETS], axis=1)
    rough = np.stack([rails_many(rails, record[f"{name}.s"]) for name in WHEELSETS], axis=1)
    alignment, cross = (rough[..., 0] + rough[..., 2]) / 2, rough[..., 1] - rough[..., 3]
    tilt = np.stack([record[f"{name}.roll"] for name in WHEELSETS], axis=1)
    shift = theirs - alignment + 0.46 * tilt
    spread = [max(rms(shift[SETTLED:, i]), 2e-4) for i in range(len(WHEELSETS))]
    model = LinearVehicle(running.vehicle, wheel_rails(running.vehicle, running.pairs, sd=spread))
    space = model.at(speed, "lateral")
    inputs = _inputs(space, record, design, {"alignment": alignment, "cross_level": cross})
    states = _responses(space, inputs, dt=1 / running.settings.rate)
    columns = [space.coordinates.index(f"{name}.r_y") for name in WHEELSETS]
    return states[:, columns], theirs


def _inputs(space: StateSpace, record: Record, design: DesignTrack, rough: dict[str, Array]) -> Array:
    """(samples, inputs) of the linear model along the nonlinear run."""
    dt = float(record.t[1] - record.t[0])
    numbers = {body: frame_numbers(design, record[f"{body}.s"]) for body in record.layout.frames}
    columns = []
    for name in space.inputs:
        body, word = name.rsplit(".", 1)
        base, _, _ = word.partition("_rate") if word.endswith("_rate") else word.partition("_acceleration")
        if base in rough:
            values = rough[base][:, WHEELSETS.index(body)]
            for _ in range({"": 0, "_rate": 1, "_acceleration": 2}[word[len(base) :]]):
                values = np.gradient(values, dt)
        else:
            values = numbers[body][:, NUMBERS.index(word)]
        columns.append(values)
    return np.stack(columns, axis=1)


def _responses(space: StateSpace, inputs: Array, *, dt: float) -> Array:
    """(samples, states) from rest, inputs straight between samples."""
    Phi, Gamma = space.stepped(dt)
    forced = (inputs + np.vstack((inputs[:1], inputs[:-1]))) / 2 @ Gamma.T
    states, x = np.empty_like(forced), np.zeros(Phi.shape[0])
    for k in range(len(states)):
        x = Phi @ x + forced[k]
        states[k] = x
    return states
