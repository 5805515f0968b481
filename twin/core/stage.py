"""The contract of a stage and the latency it states."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

In = TypeVar("In", contravariant=True)
Out = TypeVar("Out", covariant=True)


@dataclass(frozen=True, slots=True)
class Latency:
    """The constant delay between an input and the output that depends on it: the larger of the two."""

    seconds: float = 0.0
    metres: float = 0.0


class Stage(Protocol[In, Out]):
    """Something that remembers. Five promises, each a reusable test (tests/promises.py):

    cutting the input differently changes nothing; output depends on data time, never wall time; inputs are
    not modified; a gap is visible in quality and handled; latency is a constant the stage can state.
    """

    @property
    def latency(self) -> Latency: ...

    def process(self, item: In) -> Sequence[Out]: ...

    def flush(self) -> Sequence[Out]: ...
