"""The report in a real browser: it draws, answers to the hand, asks nothing of the network, fits a telephone."""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.browser import CHROMIUM, NO_CHROMIUM, Browser
from tests.made_run import LABEL, PLACES, grid, made_run
from twin.core.estimate import Form
from twin.core.places import Direction
from twin.report.data import RunData
from twin.report.html import write_html

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason=NO_CHROMIUM)

NON_BLANK = """[...document.querySelectorAll('.strip canvas')].map(canvas => {
  const data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
  let count = 0;
  for (let i = 3; i < data.length; i += 4) count += data[i] > 0;
  return count;
})"""


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    started = Browser(tmp_path_factory.mktemp("profile"))
    yield started
    started.close()


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "report.html"
    write_html(made_run(), path)
    return path


def middle_of_strip(browser: Browser, title: str) -> tuple[float, float, float]:
    """Left edge, width and height of the middle of a strip's canvas on the screen [px]."""
    box = browser.evaluate(
        f"""(() => {{
          const strip = [...document.querySelectorAll('.strip')].find(s => s.textContent.includes('{title}'));
          strip.scrollIntoView({{ block: 'center' }});
          const box = strip.querySelector('canvas').getBoundingClientRect();
          return [box.left, box.width, box.top + box.height / 2];
        }})()"""
    )
    browser.pause()
    return box[0], box[1], box[2]


def shown_length(browser: Browser) -> float:
    """Kilometres in view, as the charts tell a reader who cannot see them."""
    label = browser.evaluate("document.getElementById('charts').getAttribute('aria-label')")
    first, last = re.findall(r"km (\S+) – (\S+);", label)[0]
    return float(last) - float(first)


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [1400, 390])
def test_every_strip_is_drawn_without_complaint_or_request(
    browser: Browser, report: Path, width: int, dark: bool
) -> None:
    browser.open(report, width=width, dark=dark)
    drawn = browser.evaluate(NON_BLANK)
    assert len(drawn) == 8
    assert min(drawn) > 500
    assert browser.requests() == [report.as_uri()]
    assert browser.complaints() == []
    paper = browser.screenshot()[5, 5].mean()
    assert paper < 60 if dark else paper > 200


@pytest.mark.parametrize("width", [1400, 390])
def test_the_page_never_scrolls_sideways(browser: Browser, report: Path, width: int) -> None:
    browser.open(report, width=width)
    assert browser.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_the_cursor_reads_the_same_numbers_that_were_packed(browser: Browser, report: Path) -> None:
    browser.open(report, width=1400)
    left, width, y = middle_of_strip(browser, "Lateral")
    browser.mouse("mouseMoved", left + 0.4 * width, y)
    browser.pause()
    km = float(browser.evaluate("document.querySelector('#where b').textContent")[3:])
    table = made_run().best
    assert table is not None
    i = int(np.argmin(np.abs(PLACES.kilometre(table.s) - km)))
    read = browser.evaluate("[...document.querySelectorAll('.strip li b')].map(b => b.textContent.replace('−', '-'))")
    assert f"{1000 * table.column('r_y')[i]:.2f}" in read
    assert f"{3.6 * table.column('speed')[i]:.1f}" in read
    assert f"{2000 * table.column('sd_r_z')[i]:.2f}" in read


def test_a_spike_of_one_point_is_seen_in_the_whole_run(browser: Browser, tmp_path: Path) -> None:
    calm = made_run(50_000.0)
    table = calm.best
    assert table is not None
    values = np.zeros_like(table.values)
    values[90_000, table.layout.index("r_y")] = 0.05
    spiky = replace(calm, tables={table.form: replace(table, values=values)}, events=(), health=())
    write_html(spiky, tmp_path / "spike.html")
    browser.open(tmp_path / "spike.html", width=1400)
    heights = browser.evaluate(
        """(() => {
          const canvas = document.querySelectorAll('.strip canvas')[5];
          const pen = canvas.getContext('2d');
          const blue = (x, y) => { const [r, g, b] = pen.getImageData(x, y, 1, 1).data; return b > r + 60; };
          let columns = 0;
          for (let x = 60; x < canvas.width; x++) columns += blue(x, Math.round(canvas.height * 0.15));
          return columns;
        })()"""
    )
    assert 1 <= heights <= 4


def test_dragging_zooms_and_a_key_shows_the_whole_run_again(browser: Browser, report: Path) -> None:
    browser.open(report, width=1400)
    whole = shown_length(browser)
    left, width, y = middle_of_strip(browser, "Cant")
    browser.drag(left + 0.3 * width, left + 0.4 * width, y)
    assert shown_length(browser) == pytest.approx(0.1 * whole, rel=0.15)
    browser.key("0")
    assert shown_length(browser) == whole


def test_keys_zoom_move_the_cursor_and_fit_the_height(browser: Browser, report: Path) -> None:
    browser.open(report, width=1400)
    whole = shown_length(browser)
    browser.evaluate("document.getElementById('charts').focus()")
    browser.key("+")
    assert shown_length(browser) < 0.6 * whole
    places = []
    for _ in range(2):
        browser.key("ArrowRight")
        places.append(browser.evaluate("document.querySelector('#where b').textContent"))
    assert places[0] < places[1]
    drawn = browser.evaluate(NON_BLANK)
    browser.key("f")
    assert browser.evaluate(NON_BLANK) != drawn


def test_the_wheel_zooms_with_control_and_scrolls_the_page_without(browser: Browser, report: Path) -> None:
    browser.open(report, width=1400, height=600)
    left, width, y = middle_of_strip(browser, "Curvature")
    whole, top = shown_length(browser), browser.evaluate("scrollY")
    browser.mouse("mouseWheel", left + 0.5 * width, y, deltaX=0, deltaY=100)
    for _ in range(100):
        browser.pause()
        if browser.evaluate("scrollY") > top:
            break
    assert browser.evaluate("scrollY") > top
    assert shown_length(browser) == whole
    browser.mouse("mouseWheel", left + 0.5 * width, y, deltaX=0, deltaY=-100, modifiers=2)
    browser.pause()
    assert shown_length(browser) < 0.8 * whole


def test_an_event_in_the_list_leads_to_its_place(browser: Browser, report: Path) -> None:
    browser.open(report, width=1400)
    browser.evaluate("document.querySelector('[data-s]').click()")
    browser.pause()
    assert "rough ride" in browser.evaluate("document.getElementById('where').textContent")


@pytest.mark.parametrize("points", [0, 1, 3])
def test_a_run_of_a_few_points_is_shown_without_complaint(browser: Browser, tmp_path: Path, points: int) -> None:
    blocks = [grid(0.25 * points, Form.SMOOTHED, Direction.INCREASING)] if points else []
    data = RunData.build(blocks, label=LABEL, places=PLACES, direction=Direction.INCREASING)
    write_html(data, tmp_path / "short.html")
    browser.open(tmp_path / "short.html", width=1400)
    assert browser.complaints() == []
    assert len(browser.evaluate(NON_BLANK)) == (8 if points else 0)


def test_a_run_without_a_single_number_is_shown_without_complaint(browser: Browser, tmp_path: Path) -> None:
    block = grid(100.0, Form.SMOOTHED, Direction.INCREASING)
    unknown = replace(block, values=np.full_like(block.values, np.nan))
    data = RunData.build([unknown], label=LABEL, places=PLACES, direction=Direction.INCREASING)
    write_html(data, tmp_path / "unknown.html")
    browser.open(tmp_path / "unknown.html", width=1400)
    assert browser.complaints() == []
    assert browser.evaluate("document.body.innerText").count("not estimated in this run") == 6
