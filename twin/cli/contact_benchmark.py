"""`railtwin contact conicity-benchmark`: this program judged by the reference results of EN 15302."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from twin.cli.console import ExitCode, stop, terminal
from twin.cli.contact_options import MM

if TYPE_CHECKING:
    from rich.table import Table

    from twin.contact.conicity_benchmark import Judgement


def benchmark(
    folder: Annotated[
        Path,
        typer.Argument(metavar="FOLDER", help="Profiles and tables: RUIC519A.dat, ...", show_default=False),
    ],
    rail_shift: Annotated[
        float,
        typer.Option(
            "--rail-shift",
            metavar="MM",
            min=-1.0,
            max=1.0,
            help="Lay each rail so much nearer to the centre than its gauge says.",
        ),
    ] = 0.0,
) -> None:
    """Compute the benchmark cases E1 to E9 of EN 15302 from their profiles, and compare with its Annex F.

    Ends with 1 if a value lies outside the field allowed there.
    """
    from twin.contact.conicity_benchmark import judge_profiles

    judged = judge_profiles(folder, rail_shift=rail_shift * MM)
    terminal().show(_table(judged))
    outside = sum(int(each.outside.sum()) for each in judged)
    points = sum(each.outside.size for each in judged)
    terminal().show(f"{points - outside} of {points} values inside the field of Annex F; rms {_rms(judged):.4f}")
    if outside:
        stop(ExitCode.PROBLEM)


def _table(judged: "list[Judgement]") -> "Table":
    import numpy as np
    from rich.table import Table

    table = Table("case", "wheels right / left", "radii [mm]")
    for title in ("values", "outside", "rms", "largest deviation", "at amplitude [mm]"):
        table.add_column(title, justify="right")
    for each in judged:
        case, off = each.case, np.abs(each.deviation)
        worst = int(np.argmax(off))  # a NaN, if there is one: nothing is worse
        table.add_row(
            case.name,
            f"{case.right} / {case.left}",
            f"{case.radius_right / MM:g} / {case.radius_left / MM:g}",
            str(off.size),
            str(int(each.outside.sum())),
            f"{_rms([each]):.4f}",
            f"{each.deviation[worst]:+.4f}",
            f"{each.reference.amplitude[worst] / MM:.1f}",
        )
    return table


def _rms(judged: "list[Judgement]") -> float:
    import numpy as np

    return float(np.sqrt(np.mean(np.concatenate([each.deviation for each in judged]) ** 2)))
