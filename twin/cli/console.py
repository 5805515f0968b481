"""Where commands speak: results on stdout; remarks, progress and errors on stderr."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import IntEnum
from typing import NoReturn

import typer
from rich.console import Console, RenderableType

PIPE_WIDTH = 120
"""Columns of tables when no terminal gives a width and COLUMNS is not set."""
PLAIN_STEPS = 4
"""Progress lines of one task when no terminal can draw a bar: enough to see life, too few to fill a log."""


class ExitCode(IntEnum):
    """What a script that calls `railtwin` learns."""

    OK = 0
    PROBLEM = 1
    """The command did its work and found something wrong: damage, a failed check."""
    USAGE = 2
    """Nothing was done: wrong arguments, configuration or input."""
    INTERRUPTED = 130


class Terminal:
    """The two streams of one process."""

    def __init__(self, *, quiet: bool = False, colour: bool = True) -> None:
        self.quiet = quiet
        self._out = _stream(stderr=False, colour=colour)
        self._err = _stream(stderr=True, colour=colour)

    def show(self, result: RenderableType) -> None:
        """Print a result, asked for and therefore never silenced: text unwrapped, tables drawn."""
        self._out.print(result, soft_wrap=isinstance(result, str))

    def say(self, remark: str) -> None:
        """Print one line about what is going on, unless quiet."""
        if not self.quiet:
            self._err.print(remark, soft_wrap=True)

    def warn(self, remark: str) -> None:
        """Print one line a person must see even when quiet."""
        self._err.print(f"warning: {remark}", style="yellow", soft_wrap=True)

    def fail(self, reason: str) -> None:
        """Print the one line that says why the command stops."""
        self._err.print(f"error: {reason}", style="red", soft_wrap=True)

    @contextmanager
    def progress(self, title: str, *, total: float = 1.0) -> Iterator[Callable[[float], None]]:
        """Draw a bar on a terminal, a few plain lines elsewhere, nothing when quiet.

        Yields the function to call with the work done so far, from 0 to total.
        """
        if self.quiet:
            yield _ignore
        elif self._err.is_terminal:
            with self._bar(title, total) as update:
                yield update
        else:
            yield self._lines(title, total)

    @contextmanager
    def status(self) -> Iterator[Callable[[str], None]]:
        """Keep one line up to date at the foot of a terminal; nothing elsewhere, and nothing when quiet.

        Yields the function to call with the line as it is now.
        """
        if self.quiet or not self._err.is_terminal:
            yield _ignore
            return
        from rich.live import Live
        from rich.text import Text

        with Live(console=self._err, transient=True, auto_refresh=False) as live:
            yield lambda line: live.update(Text(line, no_wrap=True, overflow="ellipsis"), refresh=True)

    @contextmanager
    def _bar(self, title: str, total: float) -> Iterator[Callable[[float], None]]:
        from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

        columns = (
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            TaskProgressColumn(),
            TimeRemainingColumn(),
        )
        with Progress(*columns, console=self._err) as bars:
            task = bars.add_task(title, total=total)
            yield lambda done: bars.update(task, completed=done)

    def _lines(self, title: str, total: float) -> Callable[[float], None]:
        reached = 0

        def update(done: float) -> None:
            nonlocal reached
            step = int(PLAIN_STEPS * min(done / total, 1.0)) if total > 0 else PLAIN_STEPS
            if step > reached:
                reached = step
                self.say(f"{title}: {100 * step // PLAIN_STEPS} %")

        return update


def part_of(progress: Callable[[float], None], start: float, end: float) -> Callable[[float], None]:
    """The progress of one step, 0 to 1, as a part of the whole."""
    return lambda share: progress(start + (end - start) * share)


def terminal() -> Terminal:
    """The terminal of this process, as the global options set it."""
    return _current[0]


def configure(*, quiet: bool, colour: bool) -> None:
    """Apply the global options before the command runs."""
    if not colour:
        os.environ["NO_COLOR"] = "1"  # also heard by the usage errors typer draws and by child processes
    _current[0] = Terminal(quiet=quiet, colour=colour)


def stop(code: ExitCode) -> NoReturn:
    """End the command with a code."""
    raise typer.Exit(int(code))


def _stream(*, stderr: bool, colour: bool) -> Console:
    """A console that prints text as it is: a unit in brackets is no markup."""
    console = Console(stderr=stderr, no_color=None if colour else True, markup=False, emoji=False, highlight=False)
    if not console.is_terminal and "COLUMNS" not in os.environ:
        console.width = PIPE_WIDTH
    return console


def _ignore(news: float | str) -> None:
    """Nobody watches."""


_current = [Terminal()]
