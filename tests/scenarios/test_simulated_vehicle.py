"""A run by the nonlinear vehicle with every sensor: recorded with its images and truth, and served on real ports."""

import csv
import time
import tomllib
from pathlib import Path
from typing import NamedTuple

import cv2
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from recordings import open_recording
from sensors.decode import DeviceDecoder
from sensors.emulator import Emulator, EmulatorConfig, packets_of_streams, record_chunks
from sensors.host_clock import ScaledClock
from tests.served_run import PATIENCE, start
from twin.cli.run_directory import RunDirectory, recorded_config
from twin.cli.scenario_config import config_of
from twin.cli.simulating import START_NS, Recorded, record_simulated
from twin.core.track import HorizontalElement
from twin.simulation import Dynamics, IrregularityConfig, Scenario, SimulatedRun, constant, load_truth, simulate
from twin.simulation.dynamic.config import ImagingConfig
from twin.simulation.rail_head import CameraConfig, RailCamera, RailSectionConfig, rail_section
from twin.vehicle.running import RunSettings

SPEED = 2.0
"""Times real time of the served run."""
IDLE = 24.0
"""Silence that ends it [s of its clock]."""
SCENARIO = Scenario(
    horizontal=(HorizontalElement(length=150.0),),
    vertical=(),
    irregularity=IrregularityConfig(seed=4),
    motion=constant(speed=6.0, length=40.0, standstill=2.0).model_copy(update={"acceleration": 3.0}),
    dynamics=Dynamics(
        run=RunSettings(contact="knife"),
        settle=2.0,
        cameras=ImagingConfig(from_t=6.0, from_s=45.0, to_s=45.4),
    ),
    seed=3,
)
SOURCES = {"imu", "imu_body", "encoder", "profile_left", "profile_right", "axle_box", "bridge", "laser_distance"}


class Made(NamedTuple):
    """The same run twice: on the disk, and in memory."""

    run: RunDirectory
    recorded: Recorded
    simulated: SimulatedRun


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    run = RunDirectory(tmp_path_factory.mktemp("runs") / "vehicle")
    shares: list[float] = []
    recorded = record_simulated(SCENARIO, run, progress=shares.append)
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    return Made(run, recorded, simulate(SCENARIO))


def test_recording_as_the_run_comes_gives_the_bytes_of_the_whole_run(made: Made) -> None:
    devices = config_of(SCENARIO).device
    whole = list(record_chunks(made.simulated.streams, devices, seed=SCENARIO.seed, start_ns=START_NS))
    assert list(open_recording(made.run.recording).chunks()) == whole
    assert {chunk.device for chunk in whole} == SOURCES


def test_the_archived_truth_is_that_of_the_whole_run(made: Made) -> None:
    truth, track = load_truth(made.run.truth)
    assert_array_equal(truth.f_b, made.simulated.truth.f_b)
    assert_array_equal(track.gauge, made.simulated.track.gauge)
    sensed, vehicle = made.simulated.sensed, made.simulated.vehicle
    assert sensed is not None
    assert vehicle is not None
    with np.load(made.run.truth, allow_pickle=False) as archive:
        assert_array_equal(archive["vehicle_wheels"], vehicle.wheels)
        assert_array_equal(archive["wheel_Q"], sensed.wheels.Q)
        assert_array_equal(archive["rail_head_right"], sensed.rail_heads.right)
        assert archive["rail_head_section"].shape[1] == 2
        ends = archive["roughness_s0"] + archive["roughness_step"] * np.array([0, archive["roughness_left"].size - 1])
    assert ends[0] < truth.s[0] - 5
    assert ends[1] > truth.s[-1] + 5
    assert not made.run.truth.with_suffix(".parts").exists()


def test_images_are_what_a_camera_sees_of_the_true_places(made: Made) -> None:
    section = rail_section(RailSectionConfig())
    with np.load(made.run.truth, allow_pickle=False) as archive:
        t, places = archive["image_t"], {0: archive["image_rail_left"], 1: archive["image_rail_right"]}
        s = np.interp(t, archive["t"], archive["s_body"])
    assert t.size >= 5
    assert (s >= 45.0 - 1e-3).all()
    assert (s < 45.4 + 1e-3).all()
    assert made.recorded.images.images == 2 * t.size
    assert made.recorded.imaged_metres == pytest.approx(0.4, abs=0.1)
    for rail, name in ((0, "left"), (1, "right")):
        with (made.run.images / name / "index.csv").open(newline="") as file:
            index = list(csv.DictReader(file))
        assert_array_equal([int(row["t_ns"]) for row in index], START_NS + np.rint(t * 1e9).astype(np.int64))
        camera = RailCamera(CameraConfig(), rail=rail, section=section, seed=SCENARIO.seed)
        for i in (0, t.size - 1):
            image = cv2.imread(str(made.run.images / name / index[i]["file"]), cv2.IMREAD_UNCHANGED)
            assert_array_equal(image, camera.render(round(t[i] * 100), places[rail][i]))
        calibration = tomllib.loads((made.run.images / name / "camera.toml").read_text())
        assert_allclose(np.array(calibration["H"]), camera.truth.H, rtol=1e-15)


def test_every_device_of_the_vehicle_is_served_on_a_port_and_recorded_by_a_run(made: Made, tmp_path: Path) -> None:
    ports = tmp_path / "ports"
    config = config_of(SCENARIO, name="served", ports={name: str(ports / name) for name in SOURCES})
    assert {device.name for device in config.device} == SOURCES
    file, run = tmp_path / "run.toml", RunDirectory(tmp_path / "run")
    file.write_text(config.to_toml())
    clock = ScaledClock(speed=SPEED, origin_ns=time.monotonic_ns())
    packets = packets_of_streams(made.simulated.streams, config.device)
    patient = EmulatorConfig(buffer_bytes=1 << 24, drain_timeout=20.0)
    with Emulator(config.device, packets, clock=clock, directory=ports, config=patient) as emulator:
        pace = ("--clock-speed", str(SPEED), "--clock-origin", str(clock.origin_ns))
        process = start("run", file, "--out", run.path, "--until-idle", str(IDLE), *pace)
        try:
            _, errors = process.communicate(timeout=PATIENCE)
        finally:
            process.kill()
    counts = emulator.counts()
    assert {name: counts[name]["dropped"] for name in SOURCES} == dict.fromkeys(SOURCES, 0), errors
    _assert_all_arrived(run, made.simulated)


def _assert_all_arrived(run: RunDirectory, simulated: SimulatedRun) -> None:
    """As many samples of every device as it took, each within its count of what the sensor said."""
    reader = open_recording(run.recording)
    decoders = {device.name: DeviceDecoder(device) for device in recorded_config(reader).device}
    values: dict[str, list[np.ndarray]] = {name: [] for name in SOURCES}
    for chunk in reader.chunks():
        values[chunk.device] += [block.values for block in decoders[chunk.device].process(chunk)]
    for stream in simulated.streams:
        found = np.concatenate(values[stream.source])
        assert found.shape[0] == stream.t.size, stream.source
        if stream.kind in ("axle_box", "bridge", "laser_distance"):
            step = np.array(decoders[stream.source].config.calibration.scale)
            assert (np.abs(found - stream.values) <= 0.51 * step).all(), stream.source
