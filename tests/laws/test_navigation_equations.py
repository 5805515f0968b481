"""The equations of the filters on exact kinematics: what they leave over is what the text of the design states."""

import numpy as np

from twin.core.arrays import Array, G
from twin.core.track import HorizontalElement
from twin.core.vehicle import Mounting
from twin.navigation.equations import TrackTerms, path_accelerations, track_terms
from twin.navigation.inputs import Inertial
from twin.simulation import IrregularityConfig, Leg, MotionConfig, Scenario, Train, TrueVehicle, Truth, VibrationConfig

DT = 0.002
CANTED_CLOTHOID = (
    HorizontalElement(length=400),
    HorizontalElement(length=100, curvature_end=1 / 600, cant_end=0.1),
    HorizontalElement(length=200, curvature_start=1 / 600, curvature_end=1 / 600, cant_start=0.1, cant_end=0.1),
)


def train(*, irregular: float, own_motion: float = 1.0) -> Train:
    """At 20 m/s through a canted clothoid into an arc of 600 m; irregular: scale of the German-low spectrum."""
    return Train(
        Scenario(
            horizontal=CANTED_CLOTHOID,
            vertical=(),
            irregularity=IrregularityConfig(scale=irregular, seed=7),
            motion=MotionConfig(legs=(Leg(speed=20, distance=650),), standstill=1.0, acceleration=3.0),
            vehicle=TrueVehicle(own_motion=own_motion),
            mounting=Mounting(z=0.6),
            vibration=VibrationConfig(acceleration=0, rate=0),
        )
    )


def passage(of: Train) -> Truth:
    """The truth from 20 m before the clothoid to 50 m behind it."""
    t = np.arange(of.profile.time_at(380.0), of.profile.time_at(550.0), DT)
    return of.truth(t)


def terms(of: Train, truth: Truth) -> TrackTerms:
    return track_terms(of.design.pose(truth.s), v=truth.v, a=truth.a, height=0.6, gravity=G, latitude=None)


def inertial(truth: Truth) -> Inertial:
    n = truth.t.size
    return Inertial((truth.t * 1e9).astype(np.int64), DT, truth.f_b, truth.omega_b, np.zeros(n, np.uint8))


def second_derivative(values: Array) -> Array:
    return np.asarray(np.diff(values, 2) / DT**2)


def rms(values: Array) -> float:
    return float(np.sqrt(np.mean(values**2)))


def residuals(of: Train, truth: Truth) -> tuple[float, float]:
    """What the lateral and the vertical equation leave over [m/s^2 rms]."""
    r_y, r_z = path_accelerations(inertial(truth), terms(of, truth), roll=truth.roll_abs)
    r_y = r_y + truth.f_b[:, 0] * truth.yaw_rel
    r_z = r_z - truth.f_b[:, 0] * truth.pitch_rel
    return rms(r_y[1:-1] - second_derivative(truth.r_y)), rms(r_z[1:-1] - second_derivative(truth.r_z))


def test_accelerations_of_the_path_hold_in_a_canted_clothoid() -> None:
    of = train(irregular=0.0, own_motion=0.0)
    lateral, vertical = residuals(of, passage(of))
    assert lateral <= 2e-4  # the design allows 1.3e-3 and 1.9e-3
    assert vertical <= 2e-4


def test_accelerations_of_the_path_are_right_to_a_hundredth_on_irregular_track() -> None:
    of = train(irregular=1.0)
    truth = passage(of)
    lateral, vertical = residuals(of, truth)
    assert lateral <= 0.01 * rms(second_derivative(truth.r_y))
    assert vertical <= 0.01 * rms(second_derivative(truth.r_z))


def test_rates_of_the_body_against_the_track_are_those_of_its_angles() -> None:
    of = train(irregular=1.0)
    truth = passage(of)
    phi, theta, psi = (truth.omega_b - terms(of, truth).rate).T
    middle = slice(1, -1)
    for rate, angle in ((phi, truth.roll_rel), (theta, truth.pitch_rel), (psi, truth.yaw_rel)):
        assert rms(rate[middle] - np.gradient(angle, DT)[middle]) <= 1e-4


def test_without_the_vertical_curvature_of_the_canted_frame_the_vertical_row_is_five_times_worse() -> None:
    of = train(irregular=0.0, own_motion=0.0)
    truth = passage(of)
    exact = second_derivative(truth.r_z)
    _, r_z = path_accelerations(inertial(truth), terms(of, truth), roll=truth.roll_abs)
    plain = truth.f_b[:, 2] - G
    assert rms(plain[1:-1] - exact) > 5 * rms(r_z[1:-1] - exact)
