"""Images and navigation in, rails on the grid out: for one form of the estimates.

Images wait for the navigation of their time, and navigation is kept a while for images that come late. Where good
images are missing for seconds the body goes on along the rails: they are placed by its path, with their place in its
axes straight between the images before and after, and flagged.
"""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from twin.core.arrays import Array, BoolArray, FlagArray, IntArray
from twin.core.estimate import Estimate, GridBlock, StateLayout
from twin.core.places import Direction
from twin.core.quality import Quality
from twin.geometry.fusion.rail_grid import GridPoints, RailGrid, RailSamples
from twin.geometry.fusion.rails_seen import BodyPlace, SeenRail, place_rail
from twin.geometry.fusion.setup import PlacerSetup

_WEAR = ("wear_vertical", "wear_side", "wear_45")
VALUES = ("y", "z", "head_roll", *_WEAR, "speed")
"""Of one rail, as they go through the grid."""
SIDES = ("left", "right")
_PER_RAIL = {"y": "m", "z": "m", "sd_y": "m", "sd_z": "m", "head_roll": "rad"} | dict.fromkeys(_WEAR, "m")
COLUMNS = {f"{name}_{side}": unit for side in SIDES for name, unit in _PER_RAIL.items()} | {"speed": "m/s"}
"""Of the grid, with units; sd is that of the images alone. By increasing kilometre."""
LAYOUT = StateLayout(tuple(COLUMNS), tuple(COLUMNS.values()))

_BODY = ("s", "speed", "roll_rel", "pitch_rel", "yaw_rel", "r_y", "r_z")
BRIDGE_STEP = 0.25
"""Between the places put into a gap [m]."""
USUAL_GAP = 0.15
"""Time between two good images that is no gap [s]: some lost images at 100 per second, or one at 10."""


@dataclass(frozen=True, slots=True)
class _Navigated:
    t_ns: IntArray
    x: Array
    """(samples, 7) in the order of _BODY."""
    quality: FlagArray


class RailPlacer:
    """Remembers navigation, the images that wait for it, and the rails on the way to the grid."""

    def __init__(self, setup: PlacerSetup) -> None:
        self._setup = setup
        config = setup.config
        self._navigation: deque[_Navigated] = deque()
        self._waiting: tuple[deque[SeenRail], deque[SeenRail]] = (deque(), deque())
        self._last_good: list[SeenRail | None] = [None, None]
        self._grids = tuple(RailGrid(step=setup.step, longest=config.longest_bridge) for _ in SIDES)
        self._rails = tuple(_Held() for _ in SIDES)
        self.dropped = 0
        """Images that came too late for their navigation, or before it."""

    def see(self, seen: SeenRail) -> Sequence[GridBlock]:
        """Take images of one rail."""
        if len(seen):
            self._waiting[seen.rail].append(seen)
        return self._advance()

    def follow(self, estimate: Estimate) -> Sequence[GridBlock]:
        """Take navigation."""
        if not len(estimate):
            return ()
        x = np.stack([estimate[name] for name in _BODY], axis=1)
        self._navigation.append(_Navigated(estimate.t_ns, x, estimate.quality))
        blocks = self._advance()
        kept = int(estimate.t_ns[-1]) - (self._setup.config.late + self._setup.config.longest_gap) * 1e9
        while self._navigation[0].t_ns[-1] < kept:
            self._navigation.popleft()
        return blocks

    def flush(self) -> Sequence[GridBlock]:
        """The rails still held; images without navigation are counted."""
        blocks = list(self._advance())
        for waiting in self._waiting:
            self.dropped += sum(len(seen) for seen in waiting)
            waiting.clear()
        for held, grid in zip(self._rails, self._grids, strict=True):
            held.add(grid.flush())
        return [*blocks, *self._release(flush=True)]

    def _advance(self) -> list[GridBlock]:
        if not self._navigation:
            return []
        first, last = int(self._navigation[0].t_ns[0]), int(self._navigation[-1].t_ns[-1])
        for rail, waiting in enumerate(self._waiting):
            ready = _ready(waiting, last)
            if ready is None:
                continue
            known = ready.t_ns >= first
            self.dropped += int(len(ready) - np.count_nonzero(known))
            self._place(rail, ready.rows(known & ready.good))
        return self._release(flush=False)

    def _place(self, rail: int, seen: SeenRail) -> None:
        """Put good images, and what bridges the gaps before them, on their way to the grid."""
        if not len(seen):
            return
        t_ns = np.concatenate([part.t_ns for part in self._navigation])
        table = np.concatenate([part.x for part in self._navigation])
        quality = np.concatenate([part.quality for part in self._navigation])
        whole, bridged = _bridged(self._last_good[rail], seen, _Navigated(t_ns, table, quality), self._setup)
        self._last_good[rail] = seen.rows(slice(-1, None))
        body = _at(whole.t_ns, t_ns, table)
        config, camera = self._setup.config, self._setup.cameras[rail]
        placed = place_rail(
            whole, body, camera, imu=self._setup.imu, design=self._setup.design, half_gauge=config.gauge / 2
        )
        nearest = np.clip(np.searchsorted(t_ns, whole.t_ns), 0, t_ns.size - 1)
        samples = RailSamples(
            s=placed.s,
            t_ns=whole.t_ns,
            values=np.column_stack((placed.y, placed.z, placed.roll, whole.wear, body.speed)),
            var=np.column_stack((whole.var_y, whole.var_z)),
            flags=(quality[nearest] | np.where(bridged, np.uint8(Quality.BRIDGED), np.uint8(0))).astype(np.uint8),
        )
        self._rails[rail].add(self._grids[rail].process(samples))

    def _release(self, *, flush: bool) -> list[GridBlock]:
        """Points both rails have passed, or one of them long enough ago."""
        ends = [held.end for held in self._rails]
        if max(ends) == -1:
            return []
        config = self._setup.config
        alone = max(ends) - round((config.longest_bridge + config.one_sided) / self._setup.step)
        stop = max(ends) if flush else max(min(ends), alone)
        starts = [held.start for held in self._rails if held.start is not None]
        if not starts or stop <= min(starts):
            return []
        k = np.arange(min(starts), stop, dtype=np.int64)
        rails = [held.take(k) for held in self._rails]
        seen = np.isfinite(rails[0].values[:, 0]) | np.isfinite(rails[1].values[:, 0])
        return [] if not seen.any() else [self._block(k, rails)]

    def _block(self, k: IntArray, rails: list[GridPoints]) -> GridBlock:
        """The points as the line sees them: left, right and signs follow increasing kilometres."""
        setup = self._setup
        forward = setup.direction is Direction.INCREASING
        sign = 1.0 if forward else -1.0
        columns = []
        for points in rails if forward else rails[::-1]:
            y, z, roll, *wear, _ = points.values.T
            columns += [sign * y, z, *points.sd.T, sign * roll, *wear]
        speed = np.where(np.isfinite(rails[0].values[:, -1]), rails[0].values[:, -1], rails[1].values[:, -1])
        origin = 0 if forward else round(setup.design.length / setup.step)
        index = k if forward else origin - k
        t_ns = np.maximum(rails[0].t_ns, rails[1].t_ns)
        flags = rails[0].flags | rails[1].flags
        values = np.stack([*columns, speed], axis=1)
        return GridBlock("geometry", setup.form, setup.step, index, t_ns, LAYOUT, values, flags)


class _Held:
    """Points of one rail that wait for the other."""

    def __init__(self) -> None:
        self._parts: list[GridPoints] = []
        self._given = -1
        self.end = -1
        """Number of the point behind the last one known."""

    @property
    def start(self) -> int | None:
        """Number of the first point held."""
        return int(self._parts[0].k[0]) if self._parts else None

    def add(self, points: list[GridPoints]) -> None:
        for part in points:
            fresh = part.k >= self._given
            if fresh.any():
                self._parts.append(_rows(part, fresh))
                self.end = int(part.k[-1]) + 1

    def take(self, k: IntArray) -> GridPoints:
        """The points k, unknown where there are none; they are no longer held."""
        n, columns = k.size, len(VALUES)
        out = GridPoints(
            k,
            np.zeros(n, dtype=np.int64),
            np.full((n, columns), np.nan),
            np.full((n, 2), np.nan),
            np.full(n, np.uint8(Quality.MISSING)),
        )
        rest = []
        for part in self._parts:
            now = part.k <= k[-1]
            at = part.k[now] - k[0]
            out.t_ns[at], out.values[at], out.sd[at] = part.t_ns[now], part.values[now], part.sd[now]
            out.flags[at] = part.flags[now]
            if not now.all():
                rest.append(_rows(part, ~now))
        self._parts, self._given = rest, int(k[-1]) + 1
        return out


def _rows(points: GridPoints, which: BoolArray) -> GridPoints:
    return GridPoints(points.k[which], points.t_ns[which], points.values[which], points.sd[which], points.flags[which])


def _ready(waiting: deque[SeenRail], last_ns: int) -> SeenRail | None:
    """Images up to a time, taken from those that wait."""
    parts = []
    while waiting and waiting[0].t_ns[0] <= last_ns:
        seen = waiting.popleft()
        now = seen.t_ns <= last_ns
        parts.append(seen.rows(now))
        if not now.all():
            waiting.appendleft(seen.rows(~now))
            break
    return _joined(parts) if parts else None


def _joined(parts: list[SeenRail]) -> SeenRail:
    if len(parts) == 1:
        return parts[0]
    names = ("t_ns", "y", "z", "var_y", "var_z", "roll", "wear", "good")
    return SeenRail(parts[0].rail, *(np.concatenate([getattr(part, name) for part in parts]) for name in names))


def _at(t: IntArray, t_ns: IntArray, table: Array) -> BodyPlace:
    """The body at times t, straight between samples."""
    since, at = (t_ns - t_ns[0]).astype(np.float64), (t - t_ns[0]).astype(np.float64)
    return BodyPlace(*(np.interp(at, since, column) for column in table.T))


def _bridged(
    before: SeenRail | None, seen: SeenRail, known: _Navigated, setup: PlacerSetup
) -> tuple[SeenRail, BoolArray]:
    """The images with places put into gaps, and which these are."""
    chain = seen if before is None else _joined([before, seen])
    gaps = np.flatnonzero(np.diff(chain.t_ns) > USUAL_GAP * 1e9).tolist()
    parts, flags, start = [], [], 0 if before is None else 1
    for gap in gaps:
        filling = _filling(chain.rows(slice(gap, gap + 2)), known, setup)
        parts += [chain.rows(slice(start, gap + 1)), *filling]
        flags += [np.zeros(len(parts[-1 - len(filling)]), bool), *(np.ones(len(each), bool) for each in filling)]
        start = gap + 1
    parts.append(chain.rows(slice(start, None)))
    flags.append(np.zeros(len(parts[-1]), bool))
    return _joined(parts), np.concatenate(flags)


def _filling(ends: SeenRail, known: _Navigated, setup: PlacerSetup) -> list[SeenRail]:
    """Places between two images, a step apart along the way; none in a gap too long."""
    config = setup.config
    t0, t1 = ends.t_ns
    inside = np.flatnonzero((known.t_ns > t0) & (known.t_ns < t1))
    if t1 - t0 > config.longest_gap * 1e9 or inside.size < 2:
        return []
    s = known.x[inside, 0]
    if not abs(s[-1] - s[0]) <= config.longest_bridge:
        return []
    cells = np.floor(s / BRIDGE_STEP)
    t_ns = known.t_ns[inside[np.flatnonzero(np.diff(cells, prepend=cells[0]) > 0)]]
    share = ((t_ns - t0) / (t1 - t0))[:, None]
    table = np.column_stack((ends.y, ends.z, ends.roll, ends.wear))
    between = (table[0] + share * (table[1] - table[0])).T
    spread = 4 * share[:, 0] * (1 - share[:, 0])
    var_y = ends.var_y.max() + spread * config.sd_own_lateral**2
    var_z = ends.var_z.max() + spread * config.sd_own_vertical**2
    y, z, roll = between[:3]
    return [SeenRail(ends.rail, t_ns, y, z, var_y, var_z, roll, between[3:].T, np.ones(t_ns.size, bool))]
