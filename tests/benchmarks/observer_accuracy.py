"""The inertial observers against their truth: alignment and level of runs of the nonlinear vehicle, 20 m/s.

Estimators are told the nominal vehicle with linear dampers, contacts linearised over the motion usual on fair track,
a wheel radius and the design. Their truth is the whole nonlinear vehicle with measured profiles in elastic contact and
digressive dampers. Sensor noise is that of DESIGN 4. 95 % of |error|, the worst of the seeds; both bogies' estimates of
one place are averaged. Variances and best factors were found on TUNING_SEEDS.
"""

import time
from collections.abc import Callable, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
from scipy.signal import lfilter

from tests.benchmarks.figure import Figure
from tests.benchmarks.observer_runs import JUDGED_SEEDS, LINES, RATE, Case, Sight, sight
from tests.benchmarks.vehicle_figure import named
from twin.core.arrays import Array, G
from twin.core.track import DesignTrack
from twin.numerics.bands import band
from twin.observer.chord import sharpened
from twin.observer.config import SevenConfig, TrackPrior
from twin.observer.full_filter import FullObserver, full_steps, smoothed_outputs
from twin.observer.full_model import full_model
from twin.observer.sensors import Channel, Fitted, full_set
from twin.observer.seven_filter import Heard, SevenStateObserver
from twin.observer.seven_state import SevenParameters
from twin.vehicle.library import vehicle
from twin.vehicle.linear import IRREGULARITIES, Block, LinearVehicle
from twin.vehicle.linear_contact import Spread, wheel_rails
from twin.vehicle.linear_runs import numbers_along
from twin.vehicle.running import WheelRailSettings, rails_between, wheelsets_on_rails
from twin.vehicle.symbolic import NUMBERS
from twin.vehicle.wheel_rail import WheelRail

VEHICLE, SPEED = "manchester", 20.0
PROFILES = {"cone": "cone-20", "s1002": "S1002"}
ACCEL_SD, GYRO_SD = 0.05, 2e-3
"""Per sample [m/s^2], [rad/s]."""
USUAL = Spread.normal(shift=1.8e-3, xi=2e-4, eta=1.1e-4)
"""Motion of wheelsets on German low track, from the tuning seeds."""
SEVEN = SevenConfig(model_y=0.011, model_psi=1.6e-3, model_frame=0.073, cutoff=100.0, slowest=19.0, fastest=21.0)
NOISE_SHARE, CAR_FOLLOWS = 0.46, {"k_s": 0.43, "c_s": 0.11}
"""Found on the tuning seeds: the car body follows its bogie, which a fixed one would not."""
LACKING: dict[Block, dict[str, float]] = {
    "lateral": {"wheelset": 0.03, "bogie": 0.03, "carbody": 0.01},
    "vertical": {"wheelset": 3e-3, "bogie": 3e-3, "carbody": 1e-3},
}
PRIOR = TrackPrior(cut=1.0)
ENDS, STEP, LEAK = 150.0, 0.25, 200.0
"""Left out at both ends [m], grid [m], length over which integrated roll is forgotten [m]."""
COLUMNS = {"accel_y": 1, "accel_z": 2, "rate_x": 3, "rate_y": 4, "rate_z": 5}
WRONG: dict[str, dict[str, float]] = {
    "": {},
    "_conicity_30": {"conicity": 1.3},
    "_creep_30": {"f11": 0.7, "f22": 0.7},
}
REPEATS = 5


class Errors(NamedTuple):
    """95 % of |error| [mm]."""

    D1: float
    D2: float


def figures(seeds: Sequence[int] = JUDGED_SEEDS, line: str = "mild") -> list[Figure]:
    """Both observers on both profiles, then their times."""
    found = []
    for label, profile in PROFILES.items():
        runs = [(seed, sight(Case(profile, SPEED, seed, line=line))) for seed in seeds]
        design = LINES[line]()
        for wrong, factors in WRONG.items():
            contact = _scaled(_contacts(profile), factors)
            seven = [seven_errors(run, design, contact, seed) for seed, run in runs]
            found += _figures(f"seven_state_{label}{wrong}", seven)
        for sensors, boxes in (("all", True), ("above", False)):
            for block, word in (("lateral", "alignment"), ("vertical", "level")):
                full = [full_errors(run, design, _contacts(profile), block, seed, boxes=boxes) for seed, run in runs]
                found += _figures(f"full_{label}_{sensors}_{word}", full)
    return found + times(sight(Case("cone-20", SPEED, seeds[0], line=line)), LINES[line]())


def _figures(name: str, errors: Sequence[Errors]) -> list[Figure]:
    return [named(f"observer.{name}_{word}", max(getattr(e, word) for e in errors), "mm") for word in Errors._fields]


def _scaled(contact: WheelRail, factors: dict[str, float]) -> WheelRail:
    return contact.model_copy(update={name: getattr(contact, name) * factor for name, factor in factors.items()})


@cache
def _contacts(profile: str) -> WheelRail:
    nominal = vehicle(VEHICLE)
    pairs = wheelsets_on_rails(nominal, WheelRailSettings(wheel=profile))
    return wheel_rails(nominal, pairs, spread=USUAL)[0]


@cache
def _linear() -> LinearVehicle:
    return LinearVehicle(vehicle(VEHICLE), [_contacts("cone-20")] * 4)


def heard(run: Sight, design: DesignTrack, seed: int) -> Heard:
    """What the seven states are given: leading box, frame, and roll of both by their gyros."""
    rng, dt = np.random.default_rng(seed), 1 / RATE
    box, frame = run.felt["box 1 left"], run.felt["front bogie"]
    sds = np.array([ACCEL_SD, GYRO_SD, ACCEL_SD])
    z = np.stack((box[:, 1], box[:, 5], frame[:, 1]), axis=1) + sds * rng.standard_normal((run.t.size, 3))
    s = _middle(run)
    kappa, cant, twist = design.curvature(s), design.cant_angle(s), design.cant_angle.slope(s)
    rates = [each[:, 3] + GYRO_SD * rng.standard_normal(run.t.size) - twist * run.V for each in (box, frame)]
    gamma, roll = (lfilter([dt], [1, dt * SPEED / LEAK - 1], rate) for rate in rates)
    lag = round(2 * 1.28 / SPEED / dt)
    mean, mean_rate = ((each + np.concatenate((np.zeros(lag), each[:-lag]))) / 2 for each in (gamma, rates[0]))
    u = (kappa * run.V**2 + G * cant, gamma, rates[0], mean, mean_rate, roll, rates[1], kappa)
    return Heard(np.rint(run.t * 1e9).astype(np.int64), run.V, z, np.stack(u, axis=1))


def _middle(run: Sight) -> Array:
    return np.asarray(run.s + vehicle(VEHICLE).body("front bogie").position[0])


def seven_errors(run: Sight, design: DesignTrack, contact: WheelRail, seed: int) -> Errors:
    """Smoothed alignment."""
    parameters = SevenParameters.of(vehicle(VEHICLE), contact)
    parameters = parameters.scaled({"k_s": CAR_FOLLOWS["k_s"], "c_s": CAR_FOLLOWS["c_s"]})
    followed, _ = SevenStateObserver(parameters, SEVEN, dt=1 / RATE).process(heard(run, design, seed))
    grid = _grid(_middle(run))
    mean = np.interp(grid, _middle(run), followed.smoothed()[0][:, -1])
    estimate = sharpened(mean, step=STEP, half_base=parameters.half_base, noise_share=NOISE_SHARE)
    return _errors(run, "alignment", grid, estimate)


def full_errors(
    run: Sight, design: DesignTrack, contact: WheelRail, block: Block, seed: int, *, boxes: bool = True
) -> Errors:
    """Smoothed alignment or level, mean of both bogies."""
    observer, z, u = observed(run, design, contact, block, seed, boxes=boxes)
    (smooth,) = smoothed_outputs(observer.process(np.full(run.t.size, SPEED), z, u))
    leading = [vehicle(VEHICLE).body(f"wheelset {w}").position[0] for w in (1, 3)]
    grid = _grid(run.s + max(leading), run.s + min(leading))
    both = [np.interp(grid, run.s + x, values) for x, values in zip(leading, smooth.T, strict=True)]
    return _errors(run, IRREGULARITIES[block][0], grid, np.mean(both, axis=0))


def observed(
    run: Sight, design: DesignTrack, contact: WheelRail, block: Block, seed: int, *, boxes: bool
) -> tuple[FullObserver, Array, Array]:
    """The observer, its samples and its inputs."""
    fitted = full_set(vehicle(VEHICLE), accel_sd=ACCEL_SD, gyro_sd=GYRO_SD, boxes=boxes)
    linear = _linear().with_contacts([contact] * 4)
    model = full_model(
        linear.at(SPEED, block),
        block,
        linear.vehicle,
        contacts=linear.contacts,
        prior=PRIOR,
        channels=fitted.of(block),
        lacking=LACKING[block],
    )
    rows = np.stack([model.outputs[f"wheelset {w}.{IRREGULARITIES[block][0]}"] for w in (1, 3)])
    steps = full_steps(model, np.array([each.sd**2 for each in fitted.of(block)]), dt=1 / RATE, outputs=rows)
    observer = FullObserver(lambda speed: steps, np.array([SPEED]), gate=100.0)
    return observer, _samples(run, fitted, block, seed), _inputs(run, design, model.inputs)


def _samples(run: Sight, fitted: Fitted, block: Block, seed: int) -> Array:
    rng = np.random.default_rng(seed)
    return np.stack(
        [_shown(run, each) + each.sd * rng.standard_normal(run.t.size) for each in fitted.of(block)], axis=1
    )


def _shown(run: Sight, channel: Channel) -> Array:
    body, column = channel.body, COLUMNS[channel.shown]
    if body.startswith("wheelset"):
        values = sum(run.felt[f"box {body[-1]} {side}"][:, column] for side in ("left", "right")) / 2
    elif body == "carbody":
        values = run.felt["carbody rear" if channel.at[0] < 0 else "carbody front"][:, column]
    else:
        values = run.felt[body][:, column]
    return np.asarray(values - (G if channel.shown == "accel_z" else 0.0))


def _inputs(run: Sight, design: DesignTrack, names: Sequence[str]) -> Array:
    rails = rails_between(design, None, first=-50.0, last=design.length + 50.0)
    numbers = {
        body: numbers_along(rails, run.s + vehicle(VEHICLE).body(body).position[0])
        for body in {name.rsplit(".", 1)[0] for name in names}
    }
    columns = [(name.rsplit(".", 1)[0], NUMBERS.index(name.rsplit(".", 1)[1])) for name in names]
    return np.stack([numbers[body][:, column] for body, column in columns], axis=1)


def _grid(*places: Array) -> Array:
    return np.arange(max(each[0] for each in places), min(each[-1] for each in places), STEP)


def _errors(run: Sight, word: str, grid: Array, estimate: Array) -> Errors:
    true, inner = run.rail(word, grid), (grid > grid[0] + ENDS) & (grid < grid[-1] - ENDS)
    differences = (band(estimate - true, step=STEP, name=name)[inner] for name in Errors._fields)
    return Errors(*(1e3 * float(np.quantile(np.abs(each), 0.95)) for each in differences))


def times(run: Sight, design: DesignTrack) -> list[Figure]:
    """Best of some repeats, per sample: seven states; both blocks of the whole vehicle."""
    contact = _contacts("cone-20")
    given = heard(run, design, 1)
    parameters = SevenParameters.of(vehicle(VEHICLE), contact)
    seven = SevenStateObserver(parameters, SEVEN, dt=1 / RATE)
    found = [named("observer.us_per_step_seven", _best(lambda: seven.process(given), run.t.size), "us")]
    full = 0.0
    blocks: tuple[Block, ...] = ("lateral", "vertical")
    for block in blocks:
        observer, z, u = observed(run, design, contact, block, 1, boxes=True)
        speed = np.full(run.t.size, SPEED)
        full += _best(lambda observer=observer, z=z, u=u, speed=speed: observer.process(speed, z, u), run.t.size)
    return [*found, named("observer.us_per_step_full", full, "us")]


def _best(work: Callable[[], object], samples: int) -> float:
    work()
    seconds = []
    for _ in range(REPEATS):
        begin = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - begin)
    return 1e6 * min(seconds) / samples
