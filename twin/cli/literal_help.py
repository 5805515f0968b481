"""Help that says what is written: a `[table]` in it is a word, not a style."""

from collections.abc import Callable
from typing import Any

import typer
from rich.markup import escape


def command_of(app: typer.Typer) -> Callable[..., Any]:
    """The command line of an application, with every text of its help taken literally."""
    command = typer.main.get_command(app)
    _take_literally(command)
    return command


def _take_literally(command: object) -> None:
    """Escape the texts of a command and of all below it, where rich would look for styles in square brackets."""
    for speaker in (command, *getattr(command, "params", ())):
        for name in ("help", "short_help", "epilog"):
            text = getattr(speaker, name, None)
            if text:
                setattr(speaker, name, escape(text))
    for below in getattr(command, "commands", {}).values():
        _take_literally(below)
