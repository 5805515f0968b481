"""What is lost from a recording, said so that a person can decide what to do."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from recordings.records import Fault
from recordings.scan import Lost

_LISTED = 1000
"""Lost parts kept one by one; all are counted."""


@dataclass(frozen=True, slots=True)
class LostPart:
    """One stretch of a file that could not be read."""

    file: str
    offset: int
    length: int
    """[bytes]"""
    fault: Fault
    after_ns: int | None
    """Host time of the last message before it; None at the start of the recording."""
    before_ns: int | None
    """Host time of the first message after it; None at the end."""


@dataclass(frozen=True, slots=True)
class DamageReport:
    """Sum of what was lost, with the first thousand places."""

    lost_bytes: int = 0
    missing: int = 0
    """Messages missing by their running numbers: lost on the disk, or in the queue before it."""
    duplicates: int = 0
    """Messages stored twice after a failed write, and returned once."""
    unreadable: int = 0
    """Messages of an unknown channel or with content that makes no sense."""
    faults: Mapping[Fault, int] = field(default_factory=dict)
    parts: tuple[LostPart, ...] = ()

    @property
    def clean(self) -> bool:
        """Nothing is lost: a file that was only not closed is clean."""
        return not (self.lost_bytes or self.missing or self.unreadable)

    def lines(self) -> list[str]:
        """For a person: one line of sums, one per lost part (the first ten)."""
        if self.clean and not self.faults:
            return ["no damage"]
        faults = [f"{count} x {fault}" for fault, count in self.faults.items()]
        sums = [f"{self.lost_bytes} bytes lost", f"{self.missing} messages missing"]
        if self.unreadable:
            sums.append(f"{self.unreadable} messages unreadable")
        if self.duplicates:
            sums.append(f"{self.duplicates} messages stored twice")
        listed = [_line(part) for part in self.parts if part.length][:10]
        return ["; ".join(["nothing lost" if self.clean else ", ".join(sums), *faults]), *listed]


def together(*reports: DamageReport) -> DamageReport:
    """What is lost of several parts of one recording."""
    faults: Counter[Fault] = Counter()
    for report in reports:
        faults.update(report.faults)
    return DamageReport(
        lost_bytes=sum(report.lost_bytes for report in reports),
        missing=sum(report.missing for report in reports),
        duplicates=sum(report.duplicates for report in reports),
        unreadable=sum(report.unreadable for report in reports),
        faults=dict(faults),
        parts=tuple(part for report in reports for part in report.parts)[:_LISTED],
    )


def _line(part: LostPart) -> str:
    where = f"{part.file}: {part.length} bytes at {part.offset}: {part.fault}"
    if part.after_ns is None or part.before_ns is None:
        return where + (", to the end" if part.before_ns is None else ", from the start")
    return f"{where}, within {(part.before_ns - part.after_ns) / 1e9:.3f} s after {part.after_ns / 1e9:.3f} s"


class DamageLog:
    """Collects losses while a recording is read; times come from the messages on either side."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._faults: Counter[Fault] = Counter()
        self._parts: list[LostPart] = []
        self._open: list[tuple[str, Lost, int | None]] = []
        self._last_ns: int | None = None

    def lost(self, file: str, lost: Lost) -> None:
        """A stretch of a file is lost."""
        self._counts["bytes"] += lost.length
        self._faults[lost.fault] += 1
        if len(self._parts) + len(self._open) < _LISTED:
            self._open.append((file, lost, self._last_ns))

    def read(self, t_ns: int) -> None:
        """A sound message: it ends the stretches lost before it."""
        self._last_ns = t_ns
        if self._open:
            self._close(t_ns)

    def missing(self, messages: int) -> None:
        """Running numbers were left out."""
        self._counts["missing"] += messages

    def duplicate(self) -> None:
        """A message came a second time."""
        self._counts["duplicates"] += 1

    def unreadable(self) -> None:
        """A sound message nobody can interpret."""
        self._counts["unreadable"] += 1

    def report(self) -> DamageReport:
        """What was lost so far."""
        self._close(None)
        return DamageReport(
            lost_bytes=self._counts["bytes"],
            missing=self._counts["missing"],
            duplicates=self._counts["duplicates"],
            unreadable=self._counts["unreadable"],
            faults=dict(self._faults),
            parts=tuple(self._parts),
        )

    def _close(self, before_ns: int | None) -> None:
        for file, lost, after_ns in self._open:
            self._parts.append(LostPart(file, lost.offset, lost.length, lost.fault, after_ns, before_ns))
        self._open.clear()
