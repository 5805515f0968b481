"""Mounting of cameras against offsets that are known because they were put in."""

import datetime
from pathlib import Path

import numpy as np
import pytest

from calibration.mounting import (
    SEEN,
    Camera,
    MountingConfig,
    Reference,
    StraightRun,
    calibrate_mounting,
    mean_covariance,
)
from calibration.store import Calibration, read_calibration
from recordings import ResultWriter
from twin.cli.calibrate_mounting import mounting
from twin.cli.calibrating import calibrated
from twin.cli.config import RunConfig
from twin.cli.example import example_config
from twin.cli.run_directory import RunDirectory, result_metadata, results_config
from twin.core.arrays import Array
from twin.core.errors import CalibrationError
from twin.core.estimate import Form, GridBlock
from twin.core.places import Direction
from twin.core.track import DesignTrack, HorizontalElement
from twin.core.vehicle import Mounting
from twin.geometry.fusion.placer import LAYOUT
from twin.geometry.fusion.rails_seen import BodyPlace, CameraPlace, SeenRail, place_rail

HALF, STEP, POINTS = 0.7175, 0.25, 1200
SEAT, IMU = Mounting(x=0.0, y=0.0, z=0.45), Mounting(z=0.6)
ARMS = np.array([[HALF, -SEAT.z], [-HALF, -SEAT.z]])
CAMERAS = tuple(Camera(name, np.zeros(3), ARMS) for name in ("left", "right"))
TRUE = np.array([[4e-3, 1.5e-3, -0.8e-3], [7e-3, -0.7e-3, 1.1e-3]])
"""Roll, y and z of both cameras that a run does not know of."""
TANGENT = HorizontalElement(length=900, curvature_start=0, curvature_end=0, cant_start=0, cant_end=0)
DESIGN = DesignTrack.from_elements([TANGENT], [])
BACKWARD = Direction.DECREASING


def track() -> Array:
    """(points, 6) lateral, height and head roll of both rails by kilometre: a long wave about their means."""
    wave = np.sin(2 * np.pi * np.arange(POINTS) * STEP / 37)[:, None]
    return np.array([1.2e-3, 1.0e-3, 4e-3, -0.4e-3, -1.1e-3, -3e-3]) + wave * np.array([1, 2, 1, -1, 1, 0.5]) * 1e-3


def run(direction: Direction, *, seed: int, off: Array = TRUE, roll_error: float = 0.0) -> StraightRun:
    """What a run makes of the track with the seats of CAMERAS while they really sit off by what is given.

    By the equations of the fusion themselves: the rail in the true camera's axes, placed with the believed one.
    """
    rng, sign = np.random.default_rng(seed), 1.0 if direction is Direction.INCREASING else -1.0
    line, out = track(), np.empty((POINTS, 6))
    for rail in range(2):  # in running direction
        at = 3 * (rail if sign > 0 else 1 - rail)
        y, z, head = (line[:, at : at + 3] * np.array([sign, 1, sign])).T
        roll, dy, dz = off[rail]
        u = np.array([y + (1 - 2 * rail) * HALF, z - SEAT.z])
        seen_y = np.cos(roll) * u[0] + np.sin(roll) * u[1] - dy
        seen_z = np.cos(roll) * u[1] - np.sin(roll) * u[0] - dz
        noise = 0.1e-3 * rng.standard_normal((3, POINTS))
        zero = np.zeros(POINTS)
        seen = SeenRail(
            rail, np.arange(POINTS), seen_y + noise[0], seen_z + noise[1], zero, zero, head - roll + 5 * noise[2],
            np.zeros((POINTS, 3)), np.ones(POINTS, bool),
        )  # fmt: skip
        body = BodyPlace(100 + STEP * np.arange(POINTS), zero + 20, zero + roll_error, zero, zero, zero, zero)
        placed = place_rail(seen, body, CameraPlace(mounting=SEAT), imu=IMU, design=DESIGN, half_gauge=HALF)
        out[:, at : at + 3] = np.column_stack([sign * placed.y, placed.z, sign * placed.roll])
    return StraightRun(direction, STEP * np.arange(POINTS), out)


KNOWN = Reference(gauge=1.6e-3, cross_level=2.1e-3)
FORWARD = run(Direction.INCREASING, seed=1)


def test_gauge_and_cross_level_of_a_known_stretch_come_out_right() -> None:
    found = calibrate_mounting([FORWARD], CAMERAS, KNOWN)
    assert abs(found.gauge[0, 0] - 1.6e-3) > 0.8e-3
    assert found.gauge[0, 1] == pytest.approx(1.6e-3, abs=0.1e-3)
    assert abs(found.cross_level[0, 0] - 2.1e-3) > 4e-3
    assert found.cross_level[0, 1] == pytest.approx(2.1e-3, abs=0.3e-3)


def test_corrections_lie_within_their_stated_uncertainty() -> None:
    for runs, reference in (
        ([FORWARD], KNOWN),
        ([FORWARD, run(BACKWARD, seed=2)], Reference()),
        ([FORWARD, run(BACKWARD, seed=2)], KNOWN),
    ):
        found = calibrate_mounting(runs, CAMERAS, reference)
        off = (found.corrections - TRUE).ravel()
        assert np.all(np.abs(off) < 3.5 * found.sd.ravel())
        assert off @ np.linalg.solve(found.S, off) < 22.5  # 99.9 % of a chi-square with 6 degrees of freedom


def test_two_ways_give_the_mean_roll_without_any_reference() -> None:
    found = calibrate_mounting([FORWARD, run(BACKWARD, seed=2)], CAMERAS, Reference())
    mean = np.array([1.0, 0, 0, 1, 0, 0]) / 2
    sd = np.sqrt(mean @ found.S @ mean)
    assert sd < 3e-4
    assert abs(found.corrections[:, 0].mean() - TRUE[:, 0].mean()) < 3 * sd
    assert np.ptp(found.cross_level[:, 1]) < 0.5e-3  # the track has one cross level, whichever way it is run
    assert np.ptp(found.cross_level[:, 0]) > 10e-3


def test_a_roll_of_the_body_in_one_run_is_within_what_is_said_of_the_roll() -> None:
    runs = [run(Direction.INCREASING, seed=1, roll_error=2e-4), run(BACKWARD, seed=2, roll_error=-3e-4)]
    found = calibrate_mounting(runs, CAMERAS, KNOWN)
    off = (found.corrections - TRUE).ravel()
    assert off @ np.linalg.solve(found.S, off) < 22.5


def test_one_device_that_sees_both_rails_has_one_roll() -> None:
    off = np.array([TRUE[0], TRUE[0]])
    runs = [run(Direction.INCREASING, seed=1, off=off), run(BACKWARD, seed=2, off=off)]
    found = calibrate_mounting(runs, [Camera("both", np.zeros(3), ARMS)], Reference())
    assert found.corrections.shape == (1, 3)
    assert abs(found.corrections[0, 0] - TRUE[0, 0]) < 3 * found.sd[0, 0] < 1.2e-3


def test_what_data_cannot_tell_keeps_its_uncertainty() -> None:
    config = MountingConfig()
    found = calibrate_mounting([FORWARD], CAMERAS, KNOWN)
    difference = np.array([0, 1.0, 0, 0, -1.0, 0])
    assert found.sd[0, 1] > 0.5 * config.sd_y  # each camera's own place
    assert np.sqrt(difference @ found.S @ difference) < 9e-3


def test_a_file_adds_the_corrections_to_what_the_run_was_made_with() -> None:
    cameras = [Camera(each.device, np.array([1e-3, 2e-3, 3e-3]), each.arms) for each in CAMERAS]
    found = calibrate_mounting([FORWARD], cameras, KNOWN)
    made = found.calibration(date=datetime.date(2026, 3, 14), source="line7")
    assert made.device[1].profile["roll"] == pytest.approx(1e-3 + found.corrections[1, 0], rel=1e-3)
    assert made.calibration.uncertainty["device.right.profile.roll"] == pytest.approx(found.sd[1, 0], rel=1e-3)
    assert Calibration.load(made.tables(), where="file").checked(where="file") == made


def test_variance_of_a_mean_knows_of_waves() -> None:
    rng = np.random.default_rng(5)
    slow = np.repeat(rng.standard_normal((40, 1)), 100, axis=0)  # constant over 25 m
    assert mean_covariance(slow, step=0.25)[0, 0] == pytest.approx(1 / 40, rel=0.5)


def test_data_that_cannot_tell_are_refused() -> None:
    short = StraightRun(FORWARD.direction, FORWARD.s[:200], FORWARD.rails[:200])
    blind = StraightRun(FORWARD.direction, FORWARD.s, FORWARD.rails.copy())
    blind.rails[:300, 3] = np.nan
    for runs, reference, reason in (
        ([FORWARD], Reference(), "one run alone says nothing"),
        ([FORWARD, FORWARD], KNOWN, "both runs go towards increasing kilometres"),
        ([short], KNOWN, "has 50 m of rails, at least 100 m"),
        ([blind], KNOWN, "on 25 % of the stretch a rail was not seen"),
    ):
        with pytest.raises(CalibrationError, match=reason):
            calibrate_mounting(runs, CAMERAS, reference)


def written(path: Path, seen: StraightRun) -> Path:
    """The run on the disk, with two devices over the rails."""
    config = example_config()
    profile = [{"name": each.device, "kind": "profile", "mounting": SEAT.model_dump()} for each in CAMERAS]
    values = config.model_dump(mode="json") | {
        "run": {"direction": seen.direction.value},
        "track": {"horizontal": [TANGENT.model_dump()]},
        "device": [device.model_dump(mode="json") for device in config.device if device.profile is None] + profile,
    }
    columns = np.zeros((POINTS, len(LAYOUT.names)))
    columns[:, [LAYOUT.index(name) for name in SEEN]] = seen.rails
    t_ns, flags = np.arange(POINTS) * 10**7, np.zeros(POINTS, np.uint8)
    block = GridBlock("geometry", Form.CAUSAL, STEP, np.arange(POINTS), t_ns, LAYOUT, columns, flags)
    run_directory = RunDirectory(path)
    with ResultWriter(run_directory.results, result_metadata(RunConfig.load(values, where="test"))) as writer:
        writer.write(block)
    return path


def test_the_command_reads_runs_and_writes_what_a_configuration_takes(tmp_path: Path) -> None:
    out, back = written(tmp_path / "out", FORWARD), written(tmp_path / "back", run(BACKWARD, seed=2))
    file = tmp_path / "mounting.toml"
    mounting(run=out, run_back=back, out=file, gauge=1436.6, sd=0.3)
    found = {part.name: part.profile for part in read_calibration(file).device}
    assert (found["left"]["roll"] + found["right"]["roll"]) / 2 == pytest.approx(TRUE[:, 0].mean(), abs=5e-4)
    assert (tmp_path / "mounting.png").stat().st_size > 10_000
    config = calibrated(results_config(RunDirectory(out).results), file)
    assert next(each.profile.roll for each in config.device if each.name == "left" and each.profile) != 0
    with pytest.raises(CalibrationError, match="has 50 m of rails, at least 100 m"):
        mounting(run=out, out=tmp_path / "other.toml", gauge=1436.6, start=12.1, end=12.15)
