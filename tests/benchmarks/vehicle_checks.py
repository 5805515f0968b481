"""Checks of the running vehicle by theory: a wide curve against the rigid bogie, and hunting against the eigenvalues.

Elastic contacts, the Manchester vehicle, cones of 1/20 that grip; the nonlinear critical speed is that of S1002.
"""

from dataclasses import replace

from tests.benchmarks.figure import Figure
from tests.benchmarks.vehicle_figure import named
from twin.contact.creep import Friction
from twin.vehicle.curving import CurvingSettings, SteadyCurve, curves_at_deficiency, steady_curve
from twin.vehicle.hunting import (
    HuntingSettings,
    critical_by_growth,
    falling_branch,
    nonlinear_critical_speed,
)
from twin.vehicle.library import vehicle
from twin.vehicle.linear import LinearVehicle
from twin.vehicle.linear_contact import Spread, wheel_rails
from twin.vehicle.modes import critical_speed
from twin.vehicle.running import RunSettings, WheelRailSettings, wheelsets_on_rails

GRIPPING = Friction(mu=1.0)
CONES = WheelRailSettings(wheel="cone-20", friction=GRIPPING)
RADIUS, CONICITY = 5000.0, 0.05
WORN = WheelRailSettings(wheel="S1002")
FALLING = (84.0, 82.0, 80.0, 78.0, 76.0, 74.0, 72.0, 70.0)
"""Speeds at which the limit cycle on S1002 is looked for [m/s]."""


def figures() -> list[Figure]:
    """All of them."""
    cones, mirrored = _wide_curve(RADIUS), _wide_curve(-RADIUS)
    assert cones.rigid_shift is not None
    return [
        named("vehicle.curving_5000_mm", 1e3 * cones.wheelsets[0].shift, "mm"),
        named("vehicle.curving_5000_percent", 100 * abs(cones.wheelsets[0].shift / cones.rigid_shift - 1), "percent"),
        named("vehicle.curving_mirror_um", 1e6 * _mirrored(cones, mirrored), "um"),
        named("vehicle.curving_balance_percent", _unbalance(cones), "percent"),
        *_critical("cone", CONES),
        *_critical("s1002", WORN),
        *_nonlinear(),
    ]


def _wide_curve(radius: float) -> SteadyCurve:
    """At 80 mm cant in balance."""
    found = vehicle("manchester")
    settings = CurvingSettings(run=RunSettings(wheel_rail=CONES), conicity=CONICITY)
    (curve,) = curves_at_deficiency(found, radii=[abs(radius)], cants=[0.08], deficiency=0.0)
    return steady_curve(found, replace(curve, radius=radius), settings=settings)


def _mirrored(left: SteadyCurve, right: SteadyCurve) -> float:
    """Largest difference of shifts between a left curve and a right one [m]."""
    return max(abs(a.shift - b.shift) for a, b in zip(left.wheelsets, right.wheelsets, strict=True))


def _unbalance(found: SteadyCurve) -> float:
    """Difference of what the rails carry, as a share of the weight [%]."""
    outer, inner = (sum(getattr(each, side).Q for each in found.wheelsets) for side in ("outer", "inner"))
    return 100 * abs(outer - inner) / (outer + inner)


def _critical(label: str, on: WheelRailSettings) -> list[Figure]:
    """The critical speed by growth, and how far that by eigenvalues lies off it."""
    found = vehicle("manchester")
    settings = HuntingSettings(run=RunSettings(wheel_rail=on))
    contacts = wheel_rails(
        found, wheelsets_on_rails(found, on), spread=Spread.normal(shift=settings.small), friction=on.friction
    )
    linear = critical_speed(LinearVehicle(found, contacts))
    assert linear is not None
    grown = critical_by_growth(found, slowest=0.88 * linear.speed, fastest=1.12 * linear.speed, settings=settings)
    assert grown is not None
    return [
        named(f"vehicle.critical_speed_{label}", grown.speed, "m/s"),
        named(f"vehicle.critical_speed_percent_{label}", 100 * abs(linear.speed / grown.speed - 1), "percent"),
    ]


def _nonlinear() -> list[Figure]:
    """The lowest of the speeds at which S1002 hunts on while slowing down."""
    falling = falling_branch(vehicle("manchester"), FALLING, settings=HuntingSettings(run=RunSettings(wheel_rail=WORN)))
    died = nonlinear_critical_speed(falling)
    assert died is not None
    return [named("vehicle.critical_speed_nonlinear_s1002", died[1], "m/s")]
