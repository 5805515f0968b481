"""From estimates in time to the distance grid of the line.

Point k lies at k * step along the line, whatever the running direction. Values are interpolated linearly in distance
between consecutive samples and given once, when a point is first passed: a train that stands, rolls back or has its
position corrected backwards gives nothing until it reaches new ground.

The gyro's curvature is noise at one sample. A point shows the heading turned over WINDOW metres about it, divided by
the distance: a sliding mean without delay against the place, which holds each point back for half the window.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from twin.core.arrays import Array, FlagArray, IntArray
from twin.core.estimate import Estimate, Form, GridBlock, StateLayout
from twin.core.places import Direction
from twin.core.quality import Quality
from twin.core.stage import Latency
from twin.core.track import DesignTrack

WINDOW = 6.0
"""Length over which curvature is averaged [m]: short against a clothoid, long against the rails' own waves."""
BRIDGE = 2.0
"""Samples further apart than this leave the points between them BRIDGED [m]; ten times what 100 m/s needs."""
LONGEST_BRIDGE = 300.0
"""Beyond this the points between two samples stay empty [m]: a straight line over a curve says nothing."""

COLUMNS = {
    "speed": "m/s",
    "curvature": "1/m",
    "curvature_design": "1/m",
    "cant_angle": "rad",
    "cant_angle_design": "rad",
    "roll": "rad",
    "pitch": "rad",
    "r_y": "m",
    "r_z": "m",
    "sd_r_y": "m",
    "sd_r_z": "m",
    "sd_roll": "rad",
    "s_sd": "m",
}
"""Of the grid, with their units; roll against the design, cant_angle and pitch absolute."""
LAYOUT = StateLayout(tuple(COLUMNS), tuple(COLUMNS.values()))

_STATES = ("speed", "roll", "roll_rel", "pitch", "r_y", "r_z")
_SPREADS = ("r_y", "r_z", "roll_rel", "s")
_TURNED, _MEASURED = len(_STATES) + len(_SPREADS), len(_STATES) + len(_SPREADS) + 1


@dataclass(frozen=True, slots=True)
class _Samples:
    """Samples of an estimate that can be interpolated. All (samples, ...)."""

    u: Array
    """Place in running direction, counted from a point of the grid [m]."""
    t_ns: IntArray
    curvature: Array
    """[1/m]; NaN where the train is too slow for it."""
    values: Array
    """(samples, columns) states and standard deviations."""
    flags: FlagArray
    """Of the sample and of those left out since the one before it."""

    def part(self, start: int, stop: int | None) -> "_Samples":
        rows = slice(start, stop)
        return _Samples(self.u[rows], self.t_ns[rows], self.curvature[rows], self.values[rows], self.flags[rows])

    def after(self, before: "_Samples") -> "_Samples":
        """These samples behind others."""
        return _Samples(
            np.concatenate((before.u, self.u)),
            np.concatenate((before.t_ns, self.t_ns)),
            np.concatenate((before.curvature, self.curvature)),
            np.concatenate((before.values, self.values)),
            np.concatenate((before.flags, self.flags)),
        )


@dataclass(frozen=True, slots=True)
class _Points:
    """Consecutive points of the grid, in running order. All (points, ...)."""

    k: IntArray
    """Number in running direction."""
    t_ns: IntArray
    values: Array
    """(points, columns) as of the samples, then heading turned [rad] and distance it was measured over [m]."""
    flags: FlagArray

    def part(self, start: int, stop: int | None) -> "_Points":
        rows = slice(start, stop)
        return _Points(self.k[rows], self.t_ns[rows], self.values[rows], self.flags[rows])

    def after(self, before: "_Points") -> "_Points":
        """These points behind others."""
        return _Points(
            np.concatenate((before.k, self.k)),
            np.concatenate((before.t_ns, self.t_ns)),
            np.concatenate((before.values, self.values)),
            np.concatenate((before.flags, self.flags)),
        )


class Gridder:
    """Puts the navigation estimates of one form on the grid; remembers one sample and a window of points."""

    def __init__(self, design: DesignTrack, *, direction: Direction, form: Form, step: float = 0.25) -> None:
        """design: in running direction; step: of the grid [m]."""
        self._design = design
        self._form = form
        self._step = step
        self._half = max(1, round(WINDOW / 2 / step))
        self._sign = 1 if direction is Direction.INCREASING else -1
        # Running against the kilometres, the points of the line lie whole steps before the track's end.
        self._origin = 0.0 if direction is Direction.INCREASING else design.length
        self._last: _Samples | None = None
        self._flags = np.uint8(0)
        self._front: int | None = None
        self._heading = np.zeros(2)
        self._held: _Points | None = None
        self._given = 0

    @property
    def latency(self) -> Latency:
        """A point leaves once the train is half a window beyond it."""
        return Latency(metres=(self._half + 1) * self._step)

    def process(self, item: Estimate) -> Sequence[GridBlock]:
        """The points whose surroundings have now been passed."""
        samples = self._usable(item)
        if not samples.u.size:
            return ()
        before = samples.u[:1] if self._last is None else self._last.u
        leaps = np.flatnonzero(np.diff(samples.u, prepend=before) > LONGEST_BRIDGE)
        blocks: list[GridBlock] = []
        for start, stop in pairwise([0, *leaps.tolist(), samples.u.size]):
            if start in leaps:
                blocks += self.flush()
            if stop > start:
                self._pass(samples.part(start, stop))
                blocks += self._release(self._half)
        return blocks

    def flush(self) -> Sequence[GridBlock]:
        """The points still held, their windows cut short; what follows starts anew."""
        blocks = self._release(0)
        self._last, self._held, self._given = None, None, 0
        return blocks

    def _usable(self, item: Estimate) -> _Samples:
        """Finite samples; the flags of those left out go to the next one."""
        values = np.stack(
            [*(item[name] for name in _STATES), *(item.sd(name) for name in _SPREADS)], axis=1, dtype=np.float64
        )
        u = item["s"] - self._origin
        kept = np.flatnonzero(np.isfinite(u) & np.isfinite(values).all(axis=1))
        flags = np.concatenate(([self._flags], item.quality))  # left out at the end of the estimate before
        bounds = np.concatenate(([0], kept + 2))
        merged = np.bitwise_or.reduceat(np.append(flags, np.uint8(0)), bounds)
        self._flags = merged[-1]
        return _Samples(u[kept], item.t_ns[kept], item["curvature"][kept], values[kept], merged[:-1])

    def _pass(self, new: _Samples) -> None:
        """Carry the samples over the grid; the points passed for the first time are held."""
        samples = new if self._last is None else new.after(self._last)
        reached = np.floor(samples.u / self._step).astype(np.int64)
        front = int(reached[0]) if self._front is None else max(self._front, int(reached[0]))
        furthest = np.maximum.accumulate(np.concatenate(([front], reached[1:])))
        fresh = np.diff(furthest)
        headings = self._turned(samples)
        self._heading = headings[-1]
        self._front = int(furthest[-1])
        after = np.flatnonzero(fresh) + 1  # sample that ends each interval with points
        flags, rest = _flags_between(samples.flags, after)
        self._last = _with_flags(samples.part(-1, None), rest)
        if after.size:
            flags = np.where(np.diff(samples.u)[after - 1] > BRIDGE, flags | np.uint8(Quality.BRIDGED), flags)
            k = np.arange(front + 1, self._front + 1)
            points = self._interpolated(
                samples, headings, k, np.repeat(after, fresh[after - 1]), np.repeat(flags, fresh[after - 1])
            )
            self._held = points if self._held is None else points.after(self._held)

    def _turned(self, samples: _Samples) -> Array:
        """(samples, 2) heading turned [rad] and distance it was measured over [m], from the first sample on."""
        ds = np.diff(samples.u)
        curvature = (samples.curvature[1:] + samples.curvature[:-1]) / 2
        known = np.isfinite(curvature)
        steps = np.stack((np.where(known, curvature, 0.0) * ds, np.where(known, ds, 0.0)), axis=1)
        return np.cumsum(np.concatenate((self._heading[None], steps)), axis=0)

    def _interpolated(
        self, samples: _Samples, headings: Array, k: IntArray, after: IntArray, flags: FlagArray
    ) -> _Points:
        """Values at points k between the samples before and after each."""
        u = samples.u
        share = (k * self._step - u[after - 1]) / (u[after] - u[after - 1])
        table = np.concatenate((samples.values, headings), axis=1)
        values = table[after - 1] + share[:, None] * (table[after] - table[after - 1])
        t0, t1 = samples.t_ns[after - 1], samples.t_ns[after]
        return _Points(k, t0 + np.rint(share * (t1 - t0)).astype(np.int64), values, flags)

    def _release(self, wait: int) -> list[GridBlock]:
        """Give the held points that have `wait` others after them; keep what their successors' windows need."""
        held = self._held
        if held is None or held.k.size - wait <= self._given:
            return []
        first, stop = self._given, held.k.size - wait
        rows = np.arange(first, stop)
        low, high = np.maximum(rows - self._half, 0), np.minimum(rows + self._half, held.k.size - 1)
        turned = held.values[high, _TURNED] - held.values[low, _TURNED]
        measured = held.values[high, _MEASURED] - held.values[low, _MEASURED]
        enough = measured >= (high - low) * self._step / 2
        curvature = np.divide(turned, measured, out=np.full(rows.size, np.nan), where=enough & (high > low))
        spare = max(0, stop - self._half)
        self._held, self._given = held.part(spare, None), stop - spare
        return [self._block(held.part(first, stop), curvature)]

    def _block(self, points: _Points, curvature: Array) -> GridBlock:
        """The points as the line sees them: signs follow increasing kilometres."""
        s = np.asarray(points.k * self._step + self._origin)
        speed, roll, roll_rel, pitch, r_y, r_z, *sds = points.values[:, :_TURNED].T
        design = self._design.curvature(s), self._design.cant_angle(s)
        turned = np.stack([curvature, design[0], roll, design[1], roll_rel, pitch, r_y]) * self._sign
        values = np.stack([speed, *turned, r_z, *sds], axis=1)
        return GridBlock(
            "navigation", self._form, self._step, self._sign * points.k, points.t_ns, LAYOUT, values, points.flags
        )


def _with_flags(samples: _Samples, flags: np.uint8) -> _Samples:
    return _Samples(samples.u, samples.t_ns, samples.curvature, samples.values, np.array([flags]))


def _flags_between(flags: FlagArray, after: IntArray) -> tuple[FlagArray, np.uint8]:
    """Flags of the samples up to each of those after, from the one before it on; and of the rest."""
    starts = np.concatenate(([0], after))
    ends = np.concatenate((after + 1, [flags.size]))
    bounds = np.stack((starts, ends), axis=1).reshape(-1)
    merged = np.bitwise_or.reduceat(np.append(flags, np.uint8(0)), bounds)[::2]
    return merged[:-1], np.uint8(merged[-1])
