"""Every stage keeps the five promises, on a run with a rest, a slide, loss, duplicates and reordering."""

import numpy as np
import pytest

from tests import promises
from tests.stage_cases import CASES, case

every_stage = pytest.mark.parametrize("stage", list(CASES))


@every_stage
def test_cutting_the_input_differently_changes_nothing(stage: str) -> None:
    promises.cutting_changes_nothing(case(stage), np.random.default_rng(11))


@every_stage
def test_output_does_not_depend_on_wall_time_or_chance(stage: str) -> None:
    promises.wall_time_changes_nothing(case(stage))


@every_stage
def test_inputs_are_not_modified(stage: str) -> None:
    promises.inputs_are_not_modified(case(stage))


@every_stage
def test_a_gap_is_visible(stage: str) -> None:
    promises.a_gap_is_visible(case(stage))


@every_stage
def test_latency_is_a_constant_the_stage_states(stage: str) -> None:
    promises.latency_is_a_constant(case(stage))
