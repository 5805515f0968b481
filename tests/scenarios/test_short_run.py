"""A short run through the whole twin and through smoothing, against the truth."""

import numpy as np
import pytest

from tests import short_run
from twin.core.arrays import Array
from twin.core.blocks import RawBlock
from twin.core.errors import ConfigError
from twin.core.estimate import Form, GridBlock, Health, Result
from twin.core.places import Direction, Places
from twin.core.quality import Quality
from twin.pipeline.offline import smooth
from twin.pipeline.twin import Twin, TwinSetup
from twin.report.data import RunData, RunLabel


@pytest.fixture(scope="module")
def blocks() -> list[RawBlock]:
    return list(short_run.decoded(short_run.read_chunks(short_run.FAULTS)))


@pytest.fixture(scope="module")
def live(blocks: list[RawBlock]) -> list[Result]:
    twin = Twin(short_run.setup())
    return [*(result for block in blocks for result in twin.process(block)), *twin.flush()]


@pytest.fixture(scope="module")
def smoothed(blocks: list[RawBlock]) -> list[Result]:
    return list(smooth(short_run.setup(), lambda: blocks))


def table(results: list[Result], form: Form) -> tuple[Array, dict[str, Array]]:
    """Places and columns of one form."""
    found = [block for block in results if isinstance(block, GridBlock) and block.form is form]
    columns = {name: np.concatenate([block[name] for block in found]) for name in found[0].layout.names}
    return np.concatenate([block.s for block in found]), columns


def speed_error(results: list[Result], form: Form) -> float:
    """[m/s] rms over the places that were passed at speed."""
    truth = short_run.run().truth
    s, columns = table(results, form)
    fast = (s > 350) & (s < 700)
    error = columns["speed"] - np.interp(s, truth.s, truth.v)
    return float(np.sqrt(np.mean(error[fast] ** 2)))


def test_results_are_grids_of_both_live_forms_and_health(live: list[Result]) -> None:
    assert {type(result) for result in live} == {GridBlock, Health}
    grids = [result for result in live if isinstance(result, GridBlock)]
    assert {grid.form for grid in grids} == {Form.CAUSAL, Form.LAGGED}
    sources = {result.source for result in live if isinstance(result, Health)}
    assert sources == {"imu", "encoder", "odometer", "attitude", "trajectory"}


def test_every_form_covers_the_run_without_a_gap(live: list[Result], smoothed: list[Result]) -> None:
    truth = short_run.run().truth
    for results, form in ((live, Form.CAUSAL), (live, Form.LAGGED), (smoothed, Form.SMOOTHED)):
        s, _ = table(results, form)
        np.testing.assert_allclose(np.diff(s), 0.25)
        assert abs(s[0] - truth.s[0]) < 3
        assert abs(s[-1] - truth.s[-1]) < 3


def test_speed_and_curvature_follow_the_truth(live: list[Result], smoothed: list[Result]) -> None:
    for results, form in ((live, Form.CAUSAL), (live, Form.LAGGED), (smoothed, Form.SMOOTHED)):
        assert speed_error(results, form) < 0.5
        s, columns = table(results, form)
        fast = (s > 350) & (s < 700)
        error = columns["curvature"][fast] - columns["curvature_design"][fast]
        assert np.sqrt(np.mean(error**2)) < 3e-4


def test_the_whole_run_knows_no_less_than_its_past(live: list[Result], smoothed: list[Result]) -> None:
    (s, causal), (s_smoothed, best) = table(live, Form.CAUSAL), table(smoothed, Form.SMOOTHED)
    common = np.intersect1d(s, s_smoothed)[40:-40]
    for column in ("sd_r_y", "sd_r_z", "sd_roll"):
        known = best[column][np.isin(s_smoothed, common)]
        assert np.mean(known <= 1.01 * causal[column][np.isin(s, common)]) > 0.95, column


def test_progress_of_smoothing_rises_to_one(blocks: list[RawBlock]) -> None:
    told: list[float] = []
    few = [block for block in blocks if block.t_host_ns < short_run.START_NS + 8_000_000_000]
    assert list(smooth(short_run.setup(), lambda: few, told.append))
    assert told == sorted(told)
    assert told[-1] == 1.0


def test_a_recording_without_samples_smooths_to_nothing() -> None:
    assert list(smooth(short_run.setup(), list)) == []


def test_a_run_against_the_kilometres_descends_and_reports_ascend() -> None:
    direction = Direction.DECREASING
    chunks = short_run.read_chunks(short_run.FAULTS, direction=direction)
    twin = Twin(short_run.setup(direction))
    results = [result for block in short_run.decoded(chunks) for result in twin.process(block)]
    s, columns = table(results, Form.CAUSAL)
    truth = short_run.run(direction).truth
    length = short_run.scenario(direction).design().length
    assert np.all(np.diff(s) == -0.25)
    assert abs(s[0] - (length - truth.s[0])) < 3
    line = short_run.scenario().design()
    np.testing.assert_allclose(columns["curvature_design"], line.curvature(s), rtol=0, atol=1e-12)
    np.testing.assert_allclose(columns["cant_angle_design"], line.cant_angle(s), rtol=0, atol=1e-12)
    data = RunData.build(results, label=RunLabel(name="back"), places=Places(), direction=direction)
    assert data.best is not None
    assert np.all(np.diff(data.best.s) > 0)


def test_a_slide_and_a_stop_are_flagged_on_the_grid(live: list[Result]) -> None:
    found = [block for block in live if isinstance(block, GridBlock) and block.form is Form.CAUSAL]
    s, quality = (np.concatenate([getattr(block, name) for block in found]) for name in ("s", "quality"))
    assert np.any(quality[(s > 580) & (s < 640)] & Quality.SLIPPING)
    assert not np.any(quality[(s > 400) & (s < 560)] & (Quality.SLIPPING | Quality.STANDSTILL))
    assert np.any(quality[(s > 735) & (s < 755)] & Quality.STANDSTILL)


def test_a_twin_without_its_inertial_device_is_a_configuration_error() -> None:
    setup = short_run.setup()
    with pytest.raises(ConfigError, match=r"navigation\.imu = 'imu' is not among the devices waited for: encoder"):
        TwinSetup(setup.navigation, setup.synchroniser, {"encoder": 200.0}, setup.direction)
