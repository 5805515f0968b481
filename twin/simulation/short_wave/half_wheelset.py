"""Half a wheelset above the primary suspension's frequencies: a free mass, and if wished its first bending mode.

States (z, z', q, q'): rigid motion of the mass and of the mode, upwards positive. A wheel is z + shape_wheel q, a box
is z + shape_box q. Forces change linearly within a step, as those on the rail do.
"""

from typing import NamedTuple

import numpy as np
from pydantic import Field
from scipy.linalg import expm

from twin.core.arrays import Array
from twin.core.settings import Settings
from twin.vehicle.track_flexibility.beam import ComplexArray

STATES = 4


class WheelsetBending(Settings):
    """The first symmetric bending mode of a wheelset, as half a wheelset has it."""

    frequency: float = Field(85.0, ge=20, le=1000, description="of the free wheelset [Hz]; solid axles 60-90")
    damping: float = Field(0.01, gt=0, le=0.3, description="ratio [-]; press fits and bearings give about 0.01")
    mass: float = Field(400.0, gt=1, le=5e3, description="modal, for shapes of one at the largest motion [kg]")
    shape_wheel: float = Field(0.4, ge=-2, le=2, description="motion of the wheel's contact in the mode [-]")
    shape_box: float = Field(1.0, ge=-2, le=2, description="motion of the axle box in the mode [-]")


class HalfWheelset(Settings):
    """What a contact force moves above some 20 Hz."""

    mass: float = Field(700.0, gt=10, le=5e3, description="unsprung, of one wheel [kg]; 500-1000 for trailer bogies")
    bending: WheelsetBending | None = Field(None, description="bending mode; none: a rigid mass")

    @property
    def shapes(self) -> tuple[Array, Array]:
        """Rows (4,) of wheel and box in the states."""
        if self.bending is None:
            return np.array([1.0, 0, 0, 0]), np.array([1.0, 0, 0, 0])
        return np.array([1.0, 0, self.bending.shape_wheel, 0]), np.array([1.0, 0, self.bending.shape_box, 0])

    def system(self) -> tuple[Array, Array]:
        """A (4, 4) and b (4,) of x' = A x + b f for a force f [N] on the wheel, upwards."""
        A, b = np.zeros((STATES, STATES)), np.zeros(STATES)
        A[0, 1] = A[2, 3] = 1.0
        b[1] = 1 / self.mass
        if self.bending is not None:
            omega = 2 * np.pi * self.bending.frequency
            A[3, 2], A[3, 3] = -(omega**2), -2 * self.bending.damping * omega
            b[3] = self.bending.shape_wheel / self.bending.mass
        return A, b

    def receptances(self, omega: Array) -> tuple[ComplexArray, ComplexArray]:
        """Motion of wheel and of box per force on the wheel (frequencies,) [m/N]; omega > 0 [rad/s]."""
        rigid: ComplexArray = (-1 / (self.mass * omega**2)).astype(np.complex128)
        if self.bending is None:
            return rigid, rigid
        own = 2 * np.pi * self.bending.frequency
        dynamic = self.bending.mass * (own**2 - omega**2 + 2j * self.bending.damping * own * omega)
        mode = self.bending.shape_wheel / dynamic
        return rigid + self.bending.shape_wheel * mode, rigid + self.bending.shape_box * mode


class WheelsetStep(NamedTuple):
    """A step of dt: x_1 = Phi x_0 + Gamma_0 f_0 + Gamma_1 f_1; wheel and box as rows of the states."""

    Phi: Array
    """(4, 4)."""
    Gamma_0: Array
    """(4,)."""
    Gamma_1: Array
    """(4,)."""
    wheel: Array
    """(4,) of the displacement under the contact force."""
    compliance: float
    """Of the wheel at the end of a step per force at its end [m/N]."""
    box_states: Array
    """(4,) of the acceleration of the box."""
    box_force: float
    """Of the acceleration of the box [1/kg]."""


def wheelset_step(wheelset: HalfWheelset, *, dt: float) -> WheelsetStep:
    """Half a wheelset in steps of dt [s]."""
    A, b = wheelset.system()
    whole = np.zeros((STATES + 2, STATES + 2))
    whole[:STATES, :STATES] = A * dt
    whole[:STATES, STATES] = b * dt
    whole[STATES, STATES + 1] = 1.0
    exponential = expm(whole)
    constant, ramp = exponential[:STATES, STATES], exponential[:STATES, STATES + 1]
    wheel, box = wheelset.shapes
    moved = np.roll(box, 1)  # accelerations of the displacements stand one row below them
    return WheelsetStep(
        Phi=np.ascontiguousarray(exponential[:STATES, :STATES]),
        Gamma_0=np.ascontiguousarray(constant - ramp),
        Gamma_1=np.ascontiguousarray(ramp),
        wheel=wheel,
        compliance=float(wheel @ ramp),
        box_states=np.ascontiguousarray(moved @ A),
        box_force=float(moved @ b),
    )
