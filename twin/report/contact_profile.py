"""Picture of a wheel or rail profile: shape, slope and curvature, and how it lies against its partner in the track."""

from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from twin.contact.curve import Curve, Zone, curve_values
from twin.contact.profiles import Profile
from twin.core.arrays import Array
from twin.report.units import MM

POINTS = 4000
"""Of a drawn curve."""
GENTLE = 1e-3
"""Change of curvature within an arc, as a share of it: a zone that changes by more is no arc."""
FLATTEST = 1.0
"""Radius from which a zone is called straight [m]."""
SHARPEST = 150.0
"""Largest curvature drawn [1/m]: the lips and edges of worn profiles go far beyond and would flatten the rest."""
SHORTEST = 2e-3
"""Shortest arc whose radius is written into the picture [m]: below, there is no room."""
MARGIN = 0.004
"""Room about the profiles [m]."""

INK = "#1f2933"
FAINT = "#c5ccd3"
WHEEL = "#0b5fa5"
RAIL = "#c2410c"


@dataclass(frozen=True, slots=True)
class InPlace:
    """A left wheel over its rail: r(y_w) and b(y), and the names of both."""

    wheel: Curve
    rail: Curve
    title: str


def curvature(values: Array) -> Array:
    """Curvature [1/m] of (value, slope, second derivative) (n, 3): positive where the profile is hollow."""
    return np.asarray(values[:, 2] / np.hypot(1.0, values[:, 1]) ** 3)


def radius_of(zone: Zone) -> float | None:
    """Radius of a zone that is an arc [m], negative where hollow; inf for a straight one, None for any other."""
    bend = curvature(np.column_stack([zone.z, zone.slope, zone.second]))
    middle = float(np.median(bend))
    if abs(middle) < 1.0 / FLATTEST and float(np.ptp(bend)) < GENTLE:
        return np.inf
    return -1.0 / middle if float(np.ptp(bend)) < GENTLE * abs(middle) else None


def profile_figure(profile: Profile, in_place: InPlace) -> Figure:
    """Shape and place above, true to scale; slope and curvature below; mm, degrees and 1/m."""
    figure = Figure(figsize=(12.0, 7.2), layout="constrained", facecolor="white")
    (shape, place), (slope, bend) = figure.subplots(2, 2)
    colour = WHEEL if profile.kind == "wheel" else RAIL
    y = np.linspace(*profile.span, POINTS)
    values = curve_values(profile.curve, y)
    across = (
        "s [mm] from the taping line, flange side negative"
        if profile.kind == "wheel"
        else "u [mm], field side positive"
    )
    _shape(shape, profile, y, values[:, 0], colour)
    _place(place, in_place)
    slope.plot(y * MM, np.degrees(np.arctan(values[:, 1])), color=colour, linewidth=1.6)
    bend.plot(y * MM, curvature(values), color=colour, linewidth=1.6)
    _name_radii(bend, profile.zones)
    for axes in (slope, bend):
        axes.axhline(0.0, color=INK, linewidth=0.6)
        axes.margins(x=0.03, y=0.12)
    low, high = bend.get_ylim()
    bend.set_ylim(max(low, -SHARPEST), min(high, SHARPEST))
    upright = "z [mm], larger radius downwards" if profile.kind == "wheel" else "z [mm], up"
    _finish(shape, "Shape", across, upright)
    _finish(slope, "Slope", across, "slope [degrees]")
    _finish(bend, "Curvature, positive where hollow", across, "curvature [1/m]")
    figure.suptitle(f"{profile.kind.capitalize()} profile {profile.name}", color=INK, fontsize=13, fontweight="bold")
    return figure


def _shape(axes: Axes, profile: Profile, y: Array, z: Array, colour: str) -> None:
    axes.plot(y * MM, z * MM, color=colour, linewidth=1.8)
    ends = np.array([zone.y[0] for zone in profile.zones[1:]])
    axes.plot(ends * MM, np.interp(ends, y, z) * MM, "|", color=INK, markersize=8)
    axes.set_aspect("equal", adjustable="datalim")
    if profile.kind == "wheel":
        axes.invert_yaxis()


def _place(axes: Axes, in_place: InPlace) -> None:
    """The wheel set down on the rail without roll, seen along the track: left is left."""
    y_r = np.linspace(in_place.rail.knots[0], in_place.rail.knots[-1], POINTS)
    y_w = np.linspace(in_place.wheel.knots[0], in_place.wheel.knots[-1], POINTS)
    b, r = curve_values(in_place.rail, y_r)[:, 0], curve_values(in_place.wheel, y_w)[:, 0]
    over = (y_r > y_w[0]) & (y_r < y_w[-1])
    axle = float(np.max(b[over] + np.interp(y_r[over], y_w, r)))
    axes.plot(y_w * MM, (axle - r) * MM, color=WHEEL, linewidth=1.8, label="wheel")
    axes.plot(y_r * MM, b * MM, color=RAIL, linewidth=1.8, label="rail")
    low, high = min(y_w[0], y_r[0]) - MARGIN, max(y_w[-1], y_r[-1]) + MARGIN
    axes.set(xlim=(high * MM, low * MM))
    axes.set_aspect("equal", adjustable="datalim")
    axes.legend(frameon=False, loc="lower left")
    _finish(axes, in_place.title, "y [mm] from the track's centre, left positive", "z [mm] over the rails")


def _name_radii(axes: Axes, zones: tuple[Zone, ...]) -> None:
    """Write the radius beside every arc that is long enough."""
    for zone in zones:
        radius = radius_of(zone)
        length = float(np.hypot(np.ptp(zone.y), np.ptp(zone.z)))
        if radius is not None and np.isfinite(radius) and length > SHORTEST:
            axes.annotate(
                f"R{abs(radius) * MM:.4g}",
                (float(zone.y[[0, -1]].mean()) * MM, -1.0 / radius),
                textcoords="offset points",
                xytext=(0, 5 if radius < 0.0 else -12),
                ha="center",
                color=INK,
                fontsize=9,
            )


def _finish(axes: Axes, title: str, x: str, y: str) -> None:
    axes.set_title(title, loc="left", color=INK, fontsize=11)
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    axes.grid(color=FAINT, linewidth=0.5)
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(color=FAINT)
