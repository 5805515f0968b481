"""Light on the sensor of a camera: the laser's line, spots and shade, speckle, noise, saturation.

Images of light are (rows, columns) in counts of the camera, before noise and rounding.
"""

from math import ceil, exp, floor, sqrt

import cv2
import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter

from twin.core.arrays import Array, BoolArray
from twin.numerics.compiled import compiled
from twin.simulation.randomness import generator

Light = NDArray[np.float32]
Image = NDArray[np.uint8]

FIELD = (1024, 2048)
"""Size of the fields of speckle and noise: larger than an image, so that a shift makes a new one."""
PATCHES = (8, 20)
"""Patches of foreign light down and across an image."""
REACH = 3.5
"""How far the line's cross-section is drawn, in standard deviations: 0.2 % of its peak is left beyond."""
STEEPEST = 4.0
"""Greatest slope of the line for which its width is kept right [-]: steeper, it would smear over the image."""
WHITE = 255.0
"""Greatest count."""


def speckle_field(*, contrast: float, size: float, seed: int, purpose: str) -> Light:
    """Multiplicative speckle (FIELD) of mean 1: fully developed speckle (Goodman) diluted to a contrast.

    size: standard deviation of the blur by the lens, in pixels.
    """
    source = generator(seed, purpose)
    real, imaginary = (source.standard_normal(FIELD, dtype=np.float32) for _ in range(2))
    power = gaussian_filter(real, size, mode="wrap") ** 2 + gaussian_filter(imaginary, size, mode="wrap") ** 2
    return np.asarray(1 - contrast + (contrast / power.mean(dtype=np.float64)) * power, dtype=np.float32)


def noise_field(*, seed: int, purpose: str) -> Light:
    """White noise (FIELD) of unit variance."""
    return generator(seed, purpose).standard_normal(FIELD, dtype=np.float32)


def background_field(*, rows: int, columns: int, seed: int, purpose: str) -> Light:
    """Unevenness (rows, columns) of foreign light on what lies behind the line, mean 1, no sharp edges."""
    coarse = 1 + 0.3 * generator(seed, purpose).standard_normal(PATCHES, dtype=np.float32)
    return np.asarray(np.clip(cv2.resize(coarse, (columns, rows), interpolation=cv2.INTER_CUBIC), 0.1, None))


@compiled
def draw_line(light: Light, pixels: Array, brightness: Array, joined: BoolArray, sd: float, speckle: Light) -> None:
    """Add a line through pixels (n, 2) with a Gaussian cross-section of sd pixels and a brightness (n,) at its middle.

    joined (n - 1,) tells between which neighbours there is line. Every column is drawn at the row where the line
    crosses it; on a slope the vertical section is wider, by what keeps the width across the line. speckle: a window
    of the field, at least as large as the light.
    """
    rows, columns = light.shape
    for i in range(joined.size):
        start, end = pixels[i, 0], pixels[i + 1, 0]
        if not joined[i] or start == end:
            continue
        slope = (pixels[i + 1, 1] - pixels[i, 1]) / (end - start)
        sd_column = sd * sqrt(1.0 + min(abs(slope), STEEPEST) ** 2)
        # half open: the joint of two stretches belongs to one of them
        for column in range(max(floor(min(start, end)) + 1, 0), min(floor(max(start, end)), columns - 1) + 1):
            row = pixels[i, 1] + slope * (column - start)
            share = (column - start) / (end - start)
            peak = brightness[i] + share * (brightness[i + 1] - brightness[i])
            reach = REACH * sd_column
            for r in range(max(ceil(row - reach), 0), min(floor(row + reach), rows - 1) + 1):
                x = (r - row) / sd_column
                light[r, column] += peak * exp(-0.5 * x * x) * speckle[r, column]


@compiled
def add_spot(light: Light, column: float, row: float, radius: float, peak: float) -> None:
    """Add a round spot, Gaussian with a standard deviation of radius pixels."""
    rows, columns = light.shape
    reach = REACH * radius
    for r in range(max(ceil(row - reach), 0), min(floor(row + reach), rows - 1) + 1):
        for c in range(max(ceil(column - reach), 0), min(floor(column + reach), columns - 1) + 1):
            light[r, c] += peak * exp(-0.5 * ((r - row) ** 2 + (c - column) ** 2) / radius**2)


@compiled
def shade(light: Light, column: float, row: float, radius: float, loss: float) -> None:
    """Take a share of the light behind a drop on the camera's window: whole in the middle, soft at its edge."""
    rows, columns = light.shape
    for r in range(max(ceil(row - radius), 0), min(floor(row + radius), rows - 1) + 1):
        for c in range(max(ceil(column - radius), 0), min(floor(column + radius), columns - 1) + 1):
            inside = 1.0 - ((r - row) ** 2 + (c - column) ** 2) / radius**2
            if inside > 0.0:
                light[r, c] *= 1.0 - loss * min(2.0 * inside, 1.0)


@compiled
def expose(light: Light, noise: Light, black: float, read: float, shot: float, image: Image) -> None:
    """Fill the image with what a sensor makes of the light (rows, columns).

    black: level of no light [counts]; read: noise of the amplifier [counts]; shot: variance of the photons per
    count of light [counts]; noise: a window of unit noise, at least as large as the image.
    """
    rows, columns = light.shape
    # all in single precision: a double among them halves the speed
    level, variance, per_count = np.float32(black + 0.5), np.float32(read * read), np.float32(shot)
    lowest, highest = np.float32(0.0), np.float32(WHITE)
    for r in range(rows):
        for c in range(columns):
            value = level + light[r, c] + noise[r, c] * np.sqrt(variance + per_count * light[r, c])
            image[r, c] = np.uint8(min(max(value, lowest), highest))
