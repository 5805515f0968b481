"""The rail head in the sensor's axes from measured points: place, roll, running surface, gauge point, wear, verdict."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from pydantic import Field

from twin.core.arrays import Array, BoolArray, frozen
from twin.core.settings import Settings
from twin.geometry.laser.dirt import NOBODY, DirtSettings, soiled
from twin.geometry.laser.fitting import TOP, UNKNOWNS, Errors, Head, Prior, Task, conclude, fit, rms_of, room
from twin.geometry.laser.measured import (
    STRIDE,
    Wear,
    directions,
    head_curve,
    highest,
    innermost,
    laid,
    off_nearby,
    wear_of,
)
from twin.geometry.laser.section import FIRST, NODES, HeadSection, SectionSettings, head_section
from twin.geometry.laser.verdict import FAULTS, PLACE_FAULTS, Verdict
from twin.geometry.laser.wear_model import SPACING, SPLINES, WEARS, WearSettings, wear_model

LOWEST_CORNER = 37.0e-3
"""From the rail's axis to the outermost point of the gauge side [m]: where a cold start lays it."""
BINS = np.radians(np.arange(-60.0, 108.1, 4.0))
"""Angles between which there must be points for the head to count as seen [rad]."""
FIELD = np.radians(-8.0)
"""Angle beyond which the field side begins [rad]."""
FACE_END = np.radians(95.0)
"""Angle beyond which the gauge face ends [rad]."""
FIELD_SPLINES = np.flatnonzero(FIRST + SPACING * (np.arange(SPLINES) - 1) < 0.0)
"""Splines of the field side."""
MISPLACED = PLACE_FAULTS & ~Verdict.DIRT
"""Reasons to look afresh. What is dirt now was steel before: it stays remembered."""
COLD = np.array([[1.5e-3, 4, 1e-5], [0.6e-3, 4, 1e-5], [0.25e-3, 4, 1e-5], [0.1e-3, 4, 1e-6]])
"""Least scales of the weights of a cold start [m], the most steps at each, and the step at which it is done [m]."""
FINAL = np.array([[0.0, 8, 2e-6]])
"""The same at the end of every fit: the noise of the points alone."""
TOPS = (0.0, 2.5e-3, 5.0e-3)
"""Vertical wear at which cold starts begin [m]."""


class RegistrationSettings(Settings):
    """How a head is fitted, and when the fit is believed."""

    section: SectionSettings = Field(SectionSettings(), description="of the unworn head")
    wear: WearSettings = Field(WearSettings(), description="what it may differ by")
    sd_point: float = Field(
        20e-6, gt=0, le=1e-3, description="of a point beyond its own noise [m]: calibration, roughness, rounding"
    )
    shared: float = Field(2.5, ge=1, le=50, description="neighbouring points that share one error: the size of speckle")
    memory: float = Field(
        0.95, ge=0, lt=1, description="share of what is known of the wear that the next image starts from: some metres "
        "of rail"
    )  # fmt: skip
    thinned: int = Field(4, ge=1, le=16, description="every so many points are looked at while the weights close")
    fewest_bins: float = Field(0.5, ge=0.1, le=1, description="least share of the head's directions with points")
    fewest_field: float = Field(0.3, ge=0, le=1, description="the same of the field side")
    most_outside: float = Field(0.35, ge=0, le=1, description="greatest share of points that are no rail")
    most_rms: float = Field(1.8, ge=1, le=10, description="greatest rms of residuals over their noise")
    nearby: float = Field(5e-3, gt=0, le=20e-3, description="distance within which points make a place measured [m]")
    fewest_nearby: int = Field(6, ge=1, le=200, description="points there")
    most_saturated: float = Field(0.6, ge=0, le=1, description="greatest share of white points")
    most_sd: float = Field(0.15e-3, gt=0, le=5e-3, description="of running surface and gauge point [m]")
    most_sd_height: float = Field(0.25e-3, gt=0, le=5e-3, description="of the unworn head's height [m]")
    ambiguous: float = Field(6.0, ge=0, le=100, description="difference of cost that tells two places apart")
    apart: float = Field(0.4e-3, gt=0, le=10e-3, description="distance of running surfaces or gauge points of two [m]")
    most_wear: float = Field(20e-3, gt=0, le=40e-3, description="of a head in service [m]")
    most_growth: float = Field(
        1.0e-3, gt=0, le=10e-3, description="by which a head may exceed its section [m]: lipping"
    )
    sd_roll: float = Field(0.012, gt=0, le=10, description="of a rail's roll off its laying before it is seen [rad]")
    most_roll: float = Field(0.06, gt=0, le=0.5, description="of a rail off its laying [rad]")
    most_off: float = Field(
        0.12e-3, gt=0, le=5e-3, description="by which the points near running surface or gauge point may differ from a "
        "head's shape [m]: more is dirt"
    )  # fmt: skip
    most_off_field: float = Field(
        0.2e-3, gt=0, le=5e-3, description="by which the field side's shape may differ from the section [m]: dirt "
        "there reads as roll"
    )  # fmt: skip
    most_growth_field: float = Field(
        0.1e-3, gt=0, le=5e-3, description="by which the field side may exceed the section [m]: dirt adds, wear takes"
    )
    most_buried: float = Field(
        0.06, ge=0, le=1, description="greatest share of the points between field side and gauge face that lie below a "
        "head's surface and are no rail: dirt that is remembered and gone"
    )  # fmt: skip
    least_buried: float = Field(
        0.15e-3, gt=0, le=5e-3, description="depth from which on a point counts as below the surface [m]"
    )
    dirt: DirtSettings = Field(DirtSettings(), description="what is taken for dirt on running surface and gauge face")
    most_sd_y: float = Field(0.35e-3, gt=0, le=5e-3, description="of the unworn head's lateral place [m]")


@dataclass(frozen=True)
class HeadFix:
    """A rail head as one image shows it, in the sensor's axes. NaN where nothing was found."""

    verdict: Verdict
    place: Array
    """(3,) y, z of the unworn head's top centre [m] and roll off the nominal laying [rad]."""
    P: Array
    """(3, 3) covariance of the place."""
    top_y: float
    """Where the head is highest [m]."""
    top_z: float
    """Height of the running surface [m]."""
    sd_top: float
    gauge_y: float
    """Gauge point: nearest to the track's middle within 14 mm below the running surface [m]."""
    gauge_z: float
    sd_gauge: float
    wear: Wear | None
    rms: float
    """Of the residuals over their noise."""
    inside: float
    """Share of the points that are rail."""

    @property
    def usable(self) -> bool:
        """Whether running surface and gauge point may be used."""
        return not self.verdict & FAULTS


class _Spot(NamedTuple):
    """A measured place of the head."""

    y: float
    z: float
    sd: float
    off: float
    """By which the points differ from the fitted shape there [m]; y or z holds it already."""
    points: int


@dataclass(frozen=True)
class _Fitted:
    cost: float
    x: Array
    H: Array
    """(UNKNOWNS, UNKNOWNS) information."""
    P: Array
    """Covariance as of this image alone, times the mean square of the residuals where that exceeds 1."""
    out: Array
    curve: Array
    """The head in the axes of the rail, for its wear."""
    top: "_Spot"
    gauge: "_Spot"


NOWHERE = np.full(3, np.nan)


class Registration:
    """Finds the head of one rail in the points of image after image.

    Remembers the last place, as a start, and the wear, which changes slowly along a rail; a rail that does not fit
    what is remembered is looked for afresh. Points are in the sensor's axes; a right rail is mirrored on the way in
    and out.
    """

    def __init__(self, settings: RegistrationSettings, *, rail: int, section: HeadSection | None = None) -> None:
        self._settings = settings
        self._side = 1.0 if rail == 0 else -1.0
        self._section = section or head_section(settings.section)
        model = wear_model(settings.wear, self._section)
        y, z = self._section.centre.tolist()
        self._head = Head(y, z, np.array(self._section.table), *model.fading)
        self._unworn = Prior(np.zeros(WEARS), np.array(model.information))
        self._errors = Errors(settings.sd_point, settings.shared, settings.sd_roll)
        self._last: Array | None = None
        self._prior = self._unworn
        self._soiled = NOBODY

    def find(
        self,
        points: Array,
        moved: Array,
        saturated: BoolArray | None = None,
        *,
        tilt: float = 0.0,
        peak: Array | None = None,
    ) -> HeadFix:
        """The head in points (n, 2) y, z [m]; moved (n, 2): how far one sd of its noise moves a point [m].

        tilt: roll of the plane over both rails in the sensor's axes [rad]: highest and innermost are meant in it;
        peak: (n,) brightness of the line at the points [counts], where the sensor tells it.
        """
        s = self._settings
        mirror = np.array([self._side, 1.0, self._side, 1.0])
        given = np.column_stack([points, moved]) * mirror
        known = np.all(np.isfinite(given), axis=1)
        given = np.ascontiguousarray(given[known])
        white = 0.0 if saturated is None or not saturated.size else float(np.mean(saturated))
        flags = Verdict.SATURATED if white > s.most_saturated else Verdict.GOOD
        if given.shape[0] < 2 * s.fewest_nearby:
            return self._lost(flags | Verdict.FEW_POINTS)
        turn = self._side * tilt
        fitted, verdict = None, Verdict.FEW_POINTS
        if self._last is not None:
            fitted = self._fit(given, self._last, self._prior, COLD[-1:], turn)
            verdict = self._judged(fitted)
        if fitted is None or verdict & PLACE_FAULTS:
            fitted, verdict = self._cold(given, turn)
        if fitted is None:
            return self._lost(flags | Verdict.POOR_FIT)
        if self._is_soiled(fitted, given, None if peak is None else peak[known]):
            verdict |= Verdict.DIRT
        self._remember(fitted, verdict)
        return self._fix(fitted, verdict | flags)

    def forget(self) -> None:
        """The next image is looked at as if it were the first."""
        self._last, self._prior = None, self._unworn
        self._soiled = NOBODY

    def _cold(self, given: Array, turn: float) -> tuple[_Fitted | None, Verdict]:
        """The best of several starts from scratch, and its verdict."""
        found: list[_Fitted] = []
        for top in TOPS:
            x = np.zeros(UNKNOWNS)
            x[0] = np.percentile(given[:, 0], 2) + LOWEST_CORNER
            x[1] = np.percentile(given[:, 1], 98) + top
            x[TOP] = top
            one = self._fit(given, x, self._unworn, COLD, turn)
            if one is not None:
                found.append(one)
        if not found:
            return None, Verdict.POOR_FIT
        found.sort(key=lambda one: one.cost)
        best = found[0]
        verdict = self._judged(best)
        if any(one.cost - best.cost < self._settings.ambiguous and self._apart(one, best) for one in found[1:]):
            verdict |= Verdict.AMBIGUOUS
        return best, verdict

    def _fit(self, given: Array, start: Array, prior: Prior, scales: Array, turn: float) -> _Fitted | None:
        """From one start: thinned points while the weights close, then all; None where the iteration fails."""
        s = self._settings
        x = start.copy()
        thin = np.ascontiguousarray(given[:: s.thinned])
        coarse = self._errors._replace(shared=max(s.shared / s.thinned, 1.0))
        fit(Task(thin, self._head, prior, coarse), x, scales, room(thin.shape[0]))
        normal = room(given.shape[0])
        cost = fit(Task(given, self._head, prior, self._errors), x, FINAL, normal)
        out = normal.out
        if not np.isfinite(cost) or not np.all(np.isfinite(x)):
            return None
        # what is remembered helps, but errors of the section repeat: it is no second witness
        excess = prior.information - self._unworn.information
        H, P = np.empty((UNKNOWNS, UNKNOWNS)), np.empty((UNKNOWNS, UNKNOWNS))
        if not conclude(normal, excess, H, P):
            return None
        curve, *spots = self._measured(given, x, out, turn)
        return _Fitted(cost, x, H, P, out, curve, *spots)

    def _measured(self, given: Array, x: Array, out: Array, turn: float) -> tuple[Array, _Spot, _Spot]:
        """The head's curve in its own axes; running surface and gauge point in those of the sensor, left rail."""
        s = self._settings
        head = np.empty((-(-NODES // STRIDE), 2))
        head_curve(x, self._head, head)
        curve = laid(head, 0.0, 0.0, float(x[2] - turn))  # seen from the plane over both rails
        top_y, top_z = highest(curve)
        edge_y, edge_z = innermost(curve, top_y, top_z)
        c, sn = np.cos(turn), np.sin(turn)
        top = (float(x[0] + c * top_y - sn * top_z), float(x[1] + sn * top_y + c * top_z))
        gauge = (float(x[0] + c * edge_y - sn * edge_z), float(x[1] + sn * edge_y + c * edge_z))
        off, sd, count = off_nearby(given, out, (*top, s.nearby), s.shared)
        off_g, sd_g, count_g = off_nearby(given, out, (*gauge, s.nearby), s.shared)
        sd, sd_g = (float(np.hypot(each, s.sd_point)) for each in (sd, sd_g))
        running_surface = _Spot(top[0], top[1] + off, sd, off, count)
        return head, running_surface, _Spot(gauge[0] - off_g, gauge[1], sd_g, off_g, count_g)

    def _apart(self, one: _Fitted, other: _Fitted) -> bool:
        most = max(abs(one.top.z - other.top.z), abs(one.gauge.y - other.gauge.y))
        return not most < self._settings.apart

    def _judged(self, fitted: _Fitted | None) -> Verdict:
        """What is wrong with a fit, one reason after the other."""
        if fitted is None:
            return Verdict.POOR_FIT
        s, out, x = self._settings, fitted.out, fitted.x
        rail = out[:, 2] > 0
        seen = np.zeros(BINS.size - 1, dtype=np.bool_)
        directions(out, BINS, seen)
        between = (out[:, 2] >= 0) & (out[:, 3] > FIELD) & (out[:, 3] < FACE_END)
        buried = (out[between, 2] == 0) & (out[between, 0] < -s.least_buried)
        field, field_wear = BINS[1:] <= FIELD, x[TOP + 1 :][FIELD_SPLINES]
        reasons = {
            Verdict.FEW_POINTS: seen.mean() < s.fewest_bins,
            Verdict.FIELD_MISSING: seen[field].mean() < s.fewest_field,
            Verdict.POOR_FIT: rail.mean() < 1 - s.most_outside
            or rms_of(out) > s.most_rms
            or max(abs(fitted.top.off), abs(fitted.gauge.off)) > s.most_off
            or buried.sum() > s.most_buried * between.sum(),
            Verdict.TOP_MISSING: fitted.top.points < s.fewest_nearby,
            Verdict.GAUGE_MISSING: fitted.gauge.points < s.fewest_nearby,
            Verdict.UNSURE: not max(fitted.top.sd, fitted.gauge.sd) < s.most_sd or fitted.P[0, 0] > s.most_sd_y**2,
            Verdict.IMPLAUSIBLE: abs(x[2]) > s.most_roll
            or not -s.most_growth < x[TOP] < s.most_wear
            or np.abs(x[TOP + 1 :]).max() > s.most_wear,
            Verdict.ROLL_UNSURE: not -s.most_growth_field < field_wear.min() <= field_wear.max() < s.most_off_field,
            Verdict.HEIGHT_UNSURE: fitted.P[1, 1] > s.most_sd_height**2,
        }
        verdict = Verdict.GOOD
        for reason, holds in reasons.items():
            verdict |= reason if holds else Verdict.GOOD
        return verdict

    def _is_soiled(self, fitted: _Fitted, given: Array, peak: Array | None) -> bool:
        """Whether there is dirt on running surface or gauge point."""
        places = np.array(fitted.top[:2]), np.array(fitted.gauge[:2])
        points = given, fitted.out, peak
        self._soiled = soiled(self._settings.dirt, points, fitted.x, places, self._soiled)
        return bool(self._soiled.any())

    def _remember(self, fitted: _Fitted, verdict: Verdict) -> None:
        """Place and wear of a good fit; under dirt what was before, after a bad fit nothing."""
        if verdict & MISPLACED:
            self.forget()
            return
        if verdict & Verdict.DIRT:
            return
        self._last = fitted.x.copy()
        H, unworn = fitted.H, self._unworn.information
        place, both = H[:TOP, :TOP], H[TOP:, :TOP]
        known = H[TOP:, TOP:] - both @ np.linalg.solve(place, both.T)
        share = self._settings.memory
        self._prior = Prior(share * known @ fitted.x[TOP:], unworn + share * (known - unworn))

    def _fix(self, fitted: _Fitted, verdict: Verdict) -> HeadFix:
        side = np.array([self._side, 1.0, self._side])
        return HeadFix(
            verdict=verdict,
            place=frozen(fitted.x[:3] * side),
            P=frozen(fitted.P[:3, :3] * np.outer(side, side)),
            top_y=self._side * fitted.top.y,
            top_z=fitted.top.z,
            sd_top=fitted.top.sd,
            gauge_y=self._side * fitted.gauge.y,
            gauge_z=fitted.gauge.z,
            sd_gauge=fitted.gauge.sd,
            wear=wear_of(fitted.curve, fitted.x, fitted.P, self._head, self._section),
            rms=rms_of(fitted.out),
            inside=float(np.mean(fitted.out[:, 2] > 0)),
        )

    def _lost(self, verdict: Verdict) -> HeadFix:
        """Nothing was found."""
        self.forget()
        nan = float("nan")
        return HeadFix(
            verdict, frozen(NOWHERE), frozen(np.full((3, 3), nan)), nan, nan, nan, nan, nan, nan, None, nan, 0.0
        )
