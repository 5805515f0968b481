"""`railtwin simulate`: a run that never happened, recorded as if it had."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from signal import SIGINT, signal
from threading import Event
from typing import TYPE_CHECKING, Annotated

import typer

from twin.cli.console import ExitCode, stop, terminal
from twin.core.errors import ConfigError

if TYPE_CHECKING:
    from concurrent.futures import ProcessPoolExecutor

ENDED = Event()
"""Whether this worker was interrupted."""


def simulate(
    files: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="SCENARIO", help="Scenarios, TOML; else the 3 km of the demonstration.", show_default=False
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="DIR", help="New folder for the run; of many, a folder for each in it."),
    ] = None,
    seed: Annotated[int | None, typer.Option("--seed", min=0, help="Replace the scenario's seed.")] = None,
    jobs: Annotated[
        int, typer.Option("--jobs", "-j", min=1, max=256, help="Scenarios simulated at once, if there are many.")
    ] = 2,
    new: Annotated[
        Path | None, typer.Option("--new", metavar="FILE", help="Write a commented scenario to start from, and end.")
    ] = None,
    dynamics: Annotated[
        bool, typer.Option("--dynamics", help="With --new: a scenario by a nonlinear vehicle with every sensor.")
    ] = False,
) -> None:
    """Let a train run over a simulated track and record what its imperfect sensors say.

    The folder then holds the recording, the matching configuration, and the truth (truth.npz). A scenario with a table
    [dynamics] is run by a nonlinear vehicle with wheel-rail contact, one without by kinematics; [dynamics.cameras]
    renders images of the rail heads into images/; [survey] says how wrong the configuration is about line and train,
    and [faults.DEVICE] what goes wrong on a device's wire.

    Example: railtwin simulate --out runs/first && railtwin replay runs/first
    """
    if new is not None:
        _write_example(new, dynamics=dynamics)
        stop(ExitCode.OK)
    if dynamics:
        raise ConfigError("--dynamics goes with --new FILE; a scenario says so itself by its table [dynamics]")
    if out is None:
        raise ConfigError("say where the run goes: --out DIR")
    ended = (
        _one(files[0] if files else None, out, seed) if len(files or []) < 2 else _many(files or [], out, seed, jobs)
    )
    if ended:
        stop(ExitCode.PROBLEM)


def _one(file: Path | None, out: Path, seed: int | None) -> bool:
    """Simulate one scenario; whether its run ended early."""
    from twin.cli.run_directory import RunDirectory
    from twin.cli.simulating import Plan, load_plan, record_simulated
    from twin.simulation import demo_scenario

    scenario, faults = Plan(demo_scenario(), {}) if file is None else load_plan(file)
    if seed is not None:
        scenario = scenario.model_copy(update={"seed": seed})
    with terminal().progress("simulate") as progress:
        found = record_simulated(scenario, RunDirectory(out), progress=progress, faults=faults)
    terminal().show(
        f"{out}: {found.metres / 1000:.2f} km in {found.seconds:.0f} s recorded. Next: railtwin replay {out}"
    )
    if found.images.images:
        images, megabytes = found.images, found.images.size / 1e6
        terminal().show(
            f"{RunDirectory(out).images}: {images.images} images of both rail heads, {megabytes:.0f} MB, "
            f"{_per_km(megabytes, found.imaged_metres)}, rendered at {images.images / images.seconds:.0f} images/s"
        )
    if found.stopped:
        terminal().warn(f"the run ended early: {found.stopped}; what was computed before is kept")
    return found.stopped is not None


def _per_km(megabytes: float, metres: float) -> str:
    return f"{1000 * megabytes / metres:.0f} MB/km" if metres >= 1.0 else "at rest"


def _many(files: list[Path], out: Path, seed: int | None, jobs: int) -> bool:
    """Simulate scenarios in processes of their own, each into a folder named as its file; whether any went wrong."""
    from concurrent.futures import as_completed

    from twin.core.errors import RailTwinError

    names = [file.stem for file in files]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ConfigError(f"two scenarios are named {twice[0]}: their runs would share a folder; rename one")
    wrong = False
    with (
        terminal().progress("simulate", total=len(files)) as progress,
        _workers(min(jobs, len(files))) as pool,
    ):
        waiting = {pool.submit(_in_worker, file, out / file.stem, seed): file for file in files}
        for done, future in enumerate(as_completed(waiting), start=1):
            folder = out / waiting[future].stem
            try:
                stopped = future.result()
            except RailTwinError as error:
                stopped = str(error)
            wrong = wrong or stopped is not None
            if stopped is None:
                terminal().show(f"{folder}: recorded")
            else:
                terminal().warn(f"{folder}: {stopped}")
            progress(done)
    return wrong


@contextmanager
def _workers(count: int) -> "Iterator[ProcessPoolExecutor]":
    """Processes that end with this one: Ctrl-C reaches all of them, and none goes on to the next scenario."""
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    context = get_context("spawn")
    with ProcessPoolExecutor(count, mp_context=context, initializer=_begin_worker) as pool:
        try:
            yield pool
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _begin_worker() -> None:
    from twin.cli.workers import end_with_parent

    end_with_parent()
    signal(SIGINT, _end_quietly)


def _end_quietly(number: int, frame: object) -> None:
    """Instead of the traceback that a worker would print."""
    ENDED.set()
    raise SystemExit(ExitCode.INTERRUPTED)


def _in_worker(file: Path, out: Path, seed: int | None) -> str | None:
    """Simulate a scenario; an interrupted worker closes its files, and begins none that wait for it already."""
    try:
        if not ENDED.is_set():
            from twin.cli.simulating import simulate_file

            return simulate_file(file, out, seed)
    except SystemExit:
        pass  # the files are closed, and the process that began this one says why
    return "interrupted"


def _write_example(file: Path, *, dynamics: bool) -> None:
    from twin.cli.simulating import commented_scenario
    from twin.simulation import demo_scenario, dynamics_scenario

    try:
        with file.open("x", encoding="utf-8") as target:
            target.write(commented_scenario(dynamics_scenario() if dynamics else demo_scenario()))
    except FileExistsError:
        raise ConfigError(f"{file}: exists; choose another name") from None
    except OSError as error:
        raise ConfigError(f"{file}: cannot be written ({error.strerror}); choose another place") from None
    terminal().say(f"{file}: written. Try it with: railtwin simulate {file} --out DIR")
