"""Measured profiles: from the points of a file to a smooth zone with analytic derivatives.

A wheel file counts s from the taping line, negative towards the flange, with z > 0 for a larger radius; a rail file
counts u positive to the field side, with z up, the rail standing upright. ReadingOptions turn other files round.
Whatever cannot be meant is refused with file, line and remedy; steep and overhanging ends are cut with a note.

Points are smoothed along the profile, not over y: y(t) and z(t) over the length t of the polygon, as measuring errors
stand normal to the surface and the ends of a profile are vertical.
"""

from dataclasses import replace
from math import cos, radians, tan
from pathlib import Path
from typing import Literal, NamedTuple, cast
from warnings import catch_warnings, simplefilter

import numpy as np
from pydantic import Field
from scipy.interpolate import BSpline, make_interp_spline, splprep

from twin.contact.curve import Zone, curve_values, join
from twin.contact.profile_formats import Kind, Points, read_points
from twin.core.arrays import Array
from twin.core.errors import ConfigError
from twin.core.settings import Settings

FEWEST_POINTS = 20
"""Fewest points of a file: a point per 5 mm is less than any profile's corner needs."""
NARROWEST, WIDEST = 0.040, 0.200
"""Width of a profile [m]: a rail head has 65 to 75 mm, a wheel 125 to 145 mm; beyond, the units are wrong."""
HIGHEST = 0.100
"""Farthest a point lies above or below the middle of a profile [m]: a whole rail would, its head does not."""
FLANGE = 0.045
"""Distance from the taping line where every wheel has its flange on one side, tread or nothing on the other [m]."""
NEAR = 0.005
"""Distance at which a point still stands for a place [m]."""
FLANGE_RISE = 0.003
"""Rise from the taping line to there that tells a flange [m]: treads change by less, thin flanges by more."""
FLANGE_BACK = 0.070
"""Distance from the flange's back to the taping line [m]."""
STEEPEST = {"wheel": radians(80.0), "rail": radians(88.0)}
"""Steepest slope kept [rad]. A rail keeps more, as the gauge is measured on its side."""
STEEP_END = radians(76.0)
"""Where y turns back for a point or two, the profile must be steeper than this before or behind [rad], as no flange's
face is; else the points are just not in order."""
LIP, LIP_POINTS = 0.003, 3
"""Where y turns back for at least so many points within so much of the profile [m], it is a lip, as worn rails have."""
OVERHANG = 0.001
"""How much of an overhanging end is looked at, and smoothed with the rest so that the cut is not at its end [m]."""
OUTLIER = 5.0
"""Distance from the smoothed profile that is told as an outlier, in standard deviations of the noise."""
STEP = 1e-4
"""Distance of the zone's samples along the profile [m]."""


class ReadingOptions(Settings):
    """What only the user can know about a profile file."""

    units: Literal["mm", "m"] | None = Field(
        default=None, description="Unit of the numbers; without it what the file says, else mm."
    )
    flip: bool = Field(default=False, description="Turn z over: for files with z down, or a wheel drawn tread down.")
    mirror: bool = Field(
        default=False, description="Exchange left and right: for a right wheel or rail drawn as seen from behind."
    )
    origin: float = Field(
        default=0.0,
        ge=-0.2,
        le=0.2,
        description="Place [m] in the file, after mirror, that becomes the taping line of a wheel; a rail may stay. "
        "-0.2 to 0.2; 0.07 where a wheel file counts from the flange's back.",
    )
    sd_noise: float = Field(
        default=1e-5,
        ge=0.0,
        le=2e-4,
        description="Standard deviation of the measuring error normal to the surface [m], 0 to 0.2 mm; smoothing goes "
        "as far as it allows. 0 passes through every point.",
    )


class Measured(NamedTuple):
    """What a file gives: the profile in one zone, and what was done to get there."""

    zone: Zone
    notes: tuple[str, ...]


def read_profile(path: Path, *, kind: Kind, options: ReadingOptions) -> Measured:
    """Read, check and smooth the profile of a file, or raise ConfigError with line and remedy."""
    points = read_points(path, kind=kind, units=options.units)
    if points.y.size < FEWEST_POINTS:
        last = f", line {points.lines[-1]}" if points.y.size else ""
        raise ConfigError(f"{path}{last}: {points.y.size} points, {FEWEST_POINTS} needed: measure more densely")
    _check_size(points)
    points = _oriented(points, options)
    if kind == "wheel":
        _check_wheel(points)
    else:
        _check_rail(points)
    points = _without_overhang(points, _middle(points, kind))
    _check_rest(points, points.y)
    smooth = smoothed(points.y, points.z, sd_noise=options.sd_noise)
    zone, cuts = _sampled(smooth, middle=float(smooth.t[_middle(points, kind)]), steepest=STEEPEST[kind])
    _check_rest(points, zone.y)
    top = float(curve_values(join([zone]), np.zeros(1))[0, 0]) if kind == "wheel" else float(zone.z.max())
    return Measured(zone.moved(y=0.0, z=-top), points.notes + cuts + _outliers(points, smooth, options.sd_noise))


def _middle(points: Points, kind: Kind) -> int:
    """The point from which a profile is followed to its ends."""
    return int(np.argmin(np.abs(points.y)) if kind == "wheel" else np.argmax(points.z))


def _check_size(points: Points) -> None:
    far = np.flatnonzero(np.abs(points.z - np.median(points.z)) > HIGHEST)
    if far.size and NARROWEST <= np.ptp(points.y) <= WIDEST:
        z_mm = points.z[far[0]] * 1e3
        raise ConfigError(f"{points.at(int(far[0]))}: z = {z_mm:g} mm is far off the rest: correct or remove the line")
    width = float(np.ptp(points.y))
    if NARROWEST <= width <= WIDEST:
        return
    where = f"{points.path}, lines {points.lines[0]} to {points.lines[-1]}"
    wanted = f"a profile is {NARROWEST * 1e3:g} to {WIDEST * 1e3:g} mm wide"
    for factor, units in ((1e3, "m"), (1e-3, "mm")):
        if NARROWEST <= width * factor <= WIDEST:
            raise ConfigError(f"{where}: {width * 1e3:g} mm wide, {wanted}: did you mean units = {units}?")
    raise ConfigError(f"{where}: {width * 1e3:g} mm wide, {wanted}: check units and the first column")


def _check_rest(points: Points, y: Array) -> None:
    """Refuse a profile of which cutting steep and overhanging ends leaves too little."""
    if y.size < FEWEST_POINTS or np.ptp(y) < NARROWEST:
        left = f"{np.ptp(y) * 1e3:.1f} mm" if y.size else "nothing"
        raise ConfigError(
            f"{points.path}, lines {points.lines.min()} to {points.lines.max()}: {left} remains between ends that are"
            " steep or fold back: look for points that lie off the profile there"
        )


def _oriented(points: Points, options: ReadingOptions) -> Points:
    """The points in the convention of this package, y rising on the whole."""
    y = (-points.y if options.mirror else points.y) - options.origin
    z = -points.z if options.flip else points.z
    turned = replace(points, y=y, z=z)
    return turned[::-1] if np.sum(np.sign(np.diff(y))) < 0.0 else turned


def _check_wheel(points: Points) -> None:
    """Refuse a wheel whose flange is not where it belongs: at y < 0, z > 0."""
    back, zero, front = (int(np.argmin(np.abs(points.y - place))) for place in (-FLANGE, 0.0, FLANGE))
    if abs(points.y[back] + FLANGE) > NEAR or abs(points.y[zero]) > NEAR:
        raise ConfigError(
            f"{points.path}: the profile goes from {points.y.min() * 1e3:.1f} to {points.y.max() * 1e3:.1f} mm and has"
            f" no flange {FLANGE * 1e3:g} mm before the taping line: state the place of the taping line as origin"
            f" ({FLANGE_BACK:g} m where the file counts from the flange's back)"
        )
    flange, tread = float(points.z[back] - points.z[zero]), float(points.z[front] - points.z[zero])
    if abs(tread) > FLANGE_RISE and abs(points.y[front] - FLANGE) < NEAR:
        remedy = "mirror" if tread > 0.0 else "flip and mirror"
        raise ConfigError(f"{points.at(front)}: {tread * 1e3:+.1f} mm high, where a wheel has its tread: set {remedy}")
    if flange < -FLANGE_RISE:
        raise ConfigError(f"{points.at(back)}: {flange * 1e3:+.1f} mm high, where a wheel has its flange: set flip")


def _check_rail(points: Points) -> None:
    """Refuse a rail that stands on its head: most of a head is near its crown, little far below."""
    low, middle, high = np.quantile(points.z, (0.0, 0.5, 1.0))
    if high - middle > middle - low:
        where = points.at(int(np.argmin(points.z)))
        raise ConfigError(f"{where}: the crown of the rail is its lowest point: z points down, set flip")


def _without_overhang(points: Points, middle: int) -> Points:
    """The points between the ends that fold back, with a little of these; or raise ConfigError for lack of order."""
    low = middle - _reach(points[middle::-1], outwards=-1.0)
    high = middle + _reach(points[middle:], outwards=1.0)
    kept = np.arange(low, high + 1)
    moved = np.append(True, np.hypot(np.diff(points.y[kept]), np.diff(points.z[kept])) > 0.0)
    return points[kept[moved]]


def _reach(points: Points, *, outwards: float) -> int:
    """Number of the last point to use on the way from the middle outwards."""
    dy, dz = np.diff(points.y), np.diff(points.z)
    folds = np.flatnonzero(outwards * dy <= 0.0)
    if folds.size == 0:
        return points.y.size - 1
    fold = int(folds[0])
    t = np.append(0.0, np.cumsum(np.hypot(dy, dz)))
    inner, outer, seen = np.searchsorted(t, t[fold] + np.array([-OVERHANG, OVERHANG, LIP]))
    steep = any(
        np.abs(dz[part]).sum() > tan(STEEP_END) * np.abs(dy[part]).sum()
        for part in (slice(inner, fold), slice(fold, outer))
    )
    beyond = outwards * (points.y[fold + 1 : seen] - points.y[fold])
    lip = beyond.size >= LIP_POINTS and bool(np.all(beyond <= 0.0))
    if steep or lip:
        return min(int(outer), points.y.size - 1)
    place = f"y = {points.y[fold + 1] * 1e3:g} mm {'stands twice' if dy[fold] == 0.0 else 'is out of order'}"
    raise ConfigError(f"{points.at(fold + 1)}: {place}: sort the file by y, or remove the line")


class Smooth(NamedTuple):
    """A profile as a curve (y, z) over its length t [m]; t holds the places of the points."""

    t: Array
    spline: BSpline


def smoothed(y: Array, z: Array, *, sd_noise: float) -> Smooth:
    """The smoothest curve of fifth degree whose distance from the points is that of the noise [m]; 0 interpolates.

    The sum of squared distances over their variance is chi-square with n degrees of freedom: the bound is one
    standard deviation above its mean. Interpolation is of third degree, which rings least where curvature jumps.
    """
    t = np.append(0.0, np.cumsum(np.hypot(np.diff(y), np.diff(z))))
    if sd_noise == 0.0:
        return Smooth(t, make_interp_spline(t, np.column_stack([y, z]), k=3))
    bound = t.size + np.sqrt(2.0 * t.size)
    with catch_warnings():
        simplefilter("ignore", RuntimeWarning)  # noise below the stated one: the curve passes closer than it must
        found, _ = splprep([y, z], u=t, w=np.full(t.size, 1.0 / sd_noise), k=5, s=bound)
    knots, coefficients, degree = cast(tuple[Array, list[Array], int], found)
    return Smooth(t, BSpline(knots, np.column_stack(coefficients), degree))


def _sampled(smooth: Smooth, *, middle: float, steepest: float) -> tuple[Zone, tuple[str, ...]]:
    """The zone around a place on which no slope is steeper than an angle, and what was cut."""
    pieces = int(np.ceil((smooth.t[-1] - smooth.t[0]) / STEP))
    t = np.linspace(smooth.t[0], smooth.t[-1], pieces + 1)
    (y, z), (dy, dz), (ddy, ddz) = (smooth.spline(t, order).T for order in range(3))
    advance = np.append(np.diff(y) / np.diff(t), 1.0)  # between samples, where a spline through bad points may wriggle
    steep = np.flatnonzero((dy <= cos(steepest) * np.hypot(dy, dz)) | (advance <= cos(steepest) / 2))
    before, after = steep[t[steep] < middle], steep[t[steep] > middle]
    start = int(before[-1]) + 1 if before.size else 0
    end = int(after[0]) if after.size else t.size
    limit = f"the profile is steeper than {np.degrees(steepest):g} degrees or overhangs"
    cuts = [f"cut at y = {y[start] * 1e3:.2f} mm: before it, {limit}"] if before.size else []
    cuts += [f"cut at y = {y[end - 1] * 1e3:.2f} mm: beyond it, {limit}"] if after.size else []
    zone = Zone(y, z, dz / dy, (ddz * dy - dz * ddy) / dy**3)
    return Zone(*(values[start:end] for values in zone)), tuple(cuts)


def _outliers(points: Points, smooth: Smooth, sd_noise: float) -> tuple[str, ...]:
    """The point farthest from the smoothed profile, where it is too far for noise."""
    distance = np.hypot(*(smooth.spline(smooth.t).T - np.vstack([points.y, points.z])))
    worst = int(np.argmax(distance))
    if sd_noise == 0.0 or distance[worst] <= OUTLIER * sd_noise:
        return ()
    return (f"line {points.lines[worst]} lies {distance[worst] * 1e3:.3f} mm off the smoothed profile: an outlier?",)
