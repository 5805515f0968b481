"""`railtwin contact conicity` and `conicity-benchmark`: how a wheelset steers itself on its track."""

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from twin.cli.console import terminal
from twin.cli.contact_options import (
    MM,
    Cant,
    FlangeBack,
    Gauge,
    RadiusLeft,
    RadiusRight,
    Rail,
    RailReading,
    Wheel,
    WheelLeft,
    WheelReading,
    WheelRight,
    WheelsetOnTrack,
)
from twin.core.errors import ConfigError

if TYPE_CHECKING:
    from rich.panel import Panel
    from rich.table import Table

    from twin.contact.conicity import EquivalentConicity
    from twin.contact.seating import WheelsetPair
    from twin.contact.traverse import Traverse

RATED_MM = 3.0
"""Amplitude at which vehicles and tracks are rated [mm] [EN 14363]."""
LARGEST_MM = 20.0
"""No wheelset moves as far [mm]: a larger amplitude was meant in another unit."""
DRAWN_MM, FINE_STEP_MM = 8.0, 0.05
"""Largest amplitude in the figure and its step [mm]."""
TABLE, PICTURES = ".csv", (".png", ".pdf", ".svg")


def conicity(
    wheel: Wheel = "S1002",
    rail: Rail = "60E1-EN",
    cant: Cant = "1/40",
    gauge: Gauge = 1435.0,
    flange_back: FlangeBack = 1360.0,
    wheel_left: WheelLeft = None,
    wheel_right: WheelRight = None,
    radius_left: RadiusLeft = 460.0,
    radius_right: RadiusRight = 460.0,
    wheel_reading: WheelReading = "",
    rail_reading: RailReading = "",
    level: Annotated[bool, typer.Option("--level", help="Without roll, as the reference results of EN 15302.")] = False,
    amplitudes: Annotated[
        str, typer.Option("--amplitudes", metavar="MM,MM,...", help="Amplitudes of the table.")
    ] = "1,2,3,4,5,6,7",
    out: Annotated[
        list[Path] | None,
        typer.Option("--out", "-o", metavar="FILE", help="Figure (.png, .pdf, .svg) or table (.csv); may be repeated."),
    ] = None,
) -> None:
    """Print the equivalent conicity of a wheelset on its track [EN 15302], with its wavelength.

    The wheelset rolls so that both wheels stand on the rails, and the amplitude is that of its axle. With --level it
    does not roll: some per cent less on the tread, and the better judge of motions that reach the flange.

    Example: railtwin contact conicity --wheel worn.prw --gauge 1437 -o worn.png -o worn.csv
    """
    files = [_known(file) for file in out or []]
    asked = _amplitudes(amplitudes)
    wheelset = WheelsetOnTrack(
        wheel_left=wheel_left or wheel,
        wheel_right=wheel_right or wheel,
        rail=rail,
        cant=cant,
        gauge=gauge,
        flange_back=flange_back,
        radius_left=radius_left,
        radius_right=radius_right,
        wheel_reading=wheel_reading,
        rail_reading=rail_reading,
    )
    on_rails = wheelset.on_rails()
    moved = _moved(on_rails, level=level)
    found = _conicity(wheelset, moved, asked)
    terminal().show(wheelset.title)
    terminal().show(_headline(_conicity(wheelset, moved, [RATED_MM])))
    terminal().show(_table(found))
    for file in files:
        if file.suffix.lower() == ".csv":
            _write_table(file, found)
        else:
            _draw(file, wheelset, on_rails, moved)
        terminal().show(f"{file}: written")


def _moved(wheelset: "WheelsetPair", *, level: bool) -> "Traverse":
    """The wheelset moved across its track, without roll or with both wheels on the rails."""
    from twin.contact import traverse

    move = traverse.level(*wheelset) if level else traverse.seated(wheelset)
    return traverse.traverse(move)


def _conicity(wheelset: WheelsetOnTrack, moved: "Traverse", amplitudes_mm: Sequence[float]) -> "EquivalentConicity":
    """Its conicity, with the wavelength of its own size."""
    import numpy as np

    from twin.contact.conicity import equivalent_conicity

    amplitude = np.array(amplitudes_mm) * MM
    return equivalent_conicity(moved.difference, amplitude=amplitude, r0=wheelset.mean_radius, e=wheelset.base)


def _amplitudes(text: str) -> list[float]:
    try:
        found = [float(each) for each in text.split(",")]
    except ValueError:
        found = []
    if not found or not all(0.0 < each <= LARGEST_MM for each in found):
        raise ConfigError(f"--amplitudes {text}: write amplitudes in mm, up to {LARGEST_MM:g}, as in 1,2,3")
    return found


def _known(file: Path) -> Path:
    """The file, if its ending says what to write."""
    if file.suffix.lower() not in (TABLE, *PICTURES):
        raise ConfigError(f"{file}: a figure ends in {', '.join(PICTURES)}, a table in {TABLE}")
    return file


def _headline(found: "EquivalentConicity") -> "Panel":
    from rich.panel import Panel
    from rich.text import Text

    _, tan_gamma, wavelength, _ = _cells(found)[0]
    return Panel(Text(f"tan γe = {tan_gamma} at {RATED_MM:g} mm, wavelength {wavelength} m", "bold"), expand=False)


def _table(found: "EquivalentConicity") -> "Table":
    from rich.table import Table

    table = Table()
    for title in ("amplitude [mm]", "tan γe", "wavelength [m]", "centre [mm]"):
        table.add_column(title, justify="right")
    for cells in _cells(found):
        table.add_row(*cells)
    return table


def _cells(found: "EquivalentConicity") -> list[tuple[str, str, str, str]]:
    """Amplitude, conicity, wavelength and centre as a person reads them."""
    rows = zip(found.amplitude, found.tan_gamma, found.wavelength, found.centre, strict=True)
    return [
        (f"{amplitude / MM:g}", "beyond contact", "-", "-")
        if tan_gamma != tan_gamma
        else (f"{amplitude / MM:g}", f"{tan_gamma:.4f}", f"{wavelength:.1f}", f"{centre / MM:z.2f}")
        for amplitude, tan_gamma, wavelength, centre in rows
    ]


def _write_table(file: Path, found: "EquivalentConicity") -> None:
    try:
        with file.open("w", encoding="utf-8", newline="") as out:
            writer = csv.writer(out)
            writer.writerow(("amplitude_mm", "tan_gamma_e", "wavelength_m", "centre_mm"))
            rows = zip(found.amplitude, found.tan_gamma, found.wavelength, found.centre, strict=True)
            for amplitude, tan_gamma, wavelength, centre in rows:
                writer.writerow((f"{amplitude / MM:g}", f"{tan_gamma:.6f}", f"{wavelength:.4f}", f"{centre / MM:z.4f}"))
    except OSError as error:
        raise ConfigError(f"{file}: cannot be written ({error.strerror}); choose another place") from None


def _draw(file: Path, wheelset: WheelsetOnTrack, on_rails: "WheelsetPair", moved: "Traverse") -> None:
    import numpy as np

    from twin.report.contact_conicity import Studied, conicity_figure

    found = _conicity(wheelset, moved, np.arange(FINE_STEP_MM, DRAWN_MM + FINE_STEP_MM / 2, FINE_STEP_MM).tolist())
    studied = Studied(wheelset.title, on_rails.left, on_rails.right, moved, found)
    try:
        conicity_figure(studied).savefig(file, dpi=150)
    except OSError as error:
        raise ConfigError(f"{file}: cannot be written ({error.strerror}); choose another place") from None
