"""The demonstration on a short line: the same steps, real ports and real processes."""

from pathlib import Path

from tests.served_run import SCENARIO
from twin.cli.demonstration import demonstrate
from twin.cli.run_directory import RunDirectory


def test_demo_makes_report_and_table_and_says_so_in_three_lines(tmp_path: Path) -> None:
    run, told = RunDirectory(tmp_path / "demo"), [0.0]
    lines = demonstrate(SCENARIO, run, speed=8.0, progress=told.append)
    assert len(lines) == 3
    assert "equal, byte for byte" in lines[0]
    position = float(lines[1].split("position within ")[1].split(" m")[0])
    assert position < 5.0
    assert str(run.report) in lines[2]
    assert "<html" in run.report.read_text()
    assert len(run.table.read_text().splitlines()) > 600
    assert told == sorted(told)
    assert told[-1] == 1.0


def test_demo_replaces_the_demo_before(tmp_path: Path) -> None:
    run = RunDirectory(tmp_path)
    run.recording.mkdir()
    (run.recording / "run-000.mcap").write_bytes(b"of another run")
    assert len(demonstrate(SCENARIO, run, speed=8.0, progress=lambda share: None)) == 3
