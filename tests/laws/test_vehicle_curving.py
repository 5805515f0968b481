"""Laws of steady curving: the rigid bogie, mirrored curves, cant in balance, and what a curve that is too fast does."""

from functools import cache

import pytest

from twin.contact.creep import Friction
from twin.core.arrays import G
from twin.core.errors import ConfigError
from twin.vehicle.curving import (
    Curve,
    CurvingSettings,
    State,
    SteadyCurve,
    cant_base,
    curves_at_deficiency,
    curves_at_speed,
    curving_table,
    deficiency_at,
    nadal_limit,
    rigid_bogie_shift,
    steady_curve,
)
from twin.vehicle.description import Vehicle
from twin.vehicle.library import vehicle
from twin.vehicle.running import RunSettings, WheelRailSettings
from twin.vehicle.symbolic import VehicleModel, vehicle_model

R0, L0, A = 0.46, 0.75, 1.28
"""Wheel radius, half distance of the rolling circles and half wheelbase of the Manchester vehicle [m]."""
GRIPPING = Friction(mu=1.0)
"""Friction that cones in a wide curve are far from."""
CONES = RunSettings(contact="knife", wheel_rail=WheelRailSettings(wheel="cone-20", friction=GRIPPING))


@cache
def manchester() -> tuple[Vehicle, VehicleModel]:
    found = vehicle("manchester")
    return found, vehicle_model(found)


def stood(curve: Curve, settings: CurvingSettings | None = None) -> SteadyCurve:
    found, model = manchester()
    return steady_curve(found, curve, settings=settings, model=model)


def balanced(radius: float, speed: float) -> Curve:
    """Cant in balance: its deficiency is nothing."""
    return Curve(radius, 2 * L0 * _tilt_in_balance(radius, speed), speed)


def _tilt_in_balance(radius: float, speed: float) -> float:
    across = speed**2 / (G * radius)
    return float(across / (1 + across**2) ** 0.5)


def rails_carry(found: SteadyCurve) -> tuple[float, float]:
    """Load of the outer rail and of the inner one [N]."""
    return sum(each.outer.Q for each in found.wheelsets), sum(each.inner.Q for each in found.wheelsets)


@cache
def in_wide_curve(contact: str) -> SteadyCurve:
    """On cones that grip, radius 5000 m, cant in balance."""
    run = CONES.model_copy(update={"contact": contact})
    return stood(balanced(5000.0, 25.0), CurvingSettings(run=run, conicity=0.05))


@pytest.mark.parametrize("contact", ["knife", "elastic"])
def test_the_leading_wheelset_on_cones_shifts_as_that_of_a_rigid_bogie_in_a_wide_curve(contact: str) -> None:
    """DESIGN 7: r0 (l0^2 + a^2) / (lambda l0 R) within 5 %."""
    found = in_wide_curve(contact)
    expected = R0 * (L0**2 + A**2) / (0.05 * L0 * 5000.0)
    assert found.state is State.STEADY
    assert found.rigid_shift == pytest.approx(expected, rel=1e-9)
    assert found.wheelsets[0].shift == pytest.approx(expected, rel=0.05)


def test_a_single_wheelset_of_no_wheelbase_stands_on_the_line_of_pure_rolling() -> None:
    shift = rigid_bogie_shift(r0=R0, l0=L0, a=0.0, conicity=0.05, R=1000.0)
    outer, inner = R0 + 0.05 * shift, R0 - 0.05 * shift
    assert outer / inner == pytest.approx((1000.0 + L0) / (1000.0 - L0), rel=1e-6)


def test_left_and_right_curves_are_mirror_images() -> None:
    left, right = (stood(Curve(radius, 0.1, 20.0)) for radius in (500.0, -500.0))
    assert left.state is right.state is State.STEADY
    for ours, theirs in zip(left.wheelsets, right.wheelsets, strict=True):
        assert ours.shift == pytest.approx(theirs.shift, abs=2e-6)
        assert ours.attack == pytest.approx(theirs.attack, abs=2e-6)
        for wheel, other in ((ours.outer, theirs.outer), (ours.inner, theirs.inner)):
            assert abs(wheel.Q - other.Q) < 20.0
            assert abs(wheel.Y - other.Y) < 20.0
            assert wheel.power == pytest.approx(other.power, rel=0.01, abs=1.0)


def test_in_balance_both_rails_carry_the_same_but_for_the_shift_of_the_weight() -> None:
    """Self-steering wheelsets run outside the middle of the track, and the outer rail carries more by just that.

    On cones, whose contacts stay where they are on the rails: those of worn profiles move by centimetres.
    """
    found, _ = manchester()
    steady = in_wide_curve("knife")
    outer, inner = rails_carry(steady)
    weight = found.mass * G
    shift = sum(each.shift for each in steady.wheelsets) / len(steady.wheelsets)
    assert steady.deficiency == pytest.approx(0.0, abs=1e-9)
    assert outer + inner == pytest.approx(weight, rel=1e-3)
    assert abs(outer - inner) < 0.01 * weight
    assert outer - inner == pytest.approx(weight * shift / L0, abs=5e-4 * weight)


def test_missing_cant_pushes_the_rails_outwards_and_loads_the_outer_one() -> None:
    """By the mass times the acceleration across the track; a vehicle without springs would load the outer rail less."""
    found, _ = manchester()
    (curve,) = curves_at_deficiency(found, radii=[1500.0], cants=[0.05], deficiency=0.1)
    steady = stood(curve)
    outer, inner = rails_carry(steady)
    across = G * steady.deficiency / cant_base(found)
    height = sum(body.mass * body.position[2] for body in found.bodies) / found.mass
    assert steady.deficiency == pytest.approx(0.1, abs=1e-9)
    assert sum(each.Y for each in steady.wheelsets) == pytest.approx(found.mass * across, rel=0.01)
    assert outer - inner > found.mass * across * height / L0


def test_tighter_curves_wear_more_and_attack_more() -> None:
    found, _ = manchester()
    tight, wide = curving_table(found, curves_at_deficiency(found, radii=[300.0, 1200.0], cants=[0.1], deficiency=0.05))
    assert tight.wheelsets[0].attack > 4 * wide.wheelsets[0].attack > 0
    assert sum(each.power for each in tight.wheelsets) > sum(each.power for each in wide.wheelsets)
    assert tight.nadal == pytest.approx(nadal_limit(angle=1.2217, mu=0.3), rel=1e-3)
    assert wide.nadal is not None
    assert wide.wheelsets[0].worst < tight.wheelsets[0].worst < wide.nadal


def test_a_vehicle_far_too_fast_overturns_and_says_so() -> None:
    found = stood(Curve(100.0, 0.0, 30.0))
    assert found.state is State.OVERTURNED
    assert "no inner wheel carries anything" in found.remark
    assert found.wheelsets == ()


def test_cones_without_flanges_leave_the_track_in_a_tight_curve_and_have_no_limit_of_nadal() -> None:
    found = stood(Curve(200.0, 0.1, 15.0), CurvingSettings(run=CONES))
    assert found.state is State.LEFT
    assert "has left the track" in found.remark
    assert found.nadal is None


def test_the_speed_for_a_deficiency_has_that_deficiency() -> None:
    found, _ = manchester()
    for curve in curves_at_deficiency(found, radii=[300.0, -800.0], cants=[0.0, 0.15], deficiency=0.08):
        assert deficiency_at(found, curve) == pytest.approx(0.08, abs=1e-12)


@pytest.mark.parametrize(
    ("radius", "cant", "speed", "remedy"),
    [(20.0, 0.0, 10.0, "50 to"), (500.0, 0.5, 10.0, "at most 200 mm"), (500.0, 0.1, 0.2, "1 to 150 m/s")],
)
def test_curves_that_cannot_be_run_are_refused_with_a_remedy(
    radius: float, cant: float, speed: float, remedy: str
) -> None:
    found, _ = manchester()
    with pytest.raises(ConfigError, match=remedy):
        curves_at_speed(found, radii=[radius], cants=[cant], speed=speed)
