"""Simulated runs on the disk: recorded as if their sensors had been read, with the truth beside."""

import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from recordings import ClockPair, RecordingHeader, RecordingWriter
from sensors.emulator import FaultPlan, record_chunks
from twin.cli.console import part_of
from twin.cli.keys import keys_of
from twin.cli.run_directory import RunDirectory
from twin.cli.scenario_config import config_of
from twin.cli.toml_text import to_commented_toml
from twin.core.errors import ConfigError
from twin.simulation import Scenario, SimulatedRun, demo_scenario, save_truth, simulate
from twin.version import __version__

START_NS = 1_000_000_000_000
"""Host time at which a simulated run begins [ns]; any will do, the same one makes equal runs equal."""
SIMULATE_SHARE = 0.4
"""Of the whole time; the rest is recording."""

HEAD = """\
# RailTwin scenario: what `railtwin simulate` lets happen. Units are SI and radians. A key left out takes its default.

"""


class Plan(NamedTuple):
    """A scenario and what goes wrong with its devices, by their names."""

    scenario: Scenario
    faults: dict[str, FaultPlan]


def load_plan(path: Path) -> Plan:
    """Read a scenario and its faults, or raise ConfigError naming the file, the key and the remedy."""
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ConfigError(f"{path}: no such file; write one with: railtwin simulate --new {path}") from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(f"{path}: not a readable TOML file: {error}") from None
    faults = data.pop("faults", {})
    if not isinstance(faults, dict) or not all(isinstance(plan, dict) for plan in faults.values()):
        raise ConfigError(f"{path}: faults: give a table for each device, such as [faults.imu] with loss = 0.01")
    scenario = Scenario.load(data, where=str(path))
    known = [device.name for device in config_of(scenario).device]
    for name in faults:
        if name not in known:
            raise ConfigError(f"{path}: faults.{name}: no such device; the scenario has {', '.join(known)}")
    plans = {name: FaultPlan.load(plan, where=f"{path}: faults.{name}") for name, plan in faults.items()}
    return Plan(scenario, plans)


def load_scenario(path: Path) -> Scenario:
    """The scenario of a file without its faults."""
    return load_plan(path).scenario


def simulate_file(path: Path, out: Path, seed: int | None) -> str | None:
    """Simulate one file of many in a process of its own; why its run ended early, if it did."""
    scenario, faults = load_plan(path)
    if seed is not None:
        scenario = scenario.model_copy(update={"seed": seed})
    return record_simulated(scenario, RunDirectory(out), progress=lambda share: None, faults=faults).stopped


def commented_scenario() -> str:
    """The scenario of the demonstration as a file: every key with its unit, range and reason."""
    keys = keys_of(Scenario)
    data = demo_scenario().model_dump(mode="json", exclude_none=True)
    return HEAD + to_commented_toml(data, lambda name: keys[name].remark())


def record_simulated(
    scenario: Scenario,
    run: RunDirectory,
    *,
    progress: Callable[[float], None],
    faults: Mapping[str, FaultPlan] | None = None,
) -> SimulatedRun:
    """Simulate and record; the folder then holds what a live run leaves, and the truth. faults: by device."""
    if any(run.recording.glob("*.mcap")):
        raise ConfigError(f"{run.path}: holds a run already; choose another --out")
    simulated = simulate(scenario, part_of(progress, 0, SIMULATE_SHARE))
    config = config_of(scenario, name=_name_of(run.path))
    run.make()
    run.config.write_text(config.to_toml(), encoding="utf-8")
    save_truth(run.truth, simulated.truth, simulated.track, simulated.vehicle)
    header = RecordingHeader(
        config_toml=config.to_toml(),
        version=__version__,
        clock=ClockPair(monotonic_ns=START_NS, wall_ns=0),
        devices=tuple(device.name for device in config.device),
    )
    end_ns = START_NS + float(simulated.truth.t[-1]) * 1e9
    told = part_of(progress, SIMULATE_SHARE, 1)
    with RecordingWriter(run.recording, header, config.recording) as writer:
        chunks = record_chunks(simulated.streams, config.device, faults, seed=scenario.seed, start_ns=START_NS)
        for number, chunk in enumerate(chunks):
            writer.write_when_room(chunk)
            if number % 256 == 0:
                told(min((chunk.t_host_ns - START_NS) / (end_ns - START_NS), 1.0))
    told(1.0)
    return simulated


def _name_of(path: Path) -> str:
    """A name for the run that the configuration allows."""
    letters = "".join(letter if letter.isascii() and letter.isalnum() else "-" for letter in path.resolve().name)
    return letters.strip("-")[:64] or "simulated"
