"""`railtwin vehicle`: vehicles, and how they run."""

import typer

from twin.cli import vehicle_show

app = typer.Typer(
    no_args_is_help=True,
    help="Vehicles: what they are made of, and how they run.",
    epilog="Example: railtwin vehicle show manchester -o manchester.png",
)


@app.callback()
def vehicle() -> None:
    """Vehicles: what they are made of, and how they run."""


app.command(name="show")(vehicle_show.show)
