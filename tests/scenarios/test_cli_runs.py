"""simulate, replay, report and export as a person calls them, on one short simulated run."""

import csv
import time
from pathlib import Path

import numpy as np
import pytest

from firmware_interface import Chunk
from recordings import ResultReader, open_recording
from tests.command_line import Railtwin
from tests.served_run import SCENARIO
from twin.cli.config import load_config
from twin.cli.replaying import Replay, paced
from twin.cli.reporting import load_run
from twin.cli.run_directory import RunDirectory, recorded_config
from twin.cli.scenario_config import config_of, posts_along
from twin.cli.simulating import commented_scenario, load_plan, load_scenario, record_simulated
from twin.cli.stretch import Bound
from twin.cli.toml_text import to_toml
from twin.core.errors import ConfigError
from twin.core.estimate import Form, GridBlock
from twin.core.places import Direction
from twin.core.settings import Settings
from twin.core.track import DesignTrack
from twin.simulation import Scenario, demo_scenario, dynamics_scenario, load_truth
from twin.simulation.accuracy import Passage, judge


@pytest.fixture
def railtwin(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Railtwin:
    monkeypatch.setenv("COLUMNS", "300")
    monkeypatch.setenv("NO_COLOR", "1")
    return Railtwin(monkeypatch, capsys)


def ignore(share: float) -> None:
    """Nobody watches."""


def recorded(path: Path, scenario: Scenario) -> RunDirectory:
    """A simulated run with all its results."""
    run = RunDirectory(path)
    record_simulated(scenario, run, progress=ignore)
    reader = open_recording(run.recording)
    replay = Replay(reader, recorded_config(reader), run)
    replay.results(progress=ignore)
    replay.smoothed(progress=ignore)
    return run


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> RunDirectory:
    return recorded(tmp_path_factory.mktemp("runs") / "short", SCENARIO)


def table(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("command", ["demo", "run", "replay", "report", "export", "simulate"])
def test_every_command_explains_itself_with_an_example(railtwin: Railtwin, command: str) -> None:
    code, out, _ = railtwin(command, "--help")
    assert code == 0
    assert f"Example: railtwin {command}" in out


def test_equal_seeds_give_equal_bytes_and_others_do_not(tmp_path: Path, railtwin: Railtwin) -> None:
    file = tmp_path / "scenario.toml"
    file.write_text(to_toml(SCENARIO.model_dump(mode="json")))
    assert load_scenario(file) == SCENARIO
    for name, seed in (("a", 5), ("b", 5), ("c", 6)):
        assert railtwin("simulate", file, "--out", tmp_path / name, "--seed", str(seed)).code == 0
    a, b, c = (list(open_recording(tmp_path / name / "recording").chunks()) for name in "abc")
    assert len(a) > 1000
    assert a == b
    assert [chunk.data for chunk in a] != [chunk.data for chunk in c]


def test_the_example_scenario_is_written_once(tmp_path: Path, railtwin: Railtwin) -> None:
    file = tmp_path / "scenario.toml"
    assert railtwin("simulate", "--new", file).code == 0
    code, _, err = railtwin("simulate", "--new", file)
    assert code == 2
    assert "exists; choose another name" in err


@pytest.mark.parametrize("scenario", [demo_scenario(), dynamics_scenario()])
def test_an_example_scenario_reads_back_as_it_is(tmp_path: Path, scenario: Scenario) -> None:
    file = tmp_path / "scenario.toml"
    file.write_text(commented_scenario(scenario))
    assert load_scenario(file) == scenario


def test_the_faults_of_an_example_need_only_their_comment_signs_taken_away(tmp_path: Path, railtwin: Railtwin) -> None:
    file = tmp_path / "scenario.toml"
    assert railtwin("simulate", "--new", file, "--dynamics").code == 0
    text = file.read_text()
    head, faults = text[: text.index("# [faults.imu]")], text[text.index("# [faults.imu]") :]
    file.write_text(head + "\n".join(line.removeprefix("# ") for line in faults.splitlines()))
    scenario, plans = load_plan(file)
    assert scenario.dynamics is not None
    assert plans["imu"].loss == 0.001


def test_the_configuration_does_not_know_the_truth(run: RunDirectory) -> None:
    config = load_config(run.config)
    assert config.vehicle.wheel_radius > SCENARIO.vehicle.wheel_radius
    assert abs(config.vehicle.wheel_radius / SCENARIO.vehicle.wheel_radius - 1) < 0.03
    truth = {type(value) for value in (SCENARIO.vehicle, SCENARIO.errors, SCENARIO.irregularity, SCENARIO.vibration)}
    assert not truth & {type(value) for value in _records(config)}


def _records(record: Settings) -> list[Settings]:
    inner = [value for _, value in record if isinstance(value, Settings)]
    return inner + [each for value in inner for each in _records(value)]


@pytest.mark.parametrize("length", [300.0, 1000.0, 3000.0, 12345.0])
def test_kilometre_posts_have_one_jump(length: float) -> None:
    places = [post.s for post in posts_along(length)]
    assert len(places) - len(set(places)) == 1
    assert places == sorted(places)


def test_a_run_against_the_kilometres_is_reported_along_them(tmp_path: Path) -> None:
    scenario = SCENARIO.model_copy(update={"direction": Direction.DECREASING})
    run = recorded(tmp_path / "back", scenario)
    data, config = load_run(run)
    truth, _ = load_truth(run.truth)
    best = data.best
    assert best is not None
    assert np.all(np.diff(best.s) > 0)
    assert best.t_ns[0] > best.t_ns[-1]
    length = sum(element.length for element in scenario.horizontal)
    assert config.run.start_s == length - scenario.motion.start
    passage = Passage(best.s, best.t_ns, best.column("r_y"), best.column("r_z"), best.step)
    accuracy = judge(passage, truth, t0_ns=10**12, direction=Direction.DECREASING, length=length)
    assert accuracy.position < 3.0
    assert accuracy.lateral["D1"] < 0.5e-3
    design = DesignTrack.from_elements(list(scenario.horizontal), [])
    inner = np.isfinite(best.column("curvature"))
    error = best.column("curvature")[inner] - design.curvature(best.s[inner])
    assert np.sqrt(np.mean(error**2)) < 5e-4


def test_smoothed_results_meet_the_truth(run: RunDirectory) -> None:
    data, config = load_run(run)
    truth, _ = load_truth(run.truth)
    best = data.best
    assert best is not None
    assert best.form is Form.SMOOTHED
    passage = Passage(best.s, best.t_ns, best.column("r_y"), best.column("r_z"), best.step)
    accuracy = judge(passage, truth, t0_ns=10**12, direction=config.run.direction, length=300.0)
    assert accuracy.position < 3.0
    assert accuracy.lateral["D1"] < 0.5e-3
    assert accuracy.vertical["D1"] < 0.5e-3


def test_replay_of_the_same_bytes_is_equal_and_of_another_configuration_not(
    tmp_path: Path, run: RunDirectory, railtwin: Railtwin
) -> None:
    same = railtwin("replay", run.path, "--no-smooth", "--out", tmp_path / "same", "--check", run.path)
    assert same.code == 0, same.err
    assert "equal, byte for byte" in same.out
    other = tmp_path / "other.toml"
    other.write_text(run.config.read_text().replace("wheel_radius = 0.46", "wheel_radius = 0.45"))
    arguments = ("--no-smooth", "--config", other, "--out", tmp_path / "other", "--check", run.results)
    code, out, _ = railtwin("replay", run.path, *arguments)
    assert code == 1
    assert "results differ; first: result " in out


def test_results_that_differ_are_kept_when_replaced(tmp_path: Path, run: RunDirectory, railtwin: Railtwin) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "results.mcap").write_bytes(run.results.read_bytes())
    _, _, err = railtwin("replay", run.path, "--no-smooth", "--out", out)
    assert "against the results that were there: equal, byte for byte" in err
    assert not (out / "results-before.mcap").exists()
    (out / "results.mcap").write_bytes(run.smoothed.read_bytes())
    _, _, err = railtwin("replay", run.path, "--no-smooth", "--out", out)
    assert "results differ" in err
    assert (out / "results-before.mcap").read_bytes() == run.smoothed.read_bytes()


@pytest.mark.parametrize(
    ("bounds", "low", "high"),
    [
        (("--from", "12.05km", "--to", "12.1km"), 12.05, 12.1),
        (("--from", "12.08km"), 12.08, 12.2),
        (("--from", "8s", "--to", "14"), 12.02, 12.2),
    ],
)
def test_a_stretch_holds_the_results_of_the_whole(
    tmp_path: Path, run: RunDirectory, railtwin: Railtwin, bounds: tuple[str, ...], low: float, high: float
) -> None:
    assert railtwin("replay", run.path, "--no-smooth", "--out", tmp_path, *bounds).code == 0
    places = load_config(run.config).places
    whole = {int(k): row for block in grid(run.results) for k, row in zip(block.index, block.values, strict=True)}
    part = {
        int(k): row
        for block in grid(tmp_path / "results.mcap")
        for k, row in zip(block.index, block.values, strict=True)
    }
    km = places.kilometre(np.array(sorted(part)) * 0.25)
    assert 0 < len(part) < len(whole)
    assert low <= km[0] <= km[-1] <= high
    assert all(np.array_equal(part[k], whole[k], equal_nan=True) for k in part)


def grid(path: Path) -> list[GridBlock]:
    return [each for each in ResultReader(path) if isinstance(each, GridBlock) and each.form is Form.CAUSAL]


@pytest.mark.parametrize("text", ["", "km", "12.5 miles", "now"])
def test_a_bound_that_is_neither_time_nor_place_says_how_to_write_one(text: str) -> None:
    with pytest.raises(ConfigError, match=r"write 12.5 or 12.5s, or 14.2km"):
        Bound.parse(text)


def test_a_paced_replay_keeps_every_item_back_until_its_time() -> None:
    items = [Chunk("imu", t_ns, b"") for t_ns in (7_000_000_000, 7_400_000_000, 8_000_000_000)]
    began = time.monotonic()
    late = [time.monotonic() - began - (item.t_host_ns - 7_000_000_000) * 1e-9 / 10 for item in paced(items, 10.0)]
    assert min(late) >= 0


def test_report_and_table_show_every_point(tmp_path: Path, run: RunDirectory, railtwin: Railtwin) -> None:
    code, out, _ = railtwin("report", run.path, "--out", tmp_path / "page.html")
    assert code == 0
    assert str(tmp_path / "page.html") in out
    assert "<html" in (tmp_path / "page.html").read_text()
    rows = table(tmp_path / "page.csv")
    data, _ = load_run(run)
    assert data.best is not None
    assert len(rows) == len(data.best)
    assert float(rows[0]["km"]) == pytest.approx(12.02, abs=0.005)


def test_export_of_each_form_is_that_form(tmp_path: Path, run: RunDirectory, railtwin: Railtwin) -> None:
    for form in ("causal", "lagged", "smoothed"):
        assert railtwin("export", run.path, "--form", form, "--out", tmp_path / f"{form}.csv").code == 0
    causal, smoothed = table(tmp_path / "causal.csv"), table(tmp_path / "smoothed.csv")
    assert causal[100].keys() == smoothed[100].keys()
    assert causal[100]["lateral_mm"] != smoothed[100]["lateral_mm"]


def test_raw_export_gives_back_what_the_sensors_said(tmp_path: Path, run: RunDirectory, railtwin: Railtwin) -> None:
    assert railtwin("export", run.path, "--raw", "--out", tmp_path).code == 0
    imu, encoder = table(tmp_path / "imu.csv"), table(tmp_path / "encoder.csv")
    truth, _ = load_truth(run.truth)
    assert len(imu) == truth.t.size
    vertical = np.array([float(row["a_z_m_s2"]) for row in imu[:1000]])
    assert vertical.mean() == pytest.approx(9.81, abs=0.02)
    times = np.array([float(row["t_s"]) for row in imu if row["t_s"]])
    assert np.diff(times).mean() == pytest.approx(0.002, rel=1e-4)
    turned = float(encoder[-1]["angle_rad"]) * SCENARIO.vehicle.wheel_radius
    assert turned == pytest.approx(float(truth.s[-1] - truth.s[0]), abs=1.0)


@pytest.mark.parametrize(
    ("arguments", "remedy"),
    [
        (("replay", "nowhere"), "no such run"),
        (("replay", "nowhere", "--from", "1", "--check", "x"), "leave --from and --to out"),
        (("report", "nowhere"), "railtwin replay nowhere"),
        (("export", "nowhere"), "railtwin replay nowhere"),
        (("export", "nowhere", "--raw", "--form", "causal"), "leave one of them out"),
        (("simulate",), "--out DIR"),
        (("simulate", "nowhere.toml", "--out", "x"), "railtwin simulate --new nowhere.toml"),
        (("run", "nowhere.toml"), "railtwin config new nowhere.toml"),
    ],
)
def test_errors_say_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, railtwin: Railtwin, arguments: tuple[str, ...], remedy: str
) -> None:
    monkeypatch.chdir(tmp_path)
    code, _, err = railtwin(*arguments)
    assert code == 2
    assert remedy in err


def test_a_run_without_a_port_is_refused_before_it_begins(tmp_path: Path, railtwin: Railtwin) -> None:
    file = tmp_path / "run.toml"
    file.write_text(config_of(SCENARIO).to_toml())
    code, _, err = railtwin("run", file, "--out", tmp_path / "run")
    assert code == 2
    assert "device 'imu' has no port" in err
    assert not (tmp_path / "run").exists()


def test_a_simulation_does_not_overwrite_a_run(run: RunDirectory, railtwin: Railtwin) -> None:
    code, _, err = railtwin("simulate", "--out", run.path)
    assert code == 2
    assert "choose another --out" in err


def test_a_recording_by_itself_needs_a_place_for_its_results(run: RunDirectory, railtwin: Railtwin) -> None:
    code, _, err = railtwin("replay", run.recording)
    assert code == 2
    assert "--out DIR" in err
