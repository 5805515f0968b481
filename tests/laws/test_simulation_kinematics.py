"""The simulated IMU against an independent computation: ground coordinates, differentiated numerically.

Nothing of the simulation's mechanics is used: heading, gradient and cant are integrated to ground coordinates, the
sensor's path is differentiated twice by splines, the angular rate is read from the rotation's derivative.
"""

from dataclasses import dataclass

import numpy as np
import pytest
from scipy.interpolate import BSpline, make_interp_spline
from scipy.signal import csd, welch
from scipy.spatial.transform import Rotation

from twin.core.arrays import Array, G
from twin.core.track import DesignTrack, HorizontalElement, VerticalElement
from twin.core.vehicle import Mounting
from twin.simulation import (
    Leg,
    MotionConfig,
    Scenario,
    Train,
    TrueVehicle,
    VibrationConfig,
    constant,
    curve_scenario,
)
from twin.simulation.kinematics import EARTH_RATE, curvature_vector

RATE = 1000.0
LATITUDE = 0.8
CANTED_CLOTHOID = (
    HorizontalElement(length=60),
    HorizontalElement(length=60, curvature_end=1 / 300, cant_end=0.12),
    HorizontalElement(length=60, curvature_start=1 / 300, curvature_end=1 / 300, cant_start=0.12, cant_end=0.12),
    HorizontalElement(length=60, curvature_start=1 / 300, curvature_end=0, cant_start=0.12, cant_end=0),
    HorizontalElement(length=60),
)
VERTICAL = (
    VerticalElement(length=80),
    VerticalElement(length=100, gradient_start=0, gradient_end=0.02),
    VerticalElement(length=120, gradient_start=0.02, gradient_end=0.02),
)


def _scenario(**changes: object) -> Scenario:
    plain = Scenario(
        horizontal=CANTED_CLOTHOID,
        vertical=VERTICAL,
        motion=MotionConfig(legs=(Leg(speed=6, distance=120), Leg(speed=4, distance=120)), standstill=2.0),
        mounting=Mounting(x=0.7, y=-0.4, z=0.6),
        vibration=VibrationConfig(acceleration=0, rate=0),
    )
    return plain.model_copy(update=changes)


@dataclass(frozen=True)
class Ground:
    """The centre line in ground coordinates: x along the track's start, z up."""

    position: BSpline
    angles: BSpline
    """yaw, pitch, roll of the track frame"""

    @classmethod
    def of(cls, design: DesignTrack) -> "Ground":
        s = np.arange(-5.0, design.length + 5.0, 0.01)
        heading = make_interp_spline(s, design.curvature(s), k=5).antiderivative()
        yaw, pitch = heading(s) - heading(0.0), -np.arctan(design.gradient(s))
        tangent = np.stack((np.cos(pitch) * np.cos(yaw), np.cos(pitch) * np.sin(yaw), -np.sin(pitch)), axis=1)
        angles = np.stack((yaw, pitch, design.cant_angle(s)), axis=1)
        return cls(make_interp_spline(s, tangent, k=5).antiderivative(), make_interp_spline(s, angles, k=5))

    def frame(self, s: Array) -> Rotation:
        return Rotation.from_euler("ZYX", self.angles(s))


def _felt_in_ground(train: Train, scenario: Scenario, t: Array, earth_g: Array) -> tuple[Array, Array]:
    """Specific force and angular rate from the sensor's path in a frame that does not turn with the Earth."""
    ground, track = Ground.of(train.design), train.carriage.track(t)
    q = train.carriage.body(t, track).q
    R_tb = Rotation.from_euler("ZYX", q[:, [4, 3, 2]])
    u_t = np.column_stack((np.zeros(t.size), q[:, :2])) + R_tb.apply(
        [scenario.mounting.x, scenario.mounting.y, scenario.mounting.z]
    )
    x_g = ground.position(track.s) + ground.frame(track.s).apply(u_t)
    R_ig = Rotation.from_rotvec(t[:, None] * earth_g)
    x_i = R_ig.apply(x_g - x_g[0])
    R_ib = R_ig * ground.frame(track.s) * R_tb
    gravity_i = R_ig.apply(np.array([0, 0, G])) - np.cross(earth_g, np.cross(earth_g, x_i))
    f_i = make_interp_spline(t, x_i, k=7)(t, nu=2) + gravity_i
    R = R_ib.as_matrix()
    R_dot = make_interp_spline(t, R.reshape(-1, 9), k=7)(t, nu=1).reshape(-1, 3, 3)
    spin = np.einsum("nji,njk->nik", R, R_dot)
    return R_ib.inv().apply(f_i), np.stack((spin[:, 2, 1], spin[:, 0, 2], spin[:, 1, 0]), axis=1)


def _away_from_corners(train: Train, s: Array) -> Array:
    """Where the design has its derivatives: the ends of its rounded corners jump in the second one."""
    courses = (train.design.curvature, train.design.cant_angle, train.design.gradient)
    corners = np.concatenate([course.s for course in courses])
    ends = np.concatenate((corners - 2.5, corners + 2.5))
    return np.min(np.abs(s[:, None] - ends), axis=1) > 0.15


@pytest.mark.parametrize("latitude", [None, LATITUDE])
def test_imu_feels_what_its_path_over_the_ground_demands(latitude: float | None) -> None:
    scenario = _scenario(latitude=latitude)
    train = Train(scenario)
    t = np.arange(1.0, train.profile.duration, 1 / RATE)
    earth_g = np.zeros(3) if latitude is None else EARTH_RATE * np.array([0.0, np.cos(latitude), np.sin(latitude)])
    f_b, omega_b = _felt_in_ground(train, scenario, t, earth_g)
    _, _, felt = train.motion(t)
    inside = _away_from_corners(train, train.profile.position(t))
    inside[:50] = inside[-50:] = False
    assert np.max(np.abs(felt.f_b - f_b)[inside]) < 1e-5
    assert np.max(np.abs(felt.omega_b - omega_b)[inside]) < 1e-7
    assert np.ptp(felt.f_b[inside, 1]) > 0.1  # it is not a test of nothing
    assert np.ptp(felt.omega_b[inside, 2]) > 0.01


def test_truth_is_the_foot_of_the_perpendicular_from_the_imu() -> None:
    scenario = _scenario(mounting=Mounting(x=2.0, y=0.5, z=0.8))
    train = Train(scenario)
    t = np.arange(0.0, train.profile.duration, 0.01)
    truth, ground = train.truth(t), Ground.of(train.design)
    track, _, felt = train.motion(t)
    x_g = ground.position(track.s) + ground.frame(track.s).apply(felt.u_t)
    r_t = ground.frame(truth.s).inv().apply(x_g - ground.position(truth.s))
    expected = np.column_stack((np.zeros(t.size), truth.r_y, truth.r_z + scenario.mounting.z))
    assert np.max(np.abs(r_t - expected)) < 1e-6


def test_truth_angles_are_those_of_the_body_against_horizon_and_track() -> None:
    train = Train(_scenario(mounting=Mounting(x=2.0)))
    t = np.arange(0.0, train.profile.duration, 0.01)
    truth, ground, track = train.truth(t), Ground.of(train.design), train.carriage.track(t)
    q = train.carriage.body(t, track).q
    R_gb = ground.frame(track.s) * Rotation.from_euler("ZYX", q[:, [4, 3, 2]])
    _, pitch, roll = R_gb.as_euler("ZYX").T
    np.testing.assert_allclose(truth.roll_abs, roll, atol=1e-9)
    np.testing.assert_allclose(truth.pitch_abs, pitch, atol=1e-9)
    relative = (ground.frame(truth.s).inv() * R_gb).as_euler("ZYX")
    np.testing.assert_allclose(np.column_stack((truth.yaw_rel, truth.pitch_rel, truth.roll_rel)), relative, atol=1e-6)


def test_at_rest_the_imu_feels_gravity_alone() -> None:
    truth = Train(_scenario()).truth(np.array([0.5, 1.0]))
    np.testing.assert_allclose(np.linalg.norm(truth.f_b, axis=1), G, rtol=1e-12)
    np.testing.assert_allclose(truth.omega_b, 0.0, atol=1e-15)


def test_at_rest_the_gyros_feel_the_earth() -> None:
    truth = Train(_scenario(latitude=LATITUDE)).truth(np.array([0.5, 1.0]))
    np.testing.assert_allclose(np.linalg.norm(truth.omega_b, axis=1), EARTH_RATE, rtol=1e-12)


def test_the_body_does_not_follow_the_line_like_a_point() -> None:
    """Yaw differs from the slope of the path by its own motion; without that only the chord is left."""
    own, rigid = (Train(_scenario(vehicle=TrueVehicle(own_motion=k))) for k in (1.0, 0.0))
    t = np.arange(30.0, 55.0, 0.01)
    excess = []
    for train in (own, rigid):
        body = train.carriage.body(t, train.carriage.track(t))
        excess.append(np.std(body.q[:, 4] - body.q_dot[:, 0] / train.profile.speed(t)))
    assert excess[0] > 1e-4
    assert excess[1] < excess[0]


def test_own_motion_is_tenths_of_a_millimetre_and_milliradian_at_20_metres_per_second() -> None:
    train = Train(Scenario())
    assert train.carriage.own is not None
    rms = np.std(train.carriage.own(np.arange(90.0, 110.0, 0.01)), axis=0)
    assert np.all(rms > 3e-5)
    assert np.all(rms < 8e-4)
    assert np.all(train.carriage.own(np.array([1.0, 29.0]), 1) == 0.0)


def test_pose_of_the_design_agrees_with_the_curvature_the_truth_runs_on() -> None:
    design = Train(_scenario()).design
    s = np.linspace(1.0, 299.0, 997)
    pose, (rho, rho_s) = design.pose(s), curvature_vector(design, s)
    np.testing.assert_allclose(np.stack((pose.rho_tw, pose.rho_v, pose.rho_h), axis=1), rho, atol=1e-15)
    np.testing.assert_allclose(pose.rho_tw_rate, rho_s[:, 0], atol=1e-15)


def test_accelerometers_obey_the_trajectory_equations_in_canted_curves() -> None:
    """Escalona's z1 and z4, linear in the angles, with gradient and cant-ramp terms."""
    train = Train(curve_scenario())
    t = np.arange(100.0, 160.0, 1 / RATE)
    truth, V, h = train.truth(t), train.profile.speed(t), 0.6
    pose, (a_x, a_y, a_z) = train.design.pose(truth.s), truth.f_b.T
    y_ddot, z_ddot = (make_interp_spline(t, r, k=5)(t, nu=2) for r in (truth.r_y, truth.r_z))
    roll_rate = pose.rho_tw_rate * V**2 + pose.rho_tw * truth.a
    z1 = a_y + a_x * truth.yaw_rel - a_z * truth.roll_rel - G * np.sin(pose.roll) - pose.rho_h * V**2 + h * roll_rate
    z4 = a_z - a_x * truth.pitch_rel + a_y * truth.roll_rel - G * np.cos(pose.pitch) * np.cos(pose.roll)
    inside = slice(50, -50)
    assert np.std((z1 - y_ddot)[inside]) < 2e-3
    assert np.std((z4 + pose.rho_v * V**2 - z_ddot)[inside]) < 2e-3


def test_pitch_rate_sees_the_chord_of_the_wheelsets() -> None:
    """A body on two wheelsets pitches by sinc and bounces by cos of Omega a; a point would do both by 1."""
    straight = Scenario(
        horizontal=(HorizontalElement(length=6000),),
        vertical=(),
        motion=constant(speed=20.0, length=5900.0),
        vehicle=TrueVehicle(own_motion=0.0),
    )
    train = Train(straight)
    t = np.arange(70.0, 330.0, 1 / 500)
    truth, V, a = train.truth(t), train.profile.speed(t), straight.vehicle.semi_wheelbase
    point_like = -make_interp_spline(t, truth.r_z, k=5)(t, nu=2) / V
    f, cross = csd(point_like, truth.omega_b[:, 1], fs=500, nperseg=16384)
    _, power = welch(point_like, fs=500, nperseg=16384)
    for wavelength in (40.0, 20.0, 10.0):
        i, Omega = int(np.argmin(np.abs(f - 20.0 / wavelength))), 2 * np.pi / wavelength
        assert abs(cross[i] / power[i]) == pytest.approx(np.sinc(Omega * a / np.pi) / np.cos(Omega * a), rel=0.02)
