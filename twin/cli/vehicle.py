"""`railtwin vehicle`: vehicles, and how they run."""

import typer

from twin.cli import vehicle_critical_speed, vehicle_curving, vehicle_modes, vehicle_run, vehicle_show

app = typer.Typer(
    no_args_is_help=True,
    help="Vehicles: what they are made of, and how they run.",
    epilog="Example: railtwin vehicle show manchester -o manchester.png",
)


@app.callback()
def vehicle() -> None:
    """Vehicles: what they are made of, and how they run."""


app.command(name="show")(vehicle_show.show)
app.command(name="modes")(vehicle_modes.modes)
app.command(name="critical-speed")(vehicle_critical_speed.critical_speed)
app.command(name="curving")(vehicle_curving.curving)
app.command(name="run")(vehicle_run.run)
