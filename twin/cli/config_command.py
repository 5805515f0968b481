"""`railtwin config`: show, check, start and explain a configuration."""

from pathlib import Path
from typing import Annotated

import typer

from twin.cli.console import terminal
from twin.core.errors import ConfigError

app = typer.Typer(
    no_args_is_help=True,
    help="Show, check, start or explain a configuration.",
    epilog="Example: railtwin config explain vehicle.wheel_radius",
)

ConfigFile = Annotated[Path, typer.Argument(metavar="FILE", help="Configuration, TOML.", show_default=False)]


@app.command()
def show(file: ConfigFile) -> None:
    """Print the effective configuration: every key, defaults written out, design file included."""
    from twin.cli.config import load_config

    terminal().show(load_config(file).to_toml().rstrip("\n"))


@app.command()
def check(file: ConfigFile) -> None:
    """Read a configuration as a run would, and say whether it is good."""
    from twin.cli.config import load_config

    config = load_config(file)
    length = sum(element.length for element in config.track.horizontal)
    devices = [f"{device.name} ({device.kind})" for device in config.device]
    cameras = [f"{camera.name} (camera, {camera.rail} rail, {camera.origin})" for camera in config.camera]
    named = ", ".join(devices + cameras)
    terminal().show(f"{file}: good. Line {config.places.line}, {length / 1000:g} km; devices: {named}")


@app.command()
def new(
    file: ConfigFile,
    force: Annotated[bool, typer.Option("--force", help="Replace the file if it exists.")] = False,
) -> None:
    """Write a commented configuration to start from: every key with its unit, range and reason."""
    from twin.cli.example import commented_example

    text = commented_example()
    try:
        with file.open("w" if force else "x", encoding="utf-8") as out:
            out.write(text)
    except FileExistsError:
        raise ConfigError(f"{file}: exists; choose another name, or --force to replace it") from None
    except OSError as error:
        raise ConfigError(f"{file}: cannot be written ({error.strerror}); choose another place") from None
    terminal().say(f"{file}: written. Set the ports and the track, then: railtwin config check {file}")


@app.command()
def explain(
    key: Annotated[
        str,
        typer.Argument(metavar="KEY", help="A key (run.start_s), a section (device), or the end of a name."),
    ],
) -> None:
    """Say what a key means, what may be written there, and what happens if it is left out."""
    from twin.cli.config import RunConfig
    from twin.cli.keys import find, keys_of

    for entry in find(keys_of(RunConfig), key):
        terminal().show(f"{entry.name}\n    {entry.remark()}")
