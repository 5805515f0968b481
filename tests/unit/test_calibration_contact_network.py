"""Training of contact networks: a fold whose edges are known, and a small training on real profiles."""

from functools import cache

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from calibration.contact_classes import counts_by, edge_data, error_without_yaw, train_classifier
from calibration.contact_network import NetworkConfig, judge, train_network
from calibration.contact_survey import by_difference, survey
from twin.contact.agreement import classification_error
from twin.contact.network import ContactNetwork, Ranges, locate
from twin.contact.network_file import NetworkCard, fingerprint
from twin.contact.pair import Pair, SearchConfig, pair
from twin.contact.points import CAPACITY, FIELDS, X_R, Y_R
from twin.contact.profiles import laid_rail, rail_profile, wheel_curve, wheel_profile
from twin.contact.search import DIFFERENCE, search
from twin.core.arrays import Array, IntArray
from twin.core.errors import CalibrationError
from twin.numerics.levenberg import TrainingSettings

UNIT = Ranges(yaw=1.0, roll_from=-1.0, roll_to=1.0, G_y_from=-1.0, G_y_to=1.0)
SMALL = NetworkConfig(
    poses=20_000, training=1500, validation=700, test=700, least=500, hidden=16, class_hidden=16, epochs=60, starts=1,
    class_epochs=40, judged=5000,
)  # fmt: skip


def fold(poses: Array) -> tuple[IntArray, Array]:
    """Minima over y of y^4 / 4 - a y^2 / 2 - b y: two within the cusp 4 a^3 > 27 b^2, else one [Thom]."""
    yaw, a, b = poses.T
    b = b + 0.2 * yaw - 0.1  # the stripe wanders with yaw
    counts = np.where(4 * a**3 > 27 * b**2, 2, 1)
    xy = np.zeros((len(poses), 2, 2))
    for k, (a_k, b_k) in enumerate(zip(a, b, strict=True)):
        roots = np.sort(np.roots([1.0, 0.0, -a_k, -b_k]).real)
        xy[k, : counts[k], 1] = roots[[0, 2]] if counts[k] == 2 else roots[np.argmax(np.abs(roots))]
    return counts.astype(np.int64), xy


def real_pair() -> Pair:
    return pair(wheel_curve(wheel_profile("S1002")), laid_rail(rail_profile("60E1-EN"), cant=1 / 40))


@cache
def small_training() -> tuple[ContactNetwork, NetworkCard, list[float]]:
    """A training of some seconds, and the progress it told."""
    told: list[float] = []
    network, card = train_network(real_pair(), name="S1002 on 60E1-EN", config=SMALL, seed=3, progress=told.append)
    return network, card, told


def test_classifier_learns_a_cusp_better_than_anything_that_cannot_see_the_yaw() -> None:
    rng = np.random.default_rng(1)
    learnt, test = (survey(fold, UNIT, poses=n, rng=rng) for n in (12_000, 4000))
    data = edge_data(learnt, UNIT, (1, 2))
    found, _ = train_classifier(data, hidden=12, training=4000, settings=TrainingSettings(epochs=40), rng=rng)
    error = classification_error(reference_counts=test.counts, tested_counts=counts_by(found, test.poses, (1, 2)))
    assert error < 0.012
    assert error_without_yaw(fold, UNIT, places=500, rng=rng) > 2 * error


def test_distances_to_an_edge_are_positive_where_there_are_more_points() -> None:
    found = survey(fold, UNIT, poses=3000, rng=np.random.default_rng(2))
    data = edge_data(found, UNIT, (1, 2))
    assert_array_equal(data.distances[:, 0] > 0, found.counts == 2)


def test_a_survey_holds_what_the_search_finds() -> None:
    on, rows = real_pair(), np.zeros((CAPACITY, FIELDS))
    found = survey(by_difference(on), SMALL.ranges, poses=300, rng=np.random.default_rng(3))
    for (yaw, roll, G_y), count, xy in zip(found.poses, found.counts, found.xy, strict=True):
        assert search(on, DIFFERENCE, G_y, 0.3, yaw, roll, rows) == count
        np.testing.assert_allclose(xy[:count], rows[:count][:, [X_R, Y_R]], atol=1e-12)
        assert_array_equal(xy[count:], 0.0)


def test_a_small_training_agrees_with_diff_in_more_than_95_percent_of_points() -> None:
    network, card, _ = small_training()
    truth = survey(by_difference(real_pair()), SMALL.ranges, poses=5000, rng=np.random.default_rng(4))
    judged = judge(network, real_pair(), truth)
    assert judged.disagreement < 0.05
    assert judged.classification < 0.02
    assert judged.position_95 < 2e-3
    assert card.disagreement == pytest.approx(judged.disagreement, abs=0.015)


def test_the_card_says_what_was_done() -> None:
    network, card, told = small_training()
    assert card.fingerprint == network.fingerprint == fingerprint(real_pair())
    assert sum(card.survey) == SMALL.poses
    assert [each.points for each in card.locators] == [1, 2] == list(network.counts)
    assert [each.available for each in card.locators] == list(card.survey[1:3])
    assert [each.training for each in card.locators] == [1500, int(1500 * card.survey[2] / 2900)]
    assert card.ranges == SMALL.ranges
    assert 0.0 < card.classifier.error < 0.02
    assert told == sorted(told)
    assert told[-1] == 1.0


def test_a_training_repeats_itself() -> None:
    config = SMALL.model_copy(update={"poses": 6000, "least": 300, "epochs": 5, "class_epochs": 5, "judged": 500})
    (one, card), (two, same) = (train_network(real_pair(), name="x", config=config, seed=5) for _ in range(2))
    assert card == same
    assert_array_equal(one.packed, two.packed)
    assert_array_equal(locate(one, np.zeros((1, 3)))[1], locate(two, np.zeros((1, 3)))[1])


def test_poses_without_contact_become_a_class_of_their_own() -> None:
    narrow = pair(
        wheel_curve(wheel_profile("S1002")), laid_rail(rail_profile("60E1-EN")), SearchConfig(rail=(0.735, 0.775))
    )
    config = SMALL.model_copy(update={"poses": 8000, "least": 300, "epochs": 20, "judged": 2000})
    network, card = train_network(narrow, name="x", config=config, seed=6)
    assert network.counts[0] == 0
    assert card.locators[0].error == 0.0
    assert card.classifier.error < 0.1


def test_a_wheel_that_never_meets_the_rail_cannot_be_learnt() -> None:
    with pytest.raises(CalibrationError, match="does the wheel stand on the rail"):
        train_network(
            pair(wheel_curve(wheel_profile("S1002")), laid_rail(rail_profile("60E1-EN"), gauge=2.0)),
            name="x",
            config=SMALL.model_copy(update={"poses": 2000}),
        )
