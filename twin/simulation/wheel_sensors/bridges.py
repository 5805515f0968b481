"""Strain bridges on the web of instrumented wheels.

Gauge j of circle k, N of them at phi_j, on a wheel turned by theta, with the harmonics of web_harmonics:

    s_kj = sum_n [A_kn cos n(theta + phi_j) + B_kn sin n(theta + phi_j)] + T_k + omega^2 c_k + noise
    A_kn = Q a_kn + Y b_kn + Q e m_kn,   B_kn = X x_kn

The loads are those of each instant: the web follows them without delay up to its own modes at some hundred hertz.
"""

import numpy as np
from pydantic import Field

from twin.core.arrays import Array, frozen
from twin.core.settings import Settings
from twin.simulation.randomness import generator
from twin.simulation.short_wave.resampling import Resampler, Waiting
from twin.simulation.short_wave.stretch import FastStretch, SensorStretch, WheelStretch
from twin.simulation.wheel_sensors.web_harmonics import ORDERS, WebHarmonics, web_harmonics

MICROSTRAIN = 1e-6
DEGREE = np.pi / 180
INPUTS = 6
"""Per wheel, from the vehicle's motion: wheel angle, Y, X, contact offset, rotation rate squared, time."""


class BridgeCircle(Settings):
    """Gauges evenly around the wheel at one radius of the web's outer face."""

    radius: float = Field(ge=0.15, le=0.33, description="[m]; 0.15 to 0.17 or 0.30 to 0.33, where strains are known")
    gauges: int = Field(3, ge=1, le=24, description="N; order p is then mixed with the orders m N +- p")
    first_angle: float = Field(0.0, ge=-np.pi, le=np.pi, description="of gauge 0 on the wheel [rad]")
    temperature_rise: float = Field(15.0, ge=-50, le=200, description="of the web in a long run [K]; brakes heat it")


class BridgeConfig(Settings):
    """The bridges of the instrumented wheels, six channels each; sd are drawn once per seed."""

    rate: float = Field(2000.0, ge=100, le=2e4, description="samples per second [Hz]")
    wheels: tuple[int, ...] = Field((0, 1), min_length=1, description="columns of the WheelStretch that have bridges")
    circles: tuple[BridgeCircle, ...] = Field(
        (BridgeCircle(radius=0.16), BridgeCircle(radius=0.315)),
        min_length=1,
        description="0.16 m hears Y, 0.315 m hears Q",
    )
    wheel_radius: float = Field(0.46, gt=0.1, le=0.7, description="rolling radius [m]; scales the computed wheel")
    angle_error: float = Field(0.3 * DEGREE, ge=0, le=0.1, description="sd of a gauge's angle [rad]")
    radius_error: float = Field(0.5e-3, ge=0, le=2e-3, description="sd of a gauge's radius [m]")
    web_variation: float = Field(
        0.03, ge=0, le=0.3, description="sd of every harmonic [-]: this web is not the computed one"
    )
    gain_error: float = Field(0.005, ge=0, le=0.1, description="sd of a bridge's scale [-]")
    zero: float = Field(20 * MICROSTRAIN, ge=0, le=1e-3, description="sd of a bridge's zero [1]")
    noise: float = Field(1 * MICROSTRAIN, ge=0, le=1e-4, description="sd of each sample [1]")
    temperature_strain: float = Field(2 * MICROSTRAIN, ge=-2e-5, le=2e-5, description="left by compensation [1/K]")
    temperature_time: float = Field(1200.0, gt=1, le=1e5, description="time constant of the web's warming [s]")
    centrifugal: float = Field(
        3.3e-9,
        ge=0,
        le=1e-7,
        description="radial strain over the rotation rate squared [s^2]: (3 + nu) rho R^2 / (8 E)",
    )
    lsb: float = Field(0.1 * MICROSTRAIN, ge=0, le=1e-4, description="quantisation step [1]; 0 for none")
    limit: float = Field(3.2767e-3, gt=0, le=0.1, description="end of the range [1]")


class BridgeSensors:
    """Bridges of all instrumented wheels. Channels: wheel by wheel, circle by circle, gauge by gauge."""

    def __init__(self, config: BridgeConfig, *, vehicle_rate: float, fast_rate: float = 25600.0, seed: int) -> None:
        self._config = config
        self._slow = Resampler(from_rate=vehicle_rate, to_rate=config.rate)
        self._fast = Resampler(from_rate=fast_rate, to_rate=config.rate)
        self._waiting = Waiting(2)
        self._gauges = [_Gauge(config, circle, j, f"{w} {k} {j}", seed) for w, k, j, circle in _each(config)]
        self._noise = generator(seed, "bridge noise")
        self._first = 0
        self._t_start: float | None = None

    def process(self, stretch: WheelStretch, fast: FastStretch) -> SensorStretch:
        """(n, channels) strain [1], continued; Q comes from fast, which holds the dynamic part too."""
        if self._t_start is None:
            self._t_start = float(stretch.t[0])
        config, columns = self._config, list(self._config.wheels)
        spin = np.repeat((stretch.V / config.wheel_radius)[:, None] ** 2, len(columns), axis=1)
        age = np.repeat((stretch.t - self._t_start)[:, None], len(columns), axis=1)
        loads = [part[:, columns] for part in (stretch.wheel_angle, stretch.Y, stretch.X, stretch.contact_offset)]
        slow, Q = self._waiting.process(
            self._slow.process(np.hstack([*loads, spin, age])), self._fast.process(fast.force[:, columns])
        )
        parts = slow.reshape(-1, INPUTS, len(columns))
        per_wheel = len(self._gauges) // len(columns)
        strain = np.empty((Q.shape[0], len(self._gauges)))
        for i, gauge in enumerate(self._gauges):
            strain[:, i] = gauge.strain(parts[:, :, i // per_wheel], Q[:, i // per_wheel])
        strain += config.noise * self._noise.standard_normal(strain.shape)
        strain = np.clip(strain, -config.limit, config.limit)
        if config.lsb > 0:
            strain = np.rint(strain / config.lsb) * config.lsb
        first, self._first = self._first, self._first + Q.shape[0]
        return SensorStretch(first=first, t_start=self._t_start, rate=config.rate, values=frozen(strain))


class _Gauge:
    """One bridge where it really is."""

    def __init__(self, config: BridgeConfig, circle: BridgeCircle, number: int, name: str, seed: int) -> None:
        rng = generator(seed, f"bridge {name}")
        self._config, self._circle = config, circle
        turn = 2 * np.pi * number / circle.gauges
        self._phi = circle.first_angle + turn + config.angle_error * rng.standard_normal()
        radius = circle.radius + config.radius_error * np.clip(rng.standard_normal(), -2.0, 2.0)
        # a gauge at the rim of the known radii stays within them: its error then points inward only
        low, high = (0.15, 0.17) if circle.radius < 0.2 else (0.30, 0.33)
        nominal = web_harmonics(float(np.clip(radius, low, high)), scale=config.wheel_radius / 0.46)
        wheel, ring, _ = name.split()
        self._web = _varied(nominal, config.web_variation, generator(seed, f"web {wheel} {ring}"))
        self._gain = 1 + config.gain_error * rng.standard_normal()
        self._zero = config.zero * rng.standard_normal()

    def strain(self, inputs: Array, Q: Array) -> Array:
        """(n,) without noise; inputs (n, 6) of its wheel, Q (n,) [N]."""
        theta, Y, X, e, spin, age = inputs.T
        web, config = self._web, self._config
        angle = theta + self._phi
        total = np.zeros(Q.size)
        for n in range(ORDERS):
            total += (Q * web.a[n] + Y * web.b[n] + Q * e * web.m[n]) * np.cos(n * angle)
            total += X * web.x[n] * np.sin(n * angle)
        warm = self._circle.temperature_rise * -np.expm1(-age / config.temperature_time)
        total += config.temperature_strain * warm + config.centrifugal * spin
        return np.asarray(self._gain * total + self._zero)


def _each(config: BridgeConfig) -> list[tuple[int, int, int, BridgeCircle]]:
    """Wheel, number of circle, number of gauge and circle of every channel."""
    return [
        (wheel, k, j, circle)
        for wheel in config.wheels
        for k, circle in enumerate(config.circles)
        for j in range(circle.gauges)
    ]


def _varied(web: WebHarmonics, sd: float, rng: np.random.Generator) -> WebHarmonics:
    """The harmonics of another web, all gauges of a circle alike."""
    a, b, m, x = (part * (1 + sd * rng.standard_normal(ORDERS)) for part in (web.a, web.b, web.m, web.x))
    return WebHarmonics(a=a, b=b, m=m, x=x)
