"""The body's own motion on its suspension: resonances excited by track, curve and broadband disturbance."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from pydantic import Field
from scipy.interpolate import BSpline, make_interp_spline
from scipy.signal import bilinear, butter, lfilter, lfilter_zi, sosfilt

from twin.core.arrays import Array, G
from twin.core.settings import Settings
from twin.simulation.randomness import generator

RATE = 500.0
"""Time base of the own motion [Hz]; the disturbance and the shortest track waves end well below half of it."""
CUTOFF = 40.0
"""Upper end of the broadband disturbance [Hz]; what lies above is the structure's vibration."""
REFERENCE_SPEED = 20.0
"""Speed at which disturbances are stated [m/s]; they grow with the speed and vanish at rest."""


class Mode(Settings):
    """One relative motion of the body against its wheelsets: a damped resonator."""

    frequency: float = Field(gt=0.3, le=20, description="own frequency [Hz]")
    damping: float = Field(0.15, gt=0.02, le=1, description="damping ratio; dampers of a primary suspension 0.1-0.2")
    coupling: float = Field(
        1.0,
        ge=0,
        le=2,
        description="share of the track's acceleration that deflects this mode; guidance takes the rest",
    )
    disturbance: float = Field(
        0.0, ge=0, le=0.01, description="own motion at 20 m/s from what is not in the track [m or rad rms]"
    )


class SuspensionConfig(Settings):
    """Primary suspension of a bogie frame: own motions of tenths of a millimetre and milliradian at 20 m/s."""

    lateral: Mode = Field(Mode(frequency=3.0, coupling=0.5, disturbance=1e-4), description="sway against the wheelsets")
    vertical: Mode = Field(
        Mode(frequency=6.0, coupling=1.0, disturbance=1e-4), description="bounce against the wheelsets"
    )
    roll: Mode = Field(
        Mode(frequency=2.5, damping=0.2, coupling=0.3, disturbance=1e-4), description="roll against the wheelsets"
    )
    pitch: Mode = Field(Mode(frequency=8.0, coupling=1.0, disturbance=5e-5), description="pitch against the wheelsets")
    yaw: Mode = Field(Mode(frequency=5.0, coupling=0.5, disturbance=1e-4), description="yaw against the wheelsets")
    flexibility: float = Field(
        0.1, ge=0, le=0.5, description="roll outwards per radian of cant deficiency; primary suspension only"
    )

    @property
    def modes(self) -> tuple[Mode, ...]:
        """In the order of the body's coordinates."""
        return self.lateral, self.vertical, self.roll, self.pitch, self.yaw


@dataclass(frozen=True, slots=True)
class OwnMotion:
    """Own motion (y, z, roll, pitch, yaw) over time; at rest before the first knot."""

    spline: BSpline

    @classmethod
    def through(cls, t: Array, q: Array) -> Self:
        """The smooth motion through (samples, 5) values at uniform times [s]."""
        return cls(make_interp_spline(t, q, k=5))

    def __call__(self, t: Array, derivative: int = 0) -> Array:
        """(samples, 5) value or time derivative at t [s]."""
        first = float(self.spline.t[0])
        values = np.asarray(self.spline(np.maximum(t, first), nu=derivative))
        if derivative:
            values[t < first] = 0.0
        return values


def own_motion(config: SuspensionConfig, *, acceleration: Array, unbalanced: Array, V: Array, seed: int) -> Array:
    """(samples, 5) response of the suspension from rest, at the rate of this module.

    acceleration: (samples, 5) second time derivative of what the wheelsets prescribe; unbalanced: (samples,)
    lateral acceleration in the plane of the rails [m/s^2]; V: (samples,) speed [m/s].
    """
    sos = butter(4, CUTOFF, fs=RATE, output="sos")
    q = np.empty_like(acceleration)
    for i, mode in enumerate(config.modes):
        omega, zeta = 2 * np.pi * mode.frequency, mode.damping
        noise = sosfilt(sos, generator(seed, f"suspension {i}").standard_normal(V.size) * V / REFERENCE_SPEED)
        # White noise of unit variance moves the resonator by 1 / sqrt(4 rate zeta omega^3).
        u = mode.disturbance * np.sqrt(4 * RATE * zeta * omega**3) * noise - mode.coupling * acceleration[:, i]
        if i == 0:
            u -= mode.coupling * unbalanced
        elif i == 2:
            u += omega**2 * config.flexibility * unbalanced / G
        b, a = bilinear([1.0], [1.0, 2 * zeta * omega, omega**2], RATE)
        q[:, i] = lfilter(b, a, u, zi=lfilter_zi(b, a) * u[0])[0]
    return q
