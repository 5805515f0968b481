"""Wheel radius against one that is known because the wheel was turned with it."""

import datetime
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from calibration.store import Calibration
from calibration.wheel_radius import Rolled, by_curves, by_distance, roll_along
from twin.cli.calibrate_wheel_radius import figure_of
from twin.core.blocks import Epoch, SampleBlock
from twin.core.errors import CalibrationError
from twin.core.track import DesignTrack, HorizontalElement
from twin.core.vehicle import Mounting, VehicleParameters
from twin.navigation.chain import Setup
from twin.navigation.config import NavigationConfig

TRUE, TOLD, SPEED, EPOCH, RATE = 0.4534, 0.46, 20.0, 0.2, 100
G = 9.80665


def elements(curvature: float) -> list[HorizontalElement]:
    """Tangents and reverse curves, 400 m each, with clothoids between."""
    bends = [0.0, curvature, 0.0, -curvature, 0.0, curvature, 0.0]
    found = []
    for before, bend in zip([0.0, *bends[:-1]], bends, strict=True):
        for start, end, length in ((before, bend, 80.0), (bend, bend, 320.0)):
            found.append(
                HorizontalElement(length=length, curvature_start=start, curvature_end=end, cant_start=0, cant_end=0)
            )
    return found


def setup(curvature: float) -> Setup:
    design = DesignTrack.from_elements(elements(curvature), [])
    return Setup(NavigationConfig(), design, VehicleParameters(wheel_radius=TOLD), Mounting(), start=50.0, start_sd=0.5)


def epochs(setup: Setup, seconds: float, seed: int = 1) -> Iterator[Epoch]:
    """A body that follows the design at a steady speed; its wheel has the true radius."""
    rng, n = np.random.default_rng(seed), round(EPOCH * RATE)
    for i in range(round(seconds / EPOCH)):
        t = i * EPOCH + np.arange(n) / RATE
        s = setup.start + SPEED * t
        rho = setup.design.pose(s).rho_h
        values = np.zeros((n, 7))
        values[:, 1], values[:, 2], values[:, 5], values[:, 6] = rho * SPEED**2, G, rho * SPEED, 293.0
        values[:, :3] += 0.01 * rng.standard_normal((n, 3))
        values[:, 3:6] += 2e-4 * rng.standard_normal((n, 3))
        t0_ns, none = round(i * EPOCH * 1e9), np.zeros(n, np.uint8)
        angle = (SPEED * t / TRUE)[:, None]
        samples = {
            "imu": SampleBlock("imu", t0_ns, 1e9 / RATE, values, none),
            "encoder": SampleBlock("encoder", t0_ns, 1e9 / RATE, angle, none),
        }
        yield Epoch(i, t0_ns, t0_ns + round(EPOCH * 1e9), samples)


@pytest.fixture(scope="module")
def rolled() -> Rolled:
    with_curves = setup(1 / 600)
    return roll_along(with_curves, epochs(with_curves, 125))


def test_a_known_distance_gives_the_radius(rolled: Rolled) -> None:
    found = by_distance(rolled, distance=2500.0, sd_distance=0.2)
    assert abs(found.radius - TRUE) < 3 * found.sd
    assert found.sd < 1e-4


def test_curves_of_the_design_give_the_radius(rolled: Rolled) -> None:
    found = by_curves(rolled)
    assert abs(found.radius - TRUE) < 3 * found.sd
    assert found.sd < 1e-3


def test_both_ways_agree(rolled: Rolled) -> None:
    one, other = by_curves(rolled), by_distance(rolled, distance=2500.0, sd_distance=0.2)
    assert abs(one.radius - other.radius) < 3 * np.hypot(one.sd, other.sd)


def test_the_uncertainty_of_the_distance_is_that_of_the_radius(rolled: Rolled) -> None:
    poor = by_distance(rolled, distance=2500.0, sd_distance=25.0)
    assert poor.sd / poor.radius == pytest.approx(0.01, rel=0.01)


def test_straight_track_teaches_no_radius() -> None:
    straight = setup(0.0)
    rolled = roll_along(straight, epochs(straight, 30))
    with pytest.raises(CalibrationError, match="run over more curves, or give a known --distance"):
        by_curves(rolled)


def test_a_run_that_is_too_short_is_refused() -> None:
    short = setup(1 / 600)
    with pytest.raises(CalibrationError, match=r"rolled \d+ m, at least 200 m"):
        roll_along(short, epochs(short, 5))


def test_a_distance_in_another_unit_is_refused(rolled: Rolled) -> None:
    with pytest.raises(CalibrationError, match="check the distance and encoder"):
        by_distance(rolled, distance=1553.0, sd_distance=0.2)


def test_a_file_tells_the_vehicle(rolled: Rolled) -> None:
    made = by_curves(rolled).calibration(date=datetime.date(2026, 3, 14), source="posts")
    assert made.vehicle["wheel_radius"] == pytest.approx(TRUE, abs=2e-3)
    assert made.calibration.uncertainty["vehicle.wheel_radius"] > 0
    assert Calibration.load(made.tables(), where="file").checked(where="file") == made


def test_the_picture_holds_the_result(rolled: Rolled, tmp_path: Path) -> None:
    figure = figure_of(replace(by_curves(rolled), method="curves"), title="Wheel radius")
    figure.savefig(tmp_path / "radius.png")
    assert "by curves" in " ".join(text.get_text() for text in figure.axes[0].get_legend().get_texts())
