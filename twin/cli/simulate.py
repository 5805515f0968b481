"""`railtwin simulate`: a run that never happened, recorded as if it had."""

from pathlib import Path
from typing import Annotated

import typer

from twin.cli.console import ExitCode, stop, terminal
from twin.core.errors import ConfigError


def simulate(
    file: Annotated[
        Path | None,
        typer.Argument(
            metavar="[SCENARIO]", help="Scenario, TOML; else the 3 km of the demonstration.", show_default=False
        ),
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", metavar="DIR", help="New folder for the run.")] = None,
    seed: Annotated[int | None, typer.Option("--seed", min=0, help="Replace the scenario's seed.")] = None,
    new: Annotated[
        Path | None, typer.Option("--new", metavar="FILE", help="Write a commented scenario to start from, and end.")
    ] = None,
) -> None:
    """Let a train run over a simulated track and record what its imperfect sensors say.

    The folder then holds the recording, the matching configuration, and the truth (truth.npz).

    Example: railtwin simulate --out runs/first && railtwin replay runs/first
    """
    from twin.cli.run_directory import RunDirectory
    from twin.cli.simulating import load_scenario, record_simulated
    from twin.simulation import demo_scenario

    if new is not None:
        _write_example(new)
        stop(ExitCode.OK)
    if out is None:
        raise ConfigError("say where the run goes: --out DIR")
    scenario = demo_scenario() if file is None else load_scenario(file)
    if seed is not None:
        scenario = scenario.model_copy(update={"seed": seed})
    with terminal().progress("simulate") as progress:
        simulated = record_simulated(scenario, RunDirectory(out), progress=progress)
    metres = float(simulated.truth.s[-1] - simulated.truth.s[0])
    terminal().show(
        f"{out}: {metres / 1000:.2f} km in {simulated.truth.t[-1]:.0f} s recorded. Next: railtwin replay {out}"
    )


def _write_example(file: Path) -> None:
    from twin.cli.simulating import commented_scenario

    try:
        with file.open("x", encoding="utf-8") as target:
            target.write(commented_scenario())
    except FileExistsError:
        raise ConfigError(f"{file}: exists; choose another name") from None
    except OSError as error:
        raise ConfigError(f"{file}: cannot be written ({error.strerror}); choose another place") from None
    terminal().say(f"{file}: written. Try it with: railtwin simulate {file} --out DIR")
