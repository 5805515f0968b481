"""The linear vehicle against the nonlinear one with elastic contacts: straight, transition, curve, irregular track.

On straight track and in a wide curve the weakly coupled model, whose contacts are linearised over its own motion
(twin.vehicle.linear_runs); in sharp curves the one about the nonlinear steady state (twin.vehicle.linear_curving), with
irregularities that begin in the arc. Wheelsets' lateral positions below 20 Hz, the worst of the four.
"""

from functools import cache
from typing import NamedTuple

import numpy as np
from scipy.signal import butter, sosfiltfilt

from tests.benchmarks.figure import Figure
from tests.benchmarks.vehicle_figure import curved, named, rms, rough_rails, straight
from twin.core.arrays import Array, G
from twin.vehicle.library import vehicle
from twin.vehicle.linear import LinearVehicle
from twin.vehicle.linear_contact import Spread, wheel_rails
from twin.vehicle.linear_curving import CurvingVehicle, steady_state
from twin.vehicle.linear_runs import Ride, fitted_to_ride, inputs_along, responses
from twin.vehicle.running import Rails, Record, Running, RunSettings, WheelRailSettings, rails_between, run
from twin.vehicle.running.contacts import ElasticContacts
from twin.vehicle.symbolic import VehicleModel, vehicle_model

SPEEDS = (20.0, 30.0, 40.0)
PROFILES = {"cone": "cone-20", "s1002": "S1002"}
DURATION, SETTLED = 20.0, 2000
"""Of a run [s], and samples at its start that are not judged."""
CUT = 20.0
"""[Hz]"""
SEED = 5
WHEELSETS = tuple(f"wheelset {i}" for i in (1, 2, 3, 4))
SHARP = ((1500.0, 0.06, 25.0), (600.0, 0.1, 20.0), (300.0, 0.1, 15.0))
"""Radius, cant [m] and speed [m/s] of curves run on S1002."""
ENTRY, SETTLING, WINDOW = 150.0, 14.0, 2.0
"""Way to the arc [m], time there before and during the mean of the steady state [s]."""


class Compared(NamedTuple):
    """(samples, 4) lateral positions of the wheelsets [m]."""

    t: Array
    linear: Array
    nonlinear: Array
    on_flange: tuple[str, ...] = ()

    def below_cut(self) -> "Compared":
        """Without what is faster than CUT."""
        sos = butter(4, CUT, fs=1 / float(self.t[1] - self.t[0]), output="sos")
        linear, nonlinear = (sosfiltfilt(sos, each, axis=0) for each in (self.linear, self.nonlinear))
        return self._replace(linear=linear, nonlinear=nonlinear)


def figures(seed: int = SEED) -> list[Figure]:
    """Irregular straight track at three speeds, a wide curve with its transition, sharp irregular curves."""
    found = []
    for label, profile in PROFILES.items():
        for speed in SPEEDS:
            error = relative_error(irregular(profile, speed, seed))
            found.append(_figure(f"{label}_{speed:.0f}", 100 * error, "percent"))
    both = wide_curve("cone-20", 3000.0)
    difference = np.abs(both.linear - both.nonlinear)
    found.append(_figure("curve_3000", 1e3 * float(difference[-3000:].mean(axis=0).max()), "mm"))
    found.append(_figure("transition_3000", 1e3 * float(difference.max()), "mm"))
    for radius, cant, speed in SHARP:
        both = sharp_curve(radius, cant, speed, seed)
        difference = 1e3 * np.abs(both.linear - both.nonlinear)[SETTLED:]
        found.append(_figure(f"steady_{radius:.0f}_95", float(np.quantile(difference, 0.95, axis=0).max()), "mm"))
        found.append(_figure(f"steady_{radius:.0f}_max", float(difference.max()), "mm"))
        found.append(_figure(f"steady_{radius:.0f}_on_flange", len(both.on_flange), "wheelsets"))
    return found


def _figure(name: str, value: float, unit: str) -> Figure:
    return named(f"vehicle.linear_vs_nonlinear_{name}", value, unit)


def relative_error(both: Compared) -> float:
    """Root mean square of the difference over that of the nonlinear position, of the worst wheelset."""
    a, b = both.linear[SETTLED:], both.nonlinear[SETTLED:]
    return max(rms(a[:, i] - b[:, i]) / rms(b[:, i]) for i in range(len(WHEELSETS)))


def irregular(profile: str, speed: float, seed: int) -> Compared:
    """German low irregularities on straight track."""
    rails = rough_rails(straight(speed * DURATION + 150.0), seed=seed)
    return _weakly_coupled(profile, speed, rails, DURATION).below_cut()


def wide_curve(profile: str, radius: float, speed: float = 25.0) -> Compared:
    """Smooth tangent, transition and arc with balanced cant."""
    design = curved(radius=radius, cant=1.5 * speed**2 / (G * radius), arc=600.0)
    rails = rails_between(design, None, first=-50.0, last=design.length + 50.0)
    return _weakly_coupled(profile, speed, rails, 24.0)


def _weakly_coupled(profile: str, speed: float, rails: Rails, duration: float) -> Compared:
    running = _running(profile, speed, rails)
    record = _run(running, duration)
    ride = Ride(rails, speed, 0.0, record.t)
    model, states = fitted_to_ride(running.vehicle, running.pairs, ride, model=_linear())
    coordinates = model.at(speed, "lateral").coordinates
    columns = [coordinates.index(f"{name}.r_y") for name in WHEELSETS]
    return Compared(record.t, states[:, columns], _positions(record))


def sharp_curve(radius: float, cant: float, speed: float, seed: int) -> Compared:
    """Irregularities that begin in an arc, about the steady state there."""
    begin = ENTRY + speed * (SETTLING + WINDOW + 1.0)
    design = curved(radius=radius, cant=cant, arc=begin + speed * DURATION)
    rails = rough_rails(design, seed=seed, first=begin)
    running = _running("S1002", speed, rails)
    _run(running, ENTRY / speed + SETTLING)
    steady = steady_state(running, samples=round(WINDOW * running.settings.rate))
    start = float(running.model.q[running.drive.coordinate]) - speed * running.t
    record = _run(running, DURATION)
    assert isinstance(running.contacts, ElasticContacts)
    space = CurvingVehicle(running.vehicle, running.contacts.wheels).about(steady)
    inputs = inputs_along(space, running.vehicle, Ride(rails, speed, start, record.t))
    states = responses(space, inputs, dt=1 / running.settings.rate)
    columns = [space.coordinates.index(f"{name}.r_y") for name in WHEELSETS]
    rest = steady.q[[record.layout.index(f"{name}.r_y") for name in WHEELSETS]]
    return Compared(record.t, states[:, columns] + rest, _positions(record), steady.on_flange).below_cut()


def _running(profile: str, speed: float, rails: Rails) -> Running:
    settings = RunSettings(contact="elastic", step=5e-4, wheel_rail=WheelRailSettings(wheel=profile))
    return Running(vehicle("manchester"), rails, speed=speed, s=0.0, settings=settings, model=_model())


@cache
def _model() -> VehicleModel:
    return vehicle_model(vehicle("manchester"))


@cache
def _linear() -> LinearVehicle:
    found = vehicle("manchester")
    pairs = _running("cone-20", 20.0, rails_between(straight(10.0), None, first=0.0, last=10.0)).pairs
    return LinearVehicle(found, wheel_rails(found, pairs, spread=Spread.normal(shift=1e-3)))


def _run(running: Running, duration: float) -> Record:
    record = run(running, duration)
    assert record.stopped is None, record.stopped
    return record


def _positions(record: Record) -> Array:
    return np.stack([record[f"{name}.r_y"] for name in WHEELSETS], axis=1)
