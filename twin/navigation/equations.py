"""The equations of the two track-frame filters [Esc, Eqs. 16-17], with what the paper leaves out.

Specific force f_b of the sensor, turned into the track frame, less what the track frame itself does, is the
acceleration of the sensor's path against the design line:

    r_y'' = f_y cos(phi) + f_x psi - f_z sin(phi) - g cos(theta_t) sin(phi_t)
            - (1 + h rho_v) rho_h V^2 + h d(rho_tw V)/dt
    r_z'' = f_z cos(phi) - f_x theta + f_y sin(phi) - g cos(theta_t) cos(phi_t)
            + rho_v V^2 + h (rho_tw^2 + rho_v^2) V^2

phi, theta, psi: body against track; h: height of the sensor over the rails. The paper prints g phi_t and g instead of
the gravity terms (no gradient: 3.1e-3 m/s^2 at 25 per mille), and has none of the terms with h (0.03 m/s^2 at the end
of a cant ramp). The rates of the body against the track are w_z - rho_h V and w_y - rho_v V.
"""

from dataclasses import dataclass

import numpy as np

from twin.core.arrays import Array
from twin.core.track import TrackPose
from twin.navigation.inputs import EARTH_RATE, Inertial


@dataclass(frozen=True, slots=True)
class TrackTerms:
    """What the design track contributes at each inertial sample. All (samples,)."""

    lateral: Array
    """Subtracted from the lateral specific force in the track frame [m/s^2]."""
    vertical: Array
    """Subtracted from the vertical one [m/s^2]."""
    rate: Array
    """(samples, 3) angular rate of the track frame [rad/s]."""
    roll: Array
    pitch: Array


def track_terms(
    pose: TrackPose, *, v: Array, a: Array, height: float, gravity: float, latitude: float | None
) -> TrackTerms:
    """Terms of a track frame that moves at v [m/s], a [m/s^2]; height: of the sensor over the rails [m].

    latitude: corrects the Coriolis acceleration of the rotating earth [rad].
    """
    twist_rate = pose.rho_tw * a + pose.rho_tw_rate * v**2
    g_flat = gravity * np.cos(pose.pitch)
    coriolis = 0.0 if latitude is None else 2 * EARTH_RATE * np.sin(latitude) * v
    lateral = g_flat * np.sin(pose.roll) + (pose.rho_h + height * pose.rho_h * pose.rho_v) * v**2 - height * twist_rate
    vertical = g_flat * np.cos(pose.roll) - (pose.rho_v + height * (pose.rho_tw**2 + pose.rho_v**2)) * v**2
    rate = np.stack([pose.rho_tw * v, pose.rho_v * v, pose.rho_h * v], axis=1)
    return TrackTerms(lateral + coriolis, vertical, rate, pose.roll, pose.pitch)


def path_accelerations(imu: Inertial, terms: TrackTerms, *, roll: Array) -> tuple[Array, Array]:
    """r_y'' and r_z'' as the accelerometers show them, but for yaw and pitch; roll (samples,): absolute [rad].

    The terms f_x psi and -f_x theta stay out: the trajectory filter has both angles in its state.
    """
    phi = roll - terms.roll
    f_y, f_z = imu.a[:, 1], imu.a[:, 2]
    r_y = f_y * np.cos(phi) - f_z * np.sin(phi) - terms.lateral
    r_z = f_z * np.cos(phi) + f_y * np.sin(phi) - terms.vertical
    return r_y, r_z
