"""Every stage with its input, ready for the five promises."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from functools import lru_cache
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np

from firmware_interface import Chunk
from sensors.decode import DeviceDecoder
from sensors.emulator import FaultPlan
from tests import short_run
from tests.promises import Case, fed
from twin.core.blocks import Epoch, RawBlock
from twin.core.estimate import Estimate, Form, Fusion, GridBlock, Health, Result
from twin.core.quality import Quality
from twin.navigation.stage import Navigation
from twin.pipeline.health import SECOND, HealthMonitor
from twin.pipeline.synchroniser import Synchroniser
from twin.pipeline.twin import Twin

T = TypeVar("T")
GAP = (short_run.START_NS + 16 * SECOND, short_run.START_NS + 17 * SECOND)
"""[ns] A second without data, while the train runs at 20 m/s."""
UNTIL = short_run.START_NS + 34 * SECOND
"""[ns] The train has braked to 1.5 m/s: enough for every promise."""


def in_gap(t_ns: int) -> bool:
    return GAP[0] <= t_ns < GAP[1]


def metres(t_ns: float) -> float:
    """Place of the train at a time."""
    truth = short_run.run().truth
    return float(np.interp((t_ns - short_run.START_NS) * 1e-9, truth.t, truth.s))


def chunks(faults: Mapping[str, FaultPlan]) -> list[Chunk]:
    return [chunk for chunk in short_run.read_chunks(faults) if chunk.t_host_ns < UNTIL]


@lru_cache
def blocks() -> tuple[RawBlock, ...]:
    return tuple(short_run.decoded(chunks(short_run.FAULTS)))


def gappy_blocks() -> list[RawBlock]:
    """The inertial sensor says nothing for a second."""
    return [block for block in blocks() if not (block.source == "imu" and in_gap(block.t_host_ns))]


def synchroniser() -> Synchroniser:
    return Synchroniser(short_run.SYNCHRONISER, short_run.RATES)


@lru_cache
def epochs(*, gap: bool = False) -> tuple[Epoch, ...]:
    return tuple(fed(synchroniser(), gappy_blocks() if gap else blocks()))


def navigation() -> Navigation:
    return Navigation(short_run.setup().navigation, epoch=short_run.SYNCHRONISER.epoch, rate=short_run.RATES["imu"])


@lru_cache
def navigated() -> tuple[Estimate | Fusion, ...]:
    return tuple(fed(navigation(), epochs()))


def estimates() -> list[Estimate]:
    return [found for found in navigated() if isinstance(found, Estimate) and found.form is Form.CAUSAL]


def health_items(*, gap: bool = False) -> list[Epoch | Fusion]:
    """Epochs, each before what was fused in it, as the twin hands them over."""
    stage = navigation()
    items: list[Epoch | Fusion] = []
    for epoch in epochs(gap=gap):
        items += [epoch, *(found for found in stage.process(epoch) if isinstance(found, Fusion))]
    return items


def rows_of(thing: Any, rows: slice) -> Any:
    """Some samples of anything whose arrays all have one entry per sample."""
    held = {f.name: getattr(thing, f.name) for f in fields(thing)}
    return replace(thing, **{name: value[rows] for name, value in held.items() if isinstance(value, np.ndarray)})


def cut_samples(size: Callable[[Any], int]) -> Callable[[T, np.random.Generator], list[T]]:
    """Cut at random between samples; some parts are empty."""

    def cut(item: T, rng: np.random.Generator) -> list[T]:
        bounds = [0, *np.sort(rng.integers(0, size(item) + 1, int(rng.integers(0, 4)))).tolist(), size(item)]
        return [rows_of(item, slice(a, b)) for a, b in pairwise(bounds)]

    return cut


def cut_bytes(chunk: Chunk, rng: np.random.Generator) -> list[Chunk]:
    n = len(chunk.data)
    bounds = [0, *np.sort(rng.integers(0, n + 1, int(rng.integers(0, 4)))).tolist(), n]
    return [replace(chunk, data=chunk.data[a:b]) for a, b in pairwise(bounds)]


def whole(item: T, _: np.random.Generator) -> list[T]:
    """An epoch is cut by the clock, not by chance."""
    return [item]


def decoder_case() -> Case[Chunk, RawBlock]:
    """The gap shows in the sequence numbers."""
    read = [chunk for chunk in chunks({}) if chunk.device == "imu"]
    return Case(
        make=lambda: DeviceDecoder(short_run.DEVICES[0]),
        items=read,
        cut=cut_bytes,
        with_gap=[chunk for chunk in read if not in_gap(chunk.t_host_ns)],
        shows_gap=lambda stage, _: isinstance(stage, DeviceDecoder) and stage.health()["lost"] > 0,
        heard_ns=lambda chunk: chunk.t_host_ns,
        spoken_ns=lambda block: block.t_host_ns,
    )


def synchroniser_case() -> Case[RawBlock, Epoch]:
    return Case(
        make=synchroniser,
        items=blocks(),
        cut=cut_samples(lambda block: block.ticks.size),
        with_gap=gappy_blocks(),
        shows_gap=lambda _, found: sum(epoch.counts["imu"].get("missing", 0) for epoch in found) > 490,
        heard_ns=lambda block: block.t_host_ns,
        spoken_ns=lambda epoch: epoch.t0_ns,
    )


def bridged(found: Sequence[Any]) -> bool:
    """Whether values are marked as estimated across a second without data; they are finite all the same."""
    kept = [each for each in found if isinstance(each, Estimate | GridBlock) and each.form is Form.CAUSAL]
    for each in kept:
        values = each.x if isinstance(each, Estimate) else each.values
        assert np.isfinite(np.delete(values, each.layout.index("curvature"), axis=1)).all()
    inside = [(each.t_ns >= GAP[0] + SECOND // 10) & (each.t_ns < GAP[1] - SECOND // 10) for each in kept]
    flags = np.concatenate([each.quality[rows] for each, rows in zip(kept, inside, strict=True)])
    return bool(flags.size > 0 and np.all(flags & np.uint8(Quality.BRIDGED)))


def earliest(found: Any) -> int | None:
    return int(found.t_ns[0]) if found.t_ns.size else None


def navigation_case() -> Case[Epoch, Estimate | Fusion]:
    return Case(
        make=navigation,
        items=epochs(),
        cut=whole,
        with_gap=epochs(gap=True),
        shows_gap=lambda _, found: bridged(found),
        heard_ns=lambda epoch: epoch.t1_ns,
        spoken_ns=earliest,
        place=metres,
    )


def gridder_case() -> Case[Estimate, GridBlock]:
    return Case(
        make=lambda: short_run.setup().gridder(Form.CAUSAL),
        items=estimates(),
        cut=cut_samples(len),
        with_gap=[each for each in estimates() if not in_gap(int(each.t_ns[0]))],
        shows_gap=lambda _, found: bridged(found),
        heard_ns=lambda estimate: int(estimate.t_ns[-1]),
        spoken_ns=earliest,
        place=metres,
    )


def cut_fusion(item: Epoch | Fusion, rng: np.random.Generator) -> list[Epoch | Fusion]:
    return [item] if isinstance(item, Epoch) else cut_samples(lambda fusion: fusion.t_ns.size)(item, rng)


def missing_of(found: Sequence[Any]) -> int:
    """Samples of the inertial sensor that health calls missing."""
    return sum(each.counts["missing"] for each in found if isinstance(each, Health) and each.source == "imu")


def health_case() -> Case[Epoch | Fusion, Health]:
    return Case(
        make=lambda: HealthMonitor(short_run.RATES),
        items=health_items(),
        cut=cut_fusion,
        with_gap=health_items(gap=True),
        shows_gap=lambda _, found: missing_of(found) > 490,
        heard_ns=lambda item: item.t1_ns if isinstance(item, Epoch) else 0,
        spoken_ns=lambda record: record.t_ns - SECOND,
    )


def result_ns(result: Result) -> int | None:
    return result.t_ns - SECOND if isinstance(result, Health) else earliest(result)


def twin_case() -> Case[RawBlock, Result]:
    return Case(
        make=lambda: Twin(short_run.setup()),
        items=blocks(),
        cut=cut_samples(lambda block: block.ticks.size),
        with_gap=gappy_blocks(),
        shows_gap=lambda _, found: bridged(found) and missing_of(found) > 490,
        heard_ns=lambda block: block.t_host_ns,
        spoken_ns=result_ns,
        place=metres,
    )


CASES: dict[str, Callable[[], Case[Any, Any]]] = {
    "decoder": decoder_case,
    "synchroniser": synchroniser_case,
    "navigation": navigation_case,
    "gridder": gridder_case,
    "health": health_case,
    "twin": twin_case,
}


@lru_cache
def case(name: str) -> Case[Any, Any]:
    """The case of a stage, made once."""
    return CASES[name]()
