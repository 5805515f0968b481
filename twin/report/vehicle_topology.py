"""Picture of a vehicle's topology: side and top view, bodies as boxes, wheels, springs and dampers at their places.

A box has the inertia of its body if filled evenly, made larger where something is attached further out: a picture of
the data, not of the vehicle's looks. The car body is cut off below to show the bogies.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Circle, Patch, Rectangle

from twin.core.arrays import Array
from twin.vehicle.description import (
    AnyElement,
    Body,
    BumpStop,
    Bushing,
    Element,
    Gear,
    Kind,
    LineDamper,
    RollBar,
    TractionRod,
    Vehicle,
    wheels_of,
)

INK = "#1f2933"
FAINT = "#c5ccd3"
FILLS = {
    "carbody": "#dbe4ee",
    "bogie": "#f4cf9b",
    "bolster": "#b7d7a8",
    "wheelset": "#9aa5b1",
    "axlebox": "#e9a39b",
    "motor": "#cbb6e0",
    "rotor": "#e6b3d0",
}
SPRING, DAMPER, ROD, STOP, BAR, GEAR = "#0b5fa5", "#c2410c", "#3f6212", "#7c2d8e", "#0f766e", "#6b7280"
COLOURS: dict[type[Element], str] = {
    Bushing: SPRING,
    LineDamper: DAMPER,
    TractionRod: ROD,
    BumpStop: STOP,
    RollBar: BAR,
    Gear: GEAR,
}
NAMES: dict[type[Element], str] = {
    Bushing: "spring",
    LineDamper: "damper",
    TractionRod: "traction rod",
    BumpStop: "bump stop",
    RollBar: "roll bar",
    Gear: "gear",
}
WIDTH = 13.0
"""Of the long views [in]."""
GAP = 0.9
"""Between views and about them: room for titles and axes [in]."""
LEGEND = 0.3
"""Height of the legend [in]."""
SIDE, TOP = 2, 1
"""Axis that points up in the picture: z, or y."""
COIL = 0.13
"""Half the drawn height of a spring [m]."""
TYRE = 0.07
"""Half the drawn width of a wheel [m]."""
BAR_LENGTH = 1.6
"""Drawn length of a roll bar [m]."""
LEAST = 0.05
"""Half the least drawn edge of a box [m]."""


class View(NamedTuple):
    """One view: what it shows, and where."""

    title: str
    up: int
    low: Array
    """Lowest and highest corner (3,) [m]."""
    high: Array
    left: float
    """Left edge and width in the figure [in]."""
    width: float

    @property
    def height(self) -> float:
        """Height in the figure, true to scale [in]."""
        return float(self.width * (self.high[self.up] - self.low[self.up]) / (self.high[0] - self.low[0]))


def topology_figure(vehicle: Vehicle) -> Figure:
    """Side view, top view, and both once more about the rear end; true to scale in m."""
    rows = _views(vehicle)
    heights = [max(view.height for view in row) for row in rows]
    total = sum(heights) + (len(rows) + 1) * GAP + LEGEND
    figure = Figure(figsize=(WIDTH + 2 * GAP, total), facecolor="white")
    foot = total - GAP
    for row, height in zip(rows, heights, strict=True):
        foot -= height
        for view in row:
            raised = foot + height - view.height
            place = (view.left / (WIDTH + 2 * GAP), raised / total, view.width / (WIDTH + 2 * GAP), view.height / total)
            _draw(figure.add_axes(place), vehicle, view)
        foot -= GAP
    keys = _keys(vehicle)
    figure.legend(handles=keys, loc="lower center", ncols=len(keys), frameon=False)
    title = f"{vehicle.name}: {len(vehicle.bodies)} bodies, {len(vehicle.elements)} elements, {vehicle.mass:.6g} kg"
    figure.suptitle(title, y=1.0 - 0.15 / total, va="top", color=INK, fontsize=13, fontweight="bold")
    return figure


def _views(vehicle: Vehicle) -> tuple[tuple[View, ...], ...]:
    low, high = extent(vehicle)
    x, reach = _rear(vehicle)
    near_low = np.array([x - reach, low[1], low[2]])
    near_high = np.array([x + reach, high[1], min(high[2], 1.2 * reach)])
    half = (WIDTH - GAP) / 2
    return (
        (View("Side view, running to the right", SIDE, low, high, GAP, WIDTH),),
        (View("Top view", TOP, low, high, GAP, WIDTH),),
        (
            View("Rear end from the side", SIDE, near_low, near_high, GAP, half),
            View("Rear end from above", TOP, near_low, near_high, 2 * GAP + half, half),
        ),
    )


def box_of(vehicle: Vehicle, body: Body) -> tuple[Array, Array]:
    """Lowest and highest corner of the drawn box (3,) [m]."""
    inertia = np.array(body.inertia)
    # the edge along an axis follows from all three inertias; those of no real body make a cube
    squared = 6.0 * (inertia.sum() - 2.0 * inertia) / body.mass
    if squared.min() < 0.0:
        squared = np.full(3, 6.0 * inertia.mean() / body.mass)
    half = np.maximum(np.sqrt(squared) / 2, LEAST * vehicle.scale)
    points = [child.hinge for child in vehicle.bodies if child.parent == body.name and body.kind != "wheelset"]
    points += [element.at_first for element in vehicle.elements if element.first == body.name]
    points += [element.at_second for element in vehicle.elements if element.second == body.name]
    corners = np.array([np.subtract(body.position, half), np.add(body.position, half), *points])
    return corners.min(axis=0), corners.max(axis=0)


def extent(vehicle: Vehicle) -> tuple[Array, Array]:
    """Lowest and highest corner of all that is drawn, with some room (3,) [m]."""
    boxes = [box_of(vehicle, body) for body in vehicle.bodies if body.kind in ("carbody", "bogie", "bolster")]
    for wheelset in vehicle.wheelsets:
        wheels, centre = wheels_of(wheelset), np.array(wheelset.position)
        half = np.array([wheels.radius, wheels.half_distance, wheels.radius])
        boxes.append((centre - half, centre + half))
    low, high = np.min([box[0] for box in boxes], axis=0), np.max([box[1] for box in boxes], axis=0)
    room = 0.02 * (high[0] - low[0])
    low[2] = 0.0
    return low - np.array([room, room / 2, room / 4]), high + np.array([room, room / 2, room / 2])


def _rear(vehicle: Vehicle) -> tuple[float, float]:
    """Middle and half length of the rear end [m]: the last bogie, or the last wheelset where there is none."""
    bogies = [body for body in vehicle.bodies if body.kind == "bogie"] or list(vehicle.wheelsets)
    x = min(body.position[0] for body in bogies)
    ends = [abs(w.position[0] - x) for w in vehicle.wheelsets[len(vehicle.wheelsets) // 2 :]]
    return x, 1.15 * (max(ends) + 1.2 * wheels_of(vehicle.wheelsets[-1]).radius)


def _keys(vehicle: Vehicle) -> list[Patch | Line2D]:
    kinds = dict.fromkeys(body.kind for body in vehicle.bodies)
    found = [kind for kind in COLOURS if any(isinstance(element, kind) for element in vehicle.elements)]
    return [
        *(Patch(facecolor=FILLS[kind], edgecolor=INK, label=kind) for kind in kinds),
        *(Line2D([], [], color=COLOURS[kind], linewidth=2.4, label=NAMES[kind]) for kind in found),
    ]


def _draw(axes: Axes, vehicle: Vehicle, view: View) -> None:
    for body in vehicle.bodies:
        _draw_body(axes, vehicle, body, view.up)
    for element in vehicle.elements:
        _DRAWN[type(element)](axes, element, view.up, vehicle.scale)
    if view.up == SIDE:
        axes.axhline(0.0, color=INK, linewidth=1.2)
    axes.set_aspect("equal", adjustable="box")
    axes.set(xlim=(view.low[0], view.high[0]), ylim=(view.low[view.up], view.high[view.up]))
    axes.set_title(view.title, loc="left", color=INK, fontsize=11)
    axes.set_xlabel("x [m] from the middle of the vehicle")
    axes.set_ylabel("z [m] over the rails" if view.up == SIDE else "y [m], left positive")
    axes.grid(color=FAINT, linewidth=0.4)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)


def _draw_body(axes: Axes, vehicle: Vehicle, body: Body, up: int) -> None:
    if body.wheels is not None:
        _draw_wheelset(axes, vehicle, body, up)
        return
    low, high = box_of(vehicle, body)
    if body.kind == "carbody" and up == SIDE:
        low[2] = max(low[2], body.position[2] / 2)  # keeps the view of the bogies clear
    _box(axes, low[[0, up]], high[[0, up]], body.kind)
    centre = (body.position[0], body.position[up])
    axes.plot(*centre, marker="+", color=INK, markersize=6, zorder=5)


def _draw_wheelset(axes: Axes, vehicle: Vehicle, body: Body, up: int) -> None:
    wheels = wheels_of(body)
    x, y, z = body.position
    if up == SIDE:
        disc = Circle((x, z), wheels.radius, facecolor=FILLS["wheelset"], edgecolor=INK, alpha=0.8, zorder=2)
        axes.add_patch(disc)
        axes.text(x, z, body.name.removeprefix("wheelset "), ha="center", va="center", fontsize=9, color=INK, zorder=6)
        return
    axes.plot([x, x], [y - wheels.half_distance, y + wheels.half_distance], color=INK, linewidth=2.0, zorder=2)
    half = np.array([wheels.radius, TYRE * vehicle.scale])
    for side in (-1.0, 1.0):
        middle = np.array([x, y + side * wheels.half_distance])
        _box(axes, middle - half, middle + half, "wheelset")


def _box(axes: Axes, low: Array, high: Array, kind: Kind) -> None:
    alpha = 0.55 if kind == "carbody" else 0.8
    width, height = high - low
    corner = (float(low[0]), float(low[1]))
    axes.add_patch(Rectangle(corner, width, height, facecolor=FILLS[kind], edgecolor=INK, alpha=alpha, zorder=1))


def _draw_spring(axes: Axes, element: AnyElement, up: int, scale: float) -> None:
    x, height = element.at_second[0], element.at_second[up]
    if up == TOP:
        axes.plot(x, height, marker="o", markersize=6, markerfacecolor="none", color=SPRING, zorder=4)
        return
    reach = COIL * scale
    steps = np.linspace(-1.0, 1.0, 9)
    swing = np.array([0.0, 1.0, -1.0, 1.0, -1.0, 1.0, -1.0, 1.0, 0.0]) * 0.35
    axes.plot(x + swing * reach, height + steps * reach, color=SPRING, linewidth=1.4, zorder=4)


def _draw_line(axes: Axes, element: AnyElement, up: int, scale: float) -> None:
    colour = COLOURS[type(element)]
    ends = np.array([element.at_first, element.at_second])[:, [0, up]]
    axes.plot(ends[:, 0], ends[:, 1], color=colour, linewidth=1.4, marker=".", markersize=5, zorder=4)
    if isinstance(element, LineDamper):
        middle = ends[0] + (ends[1] - ends[0]) * np.array([[0.35], [0.65]])
        axes.plot(middle[:, 0], middle[:, 1], color=colour, linewidth=5.0, solid_capstyle="butt", zorder=4)


def _draw_stop(axes: Axes, element: AnyElement, up: int, scale: float) -> None:
    axes.plot(element.at_second[0], element.at_second[up], marker="D", markersize=4, color=STOP, zorder=5)


def _draw_bar(axes: Axes, element: AnyElement, up: int, scale: float) -> None:
    """Across the vehicle: a line from above, its end from the side."""
    x, height = element.at_second[0], element.at_second[up]
    half = BAR_LENGTH * scale / 2 if up == TOP else 0.0
    axes.plot([x, x], [height - half, height + half], marker="x", markersize=7, linewidth=1.4, color=BAR, zorder=3)


def _draw_gear(axes: Axes, element: AnyElement, up: int, scale: float) -> None:
    if not isinstance(element, Gear) or up == TOP:
        _draw_line(axes, element, up, scale)
        return
    distance = float(np.linalg.norm(np.subtract(element.at_second, element.at_first)))
    for (x, _, z), teeth in zip((element.at_first, element.at_second), element.teeth, strict=True):
        radius = distance * teeth / sum(element.teeth)
        axes.add_patch(Circle((x, z), radius, fill=False, edgecolor=GEAR, linewidth=1.4, linestyle=":", zorder=4))


_DRAWN: dict[type[Element], Callable[[Axes, AnyElement, int, float], None]] = {
    Bushing: _draw_spring,
    LineDamper: _draw_line,
    TractionRod: _draw_line,
    BumpStop: _draw_stop,
    RollBar: _draw_bar,
    Gear: _draw_gear,
}
