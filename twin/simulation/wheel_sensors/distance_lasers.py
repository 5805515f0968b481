"""Three distance lasers per instrumented wheel, on a bracket at the axle box that does not turn.

They look from inside on the rim's face at the bottom (b, beside the contact), at the top (t) and at the side (s), each
at the angle alpha from the contact: 0, pi, pi/2. The distance grows as the rim moves outward:

    d = d_0 + u + phi z + Y sum_n w_n cos(n alpha) + e(alpha - theta) + noise

u the axial shift of the wheelset in its bearings, phi the roll of the bracket and z = -rho, rho, 0 the laser's
height, w_n the flexing of the wheel under Y, e the run-out of the face. d_b + d_t - 2 d_s loses u and phi z, and keeps
4 (w_2 + w_6) Y = 8.6 um/kN and what the run-out has in it.
"""

import numpy as np
from pydantic import Field
from scipy.signal import lfilter

from twin.core.arrays import Array, frozen
from twin.core.settings import Settings
from twin.simulation.randomness import generator
from twin.simulation.short_wave.resampling import Resampler
from twin.simulation.short_wave.stretch import SensorStretch, WheelStretch

LASERS = 3
ALPHA = (0.0, np.pi, np.pi / 2)
"""Angles of b, t and s from the contact [rad]."""
HEIGHT = (-1.0, 1.0, 0.0)
"""Heights of b, t and s over the axle, in radii of the lasers."""


class DistanceLaserConfig(Settings):
    """The lasers, the bracket and the wheel they look at; sd are drawn once per seed."""

    rate: float = Field(2000.0, ge=100, le=2e4, description="samples per second [Hz]")
    wheels: tuple[int, ...] = Field((0, 1), min_length=1, description="columns of the WheelStretch with lasers")
    distance: float = Field(0.1, gt=0.01, le=1.0, description="at rest [m]")
    radius: float = Field(0.42, gt=0.05, le=0.7, description="of the lasers about the axle [m]")
    height_error: float = Field(1e-3, ge=0, le=0.05, description="sd of a laser's height [m]: lets some roll through")
    flexing: tuple[float, ...] = Field(
        (4.5e-9, 14.1e-9, 2.1e-9, 0.8e-9, 0.3e-9, 0.15e-9, 0.05e-9),
        min_length=3,
        max_length=13,
        description="w_n of the rim's face per lateral force [m/N]; 4 (w_2 + w_6) is 8.6 um/kN, the sum 22 um/kN",
    )
    axial_play: float = Field(0.15e-3, ge=0, le=2e-3, description="half the bearing's axial play [m]")
    play_force: float = Field(2e3, gt=0, le=1e5, description="lateral force that takes up most of it [N]")
    wander: float = Field(20e-6, ge=0, le=1e-3, description="sd of axial shift beyond that [m]")
    roll: float = Field(2e-4, ge=0, le=0.02, description="sd of the bracket's roll [rad]")
    wander_time: float = Field(0.2, gt=1e-3, le=100, description="correlation time of both [s]")
    run_out: float = Field(
        60e-6, ge=0, le=2e-3, description="size of the run-out's first order [m]; turned rims 50-200 um"
    )
    run_out_orders: int = Field(24, ge=1, le=200, description="orders of the run-out; each falls as order^-1.5")
    noise: float = Field(2e-6, ge=0, le=1e-3, description="sd of each sample [m]; triangulation on steel 1-5 um")
    lsb: float = Field(5e-7, ge=0, le=1e-4, description="quantisation step [m]; 0 for none")
    half_range: float = Field(16e-3, gt=0, le=0.5, description="about the distance at rest [m]")


class DistanceLasers:
    """Lasers of all instrumented wheels. Channels: wheel by wheel, of each d_b, d_t, d_s [m]."""

    def __init__(self, config: DistanceLaserConfig, *, vehicle_rate: float, seed: int) -> None:
        self._config = config
        self._resampler = Resampler(from_rate=vehicle_rate, to_rate=config.rate)
        wheels = len(config.wheels)
        errors = config.height_error * generator(seed, "laser heights").standard_normal((wheels, LASERS))
        self._height = config.radius * np.array(HEIGHT) + errors
        self._maps = [run_out_map(config, seed=seed, wheel=wheel) for wheel in config.wheels]
        self._noise, self._drive = generator(seed, "laser noise"), generator(seed, "laser bracket")
        self._decay = float(np.exp(-1 / (config.rate * config.wander_time)))
        self._wander = self._drive.standard_normal(2 * wheels)
        self._first = 0
        self._t_start: float | None = None

    def process(self, stretch: WheelStretch) -> SensorStretch:
        """(n, channels) distances [m], continued."""
        if self._t_start is None:
            self._t_start = float(stretch.t[0])
        config, columns = self._config, list(self._config.wheels)
        fine = self._resampler.process(np.hstack([stretch.wheel_angle[:, columns], stretch.Y[:, columns]]))
        theta, Y = np.split(fine, 2, axis=1)
        shift, roll = np.split(self._wandering(Y.shape[0]), 2, axis=1)
        shift = config.wander * shift + config.axial_play * np.tanh(Y / config.play_force)
        d = np.stack([self._rim(i, laser, theta, Y) for i in range(len(columns)) for laser in range(LASERS)], axis=1)
        d += np.repeat(shift, LASERS, axis=1) + np.repeat(config.roll * roll, LASERS, axis=1) * self._height.ravel()
        d += config.noise * self._noise.standard_normal(d.shape)
        d = np.clip(d, -config.half_range, config.half_range)
        if config.lsb > 0:
            d = np.rint(d / config.lsb) * config.lsb
        first, self._first = self._first, self._first + d.shape[0]
        return SensorStretch(first, self._t_start, config.rate, frozen(config.distance + d))

    def _rim(self, wheel: int, laser: int, theta: Array, Y: Array) -> Array:
        """(n,) how far flexing and run-out move the face outward before one laser [m]."""
        orders = np.arange(len(self._config.flexing))
        compliance = float(np.array(self._config.flexing) @ np.cos(orders * ALPHA[laser]))
        return compliance * Y[:, wheel] + run_out(self._maps[wheel], ALPHA[laser] - theta[:, wheel])

    def _wandering(self, n: int) -> Array:
        """(n, 2 wheels) of sd one, first shifts, then rolls; continued."""
        drive = np.sqrt(1 - self._decay**2) * self._drive.standard_normal((n, self._wander.size))
        out, _ = lfilter([1.0], [1.0, -self._decay], drive, axis=0, zi=self._decay * self._wander[None])
        if n:
            self._wander = out[-1].copy()
        return np.asarray(out)


def run_out_map(config: DistanceLaserConfig, *, seed: int, wheel: int) -> Array:
    """(orders, 2) amplitudes of cos and sin of the run-out around one wheel [m], from the first order on."""
    rng = generator(seed, f"run-out {wheel}")
    orders = np.arange(1, config.run_out_orders + 1)
    return np.asarray(config.run_out * orders[:, None] ** -1.5 * rng.standard_normal((orders.size, 2)) / np.sqrt(2))


def run_out(amplitudes: Array, angle: Array) -> Array:
    """(n,) of the face [m] at angles (n,) on the wheel [rad]."""
    total = np.zeros_like(angle)
    for order, (cosine, sine) in enumerate(amplitudes, start=1):
        total += cosine * np.cos(order * angle) + sine * np.sin(order * angle)
    return total
