"""`railtwin vehicle run`: a vehicle run over a track in time, with wheel-rail contact."""

from typing import TYPE_CHECKING, Annotated

import typer

from twin.cli.console import ExitCode, stop, terminal
from twin.cli.vehicle_options import ContactForm, Files, RunFriction, RunOut, RunRail, RunWheel, files_of, run_settings
from twin.cli.vehicle_show import Name
from twin.cli.vehicle_track import (
    AskedTrack,
    Cant,
    Irregular,
    LaidTrack,
    Radius,
    Seed,
    TrackFile,
    Transition,
    laid,
)
from twin.core.errors import ConfigError

if TYPE_CHECKING:
    from rich.table import Table

    from twin.report.vehicle_run import VehicleRun
    from twin.vehicle.description import Vehicle
    from twin.vehicle.running import Record, Running, RunSettings

LEAST = 2
"""Kept states of which something can be said."""
NOTHING = 1e-6
"""Below it a figure is rounding, in whatever unit it is shown."""

Speed = Annotated[float, typer.Option("--speed", metavar="M/S", min=0.5, max=150.0, help="Constant.")]
Length = Annotated[float | None, typer.Option("--length", metavar="M", min=1.0, max=1e5, help="Of the run.")]
Duration = Annotated[
    float | None, typer.Option("--duration", metavar="S", min=0.1, max=1e4, help="Of the run, instead of --length.")
]
Contact = Annotated[ContactForm, typer.Option("--contact", help="Elastic: full contact, ten times slower.")]
Flexible = Annotated[
    bool,
    typer.Option("--flexible", help="Rails that give way on ballast, for forces above 20 Hz; elastic contact only."),
]
Rate = Annotated[
    float, typer.Option("--rate", metavar="HZ", min=100.0, max=4000.0, help="States kept for figures and tables.")
]


def run(
    name: Name,
    track: TrackFile = None,
    radius: Radius = None,
    cant: Cant = 0.0,
    transition: Transition = 100.0,
    irregularity: Irregular = None,
    seed: Seed = 1,
    speed: Speed = 20.0,
    length: Length = None,
    duration: Duration = None,
    contact: Contact = ContactForm.KNIFE,
    flexible: Flexible = False,
    wheel: RunWheel = None,
    rail: RunRail = "60E1-EN",
    friction: RunFriction = 0.3,
    rate: Rate = 1000.0,
    out: RunOut = None,
) -> None:
    """Run a vehicle over straight track, into a curve or over a track from a file, and say how it behaved.

    Q presses a rail down, Y outwards, both below 20 Hz as accelerations are. A vehicle that leaves the track ends the
    run: what was computed is shown and written, and the exit code is 1.

    With --flexible the rails bend on ballasted track (60E1; pads 300, ballast 100 MN/m per metre, sleepers 250 kg/m) in
    moving modes exact to 600 Hz; at rest they lie where the track has them. A table then holds how far each rail gives
    way below its wheels. Reducing the track takes some seconds before the run.

    Example: railtwin vehicle run manchester --radius 300 --cant 100 --irregularity german-low -o run.png -o run.csv
    """
    from twin.vehicle.library import vehicle as vehicle_of

    files = files_of(out)
    if length is not None and duration is not None:
        raise ConfigError("--length and --duration both say how far: leave one of them out")
    vehicle = vehicle_of(name)
    asked = AskedTrack(track, radius, cant, transition, irregularity, seed)
    line = laid(asked, vehicle, length if duration is None else duration * speed)
    settings = run_settings(contact, wheel=wheel, rail=rail, friction=friction).model_copy(update={"rate": rate})
    record = _run(vehicle, line, speed, _on_ballast(settings) if flexible else settings)
    if record.t.size >= LEAST:
        _conclude(vehicle, line, record, f"{vehicle.name} at {speed:g} m/s, {contact} contact", files)
    if record.stopped is not None:
        terminal().warn(f"the run ended early: {record.stopped}; what was computed before is kept")
        stop(ExitCode.PROBLEM)


def _on_ballast(settings: "RunSettings") -> "RunSettings":
    from twin.vehicle.track_flexibility.parameters import BALLAST

    if settings.contact == "knife":
        raise ConfigError("--flexible needs forces that grow with depth: add --contact elastic")
    return settings.model_copy(update={"track": BALLAST})


def _conclude(vehicle: "Vehicle", line: LaidTrack, record: "Record", title: str, files: Files) -> None:
    """Show the figures of a run, and write what is asked for."""
    from twin.report.vehicle_run import judged, run_columns
    from twin.report.vehicle_run_figure import run_figure

    judgement = judged(vehicle, line.design, line.rails, record)
    terminal().show(_summary(judgement, title))
    files.write(lambda: run_figure(judgement, title), run_columns(judgement) if files.tables else {})


def _run(vehicle: "Vehicle", line: LaidTrack, speed: float, settings: "RunSettings") -> "Record":
    from twin.vehicle.running import run as run_whole

    terminal().say(f"{vehicle.name}: deriving and compiling, if this was not done before")
    running = _running(vehicle, line, speed, settings)
    with terminal().progress("run") as progress:
        return run_whole(running, line.way / speed, progress=progress)


def _running(vehicle: "Vehicle", line: LaidTrack, speed: float, settings: "RunSettings") -> "Running":
    """The vehicle on its rails; that it runs without a compiler is told in the words of the other remarks."""
    import warnings

    from twin.vehicle.running import Running
    from twin.vehicle.symbolic import SlowerWithoutCompiler

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", SlowerWithoutCompiler)
        running = Running(vehicle, line.rails, speed=speed, s=0.0, settings=settings)
    for each in caught:
        if issubclass(each.category, SlowerWithoutCompiler):
            terminal().warn(str(each.message))
    return running


def _summary(run: "VehicleRun", title: str) -> "Table":
    from rich.table import Table

    from twin.report.vehicle_run import summary

    metres, seconds = run.s[-1] - run.s[0], run.record.t[-1] - run.record.t[0]
    table = Table(title=f"{title}: {metres:.1f} m in {seconds:.2f} s", title_justify="left")
    table.add_column("figure")
    table.add_column("value", justify="right")
    table.add_column("unit")
    table.add_column("of")
    table.add_column("at [m]", justify="right")
    for each in summary(run):
        place = "" if each.s is None else f"{each.s:.1f}"
        value = f"{each.value:.3g}" if abs(each.value) > NOTHING else "0"
        table.add_row(each.words, value, each.unit, each.who, place)
    return table
