"""Records of vehicles refuse what makes no vehicle, and mirrors copy faithfully."""

import pytest
from pydantic import ValidationError

from twin.vehicle.description import Body, BumpStop, LineDamper, Vehicle, curve_force
from twin.vehicle.library.manchester import manchester
from twin.vehicle.mirrors import LEFT_RIGHT, Mirror, bogie_mirrors, image, with_copies

STOP = BumpStop(
    name="left stop",
    first="carbody",
    second="front bogie",
    at_first=(9.5, 0.2, 0.6),
    at_second=(9.5, 0.2, 0.6),
    axis="y",
    clearance=0.02,
    curve=((0.0, 0.0), (0.01, 1e4)),
    sides="positive",
)


def test_image_of_an_image_is_the_part_itself() -> None:
    back = Mirror(axis="y", words={"right": "left"})
    assert image(image(STOP, LEFT_RIGHT), back) == STOP
    for body in manchester().bodies:
        assert image(image(body, LEFT_RIGHT), back) == body


def test_one_sided_stop_changes_its_side_in_the_mirror_across_its_axis_only() -> None:
    assert image(STOP, LEFT_RIGHT).sides == "negative"
    assert image(STOP, Mirror(axis="x", words={"front": "rear"})).sides == "positive"


def test_three_mirrors_make_eight_of_a_corner_and_two_of_a_middle() -> None:
    corner = STOP.model_copy(update={"name": "wheelset 1 left stop"})
    middle = STOP.model_copy(update={"name": "front stop"})
    mirrors = bogie_mirrors(half_pivot=9.5)
    names = [part.name for part in with_copies((corner,), *mirrors)]
    assert sorted(names) == sorted(f"wheelset {i} {side} stop" for i in (1, 2, 3, 4) for side in ("left", "right"))
    assert [part.name for part in with_copies((middle,), *mirrors)] == ["front stop", "rear stop"]


def test_words_swap_in_one_pass() -> None:
    assert Mirror(axis="y", words={"left": "right", "right": "left"}).renamed("left of right") == "right of left"


def test_wheelsets_come_from_front_to_rear() -> None:
    assert [body.name for body in manchester().wheelsets] == [f"wheelset {i}" for i in (1, 2, 3, 4)]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"bodies": manchester().bodies[:3] + manchester().bodies[2:]}, "is there twice"),
        ({"bodies": tuple(b for b in manchester().bodies if b.name != "rear bogie")}, "no body 'rear bogie'"),
        ({"bodies": manchester().bodies[:3], "elements": ()}, "stands on nothing"),
    ],
)
def test_vehicle_refuses_what_is_not_connected(changes: dict[str, object], words: str) -> None:
    with pytest.raises(ValidationError, match=words):
        Vehicle.model_validate(manchester().model_copy(update=changes).model_dump())


def test_body_needs_parent_with_joint_and_wheels_with_wheelset() -> None:
    bogie = manchester().body("front bogie").model_dump()
    with pytest.raises(ValidationError, match="a joint needs a parent"):
        Body.model_validate(bogie | {"joint": "fixed"})
    with pytest.raises(ValidationError, match="a wheelset has wheels"):
        Body.model_validate(bogie | {"kind": "wheelset"})
    with pytest.raises(ValidationError, match="finite number"):
        Body.model_validate(bogie | {"mass": float("nan")})


@pytest.mark.parametrize("curve", [((0.0, 0.0),), ((0.0, 5.0), (1.0, 6.0)), ((0.0, 0.0), (0.0, 1.0))])
def test_curves_start_at_zero_and_rise(curve: tuple[tuple[float, float], ...]) -> None:
    ends = {"first": "a", "second": "b", "at_first": (0.0, 0.0, 0.0), "at_second": (1.0, 0.0, 0.0)}
    with pytest.raises(ValidationError, match="curve"):
        LineDamper.model_validate({"name": "damper", "curve": curve, **ends})


def test_curve_is_odd_straight_between_its_points_and_beyond() -> None:
    curve = ((0.0, 0.0), (0.1, 1000.0), (0.3, 1400.0))
    for x, force in ((0.0, 0.0), (0.05, 500.0), (0.1, 1000.0), (0.2, 1200.0), (0.3, 1400.0), (0.5, 1800.0)):
        assert curve_force(curve, x) == pytest.approx(force)
        assert curve_force(curve, -x) == pytest.approx(-force)
