"""Measured heads in plain numpy."""

import numpy as np

from twin.core.arrays import Array, BoolArray


def depth_along(curve: Array, start: Array, way: Array) -> float:
    """Way from a point along a direction to a curve (n, 2): the crossing nearest to the point [m]; NaN without one."""
    off = curve - start
    along, across = off @ way, off @ np.array([-way[1], way[0]])
    crossed = np.flatnonzero(across[:-1] * across[1:] <= 0)
    if crossed.size == 0:
        return float("nan")
    share = across[crossed] / (across[crossed] - across[crossed + 1] + 1e-300)
    met = along[crossed] + share * (along[crossed + 1] - along[crossed])
    return float(met[np.abs(met).argmin()])


def directions(out: Array, edges: Array) -> BoolArray:
    """(bins,) between which edges there are points of the rail."""
    return np.asarray(np.histogram(out[out[:, 2] > 0, 3], edges)[0] > 0)
