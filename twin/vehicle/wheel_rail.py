"""A wheelset on its rails for small motions: linear creep forces, and what its weight does when it shifts and turns.

Forms are rows over the free coordinates and the irregularities of a model: a form times that vector is the quantity.
With eta = y - xi the shift against the rails, gamma the roll of the rails and r0 the radius, a wheelset of roll phi is
shifted at its contacts by y_c = eta + r0 phi. Conicity is the growth of the rolling radius per shift y_c, so that the
wavelength of a free wheelset is Klingel's; per shift of the axle it is greater by 1 / (1 - r0 roll_per_shift).

An inclined contact spins, and the lateral force of its spin points up the slope, against that of the normal force. Both
are in proportion to the load, so spin takes the share kappa = f23 / (r0 N) of what inclination does: 0.8 for cones.
Left and right cancel on the centred wheelset, but not what one wheel carries more than the other. Textbooks leave it
out.
"""

from typing import NamedTuple

import numpy as np
from pydantic import Field

from twin.core.arrays import Array
from twin.core.settings import Settings
from twin.vehicle.description import Wheels


class WheelRail(Settings):
    """What the lateral motion of a wheelset needs to know of its contacts, left and right alike."""

    conicity: float = Field(ge=0, le=2, description="growth of the rolling radius per shift [-]; 0.05 cones, 0.4 worn")
    f11: float = Field(gt=0, description="longitudinal creep coefficient of one wheel [N]; about 1e7")
    f22: float = Field(gt=0, description="lateral creep coefficient of one wheel [N]; about 1e7")
    f23: float = Field(0.0, ge=0, description="lateral and spin coefficient of one wheel [N m]; about 2e4")
    f33: float = Field(0.0, ge=0, description="spin coefficient of one wheel [N m^2]; about 50")
    contact_angle: float = Field(0.0, ge=0, le=0.5, description="of centred wheels [rad]; the conicity of cones")
    roll_per_shift: float = Field(
        0.0, ge=0, le=10, description="roll of the wheelset per shift y_c [rad/m]; conicity / half_distance of cones"
    )
    lift_curvature: float = Field(
        0.0, ge=-100, le=100, description="d^2 z / d y_c^2 by which curved profiles lift the axle [1/m]; 0 for cones"
    )
    spin_share: float = Field(
        0.0, ge=0, le=5, description="kappa, f23 / (r0 N): of what inclination does, what spin takes; 0: left out"
    )

    def roll(self, y: Array, rails: "Rails", wheels: Wheels) -> Array:
        """Form of the wheelset's roll: gamma + roll_per_shift y_c, solved for the roll that y_c itself contains."""
        s = self.roll_per_shift
        return (s * (y - rails.alignment) + rails.cross_level / (2 * wheels.half_distance)) / (1 - wheels.radius * s)

    def virtual_roll(self, y: Array, wheels: Wheels) -> Array:
        """Form of the roll in whose virtual power the loads that move from wheel to wheel vanish.

        Without friction that is the roll itself. Of loads +-dN the normal forces push by -2 dN delta, spin by kappa
        times that backwards, and the moment is 2 dN l0: none does work where the roll is delta (1 - kappa) / l0 y_c.
        """
        s = self.roll_per_shift * (1 - self.spin_share)
        return s * y / (1 - wheels.radius * s)


def cones(
    *, conicity: float, half_distance: float, f11: float, f22: float, f23: float = 0.0, f33: float = 0.0
) -> WheelRail:
    """Conical wheels with rolling circles 2 half_distance apart [m] on edges; creep coefficients of one wheel."""
    return WheelRail(
        conicity=conicity,
        f11=f11,
        f22=f22,
        f23=f23,
        f33=f33,
        contact_angle=conicity,
        roll_per_shift=conicity / half_distance,
    )


class Rails(NamedTuple):
    """Irregularities under one wheelset as forms."""

    alignment: Array
    cross_level: Array


class Rolling(NamedTuple):
    """A wheelset on its rails; its coordinates as forms."""

    wheels: Wheels
    rails: Rails
    y: Array
    roll: Array
    yaw: Array
    virtual_roll: Array
    """Of the rows."""

    @property
    def y_c(self) -> Array:
        """Shift of the contacts against the rails."""
        return self.y - self.rails.alignment + self.wheels.radius * self.roll

    @property
    def virtual_y_c(self) -> Array:
        """The same of the virtual motion, that of the rows."""
        return self.y + self.wheels.radius * self.virtual_roll


def creep_matrices(contact: WheelRail, rolling: Rolling, *, speed: float) -> tuple[Array, Array, Array]:
    """C, K (columns, columns) and the column of rho_h of Kalker's linear forces on one wheelset, on the left side.

    With lateral creep (y' + r0 phi')/V - psi, spin psi'/V + rho_h and the longitudinal creeps of both wheels

        F_y = -2 f22 eta_c - 2 f23 spin
        M_z = -2 f11 [(l0 lambda/r0) y_c + l0^2 spin] + 2 f23 eta_c - 2 f33 spin

    (DESIGN 7 with r0 phi, by which the contacts move further than the axle.) The spin of inclined contacts is opposite
    on the two wheels and cancels while they are cones. Rows are those of the virtual shift and yaw.
    """
    wheels, yaw, y_c, row = rolling.wheels, rolling.yaw, rolling.y_c, rolling.virtual_y_c
    r0, l0 = wheels.radius, wheels.half_distance
    moved = rolling.y + r0 * rolling.roll
    turning = 2 * contact.f11 * l0**2 + 2 * contact.f33
    C = 2 * np.outer(row, contact.f22 * moved + contact.f23 * yaw) / speed
    C += np.outer(yaw, turning * yaw - 2 * contact.f23 * moved) / speed
    K = np.outer(row, -2 * contact.f22 * yaw)
    K += np.outer(yaw, 2 * contact.f11 * l0 * contact.conicity / r0 * y_c + 2 * contact.f23 * yaw)
    return C, K, 2 * contact.f23 * row + turning * yaw


def gravity_matrix(contact: WheelRail, rolling: Rolling, *, load: float) -> Array:
    """K of the load [N] that the rails carry of one wheelset, which lifts the axle as it shifts, rolls and yaws.

    To second order two cones of angle delta on edges at +-l0 have their middle at

        z = eta phi + r0 phi^2/2 + delta l0 ((phi - gamma)^2 - psi^2)/2,

    to which curved profiles add lift_curvature y_c^2/2. Yaw is unstable: the contacts move to smaller radii. Where the
    inclination grows with the shift, so does the spin, which takes its share.
    """
    wheels, rails, y, roll, yaw, row = rolling
    l0, gamma = wheels.half_distance, rails.cross_level / (2 * wheels.half_distance)
    lift = contact.lift_curvature * (1 - contact.spin_share)
    K = np.outer(rolling.virtual_y_c, roll + lift * rolling.y_c) + np.outer(row, y - rails.alignment)
    K += contact.contact_angle * l0 * (np.outer(row, roll - gamma) - np.outer(yaw, yaw))
    return load * K
