"""Picture of a wheel's radius: what the curves of the line told along the run, and what was found."""

from dataclasses import dataclass

from matplotlib.figure import Figure

from twin.core.arrays import Array
from twin.report.units import MM

INK, FAINT, MAIN, MARK = "#1f2933", "#c5ccd3", "#0b5fa5", "#c2410c"


@dataclass(frozen=True, slots=True)
class RadiusSeen:
    """The radius along a run."""

    d: Array
    """(epochs,) distance by the wheel [m]."""
    radius: Array
    """(epochs,) by the curves passed so far [m]."""
    sd: Array
    """(epochs,) [m]"""
    found: float
    """[m]"""
    sd_found: float
    method: str


def radius_figure(seen: RadiusSeen, *, title: str) -> Figure:
    """Radius by curves with two sd along the distance, and the result at its end; mm."""
    figure = Figure(figsize=(10.0, 4.6), layout="constrained", facecolor="white")
    axes = figure.subplots()
    d, radius, sd = seen.d, seen.radius * MM, seen.sd * MM
    axes.fill_between(d, radius - 2 * sd, radius + 2 * sd, color=MAIN, alpha=0.18, linewidth=0)
    axes.plot(d, radius, color=MAIN, linewidth=1.4, label="by curves passed so far, ± 2 sd")
    axes.errorbar(
        d[-1], seen.found * MM, yerr=2 * seen.sd_found * MM, fmt="o", color=MARK, capsize=4, zorder=5,
        label=f"{seen.found * MM:.2f} ± {seen.sd_found * MM:.2f} mm by {seen.method}",
    )  # fmt: skip
    axes.set(xlabel="distance by the wheel [m]", ylabel="radius [mm]")
    axes.grid(color=FAINT, linewidth=0.5)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, loc="upper center")
    figure.suptitle(title, color=INK, fontsize=13, fontweight="bold")
    return figure
