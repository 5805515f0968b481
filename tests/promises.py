"""The five promises of a stage (twin.core.stage) as checks that every stage is run through."""

import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, is_dataclass
from functools import cached_property
from typing import Any, Generic, TypeVar
from unittest.mock import patch

import numpy as np

from twin.core.blocks import RawBlock
from twin.core.estimate import Estimate, Fusion, GridBlock
from twin.core.stage import Latency, Stage

In = TypeVar("In")
Out = TypeVar("Out")


@dataclass(frozen=True)
class Case(Generic[In, Out]):
    """A stage and what it is fed."""

    make: Callable[[], Stage[In, Out]]
    items: Sequence[In]
    cut: Callable[[In, np.random.Generator], Sequence[In]]
    """An item in parts that mean the same."""
    with_gap: Sequence[In]
    """The items with something missing."""
    shows_gap: Callable[[Stage[In, Out], Sequence[Out]], bool]
    heard_ns: Callable[[In], int]
    """Time an item brings the stage to."""
    spoken_ns: Callable[[Out], int | None]
    """Earliest time an output tells of; None if of none."""
    place: Callable[[float], float] = float
    """Metres travelled at a time [ns], for latencies in metres."""

    @cached_property
    def uncut(self) -> tuple[Stage[In, Out], list[Out]]:
        """The stage after its input, and all that came out."""
        stage = self.make()
        return stage, fed(stage, self.items)


def fed(stage: Stage[In, Out], items: Sequence[In]) -> list[Out]:
    """All that comes out."""
    outputs = [output for item in items for output in stage.process(item)]
    return [*outputs, *stage.flush()]


def cutting_changes_nothing(case: Case[In, Out], rng: np.random.Generator) -> None:
    """Cutting the input differently gives the same values, bit for bit."""
    whole = content(case.uncut[1])
    parts = [part for item in case.items for part in case.cut(item, rng)]
    assert len(whole) > 0
    assert content(fed(case.make(), parts)) == whole


def wall_time_changes_nothing(case: Case[In, Out]) -> None:
    """Output depends on the input alone: no clock is read, no random number drawn, and a second run is equal."""
    once = content(case.uncut[1])
    with no_clocks_or_dice():
        again = content(fed(case.make(), case.items))
    assert again == once


def inputs_are_not_modified(case: Case[In, Out]) -> None:
    """What was given is the same afterwards, and held outputs do not change with what follows."""
    before = [digest(item) for item in case.items]
    stage = case.make()
    outputs, given = [], []
    for item in case.items:
        for output in stage.process(item):
            outputs.append(output)
            given.append(digest(output))
    stage.flush()
    assert [digest(item) for item in case.items] == before
    assert [digest(output) for output in outputs] == given


def a_gap_is_visible(case: Case[In, Out]) -> None:
    """Missing input shows, and only where it is missing."""
    stage = case.make()
    assert case.shows_gap(stage, fed(stage, case.with_gap))
    assert not case.shows_gap(*case.uncut)


def latency_is_a_constant(case: Case[In, Out]) -> None:
    """No output comes later than the stage states, and what it states does not change."""
    stage = case.make()
    stated = stage.latency
    now: float | None = None
    for item in case.items:
        for output in stage.process(item):
            spoken = case.spoken_ns(output)
            if spoken is None or now is None:
                continue
            assert now - spoken <= stated.seconds * 1e9 or _waited(case.place, spoken, now, stated) <= stated.metres
        now = case.heard_ns(item) if now is None else max(now, case.heard_ns(item))
        assert stage.latency == stated


def _waited(place: Callable[[float], float], spoken: float, now: float, stated: Latency) -> float:
    """Metres travelled between two times [ns], less the most that fall into the seconds a stage may wait as well."""
    free = stated.seconds * 1e9
    most = max(place(t + free) - place(t) for t in np.linspace(spoken, now - free, 21).tolist())
    return place(now) - place(spoken) - most


@contextmanager
def no_clocks_or_dice() -> Iterator[None]:
    """Whoever asks for the time or a random number fails."""

    def refuse(*_: object) -> float:
        raise AssertionError("a stage asked for the time or a random number")

    clocks = ("time", "time_ns", "monotonic", "monotonic_ns", "perf_counter", "perf_counter_ns")
    dice = random.getstate(), np.random.get_state(legacy=True)[1].tobytes()  # noqa: NPY002 (it must not be used)
    with patch.multiple(time, **dict.fromkeys(clocks, refuse)):
        yield
    assert random.getstate() == dice[0]
    assert np.random.get_state(legacy=True)[1].tobytes() == dice[1]  # noqa: NPY002


def content(outputs: Sequence[object]) -> dict[str, bytes]:
    """What outputs say, bit for bit, whatever blocks they come in; things that have no samples in their order."""
    columns: dict[str, list[bytes]] = {}
    for output in outputs:
        for name, values in _columns(output).items():
            columns.setdefault(name, []).append(values)
    return {name: b"".join(parts) for name, parts in columns.items()}


def _columns(output: object) -> dict[str, bytes]:
    match output:
        case RawBlock():
            n = output.ticks.size
            t = np.full(n, -1) if output.clock is None else output.clock.to_ns(output.ticks)
            arrays = {"ticks": output.ticks, "t": t, "stamp": np.full(n, output.t_host_ns)}
            arrays |= {"values": output.values, "quality": output.quality}
            key = output.source
        case Estimate() | GridBlock():
            key = f"{type(output).__name__} {output.name} {output.form}"
            arrays = _arrays(output)
        case Fusion():
            key, arrays = f"Fusion {output.name}", _arrays(output)
        case _:
            return {type(output).__name__: repr(digest(output)).encode()}
    return {f"{key} {name}": np.ascontiguousarray(values).tobytes() for name, values in arrays.items()}


def _arrays(output: Any) -> dict[str, Any]:
    held = {f.name: getattr(output, f.name) for f in fields(output)}
    return {name: value for name, value in held.items() if isinstance(value, np.ndarray)}


def digest(thing: Any) -> Any:
    """Everything in a thing as plain, comparable values; NaN equals NaN."""
    if isinstance(thing, np.ndarray):
        return (thing.dtype.str, thing.shape, np.ascontiguousarray(thing).tobytes())
    if is_dataclass(thing):
        return (type(thing).__name__, *((f.name, digest(getattr(thing, f.name))) for f in fields(thing)))
    if isinstance(thing, Mapping):
        return tuple((key, digest(value)) for key, value in thing.items())
    return repr(thing)
