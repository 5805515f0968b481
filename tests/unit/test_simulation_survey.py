"""What estimators are told: the design and the train with the errors of a survey, the truth untouched."""

from itertools import pairwise

import numpy as np
import pytest

from twin.cli.scenario_config import config_of
from twin.core.track import HorizontalElement, VerticalElement
from twin.core.vehicle import Mounting
from twin.simulation import Dynamics, demo_design, demo_scenario
from twin.simulation.survey import EXACT, Survey, SurveyConfig

HORIZONTAL, VERTICAL = demo_design()


def told(seed: int) -> tuple[HorizontalElement, ...]:
    return Survey(SurveyConfig(seed=seed)).horizontal(HORIZONTAL)


def test_an_exact_survey_tells_the_design_itself() -> None:
    survey = Survey(EXACT)
    assert survey.horizontal(HORIZONTAL) == HORIZONTAL
    assert survey.vertical(VERTICAL) == VERTICAL
    assert survey.start(20.0, length=3000.0) == 20.0
    assert survey.wheel_radius(0.47000000000000003) == 0.47000000000000003
    assert survey.mounting(Mounting(), kind="imu") == Mounting()


def test_a_kinematic_scenario_is_told_exactly_and_a_dynamic_one_is_not() -> None:
    kinematic = demo_scenario()
    dynamic = kinematic.model_copy(update={"dynamics": Dynamics()})
    assert config_of(kinematic).track.horizontal == kinematic.horizontal
    config = config_of(dynamic)
    assert config.track.horizontal != dynamic.horizontal
    assert config.run.start_s != dynamic.motion.start
    assert dynamic.design().curvature.value.max() == 1 / 600  # what the vehicle runs on


def test_both_scanners_of_one_beam_are_said_to_sit_at_one_place() -> None:
    config = config_of(demo_scenario().model_copy(update={"dynamics": Dynamics()}))
    places = {device.name: device.mounting for device in config.device}
    assert places["profile_left"] == places["profile_right"] != Dynamics().scanner_mounting
    assert places["imu"] != places["imu_body"]


def test_errors_have_the_standard_deviations_they_are_given() -> None:
    lengths, curves, cants = [], [], []
    for seed in range(200):
        found = told(seed)
        lengths.append([f.length - t.length for f, t in zip(found, HORIZONTAL, strict=True)][1:-1])
        curves.append([f.curvature_start / t.curvature_start - 1 for f, t in zip(found, HORIZONTAL, strict=True)
                       if t.curvature_start and t.curvature_start == t.curvature_end])  # fmt: skip
        cants.append([f.cant_end - t.cant_end for f, t in zip(found, HORIZONTAL, strict=True) if t.cant_end])
    # 200 independent surveys: the sd of an sd is 5 %, and less with several elements
    assert np.std(lengths) == pytest.approx(0.2, rel=0.1)
    assert np.std(curves) == pytest.approx(0.003, rel=0.15)
    assert np.std(cants) == pytest.approx(2e-3, rel=0.15)


def test_a_surveyed_line_has_no_jump_where_the_design_has_none_and_keeps_its_length() -> None:
    for seed in range(20):
        found = told(seed)
        assert sum(each.length for each in found) == pytest.approx(3000.0)
        for (before, after), (one, other) in zip(pairwise(HORIZONTAL), pairwise(found), strict=True):
            if before.curvature_end == after.curvature_start:
                assert one.curvature_end == other.curvature_start
            if before.cant_end == after.cant_start:
                assert one.cant_end == other.cant_start


def test_short_elements_keep_a_length() -> None:
    short = tuple(HorizontalElement(length=1.0) for _ in range(50))
    found = Survey(SurveyConfig(length=20.0)).horizontal(short)
    assert min(each.length for each in found) > 0.1


def test_gradients_that_go_on_are_off_alike() -> None:
    found = Survey(SurveyConfig()).vertical(VERTICAL)
    assert found != VERTICAL
    for one, other in pairwise(found):
        assert one.gradient_end == other.gradient_start
    assert isinstance(found[0], VerticalElement)


def test_a_run_that_starts_at_the_very_end_of_the_line_is_told_on_it() -> None:
    starts = [Survey(SurveyConfig(start=50.0, seed=seed)).start(0.0, length=3000.0) for seed in range(20)]
    assert min(starts) == 0.0
    assert max(starts) > 10.0
