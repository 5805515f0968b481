"""The page as text: self-contained, safe against what people type, exact, small, and never without an answer."""

import base64
import hashlib
import json
import re
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose

from tests.made_run import LABEL, PLACES, grid, made_run
from twin.core.estimate import Form, OperatorEvent, Result
from twin.core.places import Direction, KilometrePost, Places
from twin.report.config import ReportConfig
from twin.report.data import RunData, RunLabel
from twin.report.html import render, write_html
from twin.report.pack import pack, unpack
from twin.report.payload import kilometre_pieces
from twin.report.spark import spark
from twin.report.strips import Axis, strips


def build(*results: Result, label: RunLabel = LABEL) -> RunData:
    return RunData.build(results, label=label, places=PLACES, direction=Direction.INCREASING)


def page(data: RunData) -> str:
    return render(data, ReportConfig())


def payload(text: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)
    assert found
    return dict(json.loads(found[1]))


def test_the_page_names_no_address() -> None:
    assert not re.search(r"(https?:)?//[\w-]+\.|\bsrc=|\burl\(|@import|<link", page(made_run(100.0)))


def test_the_policy_admits_exactly_the_script_and_style_of_the_page() -> None:
    text = page(made_run(100.0))
    policy = unescape(re.findall(r'Content-Security-Policy" content="(.*?)"', text)[0])
    assert policy.startswith("default-src 'none'; ")
    for tag in ("script", "style"):
        body = re.findall(rf"<{tag}>(.*?)</{tag}>", text, re.DOTALL)[0]
        digest = base64.b64encode(hashlib.sha256(body.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy


def test_what_people_type_cannot_become_markup() -> None:
    evil = "</script><script>alert(1)</script><img src=x>"
    label = RunLabel(name=evil, vehicle=evil, date=evil, notes={evil: evil})
    block = grid(50.0, Form.SMOOTHED, Direction.INCREASING)
    text = page(build(block, OperatorEvent(5, evil, evil, s=10.0), label=label))
    assert "<img" not in text
    assert text.count("<script") == page(build(block)).count("<script")
    assert payload(text)["events"][0]["text"] == evil


def test_the_same_run_gives_the_same_page() -> None:
    assert page(made_run(100.0)) == page(made_run(100.0))


@given(arrays(np.float64, st.integers(0, 60), elements=st.floats(-2e5, 2e5) | st.just(np.nan)))
def test_packing_keeps_every_value_to_half_its_resolution(values: np.ndarray) -> None:
    assert_allclose(unpack(pack(values, resolution=0.001), resolution=0.001), values, rtol=0, atol=0.0005001)


def test_packing_cuts_off_the_absurd_and_marks_the_infinite() -> None:
    back = unpack(pack(np.array([1e30, -1e30, np.inf, 0.5]), resolution=0.1), resolution=0.1)
    assert_allclose(back, [214748364.7, -214748364.7, np.nan, 0.5])


def test_a_spike_of_one_point_in_fifty_kilometres_is_in_the_page() -> None:
    block = grid(50_000.0, Form.SMOOTHED, Direction.INCREASING)
    values = block.values.copy()
    values[123_456, block.layout.index("r_y")] = 0.0777
    text = page(build(replace(block, values=values)))
    (column,) = [line["values"] for line in payload(text)["strips"][4]["lines"] if line["role"] == "main"]
    (packed,) = re.findall(rf'<script type="text/plain" id="column-{column["column"]}">(.*?)</script>', text)
    back = unpack(packed, resolution=column["resolution"])
    assert back[123_456] == pytest.approx(77.7, abs=0.001)


def test_fifty_kilometres_take_a_few_megabytes(tmp_path: Path) -> None:
    write_html(made_run(50_000.0), tmp_path / "report.html")
    assert (tmp_path / "report.html").stat().st_size < 5e6


def test_an_empty_run_has_a_page_that_says_so() -> None:
    text = page(build())
    assert "The run holds no health records." in text
    assert payload(text)["stretches"] == []


@pytest.mark.parametrize("points", [1, 2])
def test_the_shortest_runs_have_a_page(points: int) -> None:
    assert payload(page(build(grid(0.25 * points, Form.CAUSAL, Direction.INCREASING))))["stretches"] == [[0, points]]


def test_a_quantity_without_a_single_value_has_a_strip_without_lines() -> None:
    block = grid(50.0, Form.SMOOTHED, Direction.INCREASING)
    data = build(replace(block, values=np.full_like(block.values, np.nan)))
    shown = strips(data, Axis.of(data.tables.values()))
    assert len(shown) == 6
    assert not any(strip.lines for strip in shown)


def test_a_form_that_ends_earlier_is_unknown_there_and_not_stretched() -> None:
    causal, smoothed = (
        grid(100.0, Form.CAUSAL, Direction.INCREASING),
        grid(60.0, Form.SMOOTHED, Direction.INCREASING),
    )
    data = build(causal, smoothed)
    lateral = strips(data, Axis.of(data.tables.values()))[4]
    known = {line.label: int(np.isfinite(line.values).sum()) for line in lateral.lines}
    assert known == {"causal": 400, "smoothed": 240}


def test_a_gap_in_the_grid_stays_a_gap() -> None:
    block = grid(100.0, Form.SMOOTHED, Direction.INCREASING)
    far = replace(block, index=block.index + 10**8, t_ns=block.t_ns + block.t_ns[-1])
    assert payload(page(build(block, far)))["stretches"] == [[0, 400], [10**8, 400]]


JUMP_BACK = ((0.0, 0.0), (1000.0, 1.0), (1000.0, 0.4), (1990.0, 1.4))


@pytest.mark.parametrize(
    "posts",
    [
        (),
        ((300.0, 5.0),),
        JUMP_BACK,
        ((0.0, 0.0), (0.0, 5.0), (1000.0, 6.0)),
        ((0.0, 1.0), (900.0, 2.0), (900.0, 8.0)),
    ],
)
def test_the_page_labels_kilometres_as_places_does(posts: tuple[tuple[float, float], ...]) -> None:
    places = Places(posts=tuple(KilometrePost(s=s, km=km) for s, km in posts))
    pieces = kilometre_pieces(places)
    for s in np.linspace(-500.0, 2500.0, 241):
        s0, km0, rate = next((piece for piece in reversed(pieces) if piece[0] <= s), pieces[0])
        assert km0 + (s - s0) * rate == pytest.approx(float(places.kilometre(np.array([s]))[0]), abs=1e-9)


def test_a_spark_keeps_its_spike_and_draws_a_constant() -> None:
    values = np.ones(5000)
    values[1234] = 9.0
    assert ",2.0" in spark(values)
    assert "polyline" in spark(np.ones(3))
    assert spark(np.array([np.nan])) == ""
