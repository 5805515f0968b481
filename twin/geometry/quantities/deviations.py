"""Standard deviations over 200 m, the combined deviation of a track, and its quality classes."""

from dataclasses import dataclass

import numpy as np

from twin.core.arrays import Array, BoolArray, IntArray, frozen
from twin.geometry.quantities.config import QuantityConfig
from twin.geometry.quantities.quantity import Kind, Rail, TrackGeometry
from twin.geometry.rails import LEFT_OUT, STEP

COMBINED = "combined standard deviation"
_JUDGED = ((Kind.LEVEL, (Rail.LEFT, Rail.RIGHT)), (Kind.ALIGNMENT, (Rail.LEFT, Rail.RIGHT)))
_WHOLE = ((Kind.GAUGE, (Rail.NONE,)), (Kind.CROSS_LEVEL, (Rail.NONE,)))


@dataclass(frozen=True, slots=True)
class Deviation:
    """Standard deviation of one quantity of D1 [m], sliding and per block; NaN where too few points are valid."""

    name: str
    unit: str
    sliding: Array
    """(n,) over the window about every point."""
    blocks: Array
    """(m,) over each block of the line."""

    def __post_init__(self) -> None:
        for name in ("sliding", "blocks"):
            object.__setattr__(self, name, frozen(getattr(self, name)))


@dataclass(frozen=True, slots=True)
class Deviations:
    """Deviations of a run; blocks lie at multiples of their length along the line, in both running directions."""

    block_start: Array
    """(m,) arc length along the line [m]."""
    block_kilometre: Array
    """(m,) of the first point in it [km]."""
    block_length: float
    """[m]"""
    quantities: tuple[Deviation, ...]
    """Level and alignment D1 (root mean square of the rails), gauge and cross level in the waves of D1, combined."""

    def __getitem__(self, name: str) -> Deviation:
        return next(deviation for deviation in self.quantities if deviation.name == name)


def deviations(geometry: TrackGeometry, config: QuantityConfig) -> Deviations:
    """Standard deviations of D1 of what is judged."""
    counted = geometry.counted(LEFT_OUT)
    numbers = np.floor(geometry.s / config.deviation_window + 1e-9).astype(np.int64)
    first, begin, inverse = np.unique(numbers, return_index=True, return_inverse=True)
    block = np.asarray(inverse, dtype=np.int64)
    found = []
    for kind, rails in (*_JUDGED, *_WHOLE):
        quantities = [geometry[f"{kind} D1 {rail}".strip()] for rail in rails]
        used = [np.where(q.valid & counted, q.values, np.nan) for q in quantities]
        sliding = _mean_of_rails([_sliding_variance(values, config) for values in used])
        blocks = _mean_of_rails([_block_variance(values, block, first.size, config) for values in used])
        found.append(Deviation(f"{kind} D1", "m", np.sqrt(sliding), np.sqrt(blocks)))
    found.append(_combined(found, config))
    start = np.asarray(first * config.deviation_window, dtype=np.float64)
    return Deviations(start, geometry.kilometre[begin], config.deviation_window, tuple(found))


def _mean_of_rails(variances: list[Array]) -> Array:
    return np.asarray(np.mean(variances, axis=0))


def _combined(parts: list[Deviation], config: QuantityConfig) -> Deviation:
    """CoSD = sqrt(sum of weight * variance)."""
    weights = (config.weights.level, config.weights.alignment, config.weights.gauge, config.weights.cross_level)
    sliding = sum((w * part.sliding**2 for w, part in zip(weights, parts, strict=True)), np.zeros(()))
    blocks = sum((w * part.blocks**2 for w, part in zip(weights, parts, strict=True)), np.zeros(()))
    return Deviation(COMBINED, "m", np.sqrt(sliding), np.sqrt(blocks))


def _sliding_variance(values: Array, config: QuantityConfig) -> Array:
    """(n,) variance over the window about each point, NaN where too few points are known or the line ends."""
    half = round(config.deviation_window / (2 * STEP))
    known = np.isfinite(values)
    offset = np.mean(values[known]) if known.any() else 0.0  # keeps differences of sums precise
    centred = np.where(known, values - offset, 0.0)
    count = _window_sum(known.astype(np.float64), half)
    total, squares = _window_sum(centred, half), _window_sum(centred**2, half)
    return _variance(count, total, squares, enough=count >= config.deviation_share * (2 * half + 1))


def _block_variance(values: Array, block: IntArray, blocks: int, config: QuantityConfig) -> Array:
    known = np.isfinite(values)
    count = np.bincount(block[known], minlength=blocks).astype(np.float64)
    total, squares = (
        np.bincount(block[known], weights=values[known] ** power, minlength=blocks).astype(np.float64)
        for power in (1, 2)
    )
    return _variance(count, total, squares, enough=count >= config.deviation_share * config.deviation_window / STEP)


def _variance(count: Array, total: Array, squares: Array, *, enough: BoolArray) -> Array:
    divided = np.maximum(count, 2.0)
    variance = np.maximum(squares - total**2 / divided, 0.0) / (divided - 1)
    return np.where(enough & (count >= 2), variance, np.nan)


def _window_sum(values: Array, half: int) -> Array:
    """(n,) sums over half points to either side; what lies beyond the ends counts nothing."""
    sums = np.concatenate(([0.0], np.cumsum(values)))
    i = np.arange(values.size)
    return np.asarray(sums[np.minimum(i + half + 1, values.size)] - sums[np.maximum(i - half, 0)])
