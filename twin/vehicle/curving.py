"""Steady curving: how a vehicle stands in a long arc, by the nonlinear vehicle run into it.

The vehicle runs over a tangent and a transition into an arc without end. Its motion is averaged over windows of whole
wheel turns; it has settled when two windows in a row agree. A vehicle that climbs a rail or overturns is a result like
any other and says so. All results are those of a left curve: a right one is its mirror image.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import product
from math import asin, atan, copysign, cos, sin, sqrt, tan

import numpy as np
from pydantic import Field

from twin.contact.knife_edge import FLANGE_ANGLE
from twin.core.arrays import G
from twin.core.errors import ConfigError
from twin.core.settings import Settings
from twin.core.track import DesignTrack, HorizontalElement
from twin.vehicle.description import Vehicle, wheels_of
from twin.vehicle.running import Rails, Record, Running, RunSettings, rails_between, run
from twin.vehicle.statics import at_rest
from twin.vehicle.symbolic import VehicleModel, vehicle_model

TIGHTEST, WIDEST = 50.0, 1e5
"""Radii that can be run [m]: a design track takes no less than the first; beyond the second it is straight."""
MM = 1e3
"""[mm/m]"""
STEEPEST = 0.2
"""Largest cant [m]: what a design track takes; lines have 0.18 m at most."""
SLOWEST, FASTEST = 1.0, 150.0
"""Speeds that can be run [m/s]: below the first a window would last minutes."""
TANGENT = 40.0
"""Before the transition [m]: the vehicle settles on its rails."""
RAMP = 1 / 400
"""Steepest ramp of the cant in a transition."""
DEFICIENCY_RATE = 0.05
"""Growth of the cant deficiency in a transition [m/s]: lines have 0.05 as a rule."""
SHORTEST, LONGEST = 20.0, 10.0
"""Of a transition: at least so long [m], at most so many seconds [s]."""
UNLOADED = 0.01
"""Share of the mean wheel load below which a wheel carries nothing."""
LAST = 0.05
"""End of a run that tells why it ended [s]."""


class CurvingSettings(Settings):
    """How a vehicle is brought into its curve, and when it has settled there."""

    run: RunSettings = Field(RunSettings(contact="knife"), description="contact, step and what the wheels run on")
    window: float = Field(
        2.0,
        ge=0.1,
        le=30,
        description="least time averaged over [s], filled up to whole wheel turns: bodies sway in 2 s",
    )
    longest: float = Field(40.0, ge=1, le=600, description="time in the arc after which it has not settled [s]")
    shift_tolerance: float = Field(
        3e-5, gt=0, le=1e-2, description="change of a wheelset's lateral position from window to window [m]"
    )
    yaw_tolerance: float = Field(3e-5, gt=0, le=1e-2, description="change of its yaw from window to window [rad]")
    load_tolerance: float = Field(
        2e-3, gt=0, le=0.5, description="change of a wheel's load from window to window, share of the mean wheel load"
    )
    swing_tolerance: float = Field(
        3e-4, gt=0, le=1e-2, description="standard deviation within a window above which a wheelset swings [m]"
    )
    conicity: float | None = Field(None, gt=0, le=1, description="of the rigid bogie to compare with; 0.4 when worn")


class State(StrEnum):
    """What became of the vehicle."""

    STEADY = "steady"
    SWINGS = "swings"
    """Its mean is constant, but it oscillates about it: it hunts in the curve."""
    NOT_SETTLED = "not settled"
    LEFT = "left the track"
    OVERTURNED = "overturned"
    STOPPED = "stopped"
    """The computation went wrong."""


@dataclass(frozen=True, slots=True)
class Curve:
    """A curve, and how fast it is run through."""

    radius: float
    """[m], positive to the left."""
    cant: float
    """Outer over inner rail [m]."""
    speed: float
    """[m/s]"""


@dataclass(frozen=True, slots=True)
class CurvingWheel:
    """A wheel in the curve: forces of its rail on it in track axes, means over a window."""

    Q: float
    """Up [N]."""
    Y: float
    """Across, positive towards the inside of the curve [N]."""
    X: float
    """Forward [N]."""
    Y_over_Q: float
    """Y over Q where it presses its own rail outwards: what Nadal's limit is for [-]."""
    angle: float
    """Steepest contact angle [rad]."""
    power: float
    """Lost to creep [W]."""


@dataclass(frozen=True, slots=True)
class CurvingWheelset:
    """A wheelset in the curve, means over a window."""

    name: str
    shift: float
    """Lateral position against the track, towards the outer rail [m]."""
    attack: float
    """Yaw against the radius of the curve, positive where it runs at the outer rail [rad]."""
    outer: CurvingWheel
    inner: CurvingWheel

    @property
    def Y(self) -> float:
        """Of both wheels, towards the inside [N]."""
        return self.outer.Y + self.inner.Y

    @property
    def worst(self) -> float:
        """Y over Q of the wheel that presses its rail outwards most [-]."""
        return max(self.outer.Y_over_Q, self.inner.Y_over_Q)

    @property
    def power(self) -> float:
        """Lost to creep by both wheels [W]."""
        return self.outer.power + self.inner.power


@dataclass(frozen=True, slots=True)
class SteadyCurve:
    """One vehicle in one curve at one speed."""

    curve: Curve
    deficiency: float
    """Cant that is missing for balance [m]."""
    state: State
    remark: str
    """What a person should know of a vehicle that is not steady; else empty."""
    swing: float
    """Largest standard deviation of a wheelset's lateral position within the last window [m]."""
    wheelsets: tuple[CurvingWheelset, ...]
    """From front to rear; none if it did not get into the arc, or left it."""
    nadal: float | None
    """Y over Q up to which no flange climbs [-]; None for wheels without one."""
    rigid_shift: float | None = None
    """Shift of a rigid bogie towards the outer rail [m], where a conicity was given."""


def deficiency_at(vehicle: Vehicle, curve: Curve) -> float:
    """Cant deficiency [m]: the base of the cant times the acceleration across the track over g."""
    base = cant_base(vehicle)
    tilt = asin(curve.cant / base)
    return base * (curve.speed**2 / (G * abs(curve.radius)) * cos(tilt) - sin(tilt))


def curves_at_speed(
    vehicle: Vehicle, *, radii: Sequence[float], cants: Sequence[float], speed: float
) -> tuple[Curve, ...]:
    """Every radius [m] with every cant [m], all at one speed [m/s]."""
    return tuple(_checked(vehicle, Curve(radius, cant, speed)) for cant, radius in product(cants, radii))


def curves_at_deficiency(
    vehicle: Vehicle, *, radii: Sequence[float], cants: Sequence[float], deficiency: float
) -> tuple[Curve, ...]:
    """Every radius [m] with every cant [m], each at the speed at which so much cant [m] is missing."""
    base, found = cant_base(vehicle), []
    for cant, radius in product(cants, radii):
        _check_shape(vehicle, Curve(radius, cant, 0.0))
        tilt = asin(cant / base)
        squared = G * abs(radius) * (deficiency / base + sin(tilt)) / cos(tilt)
        if not squared >= SLOWEST**2:
            raise ConfigError(
                f"cant deficiency {deficiency * MM:g} mm at {cant * MM:g} mm cant: only a vehicle that stands has so "
                f"little; give more than {-cant * MM:g} mm, or a speed"
            )
        found.append(_checked(vehicle, Curve(radius, cant, sqrt(squared))))
    return tuple(found)


def cant_base(vehicle: Vehicle) -> float:
    """Distance over which cant is measured [m]: that of the rolling circles."""
    return 2 * wheels_of(vehicle.wheelsets[0]).half_distance


def rigid_bogie_shift(*, r0: float, l0: float, a: float, conicity: float, R: float) -> float:
    """Shift y = r0 (l0^2 + a^2) / (lambda l0 R) of both wheelsets of a rigid bogie towards the outer rail [m].

    Linear creep with f11 = f22, cones, no flange, balanced cant: the couple of the longitudinal creep forces turns the
    bogie against the lateral ones. r0: wheel radius, l0: half the distance of the rolling circles, a: half the
    wheelbase, R: radius of the curve [m]; conicity [-]. With a = 0 it is the line of pure rolling.
    """
    if not 0 < conicity <= 1:
        raise ConfigError(f"conicity {conicity:g}: a conicity lies above 0, up to 1")
    return r0 * (l0**2 + a**2) / (conicity * l0 * abs(R))


def nadal_limit(*, angle: float, mu: float) -> float:
    """Largest Y / Q = (tan angle - mu) / (1 + mu tan angle) at which a flange does not climb [Nadal 1896].

    angle: of the flange's steepest place [rad], mu: coefficient of friction, below tan angle.
    """
    return (tan(angle) - mu) / (1 + mu * tan(angle))


def steady_curve(
    vehicle: Vehicle, curve: Curve, *, settings: CurvingSettings | None = None, model: VehicleModel | None = None
) -> SteadyCurve:
    """The vehicle in a curve, settled there if it does; model: of the vehicle, if it is built already."""
    settings = settings or CurvingSettings()
    _checked(vehicle, curve)
    rails, entry = _laid(vehicle, curve)
    running = Running(vehicle, rails, speed=curve.speed, s=0.0, settings=settings.run, model=model)
    window = run(running, entry)
    state, remark = State.STOPPED, ""
    if window.stopped is None:
        window, state, remark = _settle(running, settings, curve.speed)
    side = copysign(1.0, curve.radius)
    if window.stopped is not None:
        state, remark = _why(vehicle, window, side)
    return SteadyCurve(
        curve=curve,
        deficiency=deficiency_at(vehicle, curve),
        state=state,
        remark=remark,
        swing=_swing(vehicle, window),
        wheelsets=() if window.stopped else _wheelsets(vehicle, window, side),
        nadal=_nadal(running),
        rigid_shift=None if settings.conicity is None else _rigid_shift(vehicle, settings.conicity, curve.radius),
    )


def curving_table(
    vehicle: Vehicle,
    curves: Sequence[Curve],
    *,
    settings: CurvingSettings | None = None,
    progress: Callable[[float], None] | None = None,
) -> tuple[SteadyCurve, ...]:
    """The vehicle in one curve after the other; progress is told the share of them that is done.

    All curves are checked before the first is run.
    """
    for curve in curves:
        _checked(vehicle, curve)
    model, found = vehicle_model(vehicle), []
    for curve in curves:
        found.append(steady_curve(vehicle, curve, settings=settings, model=model))
        if progress is not None:
            progress(len(found) / len(curves))
    return tuple(found)


def _checked(vehicle: Vehicle, curve: Curve) -> Curve:
    _check_shape(vehicle, curve)
    if not SLOWEST <= curve.speed <= FASTEST:
        raise ConfigError(f"speed {curve.speed:g} m/s: give {SLOWEST:g} to {FASTEST:g} m/s")
    return curve


def _check_shape(vehicle: Vehicle, curve: Curve) -> None:
    if not TIGHTEST <= abs(curve.radius) <= WIDEST:
        raise ConfigError(f"radius {curve.radius:g} m: a curve has {TIGHTEST:g} to {WIDEST:g} m, negative to the right")
    most = min(STEEPEST, cant_base(vehicle) / 2)
    if not abs(curve.cant) <= most:
        raise ConfigError(
            f"cant {curve.cant * MM:g} mm: the outer rail lies at most {most * MM:g} mm above the inner one"
        )


def _laid(vehicle: Vehicle, curve: Curve) -> tuple[Rails, float]:
    """Tangent, transition and arc, and when the last wheelset has come into the arc [s]."""
    slow = max(curve.speed * abs(deficiency_at(vehicle, curve)) / DEFICIENCY_RATE, abs(curve.cant) / RAMP)
    transition = max(SHORTEST, min(slow, LONGEST * curve.speed))
    curvature, cant = 1 / curve.radius, copysign(1.0, curve.radius) * curve.cant
    elements = [
        HorizontalElement(length=TANGENT),
        HorizontalElement(length=transition, curvature_end=curvature, cant_end=cant),
        HorizontalElement(
            length=TANGENT, curvature_start=curvature, curvature_end=curvature, cant_start=cant, cant_end=cant
        ),
    ]
    design = DesignTrack.from_elements(elements, [], cant_base=cant_base(vehicle))
    half = max(abs(wheelset.position[0]) for wheelset in vehicle.wheelsets)
    # beyond the table the arc goes on as it is at its end: it needs no length of its own
    rails = rails_between(design, None, first=-half, last=design.length)
    return rails, (TANGENT + transition + half + design.curvature.rounding) / curve.speed


def _settle(running: Running, settings: CurvingSettings, speed: float) -> tuple[Record, State, str]:
    """The last window, and whether it is steady."""
    vehicle, rate = running.vehicle, running.settings.rate
    turn = 2 * np.pi * wheels_of(vehicle.wheelsets[0]).radius / speed
    samples = max(1, round(np.ceil(settings.window / turn) * turn * rate))
    load = settings.load_tolerance * _mean_load(vehicle)
    start, before = running.t, running.stretch(samples)
    while before.stopped is None:
        window = running.stretch(samples)
        if window.stopped is not None:
            return window, State.STOPPED, window.stopped
        shift, yaw, force = _change(vehicle, before, window)
        swing = _swing(vehicle, window)
        constant = shift < settings.shift_tolerance and yaw < settings.yaw_tolerance and force < load
        if constant and swing < settings.swing_tolerance:
            return window, State.STEADY, ""
        if running.t - start > settings.longest and swing >= settings.swing_tolerance:
            return window, State.SWINGS, f"swings, a wheelset by a standard deviation of {swing * MM:.2g} mm"
        if running.t - start > settings.longest:
            remark = f"its mean still moves by {shift * MM:.2g} mm and {force:.0f} N in {samples / rate:.1f} s"
            return window, State.NOT_SETTLED, remark
        before = window
    return before, State.STOPPED, before.stopped


def _mean_load(vehicle: Vehicle) -> float:
    """Of all wheels at rest [N]."""
    return float(np.mean(list(at_rest(vehicle).wheel_loads.values())))


def _change(vehicle: Vehicle, before: Record, window: Record) -> tuple[float, float, float]:
    """Largest change of the means: lateral position [m], yaw [rad], wheel load [N]."""
    shift, yaw = (
        max(
            abs(float(window[f"{each.name}.{name}"].mean() - before[f"{each.name}.{name}"].mean()))
            for each in vehicle.wheelsets
        )
        for name in ("r_y", "yaw")
    )
    force = np.abs(window.wheel("Q").mean(axis=0) - before.wheel("Q").mean(axis=0)).max()
    return shift, yaw, float(force)


def _swing(vehicle: Vehicle, window: Record) -> float:
    if not window.t.size:
        return 0.0
    return max(float(window[f"{wheelset.name}.r_y"].std()) for wheelset in vehicle.wheelsets)


def _why(vehicle: Vehicle, record: Record, side: float) -> tuple[State, str]:
    """Why a run ended: an overturning vehicle has lifted all inner wheels before."""
    stopped = record.stopped or ""
    if "left the track" not in stopped:
        return State.STOPPED, stopped
    if record.t.size:
        last = record.wheel("Q")[record.t > record.t[-1] - LAST]
        inner = last[:, 0::2] if side > 0 else last[:, 1::2]
        if inner.mean(axis=0).max() < UNLOADED * _mean_load(vehicle):
            return State.OVERTURNED, f"no inner wheel carries anything: {stopped}"
    return State.LEFT, stopped


def _wheelsets(vehicle: Vehicle, window: Record, side: float) -> tuple[CurvingWheelset, ...]:
    """Means over the window, seen as in a left curve; side: 1 in a left curve, -1 in a right one."""
    fields = {field: window.wheel(field).mean(axis=0) for field in ("Q", "Y", "X", "angle", "power")}

    def wheel(number: int, outward: float) -> CurvingWheel:
        Q, Y, X, angle, power = (float(values[number]) for values in fields.values())
        ratio = outward * side * Y / Q if Q > 0 else 0.0
        return CurvingWheel(Q=Q, Y=side * Y, X=X, Y_over_Q=ratio, angle=angle, power=power)

    found = []
    for w, wheelset in enumerate(vehicle.wheelsets):
        inner, outer = (2 * w, 2 * w + 1) if side > 0 else (2 * w + 1, 2 * w)
        shift, yaw = (float(window[f"{wheelset.name}.{name}"].mean()) for name in ("r_y", "yaw"))
        found.append(CurvingWheelset(wheelset.name, -side * shift, -side * yaw, wheel(outer, 1.0), wheel(inner, -1.0)))
    return tuple(found)


def _nadal(running: Running) -> float | None:
    """Of the flange that climbs first."""
    angles = [atan(float(np.abs(wheel.slope).max())) for wheelset in running.pairs for wheel in wheelset]
    mu = running.settings.wheel_rail.friction.mu
    return nadal_limit(angle=min(angles), mu=mu) if min(angles) > max(FLANGE_ANGLE, atan(mu)) else None


def _rigid_shift(vehicle: Vehicle, conicity: float, radius: float) -> float:
    """Of the leading bogie, or of the vehicle where it has two wheelsets."""
    first = vehicle.wheelsets[0]
    wheels, wheelsets = wheels_of(first), vehicle.wheelsets
    a = (first.position[0] - wheelsets[1].position[0]) / 2 if len(wheelsets) > 1 else 0.0
    return rigid_bogie_shift(r0=wheels.radius, l0=wheels.half_distance, a=a, conicity=conicity, R=radius)
