"""The best estimate of a recording: two passes, each position knowing the whole run."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np

from twin.core.arrays import Array
from twin.core.blocks import Epoch, RawBlock
from twin.core.estimate import Estimate, Form, Result
from twin.navigation.config import LagConfig
from twin.navigation.position import PositionStep
from twin.navigation.smoother import RefinedChain
from twin.navigation.stage import MotionStage
from twin.numerics.smoothing import rts
from twin.pipeline.grid import Gridder
from twin.pipeline.synchroniser import Synchroniser
from twin.pipeline.track_geometry import TrackGeometry
from twin.pipeline.twin import Seen, TwinSetup

LAG = LagConfig(position=0.0, attitude=500.0, trajectory=1000.0, longest=120.0, stride=20.0)
"""Future that attitude and trajectory see: three times the longest wave the virtual sensors leave, then memory ends.
Positions are smoothed over the whole run instead."""

Blocks = Callable[[], Iterable[Seen]]
"""The samples, and images or heads, of a recording from its start, as often as asked for."""
Progress = Callable[[float], None]
"""Told the share that is done, up to 1; the first pass does not know how much there is."""
FIRST = 0.4
"""Share of the first pass in the time of both."""


@dataclass
class _Steps:
    """The position filter's steps over a run: the one table that grows with it, 0.7 kB per epoch."""

    x: list[Array] = field(default_factory=list)
    P: list[Array] = field(default_factory=list)
    F: list[Array] = field(default_factory=list)
    Q: list[Array] = field(default_factory=list)
    u: list[Array] = field(default_factory=list)

    def add(self, step: PositionStep) -> None:
        for name in ("x", "P", "F", "Q", "u"):
            getattr(self, name).append(getattr(step, name))

    def smoothed(self) -> tuple[Array, Array]:
        """States (epochs, 5) and covariances (epochs, 5, 5) that know the whole run."""
        if not self.x:
            return np.zeros((0, 5)), np.zeros((0, 5, 5))
        return rts(*(np.stack(each) for each in (self.x, self.P, self.F, self.Q, self.u)))


def smooth(setup: TwinSetup, blocks: Blocks, progress: Progress | None = None) -> Iterator[Result]:
    """Smoothed values on the grid; blocks is called twice and must give the same samples both times.

    The first time, what sees the rails is passed over and may be left out.
    """
    x, P = _positions(setup, blocks)
    motion = MotionStage(setup.navigation)
    chain = RefinedChain(setup.navigation, LAG, Form.SMOOTHED, rate=setup.imu_rate)
    grid, geometry = setup.gridder(Form.SMOOTHED), setup.track_geometry(Form.SMOOTHED)
    i = 0
    for item in _epochs(setup, blocks(), geometry):
        if not isinstance(item, Epoch):
            yield from () if geometry is None else geometry.process(item)
            continue
        followed = motion.process(item)
        if followed is None:
            continue
        imu, moved, _, _ = followed
        yield from _placed(chain.add(imu, moved, x[i], P[i]), grid, geometry)
        i += 1
        if progress is not None:
            progress(FIRST + (1 - FIRST) * i / len(x))
    yield from _placed(chain.flush(), grid, geometry)
    yield from grid.flush()
    yield from () if geometry is None else geometry.flush()


def _placed(estimates: Iterable[Estimate], grid: Gridder, geometry: TrackGeometry | None) -> Iterator[Result]:
    for estimate in estimates:
        yield from grid.process(estimate)
        yield from () if geometry is None else geometry.process(estimate)


def _positions(setup: TwinSetup, blocks: Blocks) -> tuple[Array, Array]:
    """The position filter over the run, smoothed: one state (5,) and covariance (5, 5) per epoch it followed."""
    motion, steps = MotionStage(setup.navigation), _Steps()
    for epoch in _epochs(setup, blocks(), None):
        followed = motion.process(epoch) if isinstance(epoch, Epoch) else None
        if followed is not None:
            steps.add(followed[2])
    return steps.smoothed()


def _epochs(setup: TwinSetup, blocks: Iterable[Seen], geometry: TrackGeometry | None) -> Iterator[Epoch | Seen]:
    """Epochs of the sensors that are waited for, and between them what is meant for track geometry."""
    synchroniser = Synchroniser(setup.synchroniser, setup.rates)
    for block in blocks:
        if geometry is not None and geometry.sees(block.source):
            yield block
        elif isinstance(block, RawBlock):
            yield from synchroniser.process(block)
    yield from synchroniser.flush()
