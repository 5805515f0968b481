"""Equations of the published observer [Esc, Eq. 18]: wheelset, frame, and the rails' alignment below.

x = [y, psi, y_f, y', psi', y_f', xi] against the design line, z = [a_y, w_z, a_yf, 0]: specific force across at the
wheelset, its yaw rate, specific force across at the frame, and the virtual alignment sensor. The states and sensors
are the paper's, the equations ours. One wheelset under one frame that does not yaw (half_base = 0):

    m (y'' + d)     = -k_y (y - y_f) - c_y (y' - y_f') - 2 f22 eta - k_g (y_c - xi) - W gamma
    I psi''         = -k_psi psi - c_psi psi' - 2 f11 [(a lambda / r0)(y_c - xi) + a^2 (psi'/V + rho_h)]
    m_f (y_f'' + d) = k_y (y - y_f) + c_y (y' - y_f') - k_s y_f - c_s y_f' - m_f g gamma
    xi'             = -V Omega_r xi + white

d = rho_h V^2 + g phi_t is the lateral acceleration that the cant leaves, gamma the roll of the rails by their cross
level: at 50 m and 20 m/s g gamma is as large as the alignment's own acceleration. W is the load of the wheelset. Rails
that roll move the contacts under the axle: y_c = y + r0 gamma, eta = (y' + r0 gamma')/V - psi. Roll is measured: the
integral of gyros, gamma_1 of the leading wheelset, gamma_m the mean of the two, phi_f of the frame.

The bogies of our vehicles hold their wheelsets square: k_psi of one wheelset is twenty times what its creep can turn,
so wheelsets and frame yaw as one. Then psi is the yaw of all, y that of the leading wheelset, and the trailing one
stands opposite to it, y_2 = 2 y_f - y, as the frame floats between the two. With the half base b, the
spring's height h_p and the frame's h_f

    e = y - y_f - b psi - (h_p - r0) gamma_1 + (h_p - h_f) phi_f

    m (y'' + d)  = -k_y e - c_y e' - 2 f22 eta - W gamma
    I psi''      = 2 b (k_y e + c_y e') - k_psi psi - c_psi psi'
                   - 4 f11 [(a lambda / r0)(y_cf - xi) + a^2 (psi'/V + rho_h)]
    m_f (y_f'' + d) = -4 f22 eta_f - 2 k_g (y_cf - xi) - k_s y_f - c_s y_f' - 2 W gamma

of the whole bogie: I with its frame, m_f with its wheelsets, y_cf = y_f + h_p gamma_m - (h_p - h_f) phi_f with its
eta_f; and xi is the mean below the two. k_y is that of the springs in series with b^2 / (their yaw stiffness), by
which the wheelsets do turn in their frame. Roll is worth half of the shift in e and y_cf.
"""

from typing import Literal, NamedTuple, Self

import numpy as np
from pydantic import Field

from twin.core.arrays import Array, G
from twin.core.estimate import StateLayout
from twin.core.settings import Settings
from twin.vehicle.description import Body, Bushing, LineDamper, Vehicle, wheels_of
from twin.vehicle.statics import at_rest
from twin.vehicle.wheel_rail import WheelRail

STATES, SENSORS, INPUTS = 7, 3, 8
Y, PSI, Y_F, V_Y, V_PSI, V_YF, XI = range(STATES)
DEMAND, GAMMA, GAMMA_RATE, MEAN, MEAN_RATE, ROLL, ROLL_RATE, RHO = range(INPUTS)
"""u = [d, gamma_1, gamma_1', gamma_m, gamma_m', phi_f, phi_f', rho_h]."""
LAYOUT = StateLayout(
    ("y", "psi", "y_f", "y_rate", "psi_rate", "y_f_rate", "alignment"),
    ("m", "rad", "m", "m/s", "rad/s", "m/s", "m"),
)
SENSOR_NAMES = ("wheelset_accel", "wheelset_yaw_rate", "frame_accel")
Factor = Literal["conicity", "f11", "f22", "k_y", "c_y", "k_psi", "k_s", "c_s"]


class SevenParameters(Settings):
    """The vehicle as the seven states see it."""

    m: float = Field(gt=0, description="mass of the wheelset [kg]")
    inertia: float = Field(gt=0, description="yaw inertia of the wheelset, or of all that yaws with it [kg m^2]")
    m_f: float = Field(gt=0, description="mass of the frame, or of all that shifts with it [kg]")
    k_y: float = Field(gt=0, description="lateral stiffness wheelset to frame [N/m]")
    c_y: float = Field(ge=0, description="lateral damping wheelset to frame [N s/m]")
    k_psi: float = Field(ge=0, description="yaw stiffness against the track frame [N m/rad]")
    c_psi: float = Field(ge=0, description="yaw damping against the track frame [N m s/rad]")
    k_s: float = Field(ge=0, description="lateral stiffness frame to car [N/m]")
    c_s: float = Field(ge=0, description="lateral damping frame to car [N s/m]")
    f11: float = Field(gt=0, description="longitudinal creep coefficient of one wheel [N]")
    f22: float = Field(gt=0, description="lateral creep coefficient of one wheel [N]")
    conicity: float = Field(gt=0, le=2, description="growth of the rolling radius per shift [-]")
    r0: float = Field(gt=0, description="rolling radius [m]")
    a: float = Field(gt=0, description="half the distance of the rolling circles [m]")
    half_base: float = Field(0.0, ge=0, lt=5, description="of wheelsets held square [m]; 0: one wheelset")
    h_f: float = Field(gt=0, description="height of the frame's accelerometer [m]")
    h_p: float = Field(gt=0, description="height of the primary springs [m]")
    k_g: float = Field(ge=0, description="gravitational stiffness of a wheelset [N/m]")
    axle_load: float = Field(gt=0, description="of the wheelset on its rails [N]")

    @classmethod
    def of(cls, vehicle: Vehicle, contact: WheelRail) -> Self:
        """Of the leading bogie of a vehicle."""
        leading = vehicle.wheelsets[0]
        frame = next(vehicle.body(e.first) for e in vehicle.elements if e.second == leading.name)
        wheels, base = wheels_of(leading), abs(leading.position[0] - frame.position[0])
        primary, secondary = _between(vehicle, frame, leading), _between(vehicle, _over(vehicle, frame), frame)
        turned = 1 + base**2 * primary[0] / primary[2]
        load = sum(at_rest(vehicle).wheel_loads[leading.name])
        return cls(
            m=leading.mass,
            inertia=2 * (leading.inertia[2] + leading.mass * base**2) + frame.inertia[2],
            m_f=frame.mass + 2 * leading.mass,
            k_y=primary[0] / turned,
            c_y=primary[1] / turned,
            k_psi=secondary[2],
            c_psi=secondary[3],
            k_s=secondary[0],
            c_s=secondary[1],
            f11=contact.f11,
            f22=contact.f22,
            conicity=max(contact.conicity, 1e-3),
            r0=wheels.radius,
            a=wheels.half_distance,
            half_base=base,
            h_f=frame.position[2],
            h_p=next(e.at_second[2] for e in vehicle.elements if e.second == leading.name),
            k_g=load * contact.roll_per_shift,
            axle_load=load,
        )

    def scaled(self, factors: dict[Factor, float]) -> Self:
        """The same with some values multiplied."""
        return self.model_copy(update={name: getattr(self, name) * factor for name, factor in factors.items()})


def _over(vehicle: Vehicle, frame: Body) -> Body:
    return vehicle.body(next(e.first for e in vehicle.elements if e.second == frame.name))


def _between(vehicle: Vehicle, first: Body, second: Body) -> tuple[float, float, float, float]:
    """Stiffness and damping between two bodies: lateral [N/m, N s/m], in yaw [N m/rad, N m s/rad]."""
    k = c = k_psi = c_psi = 0.0
    for each in vehicle.elements:
        if {each.first, each.second} != {first.name, second.name}:
            continue
        arm = each.at_second[1]
        if isinstance(each, Bushing):
            k, k_psi = k + each.stiffness[1], k_psi + each.stiffness[0] * arm**2
            c, c_psi = c + each.damping[1], c_psi + each.damping[0] * arm**2
        elif isinstance(each, LineDamper):
            line = np.subtract(each.at_second, each.at_first)
            x, y, _ = line / np.linalg.norm(line)
            slope = each.curve[1][1] / each.curve[1][0]
            c, c_psi = c + float(y**2) * slope, c_psi + float((x * arm) ** 2) * slope
    return k, c, k_psi, c_psi


class SevenModel(NamedTuple):
    """x' = A x + B u + white, z = C x + D u + noise at one speed."""

    A: Array
    """(7, 7)"""
    B: Array
    """(7, 8)"""
    C: Array
    """(3, 7)"""
    D: Array
    """(3, 8)"""


def seven_model(p: SevenParameters, *, V: float, omega_r: float, g: float = G) -> SevenModel:
    """The model at speed V [m/s]; omega_r: corner of the alignment's spectrum [rad/m]."""
    A, B = np.zeros((STATES, STATES)), np.zeros((STATES, INPUTS))
    A[[Y, PSI, Y_F], [V_Y, V_PSI, V_YF]] = 1.0
    A[XI, XI] = -V * omega_r
    forces = _wheelset_forces(p, V, g) if p.half_base == 0 else _bogie_forces(p, V)
    for row, (by_state, by_input), mass in zip((V_Y, V_PSI, V_YF), forces, (p.m, p.inertia, p.m_f), strict=True):
        A[row], B[row] = by_state / mass, by_input / mass
    B[[V_Y, V_YF], DEMAND] -= 1.0
    C, D = np.zeros((SENSORS, STATES)), np.zeros((SENSORS, INPUTS))
    # boxes roll with the axle and sit at its height, which y is the place of
    for sensor, row, roll in ((0, V_Y, GAMMA), (2, V_YF, ROLL)):
        C[sensor], D[sensor] = A[row], B[row]
        D[sensor, [DEMAND, roll]] += 1.0, g
    C[1, V_PSI], D[1, RHO] = 1.0, V
    return SevenModel(A, B, C, D)


Forces = tuple[tuple[Array, Array], ...]
"""(7,) by states and (8,) by inputs, of y, psi and y_f."""


def _form(values: dict[int, float], size: int = STATES) -> Array:
    found = np.zeros(size)
    for place, value in values.items():
        found[place] = value
    return found


def _wheelset_forces(p: SevenParameters, V: float, g: float) -> Forces:
    """Of one wheelset under a frame that does not yaw."""
    spring = p.k_y * _form({Y: 1, Y_F: -1}) + p.c_y * _form({V_Y: 1, V_YF: -1})
    slip, slip_u = _form({V_Y: 1 / V, PSI: -1}), _form({GAMMA_RATE: p.r0 / V}, INPUTS)
    shift, shift_u = _form({Y: 1, XI: -1}), _form({GAMMA: p.r0}, INPUTS)
    gamma, rho = _form({GAMMA: 1}, INPUTS), _form({RHO: 1}, INPUTS)
    steering, turning = 2 * p.f11 * p.a * p.conicity / p.r0, 2 * p.f11 * p.a**2
    return (
        (
            -spring - 2 * p.f22 * slip - p.k_g * shift,
            -2 * p.f22 * slip_u - p.k_g * shift_u - p.axle_load * gamma,
        ),
        (
            -_form({PSI: p.k_psi, V_PSI: p.c_psi + turning / V}) - steering * shift,
            -steering * shift_u - turning * rho,
        ),
        (spring - _form({Y_F: p.k_s, V_YF: p.c_s}), -p.m_f * g * gamma),
    )


def _bogie_forces(p: SevenParameters, V: float) -> Forces:
    """Of two wheelsets held square by their frame."""
    b, lever = p.half_base, p.h_p - p.h_f
    spring = p.k_y * _form({Y: 1, Y_F: -1, PSI: -b}) + p.c_y * _form({V_Y: 1, V_YF: -1, V_PSI: -b})
    spring_u = p.k_y * _form({GAMMA: p.r0 - p.h_p, ROLL: p.h_p - p.h_f}, INPUTS)
    slip, slip_u = _form({V_Y: 1 / V, PSI: -1}), _form({GAMMA_RATE: p.r0 / V}, INPUTS)
    slip_f, slip_fu = _form({V_YF: 1 / V, PSI: -1}), _form({MEAN_RATE: p.h_p / V, ROLL_RATE: -lever / V}, INPUTS)
    shift, shift_u = _form({Y_F: 1, XI: -1}), _form({MEAN: p.h_p, ROLL: -lever}, INPUTS)
    rho = _form({RHO: 1}, INPUTS)
    steering, turning = 4 * p.f11 * p.a * p.conicity / p.r0, 4 * p.f11 * p.a**2
    return (
        (-spring - 2 * p.f22 * slip, -spring_u - 2 * p.f22 * slip_u - p.axle_load * _form({GAMMA: 1}, INPUTS)),
        (
            2 * b * spring - _form({PSI: p.k_psi, V_PSI: p.c_psi + turning / V}) - steering * shift,
            2 * b * spring_u - steering * shift_u - turning * rho,
        ),
        (
            -4 * p.f22 * slip_f - 2 * p.k_g * shift - _form({Y_F: p.k_s, V_YF: p.c_s}),
            -4 * p.f22 * slip_fu - 2 * p.k_g * shift_u - 2 * p.axle_load * _form({MEAN: 1}, INPUTS),
        ),
    )
