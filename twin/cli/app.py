"""`railtwin`: every command, its group in the help, and what an error becomes.

A command is one module with one function; here it gets its name and its place. Command modules import what
they work with inside the function: `railtwin --help` must not wait for numba.
"""

import sys
from typing import Annotated

import typer

from twin.cli import (
    calibrate,
    compare_command,
    config_command,
    contact,
    demo,
    doctor,
    export,
    info,
    repair,
    replay,
    report_command,
    simulate,
    vehicle,
)
from twin.cli import (
    run as run_command,
)
from twin.cli.console import ExitCode, configure, stop, terminal
from twin.cli.literal_help import command_of
from twin.core.errors import RailTwinError
from twin.version import __version__

RUNS = "Runs"
RECORDINGS = "Recordings"
SETUP = "Set up"
CONTACT = "Wheel and rail"
VEHICLES = "Vehicles"

EXAMPLES = """
Examples:

  railtwin demo                       see it all at work, in a minute, without hardware

  railtwin config new line7.toml      write a commented configuration

  railtwin doctor line7.toml          is this machine ready for it?

  railtwin run line7.toml -o monday   acquire, record and estimate until Ctrl-C

  railtwin replay monday              the same results from the recording, and better ones

  railtwin report monday              the page to look at

  railtwin compare monday tuesday     two runs laid over each other: do they agree?

  railtwin info monday/recording      what a recording holds, and what is lost

  railtwin contact conicity           how a wheelset steers itself on its track

Exit codes: 0 done, 1 done and a problem found, 2 wrong arguments, configuration or input, 130 interrupted.
"""

app = typer.Typer(
    name="railtwin",
    epilog=EXAMPLES,
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,  # an unexpected exception is a bug: plain traceback, whole
    context_settings={"help_option_names": ["-h", "--help"]},
)

app.command(name="demo", rich_help_panel=RUNS)(demo.demo)
app.command(name="run", rich_help_panel=RUNS)(run_command.run)
app.command(name="replay", rich_help_panel=RUNS)(replay.replay)
app.command(name="report", rich_help_panel=RUNS)(report_command.report)
app.command(name="compare", rich_help_panel=RUNS)(compare_command.compare)
app.command(name="export", rich_help_panel=RUNS)(export.export)
app.command(name="simulate", rich_help_panel=RUNS)(simulate.simulate)
app.command(name="info", rich_help_panel=RECORDINGS)(info.info)
app.command(name="repair", rich_help_panel=RECORDINGS)(repair.repair)
app.add_typer(config_command.app, name="config", rich_help_panel=SETUP)
app.command(name="doctor", rich_help_panel=SETUP)(doctor.doctor)
app.add_typer(calibrate.app, name="calibrate", rich_help_panel=SETUP)
app.add_typer(contact.app, name="contact", rich_help_panel=CONTACT)
app.add_typer(vehicle.app, name="vehicle", rich_help_panel=VEHICLES)


def _show_version(asked: bool) -> None:
    if asked:
        terminal().show(f"railtwin {__version__}")
        stop(ExitCode.OK)


@app.callback()
def options(
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print results and errors only.")] = False,
    no_colour: Annotated[
        bool,
        typer.Option("--no-colour", "--no-color", help="Plain text, as with NO_COLOR set."),
    ] = False,
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """The onboard digital twin of a railway vehicle and its track."""
    configure(quiet=quiet, colour=not no_colour)


def run() -> None:
    """Run the command line and turn what stops it into an exit code."""
    try:
        command_of(app)(prog_name="railtwin")
    except RailTwinError as error:
        terminal().fail(str(error))
        sys.exit(ExitCode.USAGE)
    except SystemExit as end:
        if end.code == ExitCode.INTERRUPTED:
            terminal().fail("interrupted")
        raise
