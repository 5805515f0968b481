"""report, compare and export of track geometry as a person calls them, on runs of three kilometres."""

import csv
import json
from pathlib import Path

import pytest

from recordings import ResultWriter
from tests.command_line import Railtwin
from tests.made_geometry import made_config, written_run
from tests.made_run import cut, grid
from twin.cli.run_directory import RunDirectory, result_metadata
from twin.core.estimate import Form
from twin.core.places import Direction


@pytest.fixture
def railtwin(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Railtwin:
    monkeypatch.setenv("COLUMNS", "300")
    monkeypatch.setenv("NO_COLOR", "1")
    return Railtwin(monkeypatch, capsys)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, RunDirectory]:
    base = tmp_path_factory.mktemp("runs")
    plain = RunDirectory(base / "plain")
    with ResultWriter(plain.results, result_metadata(made_config(500.0, "plain"))) as writer:
        for block in cut(grid(500.0, Form.CAUSAL, Direction.INCREASING), 500):
            writer.write(block)
    return {
        "plain": plain,
        "later": written_run(base / "later", 3000.0),
        "before": written_run(base / "before", 3000.0, seed=2, later=False, shift=7.5),
        "again": written_run(base / "again", 3000.0, seed=3, shift=-3.25),
    }


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def test_the_report_is_a_page_a_table_and_sheets(
    railtwin: Railtwin, runs: dict[str, RunDirectory], tmp_path: Path
) -> None:
    page = tmp_path / "out" / "monday.html"
    code, out, _ = railtwin("report", runs["later"].path, "--previous", runs["before"].path, "--out", page)
    assert code == 0
    assert "to print on A3" in out
    text = page.read_text()
    assert "RailTwin track geometry report" in text
    assert "laid over this run by its waves" in text
    assert page.with_suffix(".pdf").read_bytes().startswith(b"%PDF")
    assert len(rows(page.with_suffix(".csv"))) == 12_000


def test_a_report_without_rails_is_that_of_navigation(
    railtwin: Railtwin, runs: dict[str, RunDirectory], tmp_path: Path
) -> None:
    page = tmp_path / "plain.html"
    code, out, _ = railtwin("report", runs["plain"].path, "--out", page)
    assert code == 0
    assert "A3" not in out
    assert "RailTwin run report" in page.read_text()
    assert not page.with_suffix(".pdf").exists()


@pytest.mark.parametrize("option", ["--previous", "--limits", "--line"])
def test_options_of_track_geometry_need_rails(
    railtwin: Railtwin, runs: dict[str, RunDirectory], tmp_path: Path, option: str
) -> None:
    file = tmp_path / "line.toml"
    file.write_text("line_speed_kmh = 80\n")
    given = runs["later"].path if option == "--previous" else file
    code, _, err = railtwin("report", runs["plain"].path, option, given, "--out", tmp_path / "x.html")
    assert code == 2
    assert "saw no rails" in err


def test_the_line_speed_of_a_file_makes_exceedances_more_severe(
    railtwin: Railtwin, runs: dict[str, RunDirectory], tmp_path: Path
) -> None:
    line = tmp_path / "line.toml"
    line.write_text("line_speed_kmh = 230\n")
    assert railtwin("report", runs["later"].path, "--no-pdf", "--line", line, "--out", tmp_path / "fast.html").code == 0
    assert railtwin("report", runs["later"].path, "--no-pdf", "--out", tmp_path / "slow.html").code == 0
    fast, slow = (
        (tmp_path / name).read_text().count('data-severity="immediate action" data-kind')
        for name in ("fast.html", "slow.html")
    )
    assert fast > slow > 0


def test_two_runs_over_the_same_rails_repeat(railtwin: Railtwin, runs: dict[str, RunDirectory], tmp_path: Path) -> None:
    code, out, _ = railtwin("compare", runs["later"].path, runs["again"].path, "--out", tmp_path / "c.html")
    assert code == 0
    assert "beyond" not in out
    assert "offset -3.2" in out
    assert (tmp_path / "c.html").is_file()


def test_runs_that_do_not_repeat_end_with_a_problem(
    railtwin: Railtwin, runs: dict[str, RunDirectory], tmp_path: Path
) -> None:
    noisy = written_run(tmp_path / "noisy", 1000.0, noise=1e-3)
    calm = written_run(tmp_path / "calm", 1000.0, seed=4)
    code, out, _ = railtwin("compare", calm.path, noisy.path, "--out", tmp_path / "c.html")
    assert code == 1
    assert "beyond" in out


def test_runs_without_rails_cannot_be_compared(
    railtwin: Railtwin, runs: dict[str, RunDirectory], tmp_path: Path
) -> None:
    code, _, err = railtwin("compare", runs["later"].path, runs["plain"].path, "--out", tmp_path / "c.html")
    assert code == 2
    assert "saw no rails" in err


@pytest.mark.parametrize("content", ["geometry", "exceedances", "deviations", "curves"])
@pytest.mark.parametrize("to", ["csv", "parquet"])
def test_every_table_is_exported(
    railtwin: Railtwin, runs: dict[str, RunDirectory], tmp_path: Path, content: str, to: str
) -> None:
    file = tmp_path / f"{content}.{to}"
    assert railtwin("export", runs["later"].path, "--to", to, "--table", content, "--out", file).code == 0
    assert file.stat().st_size > 500


def test_exceedances_and_quality_go_to_a_map(railtwin: Railtwin, runs: dict[str, RunDirectory], tmp_path: Path) -> None:
    file = tmp_path / "map.geojson"
    assert railtwin("export", runs["later"].path, "--to", "geojson", "--out", file).code == 0
    assert {f["properties"]["what"] for f in json.loads(file.read_text())["features"]} >= {"exceedance", "quality"}


def test_a_form_is_of_navigation_alone(railtwin: Railtwin, runs: dict[str, RunDirectory]) -> None:
    code, _, err = railtwin("export", runs["later"].path, "--table", "curves", "--form", "causal")
    assert code == 2
    assert "leave it out" in err
