"""`railtwin demo`: a simulated train through real ports, recorded, replayed and reported, in about a minute."""

from pathlib import Path
from typing import Annotated

import typer

from twin.cli.console import terminal


def demo(
    out: Annotated[Path, typer.Option("--out", "-o", metavar="DIR", help="Folder for everything made.")] = Path(
        "build/demo"
    ),
    speed: Annotated[float, typer.Option("--speed", min=0.5, max=20, help="Times real time of the live run.")] = 10.0,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Another seed, another track and other sensors.")] = 1,
) -> None:
    """Simulate a train, serve its sensors on serial ports, run, record, replay and report. No hardware needed.

    Example: railtwin demo --out build/demo
    """
    from twin.cli.demonstration import demonstrate
    from twin.cli.run_directory import RunDirectory
    from twin.simulation import demo_scenario

    with terminal().progress("demo") as progress:
        lines = demonstrate(demo_scenario(seed=seed), RunDirectory(out), speed=speed, progress=progress)
    for line in lines:
        terminal().show(line)
