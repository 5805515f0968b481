"""Track geometry in a real browser: strips and limits are drawn, exceedances lead to their place and back."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.browser import CHROMIUM, NO_CHROMIUM, Browser
from tests.made_geometry import geometry_run, made_config, rails_block
from tests.made_run import LABEL, PLACES, design
from tests.scenarios.test_report_in_browser import NON_BLANK, middle_of_strip, shown_length
from twin.core.places import Direction
from twin.report.compared import compare_runs, write_comparison
from twin.report.config import ReportConfig, TrackReportConfig
from twin.report.data import RunData
from twin.report.html import write_html
from twin.report.judged import judge
from twin.report.laid_over import lay_over

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason=NO_CHROMIUM)

CONFIG = TrackReportConfig()
OPEN = 14
"""Strips and ribbons in sight at first: 3 of the course, 7 of geometry, 2 and 2 of standard deviations."""


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    started = Browser(tmp_path_factory.mktemp("profile"))
    yield started
    started.close()


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path, data = tmp_path_factory.mktemp("report") / "report.html", geometry_run()
    judged = judge(data, CONFIG)
    assert judged is not None
    earlier = lay_over(data, geometry_run(seed=2, later=False, shift=7.5, name="Demo run 6"), CONFIG)
    write_html(data, path, ReportConfig(), judged=judged, earlier=earlier)
    return path


def visible(browser: Browser) -> int:
    return int(browser.evaluate("[...document.querySelectorAll('.strip')].filter(s => !s.hidden).length"))


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [1600, 390])
def test_everything_open_is_drawn_without_complaint_or_request(
    browser: Browser, report: Path, width: int, dark: bool
) -> None:
    browser.open(report, width=width, dark=dark)
    assert visible(browser) == 1 + OPEN + 2  # the kilometres above, two rows of lanes below
    drawn = [count for count in browser.evaluate(NON_BLANK) if count > 500]
    assert len(drawn) >= 1 + OPEN
    assert browser.requests() == [report.as_uri()]
    assert browser.complaints() == []
    assert browser.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_an_exceedance_in_the_list_leads_to_its_place_in_the_charts(browser: Browser, report: Path) -> None:
    browser.open(report, width=1600, height=1000)
    whole = shown_length(browser)
    browser.evaluate("document.querySelector('#list [data-number=\"3\"]').click()")
    browser.pause()
    where = browser.evaluate("document.getElementById('where').textContent")
    listed = browser.evaluate("document.querySelector('#list [data-number=\"3\"] td:nth-child(2)').textContent")
    assert f"km {listed}" in where
    assert "3 gauge, intervention" in where
    assert shown_length(browser) < 0.2 * whole
    assert browser.evaluate("document.querySelector('#list .chosen').dataset.number") == "3"
    box = browser.evaluate("(b => [b.top, b.bottom])(document.getElementById('charts').getBoundingClientRect())")
    assert 0 <= box[0] < 700


def test_a_mark_in_the_charts_leads_to_its_line_in_the_list(browser: Browser, report: Path) -> None:
    browser.open(report, width=1600, height=1000)
    left, width, y = middle_of_strip(browser, "Gauge")
    whole = browser.evaluate("document.querySelector('#list [data-kind=gauge]').dataset.s")
    x = left + 56 + (width - 56) * (float(whole) + 0.125) / 3000
    browser.mouse("mousePressed", x, y, button="left", buttons=1, clickCount=1)
    browser.mouse("mouseReleased", x, y, button="left", clickCount=1)
    browser.pause()
    assert browser.evaluate("document.querySelector('#list .chosen').dataset.kind") == "gauge"
    top = browser.evaluate("document.querySelector('#list .chosen').getBoundingClientRect().top")
    assert 0 <= top < 1000


def test_the_list_is_filtered_by_class_and_quantity_and_sorted(browser: Browser, report: Path) -> None:
    browser.open(report, width=1600)
    rows = "[...document.querySelectorAll('#list tbody tr')].filter(r => !r.hidden)"
    everything = browser.evaluate(f"{rows}.length")
    browser.evaluate("document.querySelector('#filters [data-severity=intervention]').click()")
    assert browser.evaluate(f"{rows}.map(r => r.dataset.severity)") == ["immediate action"] * 2
    assert browser.evaluate("document.getElementById('listed').textContent") == f"2 of {everything} listed"
    browser.evaluate("document.querySelector('#filters [data-severity=intervention]').click()")
    browser.evaluate(
        "(k => { k.value = 'alignment'; k.dispatchEvent(new Event('change')); })(document.getElementById('kind'))"
    )
    assert set(browser.evaluate(f"{rows}.map(r => r.dataset.kind)")) == {"alignment"}
    browser.evaluate("(k => { k.value = ''; k.dispatchEvent(new Event('change')); })(document.getElementById('kind'))")
    browser.evaluate("document.querySelector('[data-sort=peak] button').click()")
    peaks = browser.evaluate(f"{rows}.map(r => Number(r.dataset.peak))")
    assert peaks == sorted(peaks)
    assert len(peaks) == everything


def test_the_cursor_reads_value_deviation_and_the_earlier_run(browser: Browser, report: Path) -> None:
    browser.open(report, width=1600)
    browser.evaluate("document.querySelector('#list [data-number=\"3\"]').click()")
    browser.pause()
    judged = judge(geometry_run(), CONFIG)
    assert judged is not None
    gauge = judged.geometry["gauge"]
    i = int(np.argmin(np.abs(judged.geometry.s - judged.exceedances[2].s)))
    read = browser.evaluate(
        "[...document.querySelectorAll('.strip')].find(s => s.textContent.startsWith('Gauge'))"
        ".querySelectorAll('li b').values().map(b => Number(b.textContent.replace('−', '-'))).toArray()"
    )
    assert gauge.sd is not None
    assert read[:2] == [pytest.approx(1e3 * gauge.values[i], abs=0.0051), pytest.approx(2e3 * gauge.sd[i], abs=0.011)]
    assert read[2] == pytest.approx(0.7 * read[0], rel=0.05)


def test_a_group_of_strips_opens_and_closes(browser: Browser, report: Path) -> None:
    browser.open(report, width=1600)
    before = visible(browser)
    chip = "[...document.querySelectorAll('#groups .chip')].find(c => c.textContent === 'Long waves')"
    browser.evaluate(f"{chip}.click()")
    for _ in range(100):
        browser.pause()
        if visible(browser) == before + 8:
            break
    assert visible(browser) == before + 8
    browser.pause()
    assert len([count for count in browser.evaluate(NON_BLANK) if count > 500]) >= 1 + OPEN + 8
    browser.evaluate(f"{chip}.click()")
    browser.pause()
    assert visible(browser) == before
    assert browser.complaints() == []


def test_zoom_and_pan_move_every_strip(browser: Browser, report: Path) -> None:
    browser.open(report, width=1600)
    whole = shown_length(browser)
    left, width, y = middle_of_strip(browser, "Gauge")
    browser.drag(left + 0.3 * width, left + 0.4 * width, y)
    assert shown_length(browser) == pytest.approx(0.1 * whole, rel=0.2)
    before = browser.evaluate("document.getElementById('charts').getAttribute('aria-label')")
    browser.mouse("mouseWheel", left + 0.5 * width, y, deltaX=200, deltaY=0)
    browser.pause()
    assert browser.evaluate("document.getElementById('charts').getAttribute('aria-label')") != before


def test_a_peak_of_one_point_is_seen_in_the_whole_of_fifty_kilometres(browser: Browser, tmp_path: Path) -> None:
    """Gauge of one point 40 mm wide among 200 000: drawn from extremes, it must not be lost."""
    block = rails_block(1000.0)
    n, column = 200_000, block.layout.index("y_left")
    values = np.zeros((n, len(block.layout.names)))
    values[123_457, column] = 0.04
    values[:, block.layout.index("speed")] = 20.0
    long = replace(
        block, index=np.arange(n), t_ns=np.arange(n) * 10**7, values=values, quality=np.zeros(n, dtype=np.uint8)
    )
    data = RunData.build([long], label=LABEL, places=PLACES, direction=Direction.INCREASING, design=design(50_000.0))
    judged = judge(data, CONFIG)
    assert judged is not None
    write_html(data, tmp_path / "peak.html", ReportConfig(), judged=judged)
    browser.open(tmp_path / "peak.html", width=1400)
    columns = browser.evaluate(
        """(() => {
          const strips = [...document.querySelectorAll('.strip')];
          const canvas = strips.find(s => s.textContent.startsWith('Gauge')).querySelector('canvas');
          const pen = canvas.getContext('2d');
          const blue = (x, y) => { const [r, g, b] = pen.getImageData(x, y, 1, 1).data; return b > r + 60; };
          let found = 0;
          for (let x = 60; x < canvas.width; x++) found += blue(x, Math.round(canvas.height * 0.45));
          return found;
        })()"""
    )
    assert 1 <= columns <= 4


def test_two_runs_side_by_side_are_shown_without_complaint(browser: Browser, tmp_path: Path) -> None:
    first, second = geometry_run(), geometry_run(seed=3, shift=-3.25, name="Demo run 8")
    report = made_config(3000.0, "demo").report
    write_comparison(compare_runs(first, second, report), tmp_path / "compare.html", report)
    browser.open(tmp_path / "compare.html", width=1600)
    assert browser.complaints() == []
    assert "6 of 6" in browser.evaluate("document.querySelector('.figures').innerText")
    assert len([count for count in browser.evaluate(NON_BLANK) if count > 500]) >= 10
