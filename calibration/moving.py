"""The moving part of a recording, and the navigation's filters over it one at a time.

The filters form a chain: odometer, position, attitude, lateral and vertical path. None feeds an earlier one, so each
can be run alone, as often as wanted, on what those before it found.
"""

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from pydantic import Field

from calibration.likelihood import Moments
from twin.core.arrays import Array
from twin.core.blocks import Epoch, SampleBlock
from twin.core.errors import CalibrationError
from twin.core.estimate import Fusion
from twin.core.quality import UNUSABLE, Quality
from twin.core.settings import Settings
from twin.navigation.attitude import Attitude
from twin.navigation.chain import Along, Setup, axis_inputs, follow_attitude, terms_at
from twin.navigation.equations import TrackTerms
from twin.navigation.inputs import Inertial
from twin.navigation.odometer import Odometer
from twin.navigation.position import DELTA, SCALE
from twin.navigation.stage import CausalNavigation, MotionStage

PIECE = 50
"""Epochs worked on at a time by the compiled filters: bounds the memory of their covariances."""


class MovingConfig(Settings):
    """Which part of a recording is used."""

    slowest: float = Field(
        2.0, gt=0, le=20, description="slower samples do not count [m/s]: at a crawl little is excited"
    )
    shortest: float = Field(30.0, ge=10, description="least time at that speed or more [s]")
    longest: float = Field(180.0, ge=30, description="of a longer run the first part is used [s]: more adds little")
    whole: float = Field(1800.0, ge=60, description="the same with stops in between [s]: bounds memory")
    approach: float = Field(60.0, ge=1, description="rest before departure that is kept [s]: biases settle on it")
    largest_gap: float = Field(0.05, gt=0, lt=1, description="share of samples that may be missing or faulty")


def moving_part(setup: Setup, epochs: Iterable[Epoch], config: MovingConfig) -> list[Epoch]:
    """Epochs from shortly before departure until enough was moved, or CalibrationError with the reason."""
    names = (setup.config.imu, setup.config.encoder)
    waiting: deque[Epoch] = deque()
    found: list[Epoch] = []
    heard, moved, lasted = dict.fromkeys(names, 0), 0.0, 0.0
    for epoch in epochs:
        blocks = {name: epoch.samples.get(name) for name in names}
        for name, block in blocks.items():
            heard[name] += 0 if block is None else len(block)
        length = (epoch.t1_ns - epoch.t0_ns) * 1e-9
        moves = _speed(blocks[names[1]], setup.vehicle.wheel_radius) >= config.slowest
        if not moves and not found:
            waiting.append(epoch)
            while len(waiting) * length > config.approach:
                waiting.popleft()
            continue
        found += [*waiting, epoch]
        waiting.clear()
        moved, lasted = moved + length * moves, lasted + length
        if moved >= config.longest or lasted >= config.whole:
            break
    for name, count in heard.items():
        if not count:
            raise CalibrationError(f"the recording holds no sample of '{name}': nothing can be tuned without it")
    if moved < config.shortest:
        raise CalibrationError(
            f"the vehicle moves at {config.slowest:g} m/s or more for {moved:.0f} s only: "
            f"choose a recording with at least {config.shortest:g} s, over curves if there are any"
        )
    _sound(found, names, config)
    return found


def _speed(block: SampleBlock | None, radius: float) -> float:
    """Mean speed of the wheel's rim over an epoch [m/s]; 0 where it is not known."""
    if block is None:
        return 0.0
    known = np.flatnonzero((block.quality & np.uint8(UNUSABLE)) == 0)
    if known.size < 2:
        return 0.0
    first, last = known[0], known[-1]
    turned = block.values[last, 0] - block.values[first, 0]
    return float(abs(turned) * radius / ((last - first) * block.period_ns * 1e-9))


def _sound(epochs: Sequence[Epoch], names: Iterable[str], config: MovingConfig) -> None:
    for name in names:
        blocks = [block for epoch in epochs if (block := epoch.samples.get(name)) is not None]
        bad = sum(int(np.count_nonzero(block.quality & np.uint8(UNUSABLE))) for block in blocks)
        share = bad / max(sum(len(block) for block in blocks), 1)
        if share > config.largest_gap:
            raise CalibrationError(
                f"{100 * share:.0f} % of the samples of '{name}' are missing or faulty, at most "
                f"{100 * config.largest_gap:g} % may be: see what is wrong with: railtwin info"
            )


@dataclass(frozen=True, slots=True)
class _Turning:
    """What the odometer is fed with over one epoch."""

    imu: Inertial
    encoder: SampleBlock | None
    pitch: Array


@dataclass(frozen=True, slots=True)
class _Piece:
    """A stretch of samples with their place on the track."""

    along: Along
    imu: Inertial
    terms: TrackTerms


class OdometerAlone:
    """The odometer over a run whose gradients are taken from the whole navigation."""

    def __init__(self, setup: Setup, epochs: Sequence[Epoch], config: MovingConfig) -> None:
        self._setup = setup
        stage = MotionStage(setup)
        self._turning: list[_Turning] = []
        t_ns, counts = [], []
        for epoch in epochs:
            followed = stage.process(epoch)
            if followed is None:
                continue
            imu, motion, step, _ = followed
            pitch = setup.design.pose(motion.d + step.x[DELTA]).pitch
            self._turning.append(_Turning(imu, epoch.samples.get(setup.config.encoder), pitch))
            t_ns.append(imu.t_ns)
            unsure = (motion.quality & np.uint8(Quality.SLIPPING | Quality.BRIDGED)) != 0
            counts.append((np.abs(motion.v) >= config.slowest) & ~unsure)
        self.moments = Moments(np.concatenate(t_ns), np.concatenate(counts))

    def fusions(self, setup: Setup) -> list[Fusion]:
        """Every measurement of the odometer, with the configuration of a setup."""
        radius, gravity = setup.vehicle.wheel_radius, setup.config.gravity
        odometer = Odometer(
            setup.config.odometer,
            wheel_radius=radius,
            gravity=gravity,
            accel_noise=setup.config.accel_noise,
        )
        found: list[Fusion] = []
        for each in self._turning:
            found += odometer.process(each.imu, each.encoder, each.pitch)[1]
        return found


class LaterFilters:
    """Attitude and path over a run whose motion along the track is settled."""

    def __init__(self, setup: Setup, epochs: Sequence[Epoch]) -> None:
        stage, d = MotionStage(setup), 0.0
        parts: list[Along] = []
        dt = 0.0
        for epoch in epochs:
            followed = stage.process(epoch)
            if followed is None:
                continue
            imu, motion, step, _ = followed
            before = step.x.copy()
            before[DELTA] -= step.x[SCALE] * (step.d_end - d)
            parts.append(Along.of(imu, motion, before, step.x, step.P, d))
            d, dt = step.d_end, imu.dt
        self._pieces: list[_Piece] = []
        for start in range(0, len(parts), PIECE):
            along = Along.join(parts[start : start + PIECE])
            self._pieces.append(_Piece(along, along.inertial(dt), terms_at(setup, along)))

    def attitude(self, setup: Setup) -> tuple[list[Array], list[Fusion]]:
        """States of the attitude filter, a piece at a time, and its measurements."""
        attitude = Attitude(setup.config)
        level, found = [], []
        for piece in self._pieces:
            filtered, fusion = follow_attitude(attitude, piece.imu, piece.terms, piece.along)
            level.append(filtered.x)
            found.append(fusion)
        return level, found

    def path(self, setup: Setup, level: Sequence[Array], axis: int) -> list[Fusion]:
        """Measurements of one axis of the path (0 lateral, 1 vertical) on the attitude found before."""
        follower = setup.axes()[axis]
        found: list[Fusion] = []
        for piece, states in zip(self._pieces, level, strict=True):
            given = axis_inputs(setup, piece.imu, piece.terms, piece.along, states)[axis]
            found += follower.process(piece.imu, given)[1]
        return found


def navigation_fusions(setup: Setup, epochs: Iterable[Epoch]) -> list[Fusion]:
    """Every measurement of the whole causal navigation."""
    motion, causal = MotionStage(setup), CausalNavigation(setup)
    found: list[Fusion] = []
    for epoch in epochs:
        followed = motion.process(epoch)
        if followed is not None:
            imu, moved, step, fusions = followed
            found += [*fusions, *causal.process(imu, moved, step)[1]]
    return found
