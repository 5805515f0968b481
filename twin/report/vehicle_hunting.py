"""Picture and table of a vehicle that hunts: its limit cycles over the speed, from below and from above."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from twin.report.table_file import Column
from twin.report.units import KMH, MM
from twin.report.vehicle_topology import FAINT, INK
from twin.vehicle.hunting import Cycle, Growth, nonlinear_critical_speed
from twin.vehicle.modes import CriticalSpeed

RISING, FALLING = "#0b5fa5", "#c2410c"
DEAD = "#fde8dc"
"""Between the two critical speeds: what happens depends on the disturbance."""


@dataclass(frozen=True, slots=True)
class Hunting:
    """All that was found about the hunting of one vehicle."""

    linear: CriticalSpeed | None
    """By eigenvalues."""
    growth: Growth | None
    """Where small disturbances begin to grow, by time integration."""
    rising: tuple[Cycle, ...]
    """After a small wave."""
    falling: tuple[Cycle, ...]
    """After a large wave, slowing down."""


def hunting_columns(found: Hunting) -> dict[str, Column]:
    """A row for each speed on each branch."""
    rows = [("small wave", cycle) for cycle in found.rising] + [("slowing down", cycle) for cycle in found.falling]
    return {
        "branch": [branch for branch, _ in rows],
        "speed_m_per_s": np.array([cycle.speed for _, cycle in rows]),
        "amplitude_mm": np.array([cycle.amplitude * MM for _, cycle in rows]),
        "frequency_Hz": np.array([cycle.frequency for _, cycle in rows]),
        "hunts": np.array([cycle.hunts for _, cycle in rows]),
        "remark": [cycle.remark for _, cycle in rows],
    }


def critical_columns(found: Mapping[float, CriticalSpeed | None]) -> dict[str, Column]:
    """The linear critical speed of each conicity; none where nothing loses its damping."""
    speeds = [np.nan if critical is None else critical.speed for critical in found.values()]
    frequencies = [np.nan if critical is None else critical.mode.frequency for critical in found.values()]
    return {
        "conicity": np.array(list(found)),
        "speed_m_per_s": np.array(speeds),
        "frequency_Hz": np.array(frequencies),
        "mode": ["" if critical is None else critical.mode.name for critical in found.values()],
    }


def hunting_figure(title: str, found: Hunting) -> Figure:
    """Amplitude and frequency of the limit cycles over the speed, with the critical speeds."""
    figure = Figure(figsize=(9.6, 6.8), layout="constrained", facecolor="white")
    amplitude, frequency = figure.subplots(2, 1, sharex=True, height_ratios=(2.2, 1))
    _branch(amplitude, found.falling, FALLING, "v", "slowing down from a large wave")
    _branch(amplitude, found.rising, RISING, "^", "after a small wave")
    for cycles, colour, marker in ((found.falling, FALLING, "v"), (found.rising, RISING, "^")):
        seen = [cycle for cycle in cycles if cycle.hunts and np.isfinite(cycle.amplitude)]
        frequency.plot(
            [cycle.speed for cycle in seen],
            [cycle.frequency for cycle in seen],
            marker=marker,
            markersize=5,
            linewidth=1.2,
            color=colour,
        )
    _criticals(amplitude, found)
    top = max((cycle.amplitude for cycle in (*found.rising, *found.falling) if np.isfinite(cycle.amplitude)), default=0)
    amplitude.set_ylim(-0.03 * max(top * MM, 0.1), 1.15 * max(top * MM, 0.1))
    frequency.set_ylim(0.0, 1.25 * frequency.get_ylim()[1])
    amplitude.set_ylabel("amplitude of the wheelset\nthat moves most [mm]")
    frequency.set_ylabel("frequency [Hz]")
    frequency.set_xlabel("speed [m/s]")
    top_axis = amplitude.secondary_xaxis("top", functions=(lambda v: v * KMH, lambda v: v / KMH))
    top_axis.set_xlabel("[km/h]", fontsize=8)
    for axes in (amplitude, frequency):
        axes.grid(color=FAINT, linewidth=0.5)
        axes.spines[["right"]].set_visible(False)
        axes.tick_params(color=FAINT)
    figure.legend(loc="outside lower center", ncols=3, frameon=False, fontsize=9)
    figure.suptitle(title, color=INK, fontsize=13, fontweight="bold")
    return figure


def _branch(axes: Axes, cycles: Sequence[Cycle], colour: str, marker: str, label: str) -> None:
    """Amplitudes; crosses at the top where the vehicle left the track."""
    ordered = sorted(cycles, key=lambda cycle: cycle.speed)
    speeds = np.array([cycle.speed for cycle in ordered])
    values = np.array([cycle.amplitude * MM if cycle.hunts else 0.0 for cycle in ordered])
    hunts = np.array([cycle.hunts for cycle in ordered])
    axes.plot(speeds, values, ":", linewidth=1.0, color=colour)  # jumps from one branch to the other
    for part in (hunts, ~hunts):
        kept = np.where(part, values, np.nan)
        axes.plot(speeds, kept, marker=marker, markersize=6, linewidth=1.6, color=colour)
    axes.plot([], [], marker=marker, markersize=6, linewidth=1.6, color=colour, label=label)
    lost = speeds[~np.isfinite(values)]
    if lost.size:
        words = f"left the track, {label}"
        high = axes.get_xaxis_transform()
        axes.plot(lost, [0.95] * lost.size, "x", color=colour, markersize=9, label=words, transform=high)


def _criticals(axes: Axes, found: Hunting) -> None:
    died = nonlinear_critical_speed(found.falling)
    grows = found.growth or found.linear
    if died and grows and died[1] < grows.speed:
        axes.axvspan(died[1], grows.speed, color=DEAD, zorder=0)
    marks = [
        (found.linear and found.linear.speed, INK, ":", "linear, by eigenvalues"),
        (found.growth and found.growth.speed, RISING, "--", "small disturbances grow from"),
        (died and died[1], FALLING, "--", "limit cycle lives down to"),
    ]
    for speed, colour, style, word in marks:
        if speed:
            axes.axvline(speed, color=colour, linewidth=1.3, linestyle=style, label=f"{word}: {speed:.1f} m/s")
