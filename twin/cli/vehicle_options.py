"""What the commands that run a vehicle have in common: its contacts, lists of numbers, and the files they write."""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from twin.cli.console import terminal
from twin.cli.vehicle_modes import write
from twin.cli.vehicle_show import PICTURES
from twin.core.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable

    from matplotlib.figure import Figure

    from twin.report.table_file import Column
    from twin.vehicle.running import RunSettings

TABLES = (".csv", ".parquet")
CONTACTS = "Wheels on rails"


class ContactForm(StrEnum):
    """How wheels touch their rails."""

    ELASTIC = "elastic"
    KNIFE = "knife"


RunWheel = Annotated[
    str | None,
    typer.Option(
        "--wheel",
        metavar="NAME|FILE",
        help="Profile of all wheels, such as S1002 or cone-20; else that of the vehicle.",
        rich_help_panel=CONTACTS,
    ),
]
RunRail = Annotated[
    str, typer.Option("--rail", metavar="NAME|FILE", help="Profile of both rails.", rich_help_panel=CONTACTS)
]
RunFriction = Annotated[
    float,
    typer.Option("--friction", metavar="NUMBER", min=0.0, max=1.0, help="Coefficient.", rich_help_panel=CONTACTS),
]
RunOut = Annotated[
    list[Path] | None,
    typer.Option(
        "--out", "-o", metavar="FILE", help="Figure (.png, .pdf, .svg) or table (.csv, .parquet); may be repeated."
    ),
]


class Files(NamedTuple):
    """What is to be written."""

    pictures: list[Path]
    tables: list[Path]

    def write(self, figure: "Callable[[], Figure]", columns: "Mapping[str, Column]") -> None:
        """Draw the figure if it is asked for, and write the table."""
        from twin.report.table_file import write_table

        if self.pictures:
            write(figure(), self.pictures)
        for file in self.tables:
            write_table(file, columns)
            terminal().show(f"{file}: written")


def files_of(out: Sequence[Path] | None) -> Files:
    """The files, if their endings are known and their places are there: a long run should not be lost at its end."""
    for file in out or []:
        if file.suffix.lower() not in (*PICTURES, *TABLES):
            raise ConfigError(f"{file}: a figure ends in {', '.join(PICTURES)}, a table in {' or '.join(TABLES)}")
        if not file.absolute().parent.is_dir():
            raise ConfigError(f"{file}: there is no directory {file.absolute().parent}; make it, or choose another")
    pictures = [file for file in out or [] if file.suffix.lower() in PICTURES]
    return Files(pictures, [file for file in out or [] if file not in pictures])


def numbers(text: str, *, option: str, example: str) -> list[float]:
    """Numbers between commas."""
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise ConfigError(f"{option} {text}: give numbers between commas, such as {example}") from None


def run_settings(contact: ContactForm, *, wheel: str | None, rail: str, friction: float) -> "RunSettings":
    """How wheels touch, on what they run, and how they grip."""
    from twin.contact.creep import Friction
    from twin.vehicle.running import RunSettings, WheelRailSettings

    wheel_rail = WheelRailSettings(wheel=wheel, rail=rail, friction=Friction(mu=friction))
    return RunSettings(contact=contact.value, wheel_rail=wheel_rail)
