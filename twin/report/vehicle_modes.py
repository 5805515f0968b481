"""Pictures of a linear vehicle: the shapes of its modes, and how its roots move with speed."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Polygon

from twin.core.arrays import Array
from twin.report.vehicle_topology import FAINT, FILLS, INK, box_of, extent
from twin.vehicle.description import Body, Vehicle, wheels_of
from twin.vehicle.linear import Block
from twin.vehicle.modes import CriticalSpeed, Mode

SHOWN = 12
"""Modes drawn of each block: the slowest."""
COLUMNS = 3
DRAWN = 0.5
"""Largest displacement in the picture [m] of a full-size vehicle."""
SHARES = 3
"""Coordinates named under a mode."""
ROWS: dict[Block, tuple[int, str, str]] = {"vertical": (2, "r_z", "pitch"), "lateral": (1, "r_y", "yaw")}
"""Axis that points up in the picture, and the coordinates that move a body there and turn it."""
LOWEST_TOP, ROOM = 15.0, 1.6
"""Highest frequency drawn in a root locus: at least so much [Hz], and so many times that of hunting."""
GROWING = "#c2410c"


def modes_figure(vehicle: Vehicle, found: Mapping[Block, Sequence[Mode]], title: str) -> Figure:
    """Shapes of the slowest modes, vertical ones from the side, lateral ones from above; at rest in outline."""
    drawn = [(block, mode) for block, modes in found.items() for mode in modes[:SHOWN]]
    rows = -(-len(drawn) // COLUMNS)
    figure = Figure(figsize=(4.6 * COLUMNS, 1.4 * rows + 0.6), layout="constrained", facecolor="white")
    for axes, (block, mode) in zip(figure.subplots(rows, COLUMNS, squeeze=False).flat, drawn, strict=False):
        _draw(axes, vehicle, block, mode)
    for axes in figure.axes[len(drawn) :]:
        axes.set_axis_off()
    figure.suptitle(title, color=INK, fontsize=13, fontweight="bold")
    return figure


def _draw(axes: Axes, vehicle: Vehicle, block: Block, mode: Mode) -> None:
    up, along, about = ROWS[block]
    moved = mode.at(0.0)
    for body in vehicle.bodies:
        if body.parent is not None:
            continue
        corners = _outline(vehicle, body, up)
        shift = DRAWN * vehicle.scale * moved.get(f"{body.name}.{along}", 0.0)
        turn = DRAWN * vehicle.scale * moved.get(f"{body.name}.{about}", 0.0) * (-1 if block == "vertical" else 1)
        centre = np.array([body.position[0], body.position[up]])
        c, s = np.cos(turn), np.sin(turn)
        there = (corners - centre) @ np.array([[c, s], [-s, c]]) + centre + np.array([0.0, shift])
        axes.add_patch(Polygon(corners, fill=False, edgecolor=FAINT, linewidth=0.8))
        axes.add_patch(Polygon(there, facecolor=FILLS[body.kind], edgecolor=INK, linewidth=0.8, alpha=0.8))
    low, high = extent(vehicle)
    room = DRAWN * vehicle.scale
    axes.set(xlim=(low[0] - room, high[0] + room), ylim=(low[up] - 2 * room, high[up] + 2 * room), aspect="equal")
    axes.set(xticks=[], yticks=[])
    axes.spines[:].set_visible(False)
    colour = GROWING if mode.damping < 0 else INK
    heading = f"{mode.name}: {mode.frequency:.2f} Hz, damping {100 * mode.damping:.1f} %"
    axes.set_title(heading, loc="left", color=colour, fontsize=9)
    axes.set_xlabel(energy_shares(mode), fontsize=7, color=INK, loc="left")


def energy_shares(mode: Mode) -> str:
    """The coordinates with most kinetic energy in words, as far as each has one per cent."""
    largest = [i for i in np.argsort(mode.energy)[::-1][:SHARES] if mode.energy[i] >= 0.01]
    return ", ".join(f"{mode.coordinates[i]} {100 * mode.energy[i]:.0f} %" for i in largest)


def _outline(vehicle: Vehicle, body: Body, up: int) -> Array:
    """Corners (4, 2) of a body in the picture, cut off at the rails; of a wheelset its wheels' extent."""
    low, high = box_of(vehicle, body)
    low = np.maximum(low, extent(vehicle)[0])
    if body.wheels is not None:
        wheels = wheels_of(body)
        half = np.array([wheels.radius, wheels.half_distance, wheels.radius])
        low, high = np.array(body.position) - half, np.array(body.position) + half
    return np.array([[low[0], low[up]], [high[0], low[up]], [high[0], high[up]], [low[0], high[up]]])


def root_locus_figure(
    title: str,
    loci: Mapping[float, Sequence[tuple[float, complex]]],
    critical: Mapping[float, CriticalSpeed | None],
) -> Figure:
    """Damping and frequency of the lateral modes over speed, a panel for each conicity."""
    figure = Figure(figsize=(4.8 * len(loci) + 0.8, 4.6), layout="constrained", facecolor="white")
    panels = figure.subplots(1, len(loci), squeeze=False, sharey=True)[0]
    hunting = [found.mode.frequency for found in critical.values() if found is not None]
    top = max(LOWEST_TOP, ROOM * max(hunting, default=0.0))
    for axes, (conicity, locus) in zip(panels, loci.items(), strict=True):
        speeds = np.array([speed for speed, _ in locus])
        roots = np.array([root for _, root in locus])
        damping = -100 * roots.real / np.abs(roots)
        points = axes.scatter(damping, np.abs(roots) / (2 * np.pi), c=speeds, s=8, cmap="viridis")
        axes.axvline(0.0, color=GROWING, linewidth=1.0)
        found = critical[conicity]
        if found is not None:
            axes.plot(0.0, found.mode.frequency, "o", color=GROWING, markersize=9, fillstyle="none")
        words = (
            "no hunting seen" if found is None else f"hunts from {found.speed:.1f} m/s, {found.mode.frequency:.2f} Hz"
        )
        axes.set_title(f"conicity {conicity:g}: {words}", loc="left", fontsize=10, color=INK)
        axes.set_xlabel("damping [% of critical]")
        axes.set(xlim=(min(-5.0, 1.2 * damping.min()), 60.0), ylim=(0.0, top))
        axes.grid(color=FAINT, linewidth=0.5)
        axes.spines[["top", "right"]].set_visible(False)
    panels[0].set_ylabel("undamped frequency [Hz]")
    figure.colorbar(points, ax=list(panels), label="speed [m/s]")
    figure.suptitle(title, color=INK, fontsize=13, fontweight="bold")
    return figure
