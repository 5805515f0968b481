"""The laser's line in an image: one point per column where it is seen, with its uncertainty."""

from dataclasses import dataclass

import numpy as np
from pydantic import Field

from twin.core.arrays import Array, BoolArray, IntArray
from twin.core.settings import Settings
from twin.geometry.laser.continuity import Continuity, follow, workspace
from twin.geometry.laser.ridges import BAND, Image, add_rows, best_of_bands, choose_ridges
from twin.geometry.laser.smoothing import local_parabola, smooth
from twin.geometry.laser.strip import Ridges, Strip, StripSettings, cut_strip, lay, strip_ridges, wipe
from twin.geometry.laser.subpixel import measure
from twin.numerics.compiled import compiled

SAMPLED = 16
"""Every so many rows and columns the noise of the image is looked at."""
LEAST_NOISE = 0.3
"""Noise of a pixel that rounding to whole counts alone leaves [counts]."""
CHECKED = 8
"""Columns on either side of the parabola that speckle is measured against."""
ROW_STEP, SD_STEP = 1 / 1024, 1 / 4096
"""Of recorded centres and their standard deviations [pixels]: a hundredth of the best that is measured."""
LARGEST_SD = 65535
"""Of a recorded centre, in steps."""
PEAK_STEP, LARGEST_PEAK, SHARING = 4, 255, 4
"""Of recorded brightness: step [counts], end in steps, and how many points one by one share their mean: it speckles,
and is looked at over millimetres."""


class ExtractionSettings(Settings):
    """How the line is found in images of 8 bit."""

    sd_line: float = Field(1.8, ge=0.5, le=10, description="of the line's section across itself [pixels]: the optics'")
    window: float = Field(
        2.2, ge=1.5, le=5, description="half width of the centre of gravity, in sd of the line: more averages more "
        "speckle, less keeps off reflections"
    )  # fmt: skip
    choices: int = Field(3, ge=1, le=8, description="ridges of a column among which the path is found")
    ridge: float = Field(
        7.0, ge=3, le=50, description="least score of a ridge over its own noise: one column in 1e9 by chance"
    )
    speckle: float = Field(
        0.12, ge=0, le=2, description="sd of a centre by speckle per root of the line's width [pixels]: the start, and "
        "what is believed where too little of a line is seen to measure it"
    )  # fmt: skip
    correlation: float = Field(2.5, ge=1, le=20, description="columns that share one speckle")
    outlier: float = Field(4.0, ge=2, le=20, description="standard deviations from its neighbours that end a point")
    shortest: int = Field(12, ge=1, le=200, description="columns of the shortest line that is believed")


@dataclass(frozen=True)
class LaserLine:
    """Points (n,) of the line, by rising column."""

    column: Array
    """[pixels]"""
    row: Array
    """Freed of speckle [pixels]; neighbours share their errors."""
    sd_row: Array
    """[pixels]"""
    raw_row: Array
    """As measured in the column alone [pixels]."""
    sd_raw: Array
    """[pixels]"""
    saturated: BoolArray
    """Whether the middle of the line is white."""


@dataclass(frozen=True)
class Centres:
    """The line column by column (n,), rounded as it is recorded: finer than any image tells."""

    column: IntArray
    row: Array
    """As measured in the column alone [pixels], in steps of ROW_STEP."""
    sd: Array
    """[pixels], in steps of SD_STEP."""
    peak: Array
    """Brightness of the line's middle over what is beside it, by the light of its whole width [counts]: of every
    SHARING points their mean, in steps of PEAK_STEP."""
    saturated: BoolArray


class LineExtractor:
    """Finds the line in images of one size, or in their strips. Holds nothing but room to work in."""

    def __init__(self, settings: ExtractionSettings, *, rows: int = 512, columns: int = 1280) -> None:
        self._settings, self._prices = settings, Continuity()
        bands = -(-rows // BAND)
        self._shape = (rows, columns)
        self._sums = np.empty((rows + 1, columns), dtype=np.uint16)
        self._ridges = Ridges(
            score=np.empty((bands, columns), dtype=np.int16),
            place=np.empty((bands, columns), dtype=np.int16),
            row=np.empty((columns, settings.choices)),
            light=np.empty((columns, settings.choices)),
            path=np.empty(columns, dtype=np.int64),
        )
        self._value, self._back = workspace(columns, settings.choices)
        self._laid = np.zeros(self._shape, dtype=np.uint8)
        self._found = np.empty((columns, 4))
        self._saturated = np.empty(columns, dtype=np.bool_)
        self._sd = np.empty(columns)
        self._smooth = np.empty((columns, 2))

    def extract(self, image: Image) -> LaserLine:
        """The line of an image (rows, columns)."""
        self._measure(image, self._trace(image))
        smooth(self._found[:, 0], self._sd, self._settings.correlation, self._smooth)
        kept = np.flatnonzero(np.isfinite(self._found[:, 0]))
        return LaserLine(
            column=kept.astype(np.float64),
            row=self._smooth[kept, 0],
            sd_row=self._smooth[kept, 1],
            raw_row=self._found[kept, 0],
            sd_raw=self._sd[kept],
            saturated=self._saturated[kept],
        )

    def centres(self, seen: Image | Strip) -> Centres:
        """The line of an image or of its strip, which is the same."""
        if isinstance(seen, Strip):
            self._trace_strip(seen)
            lay(seen.pixels, seen.top, seen.first, self._laid)
            self._measure(self._laid, seen.noise)
            wipe(seen.pixels.shape[0], seen.top, seen.first, self._laid)
        else:
            self._measure(seen, self._trace(seen))
        kept = np.flatnonzero(np.isfinite(self._found[:, 0]))
        sd = np.clip(np.rint(self._sd[kept] / SD_STEP), 1, LARGEST_SD)
        row = np.rint(self._found[kept, 0] / ROW_STEP)
        return Centres(kept, row * ROW_STEP, sd * SD_STEP, shared_peak(self._found[kept, 3]), self._saturated[kept])

    def cut(self, image: Image, settings: StripSettings) -> Strip | None:
        """The strip of an image that gives its line; None where only the whole image does."""
        noise = self._trace(image)
        scales = (self._settings.sd_line, self._settings.window)
        strip = cut_strip(image, self._ridges, noise, scales, settings)
        if strip is None:
            return None
        expected = self._ridges.rows()
        self._trace_strip(strip)
        return strip if np.array_equal(expected, self._ridges.rows(), equal_nan=True) else None

    def _trace(self, image: Image) -> float:
        """Find the path of the line in an image; the noise of its pixels."""
        if image.shape != self._shape or image.dtype != np.uint8:
            raise ValueError(f"an image must be {self._shape} of 8 bit, got {image.shape} of {image.dtype}")
        noise = pixel_noise(image)
        add_rows(image, self._sums)
        best_of_bands(self._sums, self._ridges.score, self._ridges.place)
        self._follow(noise)
        return noise

    def _trace_strip(self, strip: Strip) -> None:
        if strip.shape != self._shape:
            raise ValueError(f"a strip must be of an image of {self._shape}, got {strip.shape}")
        ridges = self._ridges
        strip_ridges(strip.pixels, strip.top, strip.first, strip.shape[0], ridges.score, ridges.place)
        self._follow(strip.noise)

    def _follow(self, noise: float) -> None:
        ridges = self._ridges
        # a score adds 7 pixels and takes away the half of 14
        least = self._settings.ridge * noise * np.sqrt(10.5)
        choose_ridges(ridges.score, ridges.place, least, ridges.row, ridges.light)
        follow(ridges.row, ridges.light, self._prices, self._value, self._back, ridges.path)

    def _measure(self, image: Image, noise: float) -> None:
        s, ridges = self._settings, self._ridges
        measure(image, ridges.row, ridges.path, (s.sd_line, s.window, noise), self._found, self._saturated)
        clean(self._found, self._sd, (s.speckle, s.correlation, s.outlier), s.shortest)


def shared_peak(peak: Array) -> Array:
    """Brightness (n,) as it is recorded."""
    starts = np.arange(0, peak.size, SHARING)
    counts = np.minimum(SHARING, peak.size - starts)
    means = np.add.reduceat(peak, starts) / counts if peak.size else peak
    return np.repeat(PEAK_STEP * np.clip(np.rint(means / PEAK_STEP), 0, LARGEST_PEAK), counts)


@compiled
def pixel_noise(image: Image) -> float:
    """Standard deviation of the noise of a pixel [counts], by neighbours down the columns.

    The line is in few of the pixels and foreign light is even: the median does not see them.
    """
    rows, columns = image.shape
    counts = np.zeros(256, dtype=np.int64)
    total = 0
    for r in range(SAMPLED // 2, rows - 1, SAMPLED):
        for c in range(SAMPLED // 2, columns, SAMPLED):
            counts[abs(np.int64(image[r + 1, c]) - np.int64(image[r, c]))] += 1
            total += 1
    # the share of differences of 0 and 1 counts is not fine enough a median: interpolate within the count that holds it
    below, middle = 0, 0
    while 2 * (below + counts[middle]) < total:
        below += counts[middle]
        middle += 1
    share = (0.5 * total - below) / max(counts[middle], 1)
    start, end = (0.0, 0.5) if middle == 0 else (middle - 0.5, middle + 0.5)
    median = start + share * (end - start)
    return float(max(median / (0.6745 * np.sqrt(2.0)), LEAST_NOISE))


@compiled
def clean(found: Array, sd: Array, scales: tuple[float, float, float], shortest: int) -> None:
    """Fill sd (columns,) with that of every centre, speckle included, and strike out the centres that stand alone.

    found (columns, 4) as measure() leaves it; scales: speckle expected, columns it is shared by, and standard
    deviations of an outlier; shortest: columns of a line. Speckle is measured by what centres differ from their
    neighbours' parabola.
    """
    speckle, correlation, outlier = scales
    columns = found.shape[0]
    centre = found[:, 0].copy()
    for c in range(columns):
        sd[c] = np.sqrt(found[c, 1] ** 2 + speckle**2 * found[c, 2])
    off, ratio, count = np.full(columns, np.nan), np.empty(columns), 0
    for c in range(columns):
        value, error = local_parabola(centre, sd, c, CHECKED)
        if not np.isnan(value):
            # a centre and those that share its speckle are part of its parabola: what is left of its variance
            left = 1.0 - min(correlation * (error / sd[c]) ** 2, 0.9)
            off[c] = abs(centre[c] - value) / np.sqrt(left)
            ratio[count] = off[c] ** 2 / found[c, 2]
            count += 1
    if count > shortest:
        speckle = np.sqrt(np.median(ratio[:count])) / 0.6745
    for c in range(columns):
        sd[c] = np.sqrt(found[c, 1] ** 2 + speckle**2 * found[c, 2])
        if np.isnan(off[c]) or off[c] > outlier * sd[c]:
            found[c, 0] = np.nan
    start = 0
    for c in range(columns + 1):  # stretches too short to be believed
        if c < columns and not np.isnan(found[c, 0]):
            continue
        if c - start < shortest:
            found[start:c, 0] = np.nan
        start = c + 1
