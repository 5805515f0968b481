"""The checks of the five promises fail on stages that break them."""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest

from tests import promises
from tests.promises import Case
from tests.stage_cases import cut_samples
from twin.core.estimate import Fusion
from twin.core.stage import Latency

SECOND = 1_000_000_000


def fusion(second: int) -> Fusion:
    """One second of samples at 10 Hz."""
    t_ns = second * SECOND + np.arange(10) * SECOND // 10
    values = np.sin(t_ns * 1e-9)
    return Fusion("a", t_ns, values, np.ones(10), np.ones(10, np.bool_), 9.0)


class Faithful:
    """Passes on what it gets, and marks a sample after a gap as not accepted."""

    latency = Latency()

    def __init__(self) -> None:
        self._last: int | None = None

    def process(self, item: Fusion) -> Sequence[Fusion]:
        if not item.t_ns.size:
            return ()
        before = item.t_ns[0] if self._last is None else self._last
        self._last = int(item.t_ns[-1])
        return [replace(item, accepted=np.diff(item.t_ns, prepend=before) < SECOND // 5)]

    def flush(self) -> Sequence[Fusion]:
        return ()


class CutDependent(Faithful):
    def process(self, item: Fusion) -> Sequence[Fusion]:
        return [replace(item, innovation=item.innovation - item.innovation.sum())]


class ClockReader(Faithful):
    def process(self, item: Fusion) -> Sequence[Fusion]:
        time.monotonic_ns()
        return super().process(item)


class Meddler(Faithful):
    def process(self, item: Fusion) -> Sequence[Fusion]:
        object.__setattr__(item, "gate", item.gate + 1)
        return super().process(item)


class Forger(Faithful):
    def process(self, item: Fusion) -> Sequence[Fusion]:
        return [replace(found, accepted=np.ones(found.t_ns.size, np.bool_)) for found in super().process(item)]


class Dawdler(Faithful):
    def __init__(self) -> None:
        super().__init__()
        self._held: list[Fusion] = []

    def process(self, item: Fusion) -> Sequence[Fusion]:
        self._held += super().process(item)
        return [self._held.pop(0)] if len(self._held) > 3 else []


def case_of(stage: Callable[[], Faithful]) -> Case[Fusion, Fusion]:
    items = [fusion(second) for second in range(12)]
    return Case(
        make=stage,
        items=items,
        cut=cut_samples(lambda item: item.t_ns.size),
        with_gap=[*items[:5], *items[6:]],
        shows_gap=lambda _, found: not np.concatenate([each.accepted for each in found]).all(),
        heard_ns=lambda item: int(item.t_ns[-1]),
        spoken_ns=lambda found: int(found.t_ns[0]),
        place=lambda t_ns: 20e-9 * t_ns,
    )


CHECKS: dict[type[Faithful], Callable[[Case[Fusion, Fusion]], None]] = {
    CutDependent: lambda case: promises.cutting_changes_nothing(case, np.random.default_rng(3)),
    ClockReader: promises.wall_time_changes_nothing,
    Meddler: promises.inputs_are_not_modified,
    Forger: promises.a_gap_is_visible,
    Dawdler: promises.latency_is_a_constant,
}


@pytest.mark.parametrize("stage", list(CHECKS), ids=lambda stage: stage.__name__)
def test_a_broken_promise_is_caught(stage: type[Faithful]) -> None:
    with pytest.raises(AssertionError):
        CHECKS[stage](case_of(stage))


@pytest.mark.parametrize("check", list(CHECKS.values()), ids=[stage.__name__ for stage in CHECKS])
def test_a_faithful_stage_keeps_them_all(check: Callable[[Case[Fusion, Fusion]], None]) -> None:
    check(case_of(Faithful))
