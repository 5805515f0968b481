"""The running surface of the rails a run went over: what corrugation is judged on."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from twin.core.arrays import Array, frozen
from twin.simulation.short_wave import RailSurface, RoughnessConfig, Side
from twin.simulation.short_wave.roughness import TILE_POINTS


@dataclass(frozen=True, slots=True)
class SurfaceTruth:
    """Heights on a uniform grid of arc length and the patches in them; left, right and s in running direction."""

    s0: float
    """Arc length of the first point [m]."""
    step: float
    """[m]"""
    left: NDArray[np.float32]
    """(points,) height of the running surface at waves of at most 1 m, corrugation and faults included [m]."""
    right: NDArray[np.float32]
    """(points,) the same of the right rail."""
    patches: Array
    """(patches, 4) start and end [m], wavelength [m], depth from peak to peak [m] of each patch of corrugation."""
    patch_rails: tuple[str, ...]
    """left, right or both, of each patch."""

    @classmethod
    def of(cls, config: RoughnessConfig, *, start: float, end: float, turned_at: float | None) -> Self:
        """The surface from start to end in running direction [m]; turned_at: length of a line run from its far end."""
        first, last = (start, end) if turned_at is None else (turned_at - end, turned_at - start)
        low, high = int(np.floor(first / config.step)), int(np.ceil(last / config.step)) + 1
        heights = {side: _heights(RailSurface(config, side), low, high) for side in Side}
        patches = [(each.from_s, each.to_s, each.wavelength, each.depth) for each in config.corrugation]
        rails = [each.rails.value for each in config.corrugation]
        s0, left, right = low * config.step, heights[Side.LEFT], heights[Side.RIGHT]
        if turned_at is not None:
            s0, left, right = turned_at - (high - 1) * config.step, right[::-1], left[::-1]
            patches = [(turned_at - b, turned_at - a, wavelength, depth) for a, b, wavelength, depth in patches]
            rails = [{"left": "right", "right": "left"}.get(name, name) for name in rails]
        table = frozen(np.array(patches, dtype=np.float64).reshape(-1, 4))
        return cls(s0, config.step, np.ascontiguousarray(left), np.ascontiguousarray(right), table, tuple(rails))


def _heights(surface: RailSurface, low: int, high: int) -> NDArray[np.float32]:
    """Points number low to high of the grid, tile by tile."""
    tiles = range(low // TILE_POINTS, (high - 1) // TILE_POINTS + 1)
    whole = np.concatenate([surface.height(tile=tile).astype(np.float32) for tile in tiles])
    return whole[low - tiles[0] * TILE_POINTS : high - tiles[0] * TILE_POINTS]
