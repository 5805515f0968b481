"""Estimates on the distance grid of the line: every point once, in both running directions."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from twin.core.arrays import Array, FlagArray
from twin.core.estimate import Estimate, Form, GridBlock
from twin.core.places import Direction
from twin.core.quality import Quality
from twin.core.track import DesignTrack, HorizontalElement
from twin.navigation.chain import LAYOUT as STATES
from twin.pipeline.grid import LAYOUT, WINDOW, Gridder
from twin.report.units import QUANTITIES

STEP = 0.25
RATE = 500.0
LINE = DesignTrack.from_elements(
    [
        HorizontalElement(length=100.1),
        HorizontalElement(length=80, curvature_end=1 / 600, cant_end=0.1),
        HorizontalElement(length=120, curvature_start=1 / 600, curvature_end=1 / 600, cant_start=0.1, cant_end=0.1),
    ],
    [],
)
"""Along the kilometres: straight, clothoid, left curve; 300.1 m, not a whole number of steps."""


def estimate(
    s: Array, *, flags: FlagArray | None = None, design: DesignTrack = LINE, t0_ns: int = 0, **states: Array
) -> Estimate:
    """Samples at arc lengths in running direction; states not given are those of a body exactly on the design."""
    n = s.size
    given = {
        "s": s,
        "speed": np.full(n, 20.0),
        "curvature": design.curvature(s),
        "roll": design.cant_angle(s),
        **states,
    }
    x = np.stack([given.get(name, np.zeros(n)) for name in STATES.names], axis=1)
    var = np.full(x.shape, 4e-6)
    t_ns = t0_ns + np.arange(n) * round(1e9 / RATE)
    return Estimate("navigation", Form.CAUSAL, STATES, t_ns, x, var, np.zeros(n, np.uint8) if flags is None else flags)


def gridder(direction: Direction = Direction.INCREASING) -> Gridder:
    design = LINE if direction is Direction.INCREASING else LINE.reversed()
    return Gridder(design, direction=direction, form=Form.CAUSAL, step=STEP)


def gridded(*estimates: Estimate, direction: Direction = Direction.INCREASING) -> GridBlock:
    """All points in one block."""
    stage = gridder(direction)
    return joined([*(block for each in estimates for block in stage.process(each)), *stage.flush()])


def joined(blocks: Sequence[GridBlock]) -> GridBlock:
    first = blocks[0]
    index, t_ns, values, quality = (
        np.concatenate([getattr(block, name) for block in blocks]) for name in ("index", "t_ns", "values", "quality")
    )
    return GridBlock(first.name, first.form, first.step, index, t_ns, first.layout, values, quality)


def passage(begin: float, end: float, speed: float = 20.0) -> Array:
    """Arc lengths of the samples between two places at a constant speed [m/s]."""
    return np.arange(begin, end, speed / RATE)


def test_every_point_is_given_once_in_running_order() -> None:
    grid = gridded(estimate(passage(10.1, 200.0)))
    assert_array_equal(grid.index, np.arange(41, 800))
    assert grid.step == STEP
    assert np.all(np.diff(grid.t_ns) > 0)


def test_values_are_interpolated_linearly_in_distance() -> None:
    s = passage(10.1, 60.0, speed=7.3)
    grid = gridded(estimate(s, r_y=3e-3 * s, r_z=np.sin(s), speed=s))
    assert_allclose(grid["r_y"], 3e-3 * grid.s, rtol=1e-12)
    assert_allclose(grid["speed"], grid.s, rtol=1e-12)
    assert_allclose(grid["r_z"], np.interp(grid.s, s, np.sin(s)), rtol=0, atol=1e-12)
    assert_allclose(grid.t_ns * 1e-9, (grid.s - 10.1) / 7.3, rtol=0, atol=1e-9)
    assert_allclose(grid["sd_r_y"], 2e-3)
    assert_allclose(grid["s_sd"], 2e-3)


def test_the_report_finds_every_column_it_shows() -> None:
    assert set(LAYOUT.names) == {quantity.column for quantity in QUANTITIES}


def test_curvature_is_the_mean_over_a_window_about_the_point() -> None:
    """A clothoid's mean about a point is its value there: no delay, where a causal mean would lag 3 m."""
    grid = gridded(estimate(passage(50.0, 290.0)))
    inner = (grid.s > 120) & (grid.s < 160)
    assert_allclose(grid["curvature"][inner], LINE.curvature(grid.s[inner]), rtol=0, atol=1e-9)
    assert_allclose(grid["curvature_design"], LINE.curvature(grid.s), rtol=0, atol=1e-15)


def test_curvature_noise_falls_with_the_samples_in_the_window() -> None:
    s = passage(50.0, 300.0)
    noisy = LINE.curvature(s) + 1e-3 * np.random.default_rng(4).standard_normal(s.size)
    grid = gridded(estimate(s, curvature=noisy))
    inner = (grid.s > 60) & (grid.s < 290)
    error = (grid["curvature"] - gridded(estimate(s))["curvature"])[inner]
    assert error.std() == pytest.approx(1e-3 / np.sqrt(WINDOW * RATE / 20.0), rel=0.2)


def test_curvature_is_unknown_where_the_train_was_too_slow_for_it() -> None:
    s = passage(50.0, 100.0, speed=0.4)
    creeping = (s > 70) & (s < 90)
    grid = gridded(estimate(s, curvature=np.where(creeping, np.nan, 2e-3)))
    inside = (grid.s > 74) & (grid.s < 86)
    assert np.all(np.isnan(grid["curvature"][inside]))
    assert_allclose(grid["curvature"][(grid.s < 70) | (grid.s > 90)], 2e-3, rtol=1e-9)
    assert np.isfinite(np.delete(grid.values, LAYOUT.index("curvature"), axis=1)).all()


def test_both_running_directions_say_the_same_of_the_line() -> None:
    def wave(s: Array) -> Array:
        return 5e-3 * np.sin(2 * np.pi * s / 17)

    s = passage(20.0, 280.0)
    up = gridded(estimate(s, r_y=wave(s), r_z=wave(s) / 2, roll_rel=wave(s) / 3, pitch=wave(s) / 4))
    back, line = LINE.reversed(), LINE.length - s
    down = gridded(
        estimate(s, design=back, r_y=-wave(line), r_z=wave(line) / 2, roll_rel=-wave(line) / 3, pitch=-wave(line) / 4),
        direction=Direction.DECREASING,
    )
    assert np.all(np.diff(down.index) == -1)
    _, one, other = np.intersect1d(up.index, down.index, return_indices=True)
    assert one.size > 950
    ends = 24
    for column in LAYOUT.names:
        assert_allclose(up[column][one][ends:-ends], down[column][other][ends:-ends], rtol=0, atol=2e-6, err_msg=column)


def test_a_train_that_rolls_back_gives_nothing_until_new_ground() -> None:
    s = np.concatenate((passage(10.1, 50.0), passage(50.0, 30.0, speed=-20.0), passage(30.0, 90.0)))
    grid = gridded(estimate(s))
    assert_array_equal(grid.index, np.arange(41, 360))
    assert np.all(np.diff(grid.t_ns) > 0)


def test_jitter_and_standstill_give_each_point_once() -> None:
    rng = np.random.default_rng(7)
    s = np.concatenate((passage(10.1, 30.0), np.full(2000, 30.0), passage(30.0, 60.0)))
    grid = gridded(estimate(s + 0.05 * rng.standard_normal(s.size)))
    assert_array_equal(np.diff(grid.index), 1)
    assert grid.index[-1] == pytest.approx(60 / STEP, abs=1)


def test_flags_of_every_sample_since_the_point_before_are_kept() -> None:
    s = passage(10.0, 30.0, speed=2.0)
    flags = np.zeros(s.size, np.uint8)
    flags[np.searchsorted(s, 20.1)] = Quality.SLIPPING
    flags[np.searchsorted(s, 25.1)] = Quality.STUCK
    grid = gridded(estimate(s, flags=flags))
    assert grid.s[grid.quality == Quality.SLIPPING].tolist() == [20.25]
    assert grid.s[grid.quality == Quality.STUCK].tolist() == [25.25]


def test_a_forward_correction_is_filled_and_marked_as_bridged() -> None:
    s = np.concatenate((passage(10.0, 40.0), passage(47.0, 80.0)))
    grid = gridded(estimate(s, r_y=s))
    assert_array_equal(np.diff(grid.index), 1)
    filled = (grid.quality & Quality.BRIDGED) != 0
    assert_allclose([grid.s[filled].min(), grid.s[filled].max()], [40.0, 47.0], atol=STEP)
    assert_allclose(grid["r_y"], grid.s)


def test_a_leap_too_long_to_bridge_leaves_the_grid_empty() -> None:
    stage = gridder()
    s = np.concatenate((passage(10.0, 40.0), passage(90_000.0, 90_040.0)))
    blocks = [*stage.process(estimate(s, curvature=np.zeros(s.size))), *stage.flush()]
    assert all(np.all(np.diff(block.index) == 1) for block in blocks)
    grid = joined(blocks)
    assert grid.index.size == pytest.approx(2 * 30 / STEP + 10 / STEP, abs=3)
    assert np.count_nonzero(np.diff(grid.index) > 1) == 1


def test_samples_that_are_not_finite_are_left_out_and_their_flags_kept() -> None:
    s = passage(10.1, 60.0)
    r_y, flags = s.copy(), np.zeros(s.size, np.uint8)
    bad = (s > 30) & (s < 31)
    r_y[bad], flags[bad] = np.nan, Quality.IMPLAUSIBLE
    grid = gridded(estimate(s, r_y=r_y, flags=flags))
    assert_allclose(grid["r_y"], grid.s)
    marked = grid.s[(grid.quality & Quality.IMPLAUSIBLE) != 0]
    assert marked.tolist() == [30.0, 30.25, 30.5, 30.75, 31.0, 31.25]


def test_estimates_without_a_finite_sample_give_nothing() -> None:
    stage = gridder()
    assert list(stage.process(estimate(np.full(10, np.nan)))) == []
    assert list(stage.process(estimate(np.zeros(0)))) == []
    assert list(stage.flush()) == []


def test_a_point_leaves_once_the_train_is_half_a_window_beyond_it() -> None:
    stage = gridder()
    blocks = stage.process(estimate(passage(10.1, 60.0)))
    assert 60.0 - joined(blocks).s[-1] <= stage.latency.metres
    assert stage.latency.metres == pytest.approx(WINDOW / 2, abs=STEP)


@pytest.mark.parametrize("seed", range(3))
def test_output_does_not_depend_on_block_length(seed: int) -> None:
    """On a run with noise, rollback, corrections, leaps, gaps and flags."""
    rng = np.random.default_rng(seed)
    s = np.cumsum(np.where(rng.random(4000) < 0.004, rng.choice([3.0, -4.0, 12.0, 400.0], 4000), 0.04))
    s += 0.02 * rng.standard_normal(s.size)
    curvature = np.where(rng.random(s.size) < 0.1, np.nan, rng.standard_normal(s.size))
    r_y = np.where(rng.random(s.size) < 0.05, np.nan, rng.standard_normal(s.size))
    flags = np.where(rng.random(s.size) < 0.05, 1 << rng.integers(0, 8, s.size), 0).astype(np.uint8)
    whole = estimate(s, curvature=curvature, r_y=r_y, flags=flags)
    expected = gridded(whole)
    cuts = np.sort(rng.integers(0, s.size, 400)).tolist()
    found = gridded(*_parts(whole, [0, *cuts, s.size]))
    for name in ("index", "t_ns", "values", "quality"):
        assert_array_equal(getattr(found, name), getattr(expected, name))


def _parts(whole: Estimate, bounds: Sequence[int]) -> list[Estimate]:
    return [
        Estimate(
            whole.name, whole.form, whole.layout, whole.t_ns[a:b], whole.x[a:b], whole.var[a:b], whole.quality[a:b]
        )
        for a, b in pairwise(bounds)
    ]
