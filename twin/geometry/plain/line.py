"""The laser's line in plain numpy: ridges of a column, the best path through them, centres, parabolas."""

import numpy as np

from twin.core.arrays import Array, IntArray
from twin.geometry.laser.continuity import NONE, Continuity
from twin.geometry.laser.ridges import BAND, GAP, HALF, REACH, Image
from twin.geometry.laser.smoothing import CONTRADICTION, FEWEST, WIDTHS
from twin.geometry.laser.subpixel import BESIDE, ROUNDS


def scores(image: Image) -> Array:
    """(rows, columns) light of a box of rows less half of the two beside it; -1 where they leave the image."""
    rows = image.shape[0]
    sums = np.vstack([np.zeros((1, image.shape[1]), dtype=np.int64), np.cumsum(image, axis=0, dtype=np.int64)])
    found = np.full(image.shape, -1.0)
    for r in range(REACH, rows - REACH):
        light = sums[r + HALF + 1] - sums[r - HALF]
        above = sums[r - HALF - GAP] - sums[r - REACH]
        below = sums[r + REACH + 1] - sums[r + HALF + GAP + 1]
        found[r] = light - (above + below) // 2
    return found


def ridges(image: Image, *, least: float, choices: int) -> tuple[Array, Array]:
    """Rows and scores (columns, choices) of the brightest ridges of every column; row -1 where there are fewer."""
    score = scores(image)
    columns = image.shape[1]
    row, light = np.full((columns, choices), -1.0), np.zeros((columns, choices))
    bands = [score[start : start + BAND] for start in range(0, score.shape[0], BAND)]
    at = np.array([band.argmax(axis=0) + i * BAND for i, band in enumerate(bands)])
    best = np.array([band.max(axis=0) for band in bands])
    for c in range(columns):
        kept = []
        for band in range(len(bands)):
            others = [other for other in (band - 1, band + 1) if 0 <= other < len(bands)]
            edge = any(
                best[other, c] > best[band, c] and abs(at[other, c] - at[band, c]) <= 2 * HALF for other in others
            )
            if best[band, c] >= least and not edge:
                kept.append((best[band, c], at[band, c]))
        kept.sort(key=lambda pair: -pair[0])
        for k, (value, place) in enumerate(kept[:choices]):
            row[c, k], light[c, k] = place, value
    return row, light


def path_value(row: Array, light: Array, prices: Continuity, path: IntArray) -> float:
    """What a path (columns,) is worth; a break stands between ridges too far apart to be joined."""
    value, last = 0.0, NONE
    for c in np.flatnonzero(path != NONE).tolist():
        gain = light[c, path[c]] / (light[c, path[c]] + prices.half)
        price = 0.0
        if last != NONE:
            climbed, way = abs(row[c, path[c]] - row[last, path[last]]), c - last
            joined = way <= prices.longest and climbed <= prices.steepest * way
            price = prices.climb * climbed + prices.skip * (way - 1) if joined else prices.gap
            price = min(price, prices.gap)
        value, last = value + gain - price, c
    return float(value)


def centre(image: Image, column: int, start: float, *, sd: float, window: float) -> float:
    """Row of the line's centre of gravity near a row, in a window that moves until it stands around it; else NaN."""
    rows = np.arange(image.shape[0])
    half, at = window * sd, start

    def covered(low: float, high: float) -> tuple[float, float]:
        bottom, top = np.maximum(rows - 0.5, low), np.minimum(rows + 0.5, high)
        light = image[:, column] * np.clip(top - bottom, 0.0, None)
        return float(light.sum()), float((light * (bottom + top) / 2).sum())

    for _ in range(ROUNDS):
        if not half + BESIDE < at < image.shape[0] - 1 - half - BESIDE:
            return float("nan")
        level = min(covered(at - half - BESIDE, at - half)[0], covered(at + half, at + half + BESIDE)[0]) / BESIDE
        total, moment = covered(at - half, at + half)
        light = total - 2 * half * level
        if light <= 0:
            return float("nan")
        moved = (moment - 2 * half * level * at) / light
        if abs(moved - start) > half:
            return float("nan")
        settled = abs(moved - at) < 1e-3
        at = moved
        if settled:
            break
    return at


def smoothed(centres: Array, sd: Array, *, correlation: float) -> tuple[Array, Array]:
    """Rows and their sd (columns,) by the widest parabola that no narrower one contradicts."""
    rows, errors = centres.copy(), sd.copy()
    known = np.flatnonzero(np.isfinite(centres))
    for c in known:
        tried: list[tuple[float, float]] = []
        for half in WIDTHS:
            near = known[np.abs(known - c) <= half]
            if near.size < FEWEST or near[0] == c or near[-1] == c:
                break
            A = np.vander((near - c) / half, 3, increasing=True)
            N = np.linalg.inv(A.T @ (A / sd[near, None] ** 2))
            value = float((N @ A.T @ (centres[near] / sd[near] ** 2))[0])
            error = float(np.sqrt(N[0, 0] * correlation))
            if any(abs(other - value) > CONTRADICTION * np.sqrt(max(wide**2 - error**2, 0.0)) for other, wide in tried):
                break
            tried.append((value, error))
            rows[c], errors[c] = value, min(error, sd[c])
    return rows, errors
