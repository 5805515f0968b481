"""Kilometre posts: labels along the line, jumps, and configurations that cannot be."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from twin.core.errors import ConfigError
from twin.core.places import KilometrePost, Places


def places(*posts: tuple[float, float]) -> Places:
    return Places(posts=tuple(KilometrePost(s=s, km=km) for s, km in posts))


def test_without_posts_a_kilometre_is_a_thousand_metres_from_the_start() -> None:
    assert_allclose(places().kilometre(np.array([-250.0, 0.0, 1500.0])), [-0.25, 0.0, 1.5])


def test_a_single_post_shifts_all_labels() -> None:
    assert_allclose(places((100.0, 12.0)).kilometre(np.array([0.0, 100.0, 600.0])), [11.9, 12.0, 12.5])


def test_a_post_says_its_own_kilometre() -> None:
    posts = ((0.0, 7.0), (990.0, 8.0), (2003.0, 9.0))
    assert_allclose(places(*posts).kilometre(np.array([s for s, _ in posts])), [km for _, km in posts])


def test_a_short_kilometre_is_stretched_evenly_between_its_posts() -> None:
    assert_allclose(places((0.0, 7.0), (990.0, 8.0)).kilometre(np.array([495.0])), [7.5])


def test_beyond_the_posts_a_kilometre_is_a_thousand_metres() -> None:
    posts = places((0.0, 7.0), (990.0, 8.0))
    assert_allclose(posts.kilometre(np.array([-100.0, 1490.0])), [6.9, 8.5])


@pytest.mark.parametrize("after", [1.5, 0.25])
def test_a_jump_changes_the_label_at_its_place_and_nowhere_else(after: float) -> None:
    posts = places((0.0, 0.0), (1000.0, 1.0), (1000.0, after), (2000.0, after + 1))
    assert_allclose(posts.kilometre(np.array([999.0, 1000.0, 1001.0])), [0.999, after, after + 0.001])


@pytest.mark.parametrize(
    ("posts", "s", "km"),
    [
        (((0.0, 0.0), (0.0, 5.0), (1000.0, 6.0)), [-1.0, 0.0, 500.0], [-0.001, 5.0, 5.5]),
        (((0.0, 0.0), (1000.0, 1.0), (1000.0, 5.0)), [500.0, 1000.0, 1500.0], [0.5, 5.0, 5.5]),
    ],
    ids=["at the first post", "at the last post"],
)
def test_a_jump_may_stand_at_either_end(
    posts: tuple[tuple[float, float], ...], s: list[float], km: list[float]
) -> None:
    assert_allclose(places(*posts).kilometre(np.array(s)), km)


@given(
    gaps=st.lists(st.floats(1.0, 2000.0), min_size=1, max_size=6),
    labels=st.lists(st.floats(0.001, 2.0), min_size=6, max_size=6),
)
def test_labels_grow_along_a_line_without_jumps(gaps: list[float], labels: list[float]) -> None:
    at, km = np.cumsum([0.0, *gaps]), np.cumsum([3.0, *labels])
    line = places(*zip(at.tolist(), km.tolist(), strict=False))
    s = np.linspace(-500.0, at[-1] + 500.0, 400)
    assert np.all(np.diff(line.kilometre(s)) > 0)


def test_an_unknown_place_has_an_unknown_label() -> None:
    assert np.isnan(places((0.0, 7.0), (990.0, 8.0)).kilometre(np.array([np.nan]))).all()


def test_posts_out_of_order_are_refused_with_their_labels() -> None:
    with pytest.raises(ConfigError, match=r"line\.toml.*km 8 stands before km 7"):
        Places.load({"posts": [{"s": 10.0, "km": 7.0}, {"s": 5.0, "km": 8.0}]}, where="line.toml")


def test_labels_that_fall_between_two_posts_are_refused() -> None:
    with pytest.raises(ConfigError, match="kilometres must grow between two posts: 7 to 6"):
        Places.load({"posts": [{"s": 0.0, "km": 7.0}, {"s": 5.0, "km": 6.0}]}, where="line.toml")


def test_an_infinite_post_is_refused() -> None:
    with pytest.raises(ConfigError, match="finite"):
        Places.load({"posts": [{"s": float("inf"), "km": 7.0}]}, where="line.toml")
