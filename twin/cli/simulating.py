"""Simulated runs on the disk: recorded as if their sensors had been read, with the truth beside."""

import tomllib
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import numpy as np

from recordings import ClockPair, RecordingHeader, RecordingWriter
from recordings.segments import IMAGES
from sensors.emulator import ClockStep, FaultPlan, Unplug, record_stretches
from twin.cli.console import part_of
from twin.cli.example import without_absent_tables
from twin.cli.imaging import NONE, Imaged, ImageRecording, render_images
from twin.cli.keys import keys_of
from twin.cli.run_directory import RunDirectory
from twin.cli.scenario_config import config_of
from twin.cli.toml_text import to_commented_toml
from twin.core.errors import ConfigError, RailTwinError
from twin.simulation import Scenario, SensorStream, SimulatedRun, TruthArchive, duration, stream
from twin.simulation.dynamic.sensed import RailHeadTruth, joined
from twin.simulation.dynamic.train import RunEndedError
from twin.vehicle.library import vehicle
from twin.version import __version__

START_NS = 1_000_000_000_000
"""Host time at which a simulated run begins [ns]; any will do, the same one makes equal runs equal."""
SHARE_WITH_IMAGES = 0.2
"""Of the whole time that a run with cameras takes before its images are rendered."""
BEYOND = 15.0
"""How much of the rails' surface is kept beyond the ends of a run [m]: half a vehicle."""

HEAD = """\
# RailTwin scenario: what `railtwin simulate` lets happen. Units are SI and radians. A key left out takes its default.
# With a table [dynamics] a nonlinear vehicle makes the truth: `railtwin simulate --new FILE --dynamics` writes one.

"""
FAULTS_HEAD = """
# What goes wrong with a device: a table for each, by its name in config.toml. To use it, take the first "# " away.
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
    if scenario.dynamics is not None:
        try:
            vehicle(scenario.dynamics.vehicle)
        except RailTwinError as error:
            raise ConfigError(f"{path}: dynamics.vehicle: {error}") from None
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


def commented_scenario(scenario: Scenario) -> str:
    """A scenario as a file: every key with its unit, range and reason, and how to let devices fail."""
    keys = keys_of(Scenario)
    data = without_absent_tables(scenario.model_dump(mode="json"), keys, "")
    return HEAD + to_commented_toml(data, lambda name: keys[name].remark()) + _commented_faults()


def _commented_faults() -> str:
    """Faults of a device, ready to be used without their comment signs."""
    keys = keys_of(FaultPlan)
    plan = FaultPlan(loss=0.001, unplug=(Unplug(t=20.0, duration=2.0),), clock_steps=(ClockStep(t=25.0, seconds=0.1),))

    def remark(name: str) -> str:
        key = keys.get(name.removeprefix("faults.imu."))
        return "" if key is None else key.remark()

    lines = to_commented_toml({"faults": {"imu": plan.model_dump(mode="json")}}, remark).splitlines()
    return FAULTS_HEAD + "".join(f"# {line}\n" for line in lines if line not in ("", "[faults]"))


@dataclass(frozen=True, slots=True)
class Recorded:
    """What a simulated run came to."""

    metres: float
    seconds: float
    stopped: str | None
    """Where and why the vehicle ended the run before its time."""
    images: Imaged
    imaged_metres: float
    """Way on which images were taken."""


def record_simulated(
    scenario: Scenario,
    run: RunDirectory,
    *,
    progress: Callable[[float], None],
    faults: Mapping[str, FaultPlan] | None = None,
) -> Recorded:
    """Simulate and record; the folder then holds what a live run leaves, and the truth. faults: by device."""
    if any(run.recording.glob("*.mcap")):
        raise ConfigError(f"{run.path}: holds a run already; choose another --out")
    dynamics = scenario.dynamics
    share = 1.0 if dynamics is None or dynamics.cameras is None else SHARE_WITH_IMAGES
    passage = Passage(scenario, part_of(progress, 0, share))
    passage.begin()  # a scenario that cannot run leaves no folder behind
    config = config_of(scenario, name=_name_of(run.path))
    run.make()
    run.config.write_text(config.to_toml(), encoding="utf-8")
    header = RecordingHeader(
        config_toml=config.to_toml(),
        version=__version__,
        clock=ClockPair(monotonic_ns=START_NS, wall_ns=0),
        devices=tuple(device.name for device in config.device),
        cameras=tuple(camera.name for camera in config.camera),
    )
    received_ns = array("q")
    with TruthArchive(run.truth) as truth, RecordingWriter(run.recording, header, config.recording) as writer:
        stretches = passage.streams(truth)
        for chunk in record_stretches(stretches, config.device, faults, seed=scenario.seed, start_ns=START_NS):
            writer.write_when_room(chunk)
            received_ns.append(chunk.t_host_ns)
        truth.describe(scenario, start=passage.first_s - BEYOND, end=passage.last_s + BEYOND)
    images = NONE
    if dynamics is not None and passage.places:
        with RecordingWriter(run.recording, header, config.recording.of_images(), stem=IMAGES) as writer:
            images = render_images(
                dynamics,
                passage.rails(),
                run.images,
                seed=scenario.seed,
                start_ns=START_NS,
                recording=ImageRecording(config, writer, np.array(received_ns)),
                progress=part_of(progress, share, 1),
            )
    progress(1.0)
    return Recorded(passage.last_s - passage.first_s, passage.t, passage.stopped, images, passage.imaged_metres)


class Passage:
    """A simulated run as it goes by: its truth into the archive, its samples on. Remembers where it got."""

    def __init__(self, scenario: Scenario, progress: Callable[[float], None]) -> None:
        self._parts, self._progress = stream(scenario), progress
        self._end = duration(scenario)
        cameras = None if scenario.dynamics is None else scenario.dynamics.cameras
        self._image_rate = 0.0 if cameras is None else cameras.camera.rate
        self._first: SimulatedRun | None = None
        self.first_s = self.last_s = self.t = 0.0
        """Arc lengths [m] and the time [s] the run has passed."""
        self.stopped: str | None = None
        self.places: list[RailHeadTruth] = []
        """Of the rails at the times of images."""
        self.imaged_metres = 0.0

    def begin(self) -> None:
        """Compute the first stretch, or raise what is wrong with the scenario."""
        self._first = next(self._parts)
        self.first_s = float(self._first.truth.s[0])

    def streams(self, archive: TruthArchive) -> Iterator[Sequence[SensorStream]]:
        """The samples of every stretch; an early end keeps what came before it."""
        try:
            for part in chain([self._first] if self._first else [], self._parts):
                archive.add(part.truth, part.track, part.vehicle, part.sensed)
                self.last_s, self.t = float(part.truth.s[-1]), float(part.truth.t[-1])
                self._look(part)
                yield part.streams
                self._progress(min(self.t / self._end, 1.0))
        except RunEndedError as error:
            self.stopped = str(error)

    def _look(self, part: SimulatedRun) -> None:
        images = None if part.sensed is None else part.sensed.images
        if images is not None and images.t.size:
            self.places.append(images)
            speeds = np.interp(images.t, part.truth.t, part.truth.v)
            self.imaged_metres += float(speeds.sum()) / self._image_rate

    def rails(self) -> RailHeadTruth:
        """Where the rails were below the cameras, of all images."""
        return joined(self.places)


def _name_of(path: Path) -> str:
    """A name for the run that the configuration allows."""
    letters = "".join(letter if letter.isascii() and letter.isalnum() else "-" for letter in path.resolve().name)
    return letters.strip("-")[:64] or "simulated"
