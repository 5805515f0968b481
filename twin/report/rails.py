"""From the rails a run has seen to what track geometry is computed from: the rails on one grid, and their errors."""

from collections.abc import Container
from dataclasses import dataclass, replace

import numpy as np

from twin.core.arrays import Array, FlagArray, IntArray
from twin.core.errors import RecordingError
from twin.core.places import Places
from twin.core.quality import UNUSABLE, Quality
from twin.geometry.quantities.curvature import curvature_from_design
from twin.geometry.quantities.line_table import marked_left_out
from twin.geometry.quantities.quantity import Kind, Rail, TrackGeometry
from twin.geometry.quantities.recipes import curvature_recipe, recipes, signals
from twin.geometry.quantities.uncertainty import RailErrors, Spectrum, standard_deviation
from twin.geometry.rails import STEP, RailFlag, RailTrace
from twin.report.config import LongWaves, TrackReportConfig
from twin.report.data import GridTable, RunData

FARTHEST = 20_000.0
"""Gap that ends a stretch [m]: beyond it is another place, or a fault; rails must lie on one grid without end."""
WEAR = tuple(f"wear_{what}_{side}" for side in ("left", "right") for what in ("vertical", "side", "45"))
_WORST = 1.0
"""A standard deviation beyond this says nothing [m, rad]."""


@dataclass(frozen=True, slots=True)
class RailRun:
    """The rails of one run on the consecutive points of its grid."""

    trace: RailTrace
    errors: RailErrors
    wear: dict[str, Array]
    """By the names in WEAR, each (n,) [m]; NaN where unknown."""
    apart: int
    """Points left out as they lie too far from the others."""


def rail_run(data: RunData, *, long_wave: LongWaves) -> RailRun | None:
    """The rails of a run; None where it has none. long_wave: wavelength at which navigation errs most."""
    table = data.rails
    if table is None:
        return None
    if table.step != STEP:
        raise RecordingError(f"rails lie every {table.step:g} m, EN 13848 asks for {STEP:g} m: replay the run")
    rows = _largest_part(table.index)
    first = int(table.index[rows.start])
    n = int(table.index[rows.stop - 1]) - first + 1
    at = table.index[rows] - first

    def spread(name: str) -> Array:
        values = np.full(n, np.nan)
        values[at] = table.column(name)[rows]
        return values

    s = np.asarray(STEP * (first + np.arange(n)), dtype=np.float64)
    trace = RailTrace(
        s=s,
        y_left=spread("y_left"),
        z_left=spread("z_left"),
        y_right=spread("y_right"),
        z_right=spread("z_right"),
        flags=_flags(table.quality[rows], at, n),
        speed=spread("speed"),
        curvature_design=None if data.design is None else data.design.curvature(s),
        cant_angle_design=None if data.design is None else data.design.cant_angle(s),
    )
    white = {name: _known(spread(name)) for name in ("sd_y_left", "sd_y_right", "sd_z_left", "sd_z_right")}
    errors = _with_navigation(white, data.best, s, long_wave)
    return RailRun(trace, errors, {name: spread(name) for name in WEAR}, len(table) - (rows.stop - rows.start))


def quantities_of(
    trace: RailTrace,
    config: TrackReportConfig,
    *,
    places: Places,
    cant_base: float,
    names: Container[str],
    errors: RailErrors | None = None,
) -> TrackGeometry:
    """Some quantities of rails by their names, as track_geometry gives them: all of 50 km would fill the memory."""
    quantities = config.quantities.model_copy(update={"chords": (), "cant_base": cant_base})
    kilometre = places.kilometre(trace.s)
    trace = marked_left_out(trace, kilometre, config.line.left_out, low_speed=quantities.low_speed)
    trace = trace.without_invalid().bridged(quantities.longest_bridge)
    values, found = signals(trace, quantities), []
    for recipe in recipes(quantities):
        name = " ".join(word for word in (recipe.kind, recipe.variant, recipe.rail) if word)
        if name in names:
            quantity = recipe.of(values[recipe.signal], edge_wavelengths=quantities.edge_wavelengths)
            sd = None if errors is None else standard_deviation(recipe, errors, cant_base=quantities.cant_base)
            found.append(replace(quantity, sd=sd))
    curvature = curvature_from_design(trace, quantities)
    if curvature is not None and curvature.name in names:
        recipe = curvature_recipe(quantities)
        sd = None if errors is None else standard_deviation(recipe, errors, cant_base=quantities.cant_base)
        found.append(replace(curvature, sd=sd))
    return TrackGeometry(trace.s, kilometre, trace.flags, tuple(found))


def shown_names(config: TrackReportConfig) -> frozenset[str]:
    """Names of the quantities of a report: no chords, and not the means of two rails, which are not judged."""
    names = {
        " ".join(word for word in (recipe.kind, recipe.variant, recipe.rail) if word)
        for recipe in recipes(config.quantities.model_copy(update={"chords": ()}))
        if recipe.rail is not Rail.MEAN
    }
    return frozenset(names | {Kind.CURVATURE.value})


def _largest_part(index: IntArray) -> slice:
    """Rows of the part with most points between gaps that end a stretch."""
    cuts = np.concatenate(([0], np.flatnonzero(np.diff(index) * STEP > FARTHEST) + 1, [index.size]))
    largest = int(np.argmax(np.diff(cuts)))
    return slice(int(cuts[largest]), int(cuts[largest + 1]))


def _flags(quality: FlagArray, at: IntArray, n: int) -> FlagArray:
    """(n,) RailFlag of every point; what was not seen is unknown."""
    seen = (quality & np.uint8(Quality.MISSING)) == 0
    wrong = (quality & np.uint8(UNUSABLE & ~Quality.MISSING)) != 0
    bridged = (quality & np.uint8(Quality.BRIDGED)) != 0
    flags = np.zeros(n, dtype=np.uint8)
    flags[at] = (
        np.where(seen & ~bridged, np.uint8(RailFlag.MEASURED), np.uint8(0))
        | np.where(seen & bridged, np.uint8(RailFlag.BRIDGED), np.uint8(0))
        | np.where(wrong, np.uint8(RailFlag.INVALID), np.uint8(0))
    )
    return flags


def _known(sd: Array) -> Array:
    """A standard deviation at every point: the usual one where none is given."""
    known = np.isfinite(sd) & (sd < _WORST)
    return np.where(known, sd, np.median(sd[known]) if known.any() else 0.0)


def _with_navigation(white: dict[str, Array], table: GridTable | None, s: Array, long_wave: LongWaves) -> RailErrors:
    """The errors of images with those of the trajectory and roll the cameras hang on.

    Navigation states their standard deviations. Along the line they are taken as what filters that integrate noise
    leave: S ~ 1 / (Omega^4 + Omega_c^4) of a path from accelerations, S ~ 1 / (Omega^2 + Omega_c^2) of an angle from
    rates, Omega_c = 2 pi / long_wave. A path then errs five times more in D2 than in D1, as it does in simulations.
    """
    images = RailErrors(white["sd_y_left"], white["sd_y_right"], white["sd_z_left"], white["sd_z_right"])
    if table is None:
        return images
    sds = {name: _known(np.interp(s, table.s, table.column(name))) for name in ("sd_r_y", "sd_r_z", "sd_roll")}
    usual = {name: float(np.median(sd)) for name, sd in sds.items()}
    shares = [sds[name] / usual[name] for name in sds if usual[name] > 0]
    if not shares:
        return images
    return replace(
        images,
        S_y=_path(usual["sd_r_y"], long_wave.lateral),
        S_z=_path(usual["sd_r_z"], long_wave.vertical),
        S_roll=_angle(usual["sd_roll"], long_wave.lateral),
        scale=np.sqrt(np.mean(np.square(shares), axis=0)),
        longest=20 * max(long_wave.lateral, long_wave.vertical),
    )


def _path(sd: float, long_wave: float) -> Spectrum:
    """One-sided spectrum of a path with a standard deviation [m]: its integral is the variance."""
    corner = 2 * np.pi / long_wave
    height = sd**2 * 2 * np.sqrt(2) * corner**3 / np.pi
    return lambda Omega: height / (Omega**4 + corner**4)


def _angle(sd: float, long_wave: float) -> Spectrum:
    """One-sided spectrum of an angle with a standard deviation [rad]."""
    corner = 2 * np.pi / long_wave
    height = sd**2 * 2 * corner / np.pi
    return lambda Omega: height / (Omega**2 + corner**2)
