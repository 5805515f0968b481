"""Contact networks: the kernels against numpy, symmetries, what lies outside, and files that must be refused."""

import json
import re
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from twin.contact.locus import Placement, attitude
from twin.contact.methods import Method
from twin.contact.methods import locate as contact_of
from twin.contact.network import (
    OUTSIDE,
    ContactNetwork,
    Ranges,
    locate,
    network_search,
    wheel_place,
)
from twin.contact.network_file import (
    ClassifierCard,
    LocatorCard,
    NetworkCard,
    fingerprint,
    load_network,
    save_network,
)
from twin.contact.pair import Pair, pair
from twin.contact.plain import network as plain
from twin.contact.points import CAPACITY, FIELDS, VERTICAL_GAP, X_R, Y_R, Y_W, Pose, Side
from twin.contact.profiles import laid_rail, rail_profile, wheel_curve, wheel_profile
from twin.contact.search import DIFFERENCE, search
from twin.core.arrays import Array
from twin.core.errors import CalibrationError
from twin.numerics.perceptron import Perceptron, Scale

RANGES = Ranges(yaw=0.017, roll_from=-0.013, roll_to=0.012, G_y_from=-0.010, G_y_to=0.009)
WHEEL = wheel_curve(wheel_profile("S1002"))


def s1002_on_60e1(cant: float = 1 / 40) -> Pair:
    return pair(WHEEL, laid_rail(rail_profile("60E1-EN"), cant=cant))


def perceptron(rng: np.random.Generator, hidden: int, low: Array, high: Array) -> Perceptron:
    """Random weights; outputs mostly between low and high (k,)."""
    k = low.size
    return Perceptron(
        2.0 * rng.standard_normal((hidden, 3)),
        rng.standard_normal(hidden),
        rng.standard_normal((k, hidden)) / hidden,
        rng.uniform(-0.3, 0.3, k),
        Scale(np.array([0.0085, -0.0005, -0.0005]), np.array([0.0085, 0.0125, 0.0095])),
        Scale((low + high) / 2, (high - low) / 2),
    )


def random_network(seed: int, counts: tuple[int, ...] = (1, 2, 4), hidden: int = 19) -> ContactNetwork:
    """A network that was never trained; its answers lie on the rail, and every count occurs."""
    rng = np.random.default_rng(seed)
    ones = np.ones(len(counts) - 1)
    locators = [
        perceptron(rng, hidden, np.tile([-0.02, 0.725], count), np.tile([0.02, 0.785], count)) for count in counts
    ]
    return ContactNetwork(RANGES, counts, perceptron(rng, 13, -ones, ones), tuple(locators), "none")


def random_poses(seed: int, n: int, beyond: float = 1.0) -> Array:
    rng = np.random.default_rng(seed)
    low = np.array([-RANGES.yaw, RANGES.roll_from, RANGES.G_y_from])
    high = np.array([RANGES.yaw, RANGES.roll_to, RANGES.G_y_to])
    return rng.uniform(beyond * low, beyond * high, (n, 3))


@pytest.mark.parametrize("counts", [(1,), (1, 2), (1, 2, 4), (0, 1, 3)])
def test_kernels_give_what_the_plain_form_gives(counts: tuple[int, ...]) -> None:
    for seed in range(5):
        network, poses = random_network(seed, counts), random_poses(seed, 2000, beyond=1.1)
        expected, places = plain.locate(network, poses)
        found, xy = locate(network, poses)
        margins = np.abs(network.classifier(np.abs(poses) * [1, 0, 0] + poses * [0, 1, 1]))
        clear = np.all(margins > 1e-8, axis=1)  # on an edge the last digit of tanh decides
        assert clear.mean() > 0.999
        assert_array_equal(found[clear], expected[clear])
        assert_allclose(xy[clear], places[clear], atol=1e-11)
        assert set(np.unique(expected)) <= {OUTSIDE, *counts}
        assert OUTSIDE in expected


def test_poses_of_opposite_yaw_have_mirrored_x_to_the_last_digit() -> None:
    network, poses = random_network(1), random_poses(1, 5000)
    counts, xy = locate(network, poses)
    mirrored, other = locate(network, poses * [-1, 1, 1])
    assert_array_equal(mirrored, counts)
    assert_array_equal(other, xy * [-1, 1])


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 1.0, -1.0])
@pytest.mark.parametrize("which", [0, 1, 2])
def test_outside_the_trained_ranges_there_is_no_answer(bad: float, which: int) -> None:
    pose = np.array([[0.001, 0.002, 0.003]])
    pose[0, which] = bad
    counts, xy = locate(random_network(2), pose)
    assert counts[0] == OUTSIDE
    assert_array_equal(xy, 0.0)


def test_the_right_wheel_is_the_mirror_of_the_left() -> None:
    network, on = random_network(4), s1002_on_60e1()
    for yaw, roll, G_y in random_poses(4, 20):
        pose = Pose(G_y=G_y, G_z=0.46, yaw=yaw, roll=roll)
        left = contact_of(on, pose, method=Method.NETWORK, network=network)
        right = contact_of(on, pose.mirrored(), side=Side.RIGHT, method=Method.NETWORK, network=network)
        for each in fields(left):
            sign = -1.0 if each.name in ("y_w", "y", "slope") else 1.0
            assert_array_equal(getattr(right, each.name), sign * getattr(left, each.name))


def test_places_on_the_wheel_are_those_of_the_exact_search() -> None:
    on, rows = s1002_on_60e1(1 / 20), np.zeros((CAPACITY, FIELDS))
    points = 0
    for yaw, roll, G_y in random_poses(5, 300):
        place = Placement(attitude(yaw, roll), G_y, 0.46)
        for row in rows[: search(on, DIFFERENCE, G_y, 0.46, yaw, roll, rows)]:
            assert wheel_place(on.wheel, place, row[Y_R]) == pytest.approx(row[Y_W], abs=2e-9)
            points += 1
    assert points > 300


def test_places_on_the_wheel_are_those_of_the_plain_form() -> None:
    on = s1002_on_60e1()
    rng = np.random.default_rng(6)
    for (yaw, roll, G_y), y in zip(random_poses(6, 100), rng.uniform(0.735, 0.785, 100), strict=True):
        pose = Pose(G_y=G_y, G_z=0.46, yaw=yaw, roll=roll)
        found = wheel_place(on.wheel, Placement(attitude(yaw, roll), G_y, 0.46), y)
        assert found == pytest.approx(plain.wheel_place(WHEEL, pose, y), abs=1e-9)


def test_rows_are_finite_and_hold_the_networks_places() -> None:
    network, on = random_network(7), s1002_on_60e1()
    hidden, xy, rows = np.empty(network.most_hidden), np.empty((4, 2)), np.full((4, FIELDS), np.nan)
    for yaw, roll, G_y in random_poses(7, 500):
        count = network_search(network.packed, on, G_y, 0.46, yaw, roll, hidden, xy, rows)
        assert np.all(np.isfinite(rows[:count]))
        assert_array_equal(rows[:count, X_R], xy[:count, 0])
        assert_allclose(rows[:count, Y_R], xy[:count, 1], atol=1e-6)
        assert np.all(np.abs(rows[:count, VERTICAL_GAP]) < 0.1)


def card_of(network: ContactNetwork, mark: str) -> NetworkCard:
    sizes: dict[str, Any] = {"training": 1, "validation": 1, "test": 1, "epochs": 1, "error": 0.5}
    return NetworkCard(
        pair="S1002 on 60E1-EN, cant 1/40",
        fingerprint=mark,
        ranges=network.ranges,
        seed=1,
        survey=(0, 5, 6),
        classifier=ClassifierCard(hidden=13, error_without_yaw=0.5, **sizes),
        locators=tuple(LocatorCard(points=n, hidden=19, available=5, **sizes) for n in network.counts),
        error=0.5,
        disagreement=0.5,
        position_95=1e-3,
        judged=7,
    )


def stored(folder: Path) -> tuple[Path, ContactNetwork, NetworkCard]:
    network = random_network(8)
    card = card_of(network, fingerprint(s1002_on_60e1()))
    save_network(folder / "network.npz", network, card)
    return folder / "network.npz", network, card


def test_a_file_gives_back_the_networks_and_their_card(tmp_path: Path) -> None:
    file, network, card = stored(tmp_path)
    read, its_card = load_network(file, pair=s1002_on_60e1())
    assert its_card == card
    poses = random_poses(8, 1000)
    for one, other in zip(locate(read, poses), locate(network, poses), strict=True):
        assert_array_equal(one, other)
    assert [each.name for each in tmp_path.iterdir()] == ["network.npz"]


def test_networks_of_other_profiles_are_refused(tmp_path: Path) -> None:
    file, _, _ = stored(tmp_path)
    with pytest.raises(CalibrationError, match="trained for other profiles"):
        load_network(file, pair=s1002_on_60e1(1 / 20))


def test_a_shift_of_a_micrometre_changes_the_fingerprint() -> None:
    rail = rail_profile("60E1-EN")
    one, two = (fingerprint(pair(WHEEL, laid_rail(rail, gauge=gauge))) for gauge in (1.435, 1.435002))
    assert one != two
    assert one == fingerprint(s1002_on_60e1())


def altered(file: Path, **changes: object) -> Path:
    """The file with some arrays replaced; None removes one."""
    with np.load(file, allow_pickle=False) as arrays:
        kept: dict[str, Any] = {name: arrays[name] for name in arrays.files} | changes
    with file.open("wb") as stream:
        np.savez(stream, **{name: value for name, value in kept.items() if value is not None})
    return file


def card_bytes(card: NetworkCard, **changes: object) -> Array:
    return np.frombuffer(json.dumps(card.model_dump(mode="json") | changes).encode(), dtype=np.uint8)


def test_damaged_and_foreign_files_are_refused_with_the_reason(tmp_path: Path) -> None:
    file, _, card = stored(tmp_path)
    whole = file.read_bytes()
    for changes, reason in (
        ({"card": None}, "has no card"),
        ({"card": card_bytes(card, version=2)}, "is of version 2, this program reads 1"),
        ({"card": card_bytes(card, seed="x")}, "'seed' = 'x'"),
        ({"card": card_bytes(card, locators=[])}, "must rise"),
        ({"points_2_V": np.zeros((4, 18))}, "'points_2_V' must hold finite numbers of shape (4, 19)"),
        ({"points_4_b": None}, "'points_4_b'"),
        ({"classifier_W": np.full((13, 3), np.nan)}, "'classifier_W'"),
        ({"classifier_c": np.array([object(), None], dtype=object)}, "damaged"),
    ):
        file.write_bytes(whole)
        with pytest.raises(CalibrationError, match=re.escape(reason)):
            load_network(altered(file, **changes))
    file.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(CalibrationError, match="damaged"):
        load_network(file)
    file.write_text("y z\n0 1\n")
    with pytest.raises(CalibrationError, match="no file of contact networks"):
        load_network(file)
    with pytest.raises(CalibrationError, match="no such file"):
        load_network(tmp_path / "absent.npz")
