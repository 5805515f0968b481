"""Two result files side by side: equal to the byte, or where they part."""

import filecmp
from dataclasses import dataclass, fields
from itertools import zip_longest
from pathlib import Path

import numpy as np

from recordings import Archived, ResultReader
from recordings.results import topic_of
from twin.core.arrays import BoolArray
from twin.core.errors import RecordingError
from twin.core.estimate import GridBlock


@dataclass(frozen=True, slots=True)
class Comparison:
    """How two result files differ."""

    results: int
    """In the longer file."""
    different: int
    first: str
    """The first difference, in words; empty where the files are equal."""

    @property
    def equal(self) -> bool:
        return not self.first

    def __str__(self) -> str:
        if self.equal:
            return "equal, byte for byte"
        return f"{self.different} of {self.results} results differ; {self.first}"


def compare(own: Path, reference: Path) -> Comparison:
    """Compare result files; RecordingError where one cannot be read."""
    try:
        if filecmp.cmp(own, reference, shallow=False):
            return Comparison(0, 0, "")
    except OSError as error:
        raise RecordingError(f"{error.filename}: cannot be read ({error.strerror}); name a results.mcap") from None
    left, right = ResultReader(own), ResultReader(reference)
    count = different = 0
    first = ""
    for a, b in zip_longest(left, right):
        if difference := _difference(a, b):
            different += 1
            first = first or f"first: result {count}, {difference}"
        count += 1
    return Comparison(count, different, first or _around(left, right))


def _around(left: ResultReader, right: ResultReader) -> str:
    """What differs between files whose results are equal."""
    keys = [key for key in left.metadata | right.metadata if left.metadata.get(key) != right.metadata.get(key)]
    return f"they were made with another {' and '.join(sorted(keys))}" if keys else "one of the files is damaged"


def _difference(a: Archived | None, b: Archived | None) -> str:
    """Where two results differ, in words; empty if nowhere."""
    if a is None or b is None:
        return f"is missing from the {'replay' if a is None else 'reference'}"
    if topic_of(a) != topic_of(b):
        return f"is {topic_of(a)} here and {topic_of(b)} in the reference"
    for field in fields(a):
        ours, theirs = getattr(a, field.name), getattr(b, field.name)
        if isinstance(ours, np.ndarray):
            if ours.shape != theirs.shape:
                return f"{topic_of(a)}: {len(ours)} rows here, {len(theirs)} in the reference"
            if not np.array_equal(ours, theirs, equal_nan=ours.dtype.kind == "f"):
                return f"{topic_of(a)}: {_where(a, field.name, np.asarray(ours != theirs))}"
        elif ours != theirs:
            return f"{topic_of(a)}: {field.name} {ours} here, {theirs} in the reference"
    return ""


def _where(result: Archived, name: str, unequal: BoolArray) -> str:
    """The first row that differs, by its place where it has one, and the columns."""
    row = int(np.flatnonzero(unequal.reshape(unequal.shape[0], -1).any(axis=1))[0])
    if not isinstance(result, GridBlock):
        return f"{name} from row {row} on"
    if name != "values":
        return f"{name} at s = {result.s[row]:g} m"
    columns = [column for column, differs in zip(result.layout.names, unequal[row], strict=True) if differs]
    return f"{', '.join(columns)} at s = {result.s[row]:g} m"
