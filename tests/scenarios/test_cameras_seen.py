"""Rails by cameras and by scanners, end to end: one alone, images missing for seconds, a stop, a walk of 1 m/s."""

from functools import lru_cache

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from tests.camera_run import camera_run, columns, live, seen_by, smoothed, without
from twin.core.arrays import Array
from twin.core.estimate import Form, Health
from twin.core.quality import Quality
from twin.simulation.rail_head import RailSectionConfig, rail_section

PREFERRED = ("cameras", "scanners")
BIAS = 2 * (0.7535 + rail_section(RailSectionConfig()).gauge_face(depth=14e-3) - 0.7175)
"""By which the truth's heads stand wider than the nominal gauge [m]."""
WITHIN = 0.15e-3
"""95 % of the error of the gauge [m]."""


def true_gauge(found: dict[str, Array]) -> Array:
    """At the moments the points were passed, below the cameras [m]."""
    run = camera_run().simulated
    imu, camera = 0.0, 0.3
    s = np.interp(found["t"], run.truth.t, run.truth.s) + camera - imu
    return np.interp(s, run.track.s, run.track.gauge) + BIAS


@lru_cache
def both_seen(prefer: str) -> dict[str, Array]:
    """The rails as a run finds them."""
    return columns(live(seen_by(prefer, "left", "right"), camera_run().items), Form.CAUSAL)


@pytest.mark.parametrize("prefer", PREFERRED)
def test_gauge_is_true_past_a_stop_and_at_a_walk(prefer: str) -> None:
    found = both_seen(prefer)
    off = (found["y_left"] - found["y_right"] - true_gauge(found))[4:-4]
    assert found["s"][-1] - found["s"][0] > 40
    assert (found["speed"] < 1.2).sum() > 15
    assert np.quantile(np.abs(off), 0.95) < WITHIN
    assert np.abs(off).max() < 1e-3  # dirt on a rail is taken for steel here and there


@pytest.mark.parametrize(("prefer", "rail", "other"), [("cameras", "left", "right"), ("scanners", "right", "left")])
def test_one_alone_gives_its_rail_and_no_gauge(prefer: str, rail: str, other: str) -> None:
    items = camera_run().items
    both = both_seen(prefer)
    alone = columns(live(seen_by(prefer, rail), items), Form.CAUSAL)
    assert np.isnan(alone[f"y_{other}"]).all()
    assert np.isnan(alone[f"z_{other}"]).all()
    shared, at, of = np.intersect1d(alone["s"], both["s"], return_indices=True)
    assert shared.size > 150
    for name in (f"y_{rail}", f"z_{rail}"):
        assert_array_equal(alone[name][at], both[name][of])


@pytest.mark.parametrize(
    ("prefer", "form"), [("cameras", Form.CAUSAL), ("scanners", Form.CAUSAL), ("cameras", Form.SMOOTHED)]
)
def test_what_is_missing_for_seconds_is_bridged_and_flagged(prefer: str, form: Form) -> None:
    lost = without(camera_run().items, lambda name, t: name.endswith("left") and 5.0 < t < 7.5)
    make = live if form is Form.CAUSAL else smoothed
    found = columns(make(seen_by(prefer, "left", "right"), lost), form)
    inside = (found["t"] > 5.1) & (found["t"] < 7.4)
    outside = (found["t"] < 4.8) & (found["t"] > 2.5)
    assert inside.sum() > 40
    assert ((found["quality"][inside] & Quality.BRIDGED) != 0).all()
    assert np.isfinite(found["y_left"][inside]).all()
    assert found["sd_y_left"][inside].max() > 5 * np.median(found["sd_y_left"][outside])
    assert not (found["quality"][outside] & Quality.BRIDGED).any()


def test_damaged_records_are_counted_and_the_rest_is_seen() -> None:
    config, items = seen_by("cameras", "left", "right"), list(camera_run().items)
    dice = np.random.default_rng(2)
    spoilt = 0
    for i, item in enumerate(items):
        if hasattr(item, "camera") and dice.random() < 0.1:
            data = bytearray(item.data)
            data[int(dice.integers(len(data)))] ^= 0x40
            items[i] = item._replace(data=bytes(data[: int(dice.integers(1, len(data) + 1))]))
            spoilt += 1
    results = live(config, items)
    counts = [each.counts for each in results if isinstance(each, Health) and each.source.endswith(" heads")]
    assert sum(each["damaged"] for each in counts) == spoilt > 25
    found = columns(results, Form.CAUSAL)
    assert np.isfinite(found["y_left"][4:-4]).all()
