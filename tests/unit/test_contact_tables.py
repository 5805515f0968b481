"""Tables of contact points and seatings: as good as their cards say, refusing what they do not know."""

from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from twin.contact.curve import Curve
from twin.contact.network import OUTSIDE, OutsideTrainingError
from twin.contact.pair import FALOMI_RANGE, pair
from twin.contact.plain import tables as plain
from twin.contact.profiles import laid_rail, rail_profile, wheel_curve, wheel_profile
from twin.contact.seating import SeatingError, WheelsetPair, seat
from twin.contact.seating_table import (
    COLUMNS,
    HEIGHT,
    LEFT,
    RAIL_SLOPE,
    RIGHT,
    ROLL,
    ROLLING_RADIUS,
    WHEEL_Y,
    SeatingTable,
    SeatingTableConfig,
    X,
    Y,
    look_up_seating,
    seating_errors,
    seating_kernel,
    seating_table,
)
from twin.contact.table_file import (
    contact_table_card,
    load_contact_table,
    load_seating_table,
    save_contact_table,
    save_seating_table,
    seating_table_card,
)
from twin.contact.tables import ContactTable, TableConfig, contact_table, look_up, points_at, table_kernel
from twin.core.errors import CalibrationError, ConfigError

WHEEL = wheel_curve(wheel_profile("S1002"))
RAIL_40 = laid_rail(rail_profile("60E1-EN"), cant=1 / 40)
RAIL_20 = laid_rail(rail_profile("60E1-EN"), cant=1 / 20)
FALOMI = pair(WHEEL, RAIL_40, FALOMI_RANGE)
WHOLE = pair(WHEEL, RAIL_40)
WHEELSET = WheelsetPair(WHOLE, WHOLE)
COARSE = TableConfig(yaw_step=5e-3, roll_step=2e-3, step=4e-4)
"""Small and quick: what does not hang on its accuracy is tested with it."""


@pytest.fixture(scope="module")
def coarse() -> ContactTable:
    return contact_table(FALOMI, config=COARSE)


@pytest.fixture(scope="module")
def seatings() -> SeatingTable:
    return seating_table(WHEELSET, config=SeatingTableConfig(reach=8e-3, step=5e-5, yaw=0.01, yaw_step=2.5e-3))


@pytest.mark.parametrize("rail", [RAIL_40, RAIL_20], ids=["1/40", "1/20"])
def test_the_table_is_as_good_as_a_network_is_asked_to_be(rail: Curve) -> None:
    one = pair(WHEEL, rail, FALOMI_RANGE)
    table = contact_table(one)
    card = contact_table_card(table, one, name="S1002 on 60E1-EN")
    assert card.disagreement < 0.01
    assert card.position_95 < 0.1e-3
    assert table.megabytes < 4.0


def test_in_a_node_the_table_gives_what_was_found_there(coarse: ContactTable) -> None:
    rng, grid = np.random.default_rng(0), coarse.arrays.grid
    out = np.empty((coarse.most, 2))
    for _ in range(200):
        yaw, roll, g = grid[:, 0] + rng.integers(0, grid[:, 2].astype(int) + 1) / grid[:, 1]
        G_y = g - coarse.arrays.lever * roll
        if not coarse.ranges.G_y_from <= G_y <= coarse.ranges.G_y_to:
            continue
        counts, xy = points_at(FALOMI, np.array([[yaw, roll, G_y]]))
        assert table_kernel(coarse.arrays, yaw, roll, G_y, out) == counts[0]
        assert_allclose(out[: counts[0]], xy[0, : counts[0]], rtol=0, atol=1e-7)


def test_the_kernel_equals_the_plain_look_up(coarse: ContactTable) -> None:
    poses = np.random.default_rng(1).uniform((-0.01, -0.01, 0.0), (0.01, 0.01, 0.01), (400, 3))
    for yaw, roll, G_y in poses:
        found = look_up(coarse, yaw=yaw, roll=roll, G_y=G_y)
        assert_allclose(found, plain.points(coarse, yaw=yaw, roll=roll, G_y=G_y), rtol=0, atol=1e-9)


def test_opposite_yaw_mirrors_x_alone(coarse: ContactTable) -> None:
    there = look_up(coarse, yaw=-0.004, roll=1e-3, G_y=2e-3)
    assert_array_equal(there * (-1.0, 1.0), look_up(coarse, yaw=0.004, roll=1e-3, G_y=2e-3))


@pytest.mark.parametrize(
    "pose",
    [(0.0101, 0.0, 0.0), (-0.0101, 0.0, 0.0), (0.0, 0.0101, 0.0), (0.0, 0.0, -1e-5), (0.0, 0.0, 0.0101)]
    + [tuple(np.where(np.arange(3) == k, bad, 1e-3)) for k in range(3) for bad in (np.nan, np.inf, -np.inf)],
)
def test_what_lies_outside_or_is_no_number_is_refused(coarse: ContactTable, pose: tuple[float, float, float]) -> None:
    out = np.full((coarse.most, 2), 7.0)
    assert table_kernel(coarse.arrays, *pose, out) == OUTSIDE
    assert np.all(out == 7.0)
    with pytest.raises(OutsideTrainingError, match="the table knows yaw"):
        look_up(coarse, yaw=pose[0], roll=pose[1], G_y=pose[2])


def test_the_ends_of_the_ranges_belong_to_the_table(coarse: ContactTable) -> None:
    for yaw in (-0.01, 0.01):
        for roll in (-0.01, 0.01):
            for G_y in (0.0, 0.01):
                assert np.all(np.isfinite(look_up(coarse, yaw=yaw, roll=roll, G_y=G_y)))


def test_a_range_that_does_not_rise_is_refused() -> None:
    with pytest.raises(ConfigError, match="range of roll must rise"):
        contact_table(FALOMI, ranges=contact_table(FALOMI, config=COARSE).ranges._replace(roll_to=-0.02))


def test_seatings_are_off_most_at_the_kink_of_the_flange_and_as_far_as_the_step_says() -> None:
    narrow = SeatingTableConfig(yaw=2e-3, yaw_step=1e-3)
    errors = seating_errors(seating_table(WHEELSET, config=narrow), WHEELSET, poses=4000, seed=0)
    assert errors.roll_95 < 1e-6
    assert errors.height_95 < 1e-6
    assert errors.y_95 < 5e-6
    assert errors.roll_max < 15.0 * narrow.step / 4 * 1.2  # the roll turns by 15 rad/m there
    assert errors.other_side < 2e-3


def test_in_a_node_the_seating_is_that_of_the_wheelset(seatings: SeatingTable) -> None:
    for y, yaw in ((-6e-3, 0.0), (1e-3, 0.0025), (7e-3, 0.005)):
        exact, found = seat(WHEELSET, y=y, yaw=yaw), look_up_seating(seatings, y=y, yaw=yaw)
        assert_allclose((found[ROLL], found[HEIGHT]), (exact.pose.roll, exact.pose.G_z), rtol=0, atol=1e-9)
        for start, points, k in (
            (LEFT, exact.left, exact.touching_left),
            (RIGHT, exact.right, exact.touching_right),
        ):
            expected = points.x[k], points.y[k], points.y_w[k], points.radius[k], points.slope[k]
            columns = [start + c for c in (X, Y, WHEEL_Y, ROLLING_RADIUS, RAIL_SLOPE)]
            assert_allclose(found[columns], expected, rtol=0, atol=1e-7)


def test_the_seating_kernel_equals_the_plain_look_up(seatings: SeatingTable) -> None:
    for y, yaw in np.random.default_rng(2).uniform((-8e-3, -0.01), (8e-3, 0.01), (400, 2)):
        assert_allclose(
            look_up_seating(seatings, y=y, yaw=yaw), plain.seating(seatings, y=y, yaw=yaw), rtol=0, atol=1e-12
        )


def test_a_contact_that_jumps_is_never_put_in_between(seatings: SeatingTable) -> None:
    y_w = np.array([look_up_seating(seatings, y=y)[LEFT + WHEEL_Y] for y in np.linspace(0.0, 5e-4, 400)])
    assert y_w.max() - y_w.min() > 8e-3  # from the middle of the tread towards the flange
    assert not np.any((y_w > 0.743) & (y_w < 0.750))


@pytest.mark.parametrize(("y", "yaw"), [(8.1e-3, 0.0), (-8.1e-3, 0.0), (0.0, 0.011), (np.nan, 0.0), (0.0, np.nan)])
def test_seatings_beyond_the_table_are_refused(seatings: SeatingTable, y: float, yaw: float) -> None:
    out = np.full(COLUMNS, 7.0)
    assert not seating_kernel(seatings.arrays, y, yaw, out)
    assert np.all(out == 7.0)
    with pytest.raises(SeatingError, match="the table reaches 8 mm"):
        look_up_seating(seatings, y=y, yaw=yaw)


def test_a_reach_at_which_the_wheelset_falls_is_refused() -> None:
    with pytest.raises(SeatingError, match="less reach"):
        seating_table(WheelsetPair(FALOMI, FALOMI), config=SeatingTableConfig(step=1e-3, yaw_step=0.02))


def test_a_stored_table_comes_back_as_it_was(tmp_path: Path, coarse: ContactTable, seatings: SeatingTable) -> None:
    points_file, seatings_file = tmp_path / "points.npz", tmp_path / "seatings.npz"
    card = contact_table_card(coarse, FALOMI, name="S1002 on 60E1-EN", poses=500)
    save_contact_table(points_file, coarse, card)
    table, same = load_contact_table(points_file, pair=FALOMI)
    assert same == card
    assert table.ranges == coarse.ranges
    for part, original in zip(table.arrays, coarse.arrays, strict=True):
        assert_array_equal(part, original)
    seating_card = seating_table_card(seatings, WHEELSET, name="S1002 on 60E1-EN", poses=500)
    save_seating_table(seatings_file, seatings, seating_card)
    back, same_seating = load_seating_table(seatings_file, wheelset=WHEELSET)
    assert same_seating == seating_card
    for part, original in zip(back.arrays, seatings.arrays, strict=True):
        assert_array_equal(part, original)


def test_files_that_do_not_fit_are_refused_with_the_reason(
    tmp_path: Path, coarse: ContactTable, seatings: SeatingTable
) -> None:
    file = tmp_path / "points.npz"
    with pytest.raises(CalibrationError, match="no such file"):
        load_contact_table(file)
    file.write_bytes(b"no zip")
    with pytest.raises(CalibrationError, match="damaged"):
        load_contact_table(file)
    np.savez(file, grid=np.zeros(3))
    with pytest.raises(CalibrationError, match="no card"):
        load_contact_table(file)
    save_contact_table(file, coarse, contact_table_card(coarse, FALOMI, name="S1002", poses=200))
    with pytest.raises(CalibrationError, match="made for other profiles"):
        load_contact_table(file, pair=pair(WHEEL, RAIL_20, FALOMI_RANGE))
    with pytest.raises(CalibrationError, match="another kind"):
        load_seating_table(file)
    whole = file.read_bytes()
    with np.load(file) as stored:
        parts = {name: stored[name] for name in stored.files}
    for name, broken, reason in (
        ("points", parts["points"][:-1], "must hold finite numbers"),
        ("points", np.full_like(parts["points"], np.nan), "must hold finite numbers"),
        ("counts", -parts["counts"] - 1, "below zero"),
        ("grid", parts["grid"] + 1.0, "different nodes"),
        ("card", np.frombuffer(b'{"version": 2}', dtype=np.uint8), "is of version 2"),
    ):
        np.savez(file, **{**parts, name: broken})
        with pytest.raises(CalibrationError, match=reason):
            load_contact_table(file)
    file.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(CalibrationError, match="damaged"):
        load_contact_table(file)
    save_seating_table(file, seatings, seating_table_card(seatings, WHEELSET, name="S1002", poses=200))
    other = WheelsetPair(WHOLE, pair(WHEEL, RAIL_20))
    with pytest.raises(CalibrationError, match="made for other profiles"):
        load_seating_table(file, wheelset=other)
