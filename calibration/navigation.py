"""The navigation's variances by constrained maximum likelihood of its innovations.

A filter whose variances are right predicts how far each measurement will be off. So the variances are those under
which the innovations of a recorded run are most likely:

    maximise  sum -(nis + log variance) / 2  +  weak log-normal prior     over the logarithm of each parameter

Constraints: the sensors' noise densities stay as data sheet or static calibration give them, since vibration cannot
tell them apart from itself; a parameter stays within a factor of ten of its prior. The virtual sensors' variance is
no parameter: their measurement is always zero, and the likelihood would call the path's own size their noise. It
follows from the cut-off wavelength.

The filters form a chain, so they are tuned in its order, each alone on what those before it found; the parameters of
one filter in turn, twice, which is enough because each mostly moves one row of measurements.
"""

import datetime
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from pydantic import Field
from scipy.optimize import minimize_scalar

from calibration.likelihood import Consistency, Moments, consistency, log_likelihood
from calibration.moving import LaterFilters, MovingConfig, OdometerAlone, moving_part, navigation_fusions
from calibration.store import Calibration, Origin, rounded
from twin.core.arrays import Array
from twin.core.blocks import Epoch
from twin.core.estimate import Fusion
from twin.navigation.chain import Setup
from twin.navigation.config import NavigationConfig

ODOMETER = ("odometer.accel.moving",)
ATTITUDE = ("attitude.accel_x.moving",)
PATHS = tuple((f"trajectory.{axis}.accel.moving", f"trajectory.{axis}.own_rate") for axis in ("lateral", "vertical"))
"""Parameters of each filter, by their keys in [navigation]."""
SHARES = (0.0, 0.1, 0.35, 0.45, 0.65, 0.9, 1.0)
"""Of the time after collecting, judging, odometer, attitude, both paths and judging again."""
STEP = 0.05
"""Of a logarithm, for the likelihood's slope and curvature: well above the search's tolerance."""

Progress = Callable[[float], None]
"""Is told the share that is done, 0 to 1."""
Replayed = Callable[[Setup], list[Fusion]]
"""Runs one filter with the configuration of a setup."""


class TuneConfig(MovingConfig):
    """How the variances are sought."""

    factor: float = Field(10.0, gt=1, le=100, description="farthest a parameter may go from its prior, as a factor")
    prior: float = Field(
        1.1, gt=0.1, description="sd of the prior's logarithm; 1.1 is a factor of three: decides only without data"
    )
    tolerance: float = Field(0.01, gt=0, lt=0.1, description="of the search, in the logarithm of a parameter")
    narrow: float = Field(0.5, gt=0, description="reach of the second search, in the logarithm of a parameter")


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter as it was found."""

    key: str
    """Dotted, in the section [navigation]."""
    start: float
    value: float
    sd: float
    """In the unit of the value."""
    at_bound: bool
    """The data want it farther from its prior than is believed."""


@dataclass(frozen=True, slots=True)
class Tuned:
    """Variances found on a run, and how the innovations agree with the old and the new ones."""

    config: NavigationConfig
    parameters: tuple[Parameter, ...]
    before: tuple[Consistency, ...]
    after: tuple[Consistency, ...]
    moving: float
    """Time they were found on [s]."""

    def calibration(self, *, date: datetime.date, source: str) -> Calibration:
        """As a file."""
        sds = rounded(np.array([each.sd for each in self.parameters]))
        values = rounded(np.array([each.value for each in self.parameters]))
        tables: dict[str, Any] = {}
        for each, value in zip(self.parameters, values, strict=True):
            _set(tables, each.key, value)
        keys = [f"navigation.{each.key}" for each in self.parameters]
        origin = Origin(kind="navigation", date=date, source=source, uncertainty=dict(zip(keys, sds, strict=True)))
        return Calibration(calibration=origin, navigation=tables)


def tune(
    setup: Setup,
    epochs: Iterable[Epoch],
    progress: Progress | None = None,
    config: TuneConfig | None = None,
    prior: NavigationConfig | None = None,
) -> Tuned:
    """Tune on the moving part of a run, or raise CalibrationError with the reason why not.

    prior: where parameters are expected before any data; the defaults, whatever the setup starts from.
    """
    config, told = config or TuneConfig(), progress or (lambda share: None)
    used = moving_part(setup, epochs, config)
    odometer = OdometerAlone(setup, used, config)
    moments = odometer.moments
    before = consistency(navigation_fusions(setup, used), moments)
    told(SHARES[1])
    search = _Search(setup, prior or NavigationConfig(), moments, config)
    search.improve(ODOMETER, odometer.fusions)
    told(SHARES[2])
    later = LaterFilters(search.setup, used)
    search.improve(ATTITUDE, lambda setup: later.attitude(setup)[1])
    told(SHARES[3])
    level, _ = later.attitude(search.setup)
    for axis, keys in enumerate(PATHS):
        search.improve(keys, partial(later.path, level=level, axis=axis))
        told(SHARES[4 + axis])
    after = consistency(navigation_fusions(search.setup, used), moments)
    told(1.0)
    seconds = float(np.sum(moments.counts)) * float(np.median(np.diff(moments.t_ns))) * 1e-9
    return Tuned(search.setup.config, tuple(search.found), before, after, seconds)


class _Search:
    """Remembers the best configuration so far."""

    def __init__(self, setup: Setup, prior: NavigationConfig, moments: Moments, config: TuneConfig) -> None:
        self.setup = setup
        self.found: list[Parameter] = []
        self._start = setup.config
        self._prior = prior
        self._moments = moments
        self._config = config

    def improve(self, keys: tuple[str, ...], replayed: Replayed) -> None:
        """Find the parameters of one filter."""
        for key in keys:
            self._seek(key, replayed, reach=np.inf)
        if len(keys) > 1:
            for key in keys:
                self._seek(key, replayed, reach=self._config.narrow)
        self.found += [self._described(key, replayed) for key in keys]

    def _seek(self, key: str, replayed: Replayed, *, reach: float) -> None:
        low, high = self._bounds(key)
        now = np.log(_get(self.setup.config, key))
        low, high = max(low, now - reach), min(high, now + reach)
        found = minimize_scalar(
            lambda x: -float(np.sum(self._likelihood(key, x, replayed))) - self._log_prior(key, x),
            bounds=(low, high),
            method="bounded",
            options={"xatol": self._config.tolerance},
        )
        self.setup = _with(self.setup, key, float(np.exp(found.x)))

    def _described(self, key: str, replayed: Replayed) -> Parameter:
        """The parameter with its uncertainty: the curvature of the likelihood, and the scatter of its slopes.

        The curvature alone would take every innovation for independent of the others; the slopes of whole stretches
        of time show how much they really vary (the sandwich estimate, White 1982).
        """
        x = float(np.log(_get(self.setup.config, key)))
        low, high = self._bounds(key)
        below, at, above = (self._likelihood(key, x + step, replayed) for step in (-STEP, 0.0, STEP))
        curvature = -float(np.sum(above - 2 * at + below)) / STEP**2 + self._config.prior**-2
        slopes = (above - below) / (2 * STEP)
        if curvature > 0:
            var = max(1 / curvature, float(np.sum((slopes - slopes.mean()) ** 2)) / curvature**2)
        else:
            var = self._config.prior**2
        value = float(np.exp(x))
        near = 2 * self._config.tolerance
        return Parameter(
            key, _get(self._start, key), value, value * float(np.sqrt(var)), not low + near < x < high - near
        )

    def _bounds(self, key: str) -> tuple[float, float]:
        middle, reach = np.log(_get(self._prior, key)), np.log(self._config.factor)
        return float(middle - reach), float(middle + reach)

    def _log_prior(self, key: str, x: float) -> float:
        return -0.5 * float((x - np.log(_get(self._prior, key))) / self._config.prior) ** 2

    def _likelihood(self, key: str, x: float, replayed: Replayed) -> Array:
        return log_likelihood(replayed(_with(self.setup, key, float(np.exp(x)))), self._moments)


def _get(config: NavigationConfig, key: str) -> float:
    value: Any = config
    for part in key.split("."):
        value = getattr(value, part)
    return float(value)


def _with(setup: Setup, key: str, value: float) -> Setup:
    """The setup with one parameter of its configuration set."""
    tables = setup.config.model_dump()
    _set(tables, key, value)
    return replace(setup, config=NavigationConfig.load(tables, where=f"navigation.{key}"))


def _set(tables: dict[str, Any], key: str, value: float) -> None:
    *path, last = key.split(".")
    for part in path:
        tables = tables.setdefault(part, {})
    tables[last] = value
