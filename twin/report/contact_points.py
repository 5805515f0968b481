"""Picture of a wheelset in one pose: both wheels on their rails, where they touch, how close they are elsewhere."""

from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Ellipse as Outline

from twin.contact.curve import curve_many
from twin.contact.locus import locus_points
from twin.contact.pair import Pair
from twin.contact.points import ContactPoints, Pose, Side
from twin.contact.pressed import PressedWheel
from twin.core.arrays import Array, BoolArray
from twin.report.units import MM

MPA, KN = 1e-6, 1e-3
TOUCH = 1e-9
"""Gap up to which surfaces count as touching [m]."""
STEEPEST = 2.8
"""Slope of a wheel beyond which its back is left out: what lies behind the flange's tip meets no rail."""
ROOM = 0.004
"""Room about the rail [m]."""
DEPTH, HEIGHT = 0.024, 0.022
"""How far below and above the rail's top is drawn [m]."""
NORMAL = 0.009
"""Length of a drawn normal [m]."""
WIDEST_GAP = 1e-3
"""Largest distance of the surfaces drawn [m]."""
POINTS = 1500

INK, FAINT, STEEL, RAIL = "#1f2933", "#c5ccd3", "#e6eaee", "#d6dce2"
TOUCHING, OPEN = "#c2410c", "#7b8794"


@dataclass(frozen=True, slots=True)
class WheelInPlace:
    """One wheel of the wheelset and its contact; pair in left-hand form, the rest on its own side."""

    side: Side
    pair: Pair
    points: ContactPoints
    pressed: PressedWheel | None = None
    """The zones that carry and their patches; none where no load presses."""

    @property
    def touching(self) -> BoolArray:
        """Which points touch (n,), to the rounding of a seating."""
        return np.asarray(self.points.gap <= TOUCH)


def points_figure(pose: Pose, left: WheelInPlace, right: WheelInPlace, *, title: str) -> Figure:
    """Both wheels in true proportions, the distance of the surfaces below, and under load the patches from above."""
    loaded = bool(left.pressed or right.pressed)
    heights = [2.2, 1.3, 1.5] if loaded else [2.2, 1.3]
    figure = Figure(figsize=(11.0, 9.0 if loaded else 6.4), layout="constrained", facecolor="white")
    grid = figure.subplots(len(heights), 2, squeeze=False, sharex="col", height_ratios=heights)
    for wheel, column in zip((left, right), grid.T, strict=True):
        held = pose if wheel.side is Side.LEFT else pose.mirrored()
        outline = _outline(wheel, held)
        _draw_profiles(column[0], wheel, outline)
        _draw_gap(column[1], wheel, outline)
        if wheel.pressed:
            _draw_patches(column[2], wheel.pressed)
        column[-1].set_xlabel("y [mm], left positive")
    for row in grid[1:]:  # the same scale left and right
        lows, highs = zip(*(axes.get_ylim() for axes in row), strict=True)
        for axes in row:
            axes.set_ylim(min(lows), max(highs))
    figure.suptitle(title, color=INK, fontsize=13, fontweight="bold")
    return figure


def _outline(wheel: WheelInPlace, held: Pose) -> Array:
    """y and z (n, 2) [m] of the line on which the wheel can touch, on the wheel's own side."""
    kept = np.abs(wheel.pair.slope) < STEEPEST + np.abs(held.roll)
    y_w, r, slope = (values[kept] for values in (wheel.pair.y_w, wheel.pair.r, wheel.pair.slope))
    _, y, z = locus_points(y_w=y_w, r=r, slope=slope, yaw=held.yaw, roll=held.roll).T
    return np.column_stack([wheel.side.value * (y + held.G_y), z + held.G_z])


def _rail(pair: Pair, y: Array) -> Array:
    """Height of the left rail at y (n,) [m]."""
    values = np.empty((y.size, 3))
    curve_many(pair.rail, y, values)
    return values[:, 0]


def _draw_profiles(axes: Axes, wheel: WheelInPlace, outline: Array) -> None:
    sign, pair = float(wheel.side.value), wheel.pair
    y = np.linspace(pair.rail_from, pair.rail_to, POINTS)
    b = _rail(pair, y)
    axes.fill_between(sign * y * MM, b * MM, -DEPTH * MM, color=RAIL, linewidth=0)
    axes.plot(sign * y * MM, b * MM, color=INK, linewidth=1.3)
    axes.fill_between(outline[:, 0] * MM, outline[:, 1] * MM, HEIGHT * MM, color=STEEL, linewidth=0, alpha=0.8)
    axes.plot(outline[:, 0] * MM, outline[:, 1] * MM, color=INK, linewidth=1.3)
    _mark_points(axes, wheel)
    near, far = sign * (pair.rail_from - 2.5 * ROOM) * MM, sign * (pair.rail_to + ROOM) * MM
    axes.set(xlim=(max(near, far), min(near, far)), ylim=(-DEPTH * MM, HEIGHT * MM), aspect="equal")
    axes.set_ylabel("z [mm]")
    _finish(axes, "Left wheel on its rail" if sign > 0 else "Right wheel on its rail")


def _mark_points(axes: Axes, wheel: WheelInPlace) -> None:
    """A dot and the rail's normal where they touch, a ring where they only come near."""
    points = wheel.points
    for y, z, angle, touching in zip(points.y, points.z, points.contact_angle, wheel.touching, strict=True):
        if touching:
            tip = y - NORMAL * np.sin(angle), z + NORMAL * np.cos(angle)
            arrow = {"arrowstyle": "-|>", "color": TOUCHING, "linewidth": 1.4, "shrinkA": 0, "shrinkB": 0}
            axes.annotate("", (tip[0] * MM, tip[1] * MM), (y * MM, z * MM), arrowprops=arrow, zorder=5)
            axes.plot(y * MM, z * MM, "o", color=TOUCHING, markersize=5, zorder=6)
        else:
            axes.plot(y * MM, z * MM, "o", markerfacecolor="white", markeredgecolor=OPEN, markersize=4.5, zorder=5)


def _draw_gap(axes: Axes, wheel: WheelInPlace, outline: Array) -> None:
    y, z = outline.T
    across = wheel.side.value * y
    gap = z - _rail(wheel.pair, across)
    gap[(across < wheel.pair.rail_from) | (across > wheel.pair.rail_to)] = np.nan
    deepest = -float(np.min(wheel.points.vertical_gap, initial=0.0))
    axes.fill_between(y * MM, gap * MM, 0.0, where=gap < 0.0, color=TOUCHING, alpha=0.35, linewidth=0, interpolate=True)
    axes.plot(y * MM, gap * MM, color=INK, linewidth=1.3)
    axes.axhline(0.0, color=INK, linewidth=0.6)
    for place, depth, touching in zip(wheel.points.y, wheel.points.vertical_gap, wheel.touching, strict=True):
        if depth < WIDEST_GAP:
            fill, edge = (TOUCHING, TOUCHING) if touching else ("white", OPEN)
            axes.plot(place * MM, depth * MM, "o", markerfacecolor=fill, markeredgecolor=edge, markersize=4.5, zorder=5)
    axes.set(ylim=(-max(1.6 * deepest, 0.08 * WIDEST_GAP) * MM, WIDEST_GAP * MM))
    axes.set_ylabel("gap, vertical [mm]")
    _finish(axes, "Distance of wheel and rail; below zero they are pressed together")


def _draw_patches(axes: Axes, wheel: PressedWheel) -> None:
    """Ellipses in place and to scale, seen from above."""
    zones, longest = wheel.zones, 0.0
    for x, y, angle, patch in zip(zones.x, zones.y, zones.contact_angle, wheel.patches, strict=True):
        longest = max(longest, patch.a + abs(float(x)))
        centre, across = (y * MM, x * MM), patch.b * np.cos(angle)
        size = 2 * across * MM, 2 * patch.a * MM
        axes.add_patch(Outline(centre, *size, facecolor=TOUCHING, alpha=0.3, edgecolor="none"))
        axes.add_patch(Outline(centre, *size, fill=False, edgecolor=TOUCHING, linewidth=1.2))
        peak = 1.5 * patch.N / (np.pi * patch.a * patch.b)
        axes.annotate(
            f"{patch.N * KN:.1f} kN\n{peak * MPA:.0f} MPa",
            (centre[0], centre[1] + patch.a * MM),
            textcoords="offset points",
            xytext=(0, 3),
            ha="center",
            fontsize=8.5,
            color=INK,
        )
    axes.set(ylim=(-1.3 * longest * MM, (1.3 * longest + 6e-3) * MM), aspect="equal")
    axes.set_ylabel("x, forward [mm]")
    _finish(axes, "Patches from above")


def _finish(axes: Axes, title: str) -> None:
    axes.set_title(title, loc="left", color=INK, fontsize=10.5)
    axes.grid(color=FAINT, linewidth=0.5)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(color=FAINT)
