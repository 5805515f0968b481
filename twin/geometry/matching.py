"""Two runs over one line laid over each other: how far the second is off, place by place.

Positions of two runs differ by some metres, and the difference drifts. The waves of D1 are the track's fingerprint:
windows of both runs are correlated over lags, channel by channel, so that a broken one spoils nothing. The path of
lags that correlates best without jumping is found by dynamic programming; parabolas refine it below the grid, and a
Kalman smoother of offset and drift makes it a smooth curve with a standard deviation.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from pydantic import Field
from scipy.fft import next_fast_len

from twin.core.arrays import Array, BoolArray, IntArray, frozen
from twin.core.settings import Settings
from twin.geometry.quantities.quantity import TrackGeometry
from twin.geometry.rails import STEP, RailTrace
from twin.numerics.kalman import correct, predict
from twin.numerics.smoothing import rts_plain

CHANNELS = (
    "longitudinal level D1 left",
    "longitudinal level D1 right",
    "alignment D1 left",
    "alignment D1 right",
    "gauge D1",
    "cross level D1",
)
_WILD = 4.0
"""Values beyond so many standard deviations are cut: one blow must not be all of a window."""
_INDEPENDENT = 6.0
"""Length that holds one independent value of D1 [m]: half a wave of those that carry most of it."""
_MOST = 0.999
"""Correlation counted at most: rails repeat no better than their measurement."""


class MatchConfig(Settings):
    """How two runs are laid over each other."""

    farthest: float = Field(200.0, ge=1, le=2000, description="largest offset looked for [m]")
    block: float = Field(1000.0, ge=200, le=10000, description="length of the blocks of the first, rough search [m]")
    margin: float = Field(3.0, ge=0.5, le=50, description="room about the rough offsets for the fine search [m]")
    window: float = Field(50.0, ge=20, le=500, description="length correlated at a place [m]; two longest waves of D1")
    spacing: float = Field(10.0, ge=1, le=100, description="distance of such places [m]")
    drift: float = Field(
        8e-3,
        gt=0,
        le=0.1,
        description="standard deviation of the drift [m/m]; a worn wheel counts 2 mm per metre wrong, and a position "
        "that is corrected by the curves moves by a third of a metre in ten",
    )
    drift_length: float = Field(
        100.0, ge=10, le=10000, description="length over which the drift may change by its deviation [m]"
    )
    least_correlation: float = Field(
        0.5, gt=0, lt=1, description="mean correlation below which a place is not matched, 0 to 1"
    )
    gate: float = Field(9.0, gt=1, le=100, description="largest nis of a window that is used; 3 standard deviations")


@dataclass(frozen=True, slots=True)
class OffsetCurve:
    """Where the second run has what the first has at s: at s + offset. All (n,) on the first run's grid."""

    s: Array
    offset: Array
    """[m]; NaN where nothing matched at all."""
    sd: Array
    """[m]"""
    correlation: Array
    """Mean of the channels at the offset, 0 to 1."""
    matched: BoolArray
    """Where the runs correlate well enough."""

    def __post_init__(self) -> None:
        for name in ("s", "offset", "sd", "correlation", "matched"):
            object.__setattr__(self, name, frozen(getattr(self, name)))


@dataclass(frozen=True, slots=True)
class _Scores:
    """Correlations of windows at lags."""

    lags: IntArray
    """(lags,) [points]"""
    at: IntArray
    """(windows,) middle of each [points of the first run]."""
    mean: Array
    """(windows, lags) of the channels."""
    likelihood: Array
    """(windows, lags) logarithm, summed over the channels."""


def match_runs(
    first: TrackGeometry, second: TrackGeometry, config: MatchConfig, *, channels: Sequence[str] = CHANNELS
) -> OffsetCurve:
    """The offset of a second run against a first one, both by increasing kilometre."""
    a, b = (np.stack([_fingerprint(run, name) for name in channels]) for run in (first, second))
    shift = round((first.s[0] - second.s[0]) / STEP)
    lags = _rough_lags(a, b, shift, config)
    none = np.full(first.s.size, np.nan)
    if lags.size == 0:
        return OffsetCurve(first.s, none, none, np.zeros(none.size), np.zeros(none.size, dtype=bool))
    scores = _correlate(a, b, shift, lags, config)
    path = _best_path(scores, config)
    offset, sd = _smoothed(scores, path, config)
    s_at = first.s[scores.at]
    correlation = np.interp(first.s, s_at, scores.mean[np.arange(path.size), path])
    return OffsetCurve(
        s=first.s,
        offset=np.interp(first.s, s_at, offset),
        sd=np.interp(first.s, s_at, sd),
        correlation=correlation,
        matched=correlation >= config.least_correlation,
    )


def _fingerprint(run: TrackGeometry, name: str) -> Array:
    """(n,) a channel in its own deviations, wild values cut, 0 where not valid."""
    quantity = run[name]
    known = quantity.valid & np.isfinite(quantity.values)
    if not known.any():
        return np.zeros(run.s.size)
    scale = 1.4826 * float(np.median(np.abs(quantity.values[known])))
    values = np.where(known, quantity.values, 0.0) / (scale if scale > 0 else 1.0)
    return np.asarray(np.clip(values, -_WILD, _WILD))


def _rough_lags(a: Array, b: Array, shift: int, config: MatchConfig) -> IntArray:
    """Lags [points] worth a fine search: about those at which whole blocks correlate; none where no block does."""
    length, reach = round(config.block / STEP), round(config.farthest / STEP)
    found = []
    for start in range(0, max(a.shape[1] - length // 2, 1), length):
        part = a[:, start : start + length]
        begin = start + shift - reach
        other = _cut(b, begin, begin + part.shape[1] + 2 * reach)
        points = next_fast_len(other.shape[1], real=True)
        spectrum = np.conj(np.fft.rfft(part, points)) * np.fft.rfft(other, points)
        products = np.fft.irfft(spectrum.sum(axis=0), points)[: 2 * reach + 1]
        energy = np.cumsum(np.append(0.0, np.sum(other**2, axis=0)))
        energies = energy[part.shape[1] :][: products.size] - energy[: products.size]
        norm = np.sqrt(np.maximum(energies * np.sum(part**2), 1e-12))
        best = int(np.argmax(products / norm))
        if products[best] / norm[best] >= config.least_correlation:
            found.append(best - reach)
    if not found:
        return np.empty(0, dtype=np.int64)
    margin = round(config.margin / STEP)
    rough = np.array(found, dtype=np.int64)
    apart = np.abs(rough - np.median(rough))
    near = rough[apart <= 4 * max(margin, float(np.median(apart)))]  # a block may fit a far one by chance
    return np.arange(near.min() - margin, near.max() + margin + 1, dtype=np.int64)


def _cut(values: Array, start: int, stop: int) -> Array:
    """(channels, stop - start) values of a stretch, 0 beyond the ends."""
    result = np.zeros((values.shape[0], stop - start))
    low, high = max(start, 0), min(stop, values.shape[1])
    if low < high:
        result[:, low - start : high - start] = values[:, low:high]
    return result


def _correlate(a: Array, b: Array, shift: int, lags: IntArray, config: MatchConfig) -> _Scores:
    """Correlation of every window at every lag, by sums over whole runs: memory of a run, not of its windows."""
    n, half = a.shape[1], round(config.window / (2 * STEP))
    at = np.arange(0, n, round(config.spacing / STEP))
    low, high = np.maximum(at - half, 0), np.minimum(at + half + 1, n)

    def summed(values: Array) -> Array:
        sums = np.concatenate((np.zeros((values.shape[0], 1)), np.cumsum(values, axis=1)), axis=1)
        return np.asarray(sums[:, high] - sums[:, low])

    own = summed(a**2)
    mean, likelihood = np.zeros((at.size, lags.size)), np.zeros((at.size, lags.size))
    for k, lag in enumerate(lags):
        other = _cut(b, shift + int(lag), shift + int(lag) + n)
        norm = np.sqrt(own * summed(other**2))
        rho = np.divide(summed(a * other), norm, out=np.zeros_like(norm), where=norm > 1e-9)
        rho = np.clip(rho, 0.0, _MOST)
        mean[:, k] = rho.mean(axis=0)
        likelihood[:, k] = -config.window / _INDEPENDENT / 2 * np.log1p(-(rho**2)).sum(axis=0)
    return _Scores(lags, np.asarray(at, dtype=np.int64), mean, likelihood)


def _best_path(scores: _Scores, config: MatchConfig) -> IntArray:
    """(windows,) column of the lag of each window: most likely path whose drift costs what the settings say."""
    windows, lags = scores.likelihood.shape
    steps = min(lags - 1, max(2, round(4 * config.drift * config.spacing / STEP)))
    moves = np.arange(-steps, steps + 1)
    cost = (moves * STEP / (max(config.drift * config.spacing, STEP / 2))) ** 2 / 2
    best = scores.likelihood[0].copy()
    came = np.zeros((windows, lags), dtype=np.int64)
    columns = np.arange(lags)
    for w in range(1, windows):
        origin = columns[None, :] + moves[:, None]
        inside = (origin >= 0) & (origin < lags)
        reached = np.where(inside, best[np.clip(origin, 0, lags - 1)] - cost[:, None], -np.inf)
        chosen = np.argmax(reached, axis=0)
        came[w] = columns + moves[chosen]
        best = reached[chosen, columns] + scores.likelihood[w]
    path = np.empty(windows, dtype=np.int64)
    path[-1] = int(np.argmax(best))
    for w in range(windows - 1, 0, -1):
        path[w - 1] = came[w, path[w]]
    return path


def _smoothed(scores: _Scores, path: IntArray, config: MatchConfig) -> tuple[Array, Array]:
    """(windows,) offset and its standard deviation [m], smooth along the line."""
    z, good = _refined(scores, path, config)
    r = _window_variance(z, good, config)
    ds = config.spacing
    F = np.array([[1.0, ds], [0.0, 1.0]])
    q = config.drift**2 / config.drift_length
    Q = q * np.array([[ds**3 / 3, ds**2 / 2], [ds**2 / 2, ds]])
    H, R = np.array([[1.0, 0.0]]), np.array([[r]])
    x, P = np.array([float(np.median(z[good])) if good.any() else 0.0, 0.0]), np.diag([1e4, config.drift**2])
    xs, Ps = np.empty((z.size, 2)), np.empty((z.size, 2, 2))
    for i in range(z.size):
        if i:
            x, P = predict(x, P, F, Q)
        if good[i]:
            found = correct(x, P, z[i : i + 1], H, R)
            if found.nis <= config.gate:
                x, P = found.x, found.P
        xs[i], Ps[i] = x, P
    smooth, P_s = rts_plain(xs, Ps, F, Q)  # thousands of windows at most: not worth compiled kernels
    return smooth[:, 0], np.sqrt(P_s[:, 0, 0])


def _window_variance(z: Array, good: BoolArray, config: MatchConfig) -> float:
    """Variance [m^2] of the offsets of windows as if they were independent, which windows that overlap are not."""
    overlap = max(round(config.window / config.spacing), 1)
    apart = np.where(good, z, np.nan)
    bends = apart[: -2 * overlap] - 2 * apart[overlap:-overlap] + apart[2 * overlap :]  # 1 -2 1 has variance 6
    bends = np.abs(bends[np.isfinite(bends)])
    spread = 1.4826 * float(np.median(bends)) / np.sqrt(6.0) if bends.size > 4 else STEP
    return max(spread, STEP / 50) ** 2 * overlap


def _refined(scores: _Scores, path: IntArray, config: MatchConfig) -> tuple[Array, BoolArray]:
    """(windows,) offset [m] by a parabola through the correlations about the lag, and whether it can be used."""
    rows = np.arange(path.size)
    inner = np.clip(path, 1, scores.lags.size - 2)
    before, at, after = (scores.mean[rows, inner + k] for k in (-1, 0, 1))
    bend = before - 2 * at + after
    share = np.divide(before - after, 2 * bend, out=np.zeros_like(bend), where=bend < 0)
    good = (at >= config.least_correlation) & (bend < 0) & (path == inner) & (np.abs(share) <= 1)
    return STEP * (scores.lags[inner] + np.clip(share, -1, 1)), np.asarray(good)


def resampled(second: RailTrace, curve: OffsetCurve, *, onto: RailTrace) -> RailTrace:
    """The second run on the grid of the first, NaN where it has nothing there; the design is the first run's."""
    place = (curve.s + curve.offset - second.s[0]) / STEP
    known = np.isfinite(place) & curve.matched
    near = np.clip(np.rint(np.where(known, place, 0.0)), 0, len(second) - 1).astype(np.int64)
    inside = known & (place >= 0) & (place <= len(second) - 1)
    columns = {
        name: interpolated(getattr(second, name), np.where(inside, place, np.nan))
        for name in ("y_left", "z_left", "y_right", "z_right", "speed")
    }
    return replace(onto, flags=np.where(inside, second.flags[near], np.uint8(0)), **columns)


def interpolated(values: Array, place: Array) -> Array:
    """Values at fractions of points by the cubic through four neighbours (Catmull and Rom); NaN where one is unknown.

    A wave of 3 m, twelve points, loses less than 0.2 %.
    """
    known = np.isfinite(place)
    i = np.clip(np.floor(np.where(known, place, 0.0)).astype(np.int64), 1, max(values.size - 3, 1))
    t = np.where(known, place, np.nan) - i
    p0, p1, p2, p3 = (values[np.clip(i + k, 0, values.size - 1)] for k in (-1, 0, 1, 2))
    cubic = p1 + t / 2 * (p2 - p0 + t * (2 * p0 - 5 * p1 + 4 * p2 - p3 + t * (3 * (p1 - p2) + p3 - p0)))
    return np.asarray(np.where((t >= -1) & (t <= 2), cubic, np.nan))
