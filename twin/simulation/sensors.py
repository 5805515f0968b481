"""Imperfect inertial sensors: datasheet error models, vibration of the structure around them."""

from enum import StrEnum

import numpy as np
from pydantic import Field
from scipy.signal import butter, lfilter, sosfilt, sosfilt_zi

from twin.core.arrays import Array, G
from twin.core.settings import Settings
from twin.simulation.randomness import generator

AXES = 6
"""Three accelerometers, three gyroscopes."""
OVERSAMPLING = 4
"""Samples of the sensor's inside per sample it delivers: enough for its anti-alias filter and the vibration."""
LEAD = 32
"""How far the inside runs ahead of the delivered samples [inside samples]: longer than the filter's delay."""

MILLI_G = 1e-3 * G
MICRO_G = 1e-6 * G
DEGREE = np.pi / 180
DEGREE_PER_HOUR = DEGREE / 3600


class AxisErrors(Settings):
    """Errors of one triad after the factory's calibration; sd are drawn once per seed."""

    noise_density: float = Field(
        0.0,
        ge=0,
        description="one-sided white noise [unit/sqrt(Hz)]; a random walk of N has the density sqrt(2) N",
    )
    instability: float = Field(0.0, ge=0, description="standard deviation of the wandering bias [unit]")
    correlation_time: float = Field(300.0, gt=0, description="of that first-order Gauss-Markov bias [s]")
    turn_on: float = Field(0.0, ge=0, description="sd of the bias of one power cycle [unit]")
    slope: float = Field(0.0, ge=0, description="sd of the bias per kelvin off the calibration temperature [unit/K]")
    scale: float = Field(0.0, ge=0, le=0.1, description="sd of the residual scale error")
    misalignment: float = Field(0.0, ge=0, le=0.1, description="sd of the residual axis misalignment [rad]")
    lsb: float = Field(0.0, ge=0, description="quantisation step [unit]; 0 for none")
    limit: float = Field(1e3, gt=0, description="end of the range [unit]")


class ImuErrors(Settings):
    """An inertial measurement unit by its datasheet; units m/s^2 and rad/s."""

    accelerometer: AxisErrors = Field(AxisErrors(), description="the accelerometer triad [m/s^2]")
    gyroscope: AxisErrors = Field(AxisErrors(), description="the gyroscope triad [rad/s]")
    bandwidth: float = Field(
        180.0, ge=40, le=220, description="-3 dB of its second-order low-pass [Hz]; below half of 500 Hz"
    )
    jitter: float = Field(2e-6, ge=0, le=1e-4, description="sd of the sampling instant [s]; stamped as it happened")
    ambient: float = Field(293.15, ge=230, le=330, description="temperature at switch-on [K]")
    warm_up: float = Field(8.0, ge=0, le=40, description="rise of its temperature above ambient, in 600 s [K]")


class ImuGrade(StrEnum):
    """Datasheet classes."""

    IDEAL = "ideal"
    TACTICAL = "tactical"
    CONSUMER = "consumer"


TACTICAL = ImuErrors(  # typical of calibrated tactical MEMS units (ADIS16495, STIM300 class)
    accelerometer=AxisErrors(
        noise_density=50 * MICRO_G,
        instability=30 * MICRO_G,
        turn_on=0.2 * MILLI_G,
        slope=5 * MICRO_G,
        scale=200e-6,
        misalignment=0.2e-3,
        lsb=1.2e-5,
        limit=10 * G,
    ),
    gyroscope=AxisErrors(
        noise_density=np.sqrt(2) * 0.1 * DEGREE / 60,  # random walk 0.1 deg/sqrt(h)
        instability=2 * DEGREE_PER_HOUR,
        turn_on=20 * DEGREE_PER_HOUR,
        slope=0.5 * DEGREE_PER_HOUR,
        scale=200e-6,
        misalignment=0.2e-3,
        lsb=1e-6,
        limit=450 * DEGREE,
    ),
)
CONSUMER = ImuErrors(  # typical of consumer MEMS chips (ICM-20948, LSM6DSO class) after a tumble calibration
    accelerometer=AxisErrors(
        noise_density=120 * MICRO_G,
        instability=100 * MICRO_G,
        turn_on=5 * MILLI_G,
        slope=50 * MICRO_G,
        scale=500e-6,
        misalignment=0.5e-3,
        lsb=8 * G / 2**15,
        limit=8 * G,
    ),
    gyroscope=AxisErrors(
        noise_density=0.005 * DEGREE,
        instability=10 * DEGREE_PER_HOUR,
        turn_on=0.2 * DEGREE,
        slope=5 * DEGREE_PER_HOUR,
        scale=500e-6,
        misalignment=0.5e-3,
        lsb=250 * DEGREE / 2**15,
        limit=250 * DEGREE,
    ),
)
GRADES = {
    ImuGrade.IDEAL: ImuErrors(jitter=0.0),
    ImuGrade.TACTICAL: TACTICAL,
    ImuGrade.CONSUMER: CONSUMER,
}


class ImuSensor:
    """An IMU fed with the error-free truth at OVERSAMPLING times its rate, LEAD inside samples ahead.

    The unit stamps a sample with the instant it belongs to: the delay of its filter is compensated, as the
    better units do. The vehicle rests on the first sample.
    """

    def __init__(self, errors: ImuErrors, *, rate: float, seed: int) -> None:
        self._errors, self._rate = errors, rate
        axes = (errors.accelerometer,) * 3 + (errors.gyroscope,) * 3
        self._limit, self._lsb = np.array([a.limit for a in axes]), np.array([a.lsb for a in axes])
        self._sd_noise = np.array([a.noise_density for a in axes]) * np.sqrt(rate / 2)
        fixed = generator(seed, "imu constants")
        self._turn_on = fixed.standard_normal(AXES) * [a.turn_on for a in axes]
        self._slope = fixed.standard_normal(AXES) * [a.slope for a in axes]
        self._mixing = np.zeros((AXES, AXES))
        for first, triad in ((0, errors.accelerometer), (3, errors.gyroscope)):
            block = triad.misalignment * fixed.standard_normal((3, 3))
            np.fill_diagonal(block, 1 + triad.scale * fixed.standard_normal(3))
            self._mixing[first : first + 3, first : first + 3] = block
        self._decay = np.exp(-1 / (rate * np.array([a.correlation_time for a in axes])))
        self._wander = fixed.standard_normal(AXES) * [a.instability for a in axes]
        self._sd_wander = np.array([a.instability for a in axes]) * np.sqrt(1 - self._decay**2)
        self._noise, self._drift = generator(seed, "imu noise"), generator(seed, "imu bias")
        self._jitter = generator(seed, "imu jitter")
        inside_rate = rate * OVERSAMPLING
        self._sos = butter(2, errors.bandwidth, fs=inside_rate, output="sos")
        # Delay at low frequency of a second-order Butterworth whose corner the bilinear transform has warped.
        self._delay = np.sqrt(0.5) / (inside_rate * np.tan(np.pi * errors.bandwidth / inside_rate))
        self._zi: Array | None = None
        self._filtered = np.zeros((LEAD, AXES))

    def process(self, t: Array, inside: Array) -> tuple[Array, Array]:
        """Sampling instants (n,) [s] and values (n, 7) for nominal times t (n,).

        inside: (OVERSAMPLING * n, 6) specific force and rate; row i belongs to t[0] + (LEAD + i) inside periods.
        """
        signal = self._low_pass(inside)
        jitter = self._errors.jitter * self._jitter.standard_normal(t.size)
        at = (np.arange(t.size) / self._rate + self._delay + jitter) * self._rate * OVERSAMPLING
        celsius = self._errors.warm_up * (1 - np.exp(-t / 600))
        values = _interpolate(signal, at) @ self._mixing.T
        values += self._turn_on + self._bias(t.size) + celsius[:, None] * self._slope
        values += self._sd_noise * self._noise.standard_normal((t.size, AXES))
        values = np.clip(values, -self._limit, self._limit)
        coarse = self._lsb > 0
        values[:, coarse] = np.rint(values[:, coarse] / self._lsb[coarse]) * self._lsb[coarse]
        temperature = np.round(self._errors.ambient + celsius, 2)
        return t + jitter, np.column_stack((values, temperature))

    def _low_pass(self, inside: Array) -> Array:
        """(LEAD + n, 6) filtered inside samples from t[0] on."""
        if self._zi is None:  # at rest: no step transient
            self._zi = sosfilt_zi(self._sos)[..., None] * inside[0]
            self._filtered[:] = inside[0]
        filtered, self._zi = sosfilt(self._sos, inside, axis=0, zi=self._zi)
        signal = np.concatenate((self._filtered, filtered))
        self._filtered = signal[-LEAD:].copy()
        return signal

    def _bias(self, n: int) -> Array:
        """(n, 6) the wandering part of the bias, continued."""
        drive = self._sd_wander * self._drift.standard_normal((n, AXES))
        bias = np.empty((n, AXES))
        for i, decay in enumerate(self._decay):
            bias[:, i], _ = lfilter([1.0], [1.0, -decay], drive[:, i], zi=[decay * self._wander[i]])
        self._wander = bias[-1].copy()
        return bias


class VibrationConfig(Settings):
    """Vibration of the structure that carries the sensor; not a motion of the body."""

    acceleration: float = Field(0.4, ge=0, le=20, description="at 20 m/s, each axis [m/s^2 rms]")
    rate: float = Field(0.005, ge=0, le=1, description="at 20 m/s, each axis [rad/s rms]")
    frequencies: tuple[float, ...] = Field(
        (17.0, 31.0, 52.0, 88.0, 126.0), description="modes of the structure [Hz]; equal shares of the power"
    )
    damping: float = Field(0.05, gt=0.01, le=0.3, description="half width of a mode over its frequency")


class Vibration:
    """Band-passed noise that grows with the speed; silent before departure."""

    def __init__(self, config: VibrationConfig, *, rate: float, departure: float, seed: int) -> None:
        self._departure = departure
        self._noise = generator(seed, "vibration")
        level = np.array([config.acceleration] * 3 + [config.rate] * 3) / 20.0
        self._level = level / np.sqrt(max(len(config.frequencies), 1))
        # Second order on either side: the displacement below the band stays bounded, as of a real structure.
        self._sos = [
            butter(2, (f * (1 - config.damping), f * (1 + config.damping)), "bandpass", fs=rate, output="sos")
            for f in config.frequencies
        ]
        bands = [2 * config.damping * f for f in config.frequencies]
        # Noise bandwidth of a second-order Butterworth band: pi / (2 sqrt(2)) of its -3 dB width.
        self._gain = [np.sqrt(rate / 2 / (band * np.pi / np.sqrt(8))) for band in bands]
        self._memory = [np.zeros((sos.shape[0], 2, AXES)) for sos in self._sos]

    def process(self, t: Array, V: Array) -> Array:
        """(n, 6) accelerations [m/s^2] and rates [rad/s] at times t [s] and speeds V [m/s], continued."""
        out = np.zeros((t.size, AXES))
        first = int(np.searchsorted(t, self._departure))
        if first == t.size:
            return out
        drive = self._noise.standard_normal((t.size - first, AXES)) * (V[first:, None] * self._level)
        for i, sos in enumerate(self._sos):
            band, self._memory[i] = sosfilt(sos, drive, axis=0, zi=self._memory[i])
            out[first:] += self._gain[i] * band
        return out


def _interpolate(signal: Array, at: Array) -> Array:
    """(n, 6) cubic Lagrange interpolation of rows at fractional indices (n,)."""
    i = np.floor(at).astype(np.int64)
    x = (at - i)[:, None]
    return np.asarray(
        -x * (x - 1) * (x - 2) / 6 * signal[i - 1]
        + (x + 1) * (x - 1) * (x - 2) / 2 * signal[i]
        - (x + 1) * x * (x - 2) / 2 * signal[i + 1]
        + (x + 1) * x * (x - 1) / 6 * signal[i + 2]
    )
