"""Picture of an inertial sensor's noise: Allan deviation of its six axes."""

from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from twin.core.arrays import Array

INK, FAINT = "#1f2933", "#c5ccd3"
COLOURS = ("#0b5fa5", "#c2410c", "#2f7d32")
"""Of x, y and z."""


@dataclass(frozen=True, slots=True)
class AxisDeviation:
    """Allan deviation of one axis. All (times,)."""

    name: str
    tau: Array
    """[s]"""
    deviation: Array
    sd: Array
    model: Array
    """Deviation of the terms that were found."""


def allan_figure(accel: Sequence[AxisDeviation], gyro: Sequence[AxisDeviation], *, title: str) -> Figure:
    """Accelerometers and gyroscopes side by side; points as measured with two sd, lines as fitted."""
    figure = Figure(figsize=(11.0, 5.0), layout="constrained", facecolor="white")
    left, right = figure.subplots(1, 2)
    _axes(left, accel, "Accelerometers", "Allan deviation [m/s²]")
    _axes(right, gyro, "Gyroscopes", "Allan deviation [rad/s]")
    figure.suptitle(title, color=INK, fontsize=13, fontweight="bold")
    return figure


def _axes(axes: Axes, found: Sequence[AxisDeviation], title: str, unit: str) -> None:
    for each, colour in zip(found, COLOURS, strict=True):
        axes.errorbar(
            each.tau, each.deviation, yerr=2 * each.sd, fmt="o", color=colour, markersize=4, capsize=2, label=each.name
        )
        axes.plot(each.tau, each.model, color=colour, linewidth=1.2)
    axes.set(xscale="log", yscale="log", xlabel="averaging time [s]", ylabel=unit)
    axes.set_title(f"{title}: measured ± 2 sd, and fitted", loc="left", color=INK, fontsize=11)
    axes.grid(color=FAINT, linewidth=0.5, which="both", alpha=0.6)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, loc="upper center", ncols=3)
