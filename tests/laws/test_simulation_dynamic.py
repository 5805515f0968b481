"""Truth made by the nonlinear vehicle: what its sensors say is what happened."""

from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from twin.core.places import Direction
from twin.core.track import HorizontalElement
from twin.simulation import (
    Dynamics,
    IrregularityConfig,
    Scenario,
    SimulatedRun,
    SpectrumClass,
    constant,
    simulate,
    stream,
)
from twin.simulation.dynamic.config import WheelSensorConfig
from twin.simulation.dynamic.surface import SurfaceTruth
from twin.simulation.rail_head import RailSectionConfig, ScannerConfig, rail_section
from twin.simulation.short_wave import CorrugationPatch, Rails, RoughnessConfig, ShortWaveConfig
from twin.vehicle.running import RunSettings

SPEED = 15.0
WAVELENGTH, DEPTH = 0.06, 60e-6
PATCH = (240.0, 300.0)


def scenario(**update: object) -> Scenario:
    patch = CorrugationPatch(from_s=PATCH[0], to_s=PATCH[1], wavelength=WAVELENGTH, depth=DEPTH)
    waves = ShortWaveConfig(rails=RoughnessConfig(above_limit_db=-20.0, corrugation=(patch,)))
    dynamics = Dynamics(run=RunSettings(contact="knife"), wheels=WheelSensorConfig(short_waves=waves), settle=3.0)
    base = Scenario(
        horizontal=(HorizontalElement(length=420.0),),
        vertical=(),
        irregularity=IrregularityConfig(spectrum=SpectrumClass.GERMAN_LOW, seed=4),
        motion=constant(speed=SPEED, length=330.0, standstill=2.0),
        dynamics=dynamics,
        seed=3,
    )
    return base.model_copy(update=update)


@pytest.fixture(scope="module")
def simulated() -> SimulatedRun:
    return simulate(scenario())


def stream_of(simulated: SimulatedRun, source: str) -> tuple[np.ndarray, np.ndarray]:
    found = next(each for each in simulated.streams if each.source == source)
    return found.t, found.values


def test_every_sensor_of_the_installation_speaks_at_its_rate(simulated: SimulatedRun) -> None:
    rates = {"imu": 500, "imu_body": 500, "encoder": 200, "profile_left": 100, "profile_right": 100}
    rates |= {"axle_box": 25600, "bridge": 2000, "laser_distance": 2000}
    channels = {"imu": 7, "imu_body": 7, "encoder": 1, "profile_left": 513, "profile_right": 513}
    channels |= {"axle_box": 4, "bridge": 12, "laser_distance": 6}
    assert {each.source for each in simulated.streams} == set(rates)
    for source, rate in rates.items():
        t, values = stream_of(simulated, source)
        assert np.median(np.diff(t)) == pytest.approx(1 / rate, rel=1e-3)
        assert values.shape == (t.size, channels[source])


def test_loads_of_all_wheels_are_the_weight_on_average(simulated: SimulatedRun) -> None:
    assert simulated.vehicle is not None
    weight = 44482.0 * 9.80665
    assert simulated.vehicle.wheel("Q").sum(axis=1).mean() == pytest.approx(weight, rel=2e-3)


def test_the_first_imu_feels_gravity_before_departure_and_turns_with_the_truth(simulated: SimulatedRun) -> None:
    t, values = stream_of(simulated, "imu")
    rest = values[t < 1.5]
    assert_allclose(np.linalg.norm(rest[:, :3].mean(axis=0)), 9.80665, atol=0.02)
    truth = simulated.truth
    turned = np.cumsum(truth.omega_b[:, 2]) * 0.002
    # on straight track the yaw of the body is the integral of its rate
    assert_allclose(turned - turned[0], truth.yaw_rel - truth.yaw_rel[0], atol=2e-5)


def test_the_encoder_turns_by_the_way_over_the_rolling_radius(simulated: SimulatedRun) -> None:
    t, values = stream_of(simulated, "encoder")
    s = np.interp(t, simulated.truth.t, simulated.truth.s)
    radius = (s[-1] - s[0]) / (values[-1, 0] - values[0, 0])
    assert radius == pytest.approx(0.46, rel=2e-3)


def test_scanners_see_the_gauge_of_the_rails(simulated: SimulatedRun) -> None:
    """Distance of the faces 14 mm below the tops, less the nominal one, is the gauge deviation at the scanner."""
    section = rail_section(RailSectionConfig())
    inner = section.gauge_face(depth=14e-3)
    t, left = stream_of(simulated, "profile_left")
    _, right = stream_of(simulated, "profile_right")
    s = np.interp(t, simulated.truth.t, simulated.truth.s) + 0.3
    gauge = np.interp(s, simulated.track.s, simulated.track.gauge)
    rows = np.flatnonzero(t > 15.0)[::7]
    found = np.array([_face(left[i]) - _face(right[i], right=True) for i in rows])
    nominal = 2 * (0.7535 + inner)
    seen = np.isfinite(found)
    assert seen.mean() > 0.9
    assert np.median(np.abs(found - nominal - gauge[rows])[seen]) < 0.4e-3


def _face(row: np.ndarray, *, right: bool = False) -> float:
    """Innermost lateral place of a rail's points down to 14 mm below its highest one, in the scanner's axes [m]."""
    points = row[1:].reshape(-1, 2)
    points = points[np.isfinite(points).all(axis=1)]
    if len(points) < 50:
        return np.nan  # a lost image
    y = -points[:, 0] if right else points[:, 0]
    top = np.quantile(points[:, 1], 0.99)
    near = (points[:, 1] > top - 14e-3) & (points[:, 1] < top + 1e-3)
    inner = float(np.quantile(y[near], 0.005))
    return -inner if right else inner


def test_corrugation_is_heard_at_the_frequency_of_passing_it_and_only_there(simulated: SimulatedRun) -> None:
    t, values = stream_of(simulated, "axle_box")
    s = np.interp(t, simulated.truth.t, simulated.truth.s)
    inside = values[(s > PATCH[0] + 10) & (s < PATCH[1] - 10), 0]
    outside = values[(s > 150) & (s < 190), 0]
    frequency = SPEED / WAVELENGTH
    level_inside, level_outside = (_level(part, frequency) for part in (inside, outside))
    assert level_inside > 10 * level_outside
    assert _strongest(inside, low=100.0) == pytest.approx(frequency, rel=0.02)


def test_true_wheel_forces_hold_the_vehicle_s_own_and_the_short_waves_on_top(simulated: SimulatedRun) -> None:
    assert simulated.sensed is not None
    assert simulated.vehicle is not None
    wheels = simulated.sensed.wheels
    own = simulated.vehicle.wheel("Q")[:, :4]
    assert_allclose(wheels.Q.mean(axis=0), own.mean(axis=0), rtol=2e-3)
    assert wheels.t[1] - wheels.t[0] == pytest.approx(1 / 2000)
    inside = (wheels.s[:, 0] > PATCH[0] + 10) & (wheels.s[:, 0] < PATCH[1] - 10)
    slow = np.interp(wheels.t, simulated.vehicle.t, own[:, 0])
    on_top = wheels.Q[:, 0] - slow
    assert on_top[inside].std() > 3 * on_top[~inside & (wheels.t > 15.0)].std()


def test_scanned_points_lie_on_the_section_at_the_true_place(simulated: SimulatedRun) -> None:
    """Over the top of the head, noise of 25 to 50 um along each ray leaves 7 um in the mean of fifty points."""
    assert simulated.sensed is not None
    heads, section = simulated.sensed.rail_heads, rail_section(RailSectionConfig())
    t, left = stream_of(simulated, "profile_left")
    assert_array_equal(t, heads.t)
    errors = []
    for row, place in zip(left[1000::50, 1:], heads.left[1000::50], strict=True):
        points = row.reshape(-1, 2)[np.isfinite(row.reshape(-1, 2)).all(axis=1)]
        if len(points) < 50:
            continue  # a lost image
        outline = section.points_in_body(place, rail=0)
        top = outline[np.abs(outline[:, 0] - place[0]) < 20e-3]
        top = top[top[:, 1] > place[1] - 5e-3]
        # the web below the head is seen too
        over = points[(np.abs(points[:, 0] - place[0]) < 15e-3) & (points[:, 1] > place[1] - 5e-3)]
        errors.append(np.median(over[:, 1] - np.interp(over[:, 0], top[:, 0], top[:, 1])))
    assert len(errors) > 20
    assert np.median(np.abs(errors)) < 20e-6


def test_a_line_run_from_its_far_end_has_the_same_running_surface() -> None:
    config = RoughnessConfig(corrugation=(CorrugationPatch(from_s=40, to_s=60, wavelength=0.06, depth=60e-6),))
    forward = SurfaceTruth.of(config, start=10.0, end=90.0, turned_at=None)
    backward = SurfaceTruth.of(config, start=110.0, end=190.0, turned_at=200.0)
    assert_array_equal(backward.left, forward.right[::-1])
    assert backward.s0 + backward.step * (backward.left.size - 1) == pytest.approx(200.0 - forward.s0)
    assert_allclose(backward.patches[0, :2], (140.0, 160.0))


def test_corrugation_stays_at_its_kilometre_whatever_the_running_direction() -> None:
    """320 m to 380 m of 420 m, run from the far end: heard from 40 m to 100 m of the run."""
    patch = CorrugationPatch(from_s=320.0, to_s=380.0, wavelength=WAVELENGTH, depth=DEPTH, rails=Rails.LEFT)
    waves = ShortWaveConfig(rails=RoughnessConfig(above_limit_db=-20.0, corrugation=(patch,)))
    wheels = WheelSensorConfig(short_waves=waves)
    dynamics = Dynamics(run=RunSettings(contact="knife"), wheels=wheels, scanners=None, second_imu=False, settle=2.0)
    quick = constant(speed=10.0, length=130.0, standstill=1.0).model_copy(update={"acceleration": 3.0})
    back = simulate(scenario(dynamics=dynamics, motion=quick, direction=Direction.DECREASING))
    t, values = stream_of(back, "axle_box")
    s = np.interp(t, back.truth.t, back.truth.s)
    right = [values[(s > a) & (s < b), 1] for a, b in ((60.0, 90.0), (110.0, 140.0))]
    left = values[(s > 60.0) & (s < 90.0), 0]
    frequency = 10.0 / WAVELENGTH
    assert _level(right[0], frequency) > 10 * _level(right[1], frequency)
    assert _level(right[0], frequency) > 5 * _level(left, frequency)  # the left rail is now on the right


def _spectrum(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    windowed = (values - values.mean()) * np.hanning(values.size)
    return np.fft.rfftfreq(values.size, 1 / 25600), np.abs(np.fft.rfft(windowed)) / values.size


def _level(values: np.ndarray, frequency: float) -> float:
    f, size = _spectrum(values)
    return float(size[np.abs(f - frequency) < 0.03 * frequency].max())


def _strongest(values: np.ndarray, *, low: float) -> float:
    f, size = _spectrum(values)
    return float(f[f > low][np.argmax(size[f > low])])


def test_cutting_the_run_in_other_stretches_changes_nothing() -> None:
    short = scenario(motion=constant(speed=5.0, length=50.0, standstill=1.0))
    whole, parts = (list(stream(short, block=block)) for block in (60, 3))
    for source in (each.source for each in whole[0].streams):
        one, many = (
            np.concatenate([stream_of(part, source)[1] for part in run if stream_of(part, source)[0].size])
            for run in (whole, parts)
        )
        assert_array_equal(one, many, err_msg=source)
    ends = [part.truth.t[-1] for part in parts]
    assert all(later > earlier for earlier, later in pairwise(ends))


def test_a_vehicle_that_leaves_the_track_keeps_what_was_computed() -> None:
    sharp = HorizontalElement(length=150.0, curvature_start=1 / 60, curvature_end=1 / 60)
    wild = scenario(
        horizontal=(HorizontalElement(length=400.0), sharp),
        motion=constant(speed=30.0, length=500.0, standstill=1.0).model_copy(update={"acceleration": 3.0}),
        dynamics=Dynamics(run=RunSettings(contact="knife"), scanners=None, wheels=None, second_imu=False, settle=2.0),
    )
    run = simulate(wild)
    assert run.stopped is not None
    assert "left the track" in run.stopped
    told = float(run.stopped.rpartition("t = ")[2].removesuffix(" s"))
    assert told - 2.1 < run.truth.t[-1] < told


def test_scanners_and_wheel_sensors_can_be_left_out() -> None:
    bare = Dynamics(run=RunSettings(contact="knife"), scanners=None, wheels=None, second_imu=False, settle=1.0)
    run = simulate(scenario(dynamics=bare, motion=constant(speed=5.0, length=40.0, standstill=1.0)))
    assert {each.source for each in run.streams} == {"imu", "encoder"}
    assert ScannerConfig().points == 256
