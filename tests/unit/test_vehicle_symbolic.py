"""Parts of the derivation: curves, frames of the track, and how functions are compiled, kept and counted."""

from pathlib import Path

import casadi as ca
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.integrate import solve_ivp

from tests.vehicle_cases import everything
from twin.core.arrays import Array
from twin.core.track import DesignTrack, HorizontalElement, VerticalElement
from twin.vehicle.symbolic import (
    Cost,
    Equations,
    SlowerWithoutCompiler,
    VehicleModel,
    between_by_series,
    derive,
    frame_numbers,
    frame_turns,
)
from twin.vehicle.symbolic.export import buffered, cost, found_compiler
from twin.vehicle.symbolic.laws import FLATTEST, along, below, inverted, odd
from twin.vehicle.symbolic.track import Between, TrackFrame, between_places

CURVE = ((0.0, 0.0), (0.1, 3e3), (0.3, 4e3), (0.5, 4e3))
CANTED = HorizontalElement(length=60, curvature_end=1 / 300, cant_end=0.15)
ARC = HorizontalElement(length=80, curvature_start=1 / 300, curvature_end=1 / 300, cant_start=0.15, cant_end=0.15)
TRACK = DesignTrack.from_elements(
    [HorizontalElement(length=40), CANTED, ARC],
    [VerticalElement(length=50), VerticalElement(length=130, gradient_end=0.02)],
)
SEMI_PIVOT = 9.5

needs_compiler = pytest.mark.skipif(found_compiler() is None, reason="no C compiler on this machine")


def number(expression: ca.SX) -> float:
    return float(ca.DM(expression))


@pytest.mark.parametrize("x", [-0.4, -0.05, 0.0, 0.05, 0.1, 0.2, 0.4, 0.5])
def test_curves_are_straight_between_their_points_and_odd(x: float) -> None:
    expected = np.sign(x) * np.interp(abs(x), *np.transpose(CURVE))
    assert number(odd(CURVE, ca.SX(x))) == pytest.approx(expected, abs=1e-9)
    assert number(along(CURVE, ca.SX(x))) == pytest.approx(max(expected, 0), abs=1e-9)


def test_area_below_a_curve_has_the_curve_as_its_slope() -> None:
    for x in (-0.2, 0.04, 0.27, 0.8):
        rise = number(below(CURVE, ca.SX(x + 1e-5)) - below(CURVE, ca.SX(x - 1e-5))) / 2e-5
        assert rise == pytest.approx(number(along(CURVE, ca.SX(x))), rel=1e-6)


def test_an_inverted_damper_gives_the_speed_of_its_force_and_blows_off_steeply() -> None:
    for speed in (-0.2, 0.05, 0.29):
        force = number(odd(CURVE, ca.SX(speed)))
        assert number(odd(inverted(CURVE), ca.SX(force))) == pytest.approx(speed, rel=1e-9)
    blown_off = number(odd(inverted(CURVE), ca.SX(4001.0)))
    assert blown_off == pytest.approx(0.3 + 1 / (FLATTEST * 30e3), rel=1e-9)


def between_frames(between: Between, s: float, D: float, track: DesignTrack = TRACK) -> tuple[Array, Array]:
    a, b = (TrackFrame.from_numbers(ca.SX(row)) for row in frame_numbers(track, np.array([s, s + D])))
    origin, R = between(a, b, ca.SX(D))
    return np.asarray(ca.DM(origin)).ravel(), np.asarray(ca.DM(R))


def between_integrated(s: float, D: float, track: DesignTrack = TRACK) -> tuple[Array, Array]:
    """The same by integrating T' = T rates(s)."""

    def rate(x: float, T: Array) -> Array:
        tw, v, h = frame_turns(track, np.array([x]))[0, :3]
        rates = np.array([[0, -h, v, 1], [h, 0, -tw, 0], [-v, tw, 0, 0], [0, 0, 0, 0]])
        return np.asarray(T.reshape(4, 4) @ rates).ravel()

    T = solve_ivp(rate, (s, s + D), np.eye(4).ravel(), rtol=1e-10, atol=1e-12, max_step=0.1).y[:, -1].reshape(4, 4)
    return T[:3, 3], T[:3, :3]


@pytest.mark.parametrize(("s", "microns", "microradians"), [(80.0, 4, 0.1), (120.0, 4, 0.1), (34.0, 500, 150)])
@pytest.mark.parametrize("D", [SEMI_PIVOT, -SEMI_PIVOT])
def test_series_between_track_frames_is_that_of_integrating_along_the_track(
    s: float, D: float, microns: float, microradians: float
) -> None:
    """In a transition, in an arc, and where the transition begins between the two."""
    origin, R = between_frames(between_by_series, s, D)
    expected, R_expected = between_integrated(s, D)
    assert_allclose(origin, expected, rtol=0, atol=microns * 1e-6)
    assert_allclose(R, R_expected, rtol=0, atol=microradians * 1e-6)


@pytest.mark.parametrize("s", [80.0, 120.0, 34.0])
@pytest.mark.parametrize("D", [SEMI_PIVOT, -SEMI_PIVOT])
def test_places_of_track_frames_say_exactly_what_lies_between_them(s: float, D: float) -> None:
    origin, R = between_frames(between_places, s, D)
    expected, R_expected = between_integrated(s, D)
    assert_allclose(origin, expected, rtol=0, atol=1e-8)
    assert_allclose(R, R_expected, rtol=0, atol=1e-8)


def test_places_are_exact_where_curvature_jumps_between_two_bodies() -> None:
    """A turnout of R 190 m without a transition, where a series is metres off."""
    arc = HorizontalElement(length=50.0, curvature_start=1 / 190, curvature_end=1 / 190)
    abrupt = DesignTrack.from_elements([HorizontalElement(length=50.0), arc], [], rounding=1.0)
    origin, R = between_frames(between_places, 45.0, SEMI_PIVOT, abrupt)
    expected, R_expected = between_integrated(45.0, SEMI_PIVOT, abrupt)
    assert_allclose(origin, expected, rtol=0, atol=1e-7)
    assert_allclose(R, R_expected, rtol=0, atol=1e-7)


@pytest.fixture(scope="module")
def equations() -> Equations:
    return derive(everything())


@needs_compiler
def test_compiled_code_gives_the_numbers_of_the_virtual_machine(equations: Equations, tmp_path: Path) -> None:
    compiled = VehicleModel(equations, compiler=found_compiler(), directory=tmp_path)
    with pytest.warns(SlowerWithoutCompiler, match="slower"):
        machine = VehicleModel(equations, compiler=None, directory=tmp_path)
    for model in (compiled, machine):
        rng = np.random.default_rng(3)
        model.q += 0.02 * rng.standard_normal(model.q.size)
        model.v[:] = rng.standard_normal(model.v.size)
        model.track[:] = 0.01 * rng.standard_normal(model.track.shape)
        model.wrench[:] = 1e4 * rng.standard_normal(model.wrench.shape)
        model.states[:] = 1e-3 * rng.standard_normal(model.states.size)
        model.evaluate()
    assert_allclose(compiled.M, machine.M, rtol=1e-12, atol=1e-9)
    assert_allclose(compiled.delta, machine.delta, rtol=1e-10, atol=1e-6)
    assert_allclose(compiled.rates, machine.rates, rtol=1e-10, atol=1e-12)
    assert np.isfinite(compiled.delta).all()


def small() -> ca.Function:
    x = ca.SX.sym("x", 2)
    return ca.Function("small", [x], [ca.sin(x[0]) * x[1] + ca.sin(x[0])], ["x"], ["y"], {"cse": True})


@needs_compiler
def test_the_same_function_is_compiled_once(tmp_path: Path) -> None:
    for _ in range(2):
        function = buffered(small(), compiler=found_compiler(), directory=tmp_path)
        (library,) = tmp_path.iterdir()
        stamp = library.stat().st_mtime_ns
        function.inputs["x"][:] = 0.3, 2.0
        function.call()
        assert_allclose(function.outputs["y"], 3 * np.sin(0.3))
    buffered(small(), compiler=found_compiler(), directory=tmp_path)
    assert library.stat().st_mtime_ns == stamp


def test_a_compiler_that_fails_leaves_the_virtual_machine_and_a_warning(tmp_path: Path) -> None:
    with pytest.warns(SlowerWithoutCompiler, match="/bin/false failed"):
        function = buffered(small(), compiler="/bin/false", directory=tmp_path)
    function.inputs["x"][:] = 0.3, 2.0
    function.call()
    assert_allclose(function.outputs["y"], 3 * np.sin(0.3))
    assert_array_equal(list(tmp_path.iterdir()), [])


def test_an_atom_is_what_is_computed_once_and_read_twice() -> None:
    assert cost(small()) == Cost(atoms=1, operations=3)


def test_parts_share_their_atoms_in_one_function(equations: Equations) -> None:
    costs = equations.costs()
    alone = [costs[name].operations for name in ("M", "delta", "rates")]
    assert max(alone) < costs["together"].operations < sum(alone)
