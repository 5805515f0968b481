"""Accelerometers on the axle boxes: the vehicle's slow motion and the short waves on top, through an imperfect sensor.

In the order in which a real one does it: mounting and cross-axis errors turn the axes, the seismic mass on its stud
resonates, the element saturates, a low-pass guards the converter, bias and noise are added, the converter
rounds and ends.
"""

from enum import IntEnum

import numpy as np
from pydantic import Field
from scipy.linalg import expm
from scipy.signal import butter, sosfilt, sosfilt_zi

from twin.core.arrays import Array, G, frozen
from twin.core.errors import ConfigError
from twin.core.settings import Settings
from twin.numerics.compiled import compiled
from twin.simulation.randomness import generator
from twin.simulation.short_wave.resampling import Resampler
from twin.simulation.short_wave.stretch import FastStretch, SensorStretch, WheelStretch

MICRO_G = 1e-6 * G
AXES = 3
OVERSAMPLING = 4
"""Samples of the sensor's inside per sample it delivers: its resonance lies above half the rate it delivers at."""


class BoxAxis(IntEnum):
    """Axes of an axle box: column of its acceleration."""

    LONGITUDINAL = 0
    LATERAL = 1
    VERTICAL = 2


class AxleBoxConfig(Settings):
    """A piezoelectric or capacitive accelerometer for +-100 g on each box; sd are drawn once per seed and channel."""

    axes: tuple[BoxAxis, ...] = Field((BoxAxis.VERTICAL,), min_length=1, max_length=3, description="channels of a box")
    noise_density: float = Field(
        100 * MICRO_G, ge=0, description="one-sided white noise [m/s^2/sqrt(Hz)]; +-100 g elements have 25-200 ug"
    )
    bias: float = Field(0.3, ge=0, le=20, description="sd of the constant error [m/s^2]; capacitive elements 10-50 mg")
    scale: float = Field(0.01, ge=0, le=0.2, description="sd of the scale error [-]")
    cross_axis: float = Field(0.02, ge=0, le=0.2, description="sd of the share of another axis [-]; datasheets 1-3 %")
    mounting: float = Field(
        0.01, ge=0, le=0.2, description="sd of the mounting angles [rad]; a machined face has 10 mrad"
    )
    resonance: float = Field(
        21e3, ge=2e3, le=1e5, description="of the seismic mass on its stud [Hz]; glued or magnetic mounts 5-10 kHz"
    )
    resonance_damping: float = Field(0.05, gt=0.001, le=2, description="ratio of that resonance [-]")
    bandwidth: float = Field(10e3, ge=100, description="-3 dB of the fourth-order low-pass [Hz]; below half the rate")
    limit: float = Field(100 * G, gt=0, description="end of the range of element and converter [m/s^2]")
    lsb: float = Field(0.03, ge=0, description="quantisation step [m/s^2]; 0 for none; 100 g in 16 bit is 0.03")


class AxleBoxSensors:
    """The accelerometers of all boxes. Channels: box by box, of each its axes. Remembers filters and random streams.

    Signals between the samples are interpolated, which costs 0.1 dB at 6 kHz and 0.8 dB at 10 kHz.
    """

    def __init__(
        self, config: AxleBoxConfig, *, wheels: int, vehicle_rate: float, rate: float = 25600.0, seed: int
    ) -> None:
        if not config.bandwidth < rate / 2:
            raise ConfigError(f"bandwidth must lie below rate / 2 = {rate / 2:g} Hz, got {config.bandwidth:g} Hz")
        self._config, self._wheels, self._rate = config, wheels, rate
        self._resampler = Resampler(from_rate=vehicle_rate, to_rate=rate)
        channels = wheels * len(config.axes)
        fixed = generator(seed, "axle box constants")
        self._bias = config.bias * fixed.standard_normal(channels)
        self._mixing = np.stack([self._sensitivity(fixed) for _ in range(wheels)])
        self._noise = generator(seed, "axle box noise")
        self._sd_noise = config.noise_density * np.sqrt(rate / 2)
        inside = rate * OVERSAMPLING
        self._inside = Resampler(from_rate=rate, to_rate=inside)
        self._resonance = _oscillator(config.resonance, config.resonance_damping, dt=1 / inside)
        self._sos = butter(4, config.bandwidth, fs=inside, output="sos")
        self._inside_done = 0
        self._memory: tuple[Array, Array] | None = None
        self._heard, self._first = 0, 0
        self._t_start: float | None = None

    def process(self, stretch: WheelStretch, fast: FastStretch) -> SensorStretch:
        """(n, channels) specific force [m/s^2], continued; fast is what ShortWaves made of the same stretch.

        Eight fast samples later than fast: the resonance needs what is between the samples.
        """
        if self._t_start is None:
            self._t_start = float(stretch.t[0])
        n = stretch.t.size
        slow = self._resampler.process(stretch.box_acceleration.reshape(n, self._wheels * AXES))
        if slow.shape[0] != fast.acceleration.shape[0] or fast.first != self._heard:
            raise ConfigError("the fast stretch does not belong to this stretch: feed both stages the same stretches")
        self._heard += slow.shape[0]
        motion = slow.reshape(slow.shape[0], self._wheels, AXES)
        motion[:, :, BoxAxis.VERTICAL] += fast.acceleration
        # summed axis by axis: a matrix product may round differently for stretches of another length
        felt = np.asarray(sum(self._mixing[:, :, axis] * motion[:, :, axis, None] for axis in BoxAxis))
        values = self._through(self._inside.process(felt.reshape(slow.shape[0], self._bias.size)))
        first, self._first = self._first, self._first + values.shape[0]
        return SensorStretch(first=first, t_start=self._t_start, rate=self._rate, values=frozen(values))

    def _sensitivity(self, rng: np.random.Generator) -> Array:
        """(channels of a box, 3): axes of the element in those of the box."""
        config = self._config
        roll, pitch, yaw = config.mounting * rng.standard_normal(3)
        turned = np.eye(3) + np.array([[0, yaw, -pitch], [-yaw, 0, roll], [pitch, -roll, 0]])
        mixing = config.cross_axis * rng.standard_normal((3, 3))
        np.fill_diagonal(mixing, 1 + config.scale * rng.standard_normal(3))
        return np.asarray((mixing @ turned)[list(config.axes)])

    def _through(self, felt: Array) -> Array:
        """(n, channels) delivered, of accelerations along the sensitive axes (m, channels) at the rate inside."""
        if felt.shape[0] == 0:
            return felt
        if self._memory is None:  # at rest on the first sample: no step transient
            start = np.clip(felt[0], -self._config.limit, self._config.limit)
            seismic = np.stack([felt[0], np.zeros_like(start), felt[0]])
            self._memory = seismic, sosfilt_zi(self._sos)[..., None] * start
        seismic, zi = self._memory
        element = _resonate(*self._resonance, np.ascontiguousarray(felt), seismic)
        element = np.clip(element, -self._config.limit, self._config.limit)
        filtered, zi = sosfilt(self._sos, element, axis=0, zi=zi)
        self._memory = seismic, zi
        first, self._inside_done = -self._inside_done % OVERSAMPLING, self._inside_done + felt.shape[0]
        return self._converted(filtered[first::OVERSAMPLING])

    def _converted(self, values: Array) -> Array:
        config = self._config
        values = values + self._bias + self._sd_noise * self._noise.standard_normal(values.shape)
        values = np.clip(values, -config.limit, config.limit)
        return np.asarray(np.rint(values / config.lsb) * config.lsb if config.lsb > 0 else values)


def _oscillator(frequency: float, damping: float, *, dt: float) -> tuple[Array, Array, Array]:
    """Phi (2, 2), Gamma_0 (2,), Gamma_1 (2,) of y'' + 2 damping omega y' + omega^2 y = omega^2 u, u linear in a step.

    Exact within a step, so that a resonance above half the rate still lifts what is below it.
    """
    omega = 2 * np.pi * frequency
    whole = np.zeros((4, 4))
    whole[0, 1] = dt
    whole[1, :3] = dt * omega**2 * np.array([-1.0, -2 * damping / omega, 1.0])
    whole[2, 3] = 1.0
    exponential = expm(whole)
    constant, ramp = exponential[:2, 2], exponential[:2, 3]
    return np.ascontiguousarray(exponential[:2, :2]), constant - ramp, np.ascontiguousarray(ramp)


@compiled
def _resonate(Phi: Array, Gamma_0: Array, Gamma_1: Array, u: Array, memory: Array) -> Array:
    """(n, channels) answers of oscillators to u (n, channels); memory (3, channels): y, y', u, in place."""
    n, channels = u.shape
    out = np.empty((n, channels))
    for i in range(n):
        for j in range(channels):
            y, rate, before = memory[0, j], memory[1, j], memory[2, j]
            now = u[i, j]
            memory[0, j] = Phi[0, 0] * y + Phi[0, 1] * rate + Gamma_0[0] * before + Gamma_1[0] * now
            memory[1, j] = Phi[1, 0] * y + Phi[1, 1] * rate + Gamma_0[1] * before + Gamma_1[1] * now
            memory[2, j] = now
            out[i, j] = memory[0, j]
    return out
