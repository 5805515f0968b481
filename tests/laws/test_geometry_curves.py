"""Curves found in measured curvature against the design they were laid by."""

from itertools import pairwise

import numpy as np
import pytest

from tests.rail_traces import SPEED, STEP, trace_of, true_rails
from twin.core.places import Places
from twin.core.track import DesignTrack, HorizontalElement
from twin.geometry.curves import CurveConfig, Piece, Shape, find_curves
from twin.geometry.quantities.config import QuantityConfig
from twin.geometry.quantities.geometry import track_geometry
from twin.geometry.quantities.quantity import TrackGeometry
from twin.geometry.rails import RailTrace

CONFIG = CurveConfig()
LENGTH = 4000.0
NOISE = {"none": 2.0e-5, "german_low": 2.1e-5, "german_high": 3.6e-5}
"""Standard deviation of curvature over 20 m [1/m]: of the rails' own waves, 2e-5 at least as the search assumes."""


def element(length: float, *ends: float) -> HorizontalElement:
    """Of a length [m], with curvature and cant at its start and end."""
    names = ("curvature_start", "curvature_end", "cant_start", "cant_end")
    return HorizontalElement(length=length, **dict(zip(names, ends, strict=True)))


TIGHT, WIDE, RIGHT = 1 / 400, 1 / 1200, -1 / 800
PLAN = [
    element(600, 0, 0, 0, 0),
    element(80, 0, TIGHT, 0, 0.12),
    element(300, TIGHT, TIGHT, 0.12, 0.12),
    element(60, TIGHT, WIDE, 0.12, 0.05),
    element(400, WIDE, WIDE, 0.05, 0.05),
    element(60, WIDE, 0, 0.05, 0),
    element(700, 0, 0, 0, 0),
    element(70, 0, RIGHT, 0, -0.07),
    element(500, RIGHT, RIGHT, -0.07, -0.07),
    element(70, RIGHT, 0, -0.07, 0),
    element(1160, 0, 0, 0, 0),
]
T, C, A = Shape.TANGENT, Shape.TRANSITION, Shape.ARC
SHAPES = [T, C, A, C, A, C, T, C, A, C, T]
ENDS = np.cumsum([e.length for e in PLAN])
DESIGN = DesignTrack.from_elements(PLAN, [])


def measured(seed: int, spectrum: str) -> TrackGeometry:
    """Curvature from a heading over rails that wander about the design, with gyro noise."""
    rails = true_rails(seed=seed, length=LENGTH, spectrum=spectrum)
    trace = trace_of(rails, DESIGN)
    rng = np.random.default_rng(seed)
    heading = np.cumsum(DESIGN.curvature(trace.s)) * STEP + np.gradient(trace.alignment, STEP)
    heading += 5e-5 * rng.standard_normal(len(trace))
    unknown = RailTrace(
        trace.s,
        trace.y_left,
        trace.z_left + 0.75 * trace.cant_angle_design,
        trace.y_right,
        trace.z_right - 0.75 * trace.cant_angle_design,
        flags=trace.flags,
        speed=np.full(len(trace), SPEED),
    )
    return track_geometry(unknown, QuantityConfig(), places=Places(), heading=heading)


def listed(geometry: TrackGeometry) -> tuple[Piece, ...]:
    return find_curves(geometry.s, geometry["curvature"].values, geometry["cant"].values, CONFIG, places=Places())


@pytest.mark.parametrize("spectrum", ["none", "german_low", "german_high"])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_tangents_transitions_and_arcs_are_found_with_radius_cant_and_place(seed: int, spectrum: str) -> None:
    pieces = listed(measured(seed, spectrum))
    assert [piece.shape for piece in pieces] == SHAPES
    slopes = np.diff([0.0] + [e.curvature_end for e in PLAN]) / [e.length for e in PLAN]
    for piece, laid, end, bend in zip(pieces[:-1], PLAN, ENDS, np.abs(np.diff(slopes)), strict=False):
        # A course that bends by so much per metre is placed to the noise over it; judged at four deviations.
        assert piece.end == pytest.approx(end, abs=4 * NOISE[spectrum] / bend)
        if piece.shape is A:
            assert 1 / piece.radius == pytest.approx(laid.curvature_start, rel=0.01)
            assert piece.cant_start == pytest.approx(laid.cant_start, abs=0.002)


def test_the_list_covers_the_line_without_gap_or_overlap() -> None:
    pieces = listed(measured(1, "german_low"))
    assert all(a.end == b.start for a, b in pairwise(pieces))
    assert pieces[0].start <= 10.0
    assert pieces[-1].end >= LENGTH - 10.25


def test_wild_points_move_nothing() -> None:
    geometry = measured(2, "german_low")
    curvature = np.array(geometry["curvature"].values)
    wild = np.random.default_rng(0).choice(np.arange(100, curvature.size - 100), 300, replace=False)
    curvature[wild] += 0.05
    pieces = find_curves(geometry.s, curvature, geometry["cant"].values, CONFIG, places=Places())
    plain = listed(geometry)
    assert [p.shape for p in pieces] == [p.shape for p in plain]
    assert np.allclose([p.end for p in pieces], [p.end for p in plain], atol=3.0)


def test_the_mirrored_line_gives_the_mirrored_list() -> None:
    geometry = measured(3, "german_low")
    known = np.isfinite(geometry["curvature"].values)
    s, kappa, cant = geometry.s[known], geometry["curvature"].values[known], geometry["cant"].values[known]
    whole = 20 * (s.size // 20)  # cells of the mirrored line are then those of the line
    s, kappa, cant = s[:whole], kappa[:whole], cant[:whole]
    forth = find_curves(s, kappa, cant, CONFIG, places=Places())
    back = find_curves(s, -kappa[::-1], -cant[::-1], CONFIG, places=Places())[::-1]
    assert [p.shape for p in forth] == [p.shape for p in back]
    for a, b in zip(forth, back, strict=True):
        assert a.start == pytest.approx(s[0] + s[-1] - b.end, abs=0.5)
        assert a.curvature_start == pytest.approx(-b.curvature_end, abs=1e-6)


def test_a_plain_tangent_is_one_piece_and_unknown_curvature_parts_the_list() -> None:
    s = STEP * np.arange(8000)
    zero = np.zeros(8000)
    assert [p.shape for p in find_curves(s, zero, zero, CONFIG, places=Places())] == [T]
    parted = zero.copy()
    parted[4000:4100] = np.nan
    pieces = find_curves(s, parted, zero, CONFIG, places=Places())
    assert [(p.shape, p.start, p.end) for p in pieces] == [(T, 0.0, 999.75), (T, 1025.0, 1999.75)]
    assert pieces[1].radius == float("inf")
    assert pieces[1].kilometre == pytest.approx(1.025)
