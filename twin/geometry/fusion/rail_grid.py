"""One rail on the distance grid, image by image: means of the images around each point, cubics between.

Images come every 5 cm to 55 cm. Those nearer to one point of the grid than to any other are averaged, place and all;
through the averages goes a cubic (Catmull and Rom's, on uneven places). A point is given once: where a train rolls back
or stands, what was seen first counts.
"""

from dataclasses import dataclass, fields
from typing import Self

import numpy as np

from twin.core.arrays import Array, FlagArray, IntArray

MOST = 64
"""Images averaged at one point; a train that stands sees the same place thousands of times."""


@dataclass(frozen=True, slots=True)
class RailSamples:
    """A rail at ascending or repeated places. All (n, ...)."""

    s: Array
    t_ns: IntArray
    values: Array
    """(n, columns)"""
    var: Array
    """(n, columns of variance) of the white error of single images; means divide it."""
    flags: FlagArray

    def __len__(self) -> int:
        return int(self.s.size)

    def rows(self, which: slice | IntArray) -> Self:
        """Some of them."""
        return type(self)(**{f.name: getattr(self, f.name)[which] for f in fields(self)})

    @classmethod
    def join(cls, parts: list[Self]) -> Self:
        """Consecutive ones as one."""
        return cls(**{f.name: np.concatenate([getattr(part, f.name) for part in parts]) for f in fields(cls)})


@dataclass(frozen=True, slots=True)
class GridPoints:
    """Consecutive points of the grid, numbered in running direction. All (points, ...)."""

    k: IntArray
    t_ns: IntArray
    values: Array
    sd: Array
    flags: FlagArray


class RailGrid:
    """Remembers the images of the newest point, and three means."""

    def __init__(self, *, step: float, longest: float) -> None:
        """step: of the grid; longest: gap between two means across which nothing is given [m]."""
        self._step, self._longest = step, longest
        self._open: RailSamples | None = None
        """Images of the point that is not complete."""
        self._means: RailSamples | None = None
        """Up to three means: those before the next point."""
        self._front = -np.inf

    def process(self, samples: RailSamples) -> list[GridPoints]:
        """Points that the samples complete."""
        ahead = samples if self._open is None else RailSamples.join([self._open, samples])
        number = np.rint(ahead.s / self._step)
        fresh = number >= np.maximum.accumulate(np.concatenate(([self._front], number)))[:-1]
        ahead, number = ahead.rows(np.flatnonzero(fresh)), number[fresh]
        if not len(ahead):
            self._open = None
            return []
        last = number == number[-1]
        held = ahead.rows(np.flatnonzero(last)[:MOST])
        self._open, self._front = held, float(number[-1])
        done = ahead.rows(np.flatnonzero(~last))
        return [] if not len(done) else self._add(_means(done, number[~last]))

    def flush(self) -> list[GridPoints]:
        """The points still held."""
        points: list[GridPoints] = []
        if self._open is not None:
            points += self._add(_means(self._open, np.zeros(len(self._open))))
        if self._means is not None and len(self._means) > 1:
            points += self._between(self._means, len(self._means) - 2, len(self._means) - 1)
        self._open, self._means = None, None
        return points

    def _add(self, means: RailSamples) -> list[GridPoints]:
        """Give what lies between means that have a neighbour on their far side."""
        before = 0 if self._means is None else len(self._means)
        joined = means if self._means is None else RailSamples.join([self._means, means])
        first = max(before - 2, 0)
        points = self._between(joined, first, len(joined) - 2)
        self._means = joined.rows(slice(max(0, len(joined) - 3), None))
        return points

    def _between(self, means: RailSamples, first: int, last: int) -> list[GridPoints]:
        """Points after mean number first up to mean number last, in stretches without a leap."""
        found: list[GridPoints] = []
        if last <= first:
            return found
        s = means.s
        points = np.arange(np.floor(s[first] / self._step) + 1, np.floor(s[last] / self._step) + 1).astype(np.int64)
        after = np.searchsorted(s, points * self._step, side="left")
        near = np.diff(s)[after - 1] <= self._longest
        cuts = np.flatnonzero(np.diff(points[near]) > 1) + 1
        for part in np.split(np.flatnonzero(near), cuts):
            if part.size:
                found.append(_interpolated(means, points[part], after[part], self._step))
        return found


def _means(samples: RailSamples, number: Array) -> RailSamples:
    """Mean of the samples of each number, which ascends; at most MOST of them each."""
    starts = np.concatenate(([0], np.flatnonzero(np.diff(number)) + 1))
    place = np.arange(len(samples)) - np.repeat(starts, np.diff(np.append(starts, len(samples))))
    kept = np.flatnonzero(place < MOST)
    samples, number = samples.rows(kept), number[kept]
    starts = np.concatenate(([0], np.flatnonzero(np.diff(number)) + 1))
    count = np.diff(np.append(starts, len(samples)))

    def mean(values: Array) -> Array:
        known = np.isfinite(values)
        total = np.add.reduceat(np.where(known, values, 0.0), starts, axis=0)
        known_count = np.add.reduceat(known.astype(np.float64), starts, axis=0)
        return np.asarray(np.divide(total, known_count, out=np.full(total.shape, np.nan), where=known_count > 0))

    t0 = samples.t_ns[0]
    return RailSamples(
        s=mean(samples.s),
        t_ns=t0 + np.rint(mean((samples.t_ns - t0).astype(np.float64))).astype(np.int64),
        values=mean(samples.values),
        var=mean(samples.var) / count[:, None],
        flags=np.bitwise_or.reduceat(samples.flags, starts),
    )


def _interpolated(means: RailSamples, k: IntArray, after: IntArray, step: float) -> GridPoints:
    """Points k between the means before and after each."""
    n, j = len(means), after - 1
    i, m = np.maximum(j - 1, 0), np.minimum(after + 1, n - 1)
    h = means.s[after] - means.s[j]
    t = ((k * step - means.s[j]) / h)[:, None]
    low, high = means.values[j], means.values[after]
    slope_low = _slope(means, i, j, after) * h[:, None]
    slope_high = _slope(means, j, after, m) * h[:, None]
    u = 1 - t
    values = u**2 * (1 + 2 * t) * low + t**2 * (3 - 2 * t) * high + t * u**2 * slope_low - t**2 * u * slope_high
    share = t[:, 0]
    t_ns = means.t_ns[j] + np.rint(share * (means.t_ns[after] - means.t_ns[j])).astype(np.int64)
    var = u**2 * means.var[j] + t**2 * means.var[after]
    return GridPoints(k, t_ns, values, np.sqrt(var), means.flags[j] | means.flags[after])


def _slope(means: RailSamples, before: IntArray, at: IntArray, after: IntArray) -> Array:
    """Of the parabola through three means at the middle one; of the line where one of them is missing."""
    s, x = means.s, means.values
    back, ahead = s[at] - s[before], s[after] - s[at]
    with np.errstate(divide="ignore", invalid="ignore"):
        d_back = (x[at] - x[before]) / back[:, None]
        d_ahead = (x[after] - x[at]) / ahead[:, None]
    both = (back * d_ahead.T + ahead * d_back.T).T / (back + ahead)[:, None]
    slope = np.where((before == at)[:, None], d_ahead, np.where((after == at)[:, None], d_back, both))
    return np.asarray(slope)
