"""Images of a chessboard and of a laser's line on it, through a lens and a sensor that are known."""

from dataclasses import dataclass, field

import cv2
import numpy as np
from scipy.special import erf

from twin.core.arrays import Array
from twin.geometry.laser import Image

COLUMNS, ROWS = 640, 320
ACROSS, DOWN, SQUARE = 9, 4, 8e-3
MARGIN = 0.6
"""White border of the board, in squares."""
WHITE, BLACK, BEHIND = 0.85, 0.1, 0.02


@dataclass(frozen=True)
class BoardCamera:
    """A camera with a laser plane n . X = d, camera axes."""

    f: tuple[float, float] = (1405.0, 1398.0)
    c: tuple[float, float] = (322.7, 156.4)
    k: tuple[float, float, float, float] = (-0.16, 0.12, 4e-4, -3e-4)
    n: Array = field(default_factory=lambda: np.array([0.06, 0.72, 0.69]) / np.linalg.norm([0.06, 0.72, 0.69]))
    d: float = 0.275
    blur: float = 0.7
    """Sd of the optics' spread [pixels]."""
    noise: float = 1.5
    """Sd of a pixel [counts]."""

    def rays(self, pixels: Array) -> Array:
        """(n, 3) with z = 1, by Newton's method."""
        seen = (pixels - np.array(self.c)) / np.array(self.f)
        x = seen.copy()
        for _ in range(8):
            x = x - (self.through_lens(x) - seen) / (1 + 3 * self.k[0] * np.sum(x**2, axis=1, keepdims=True))
        return np.column_stack([x, np.ones(len(x))])

    def through_lens(self, x: Array) -> Array:
        """Places (n, 2) at unit distance where rays (n, 2) arrive [Brown]."""
        k1, k2, p1, p2 = self.k
        u, v = x.T
        r2 = u**2 + v**2
        radial = 1 + k1 * r2 + k2 * r2**2
        return np.column_stack(
            [u * radial + 2 * p1 * u * v + p2 * (r2 + 2 * u**2), v * radial + p1 * (r2 + 2 * v**2) + 2 * p2 * u * v]
        )

    def points(self, pixels: Array) -> Array:
        """(n, 3) of the laser's plane that pixels see [m]."""
        seen = self.rays(pixels)
        return np.asarray(seen * (self.d / (seen @ self.n))[:, None])

    def images(self, R: Array, T: Array, rng: np.random.Generator, speckle: float = 0.15) -> tuple[Image, Image]:
        """A board at X = R X_o + T in daylight, and the laser's line on it in the dark.

        speckle moves the middle of the line from column to column [pixels, sd].
        """
        albedo = self._albedo(R, T)
        along = np.cross(self.n, R[:, 2])
        start = np.linalg.solve(np.stack([self.n, R[:, 2], along]), [self.d, R[:, 2] @ T, 0.0])
        X = start + np.linspace(-0.1, 0.1, 2001)[:, None] * along / np.linalg.norm(along)
        row, slope = self._seen(X)
        row = row + speckle * rng.standard_normal(COLUMNS)
        section = np.exp(-0.5 * ((np.arange(ROWS)[:, None] - row) / (1.7 * np.hypot(1, slope))) ** 2)
        return self._exposed(230 * albedo + 8, rng), self._exposed(230 * albedo * section + 6, rng)

    def level_image(self, y_c: Array, rng: np.random.Generator) -> Image:
        """The laser's line on a bar in the direction y_c of the plane."""
        row, _ = self._seen(np.array([0.0, 0.0, self.d / self.n[2]]) + np.linspace(-0.1, 0.1, 2001)[:, None] * y_c)
        section = np.exp(-0.5 * ((np.arange(ROWS)[:, None] - row) / 1.7) ** 2)
        return self._exposed(180 * section + 6, rng)

    def _seen(self, X: Array) -> tuple[Array, Array]:
        """Rows (COLUMNS,) of a chain of points (n, 3), and its slope."""
        pixels = self.through_lens(X[:, :2] / X[:, 2:]) * self.f + self.c
        order = np.argsort(pixels[:, 0])
        row = np.interp(np.arange(COLUMNS), *pixels[order].T)
        return row, np.gradient(row)

    def _albedo(self, R: Array, T: Array) -> Array:
        """(ROWS, COLUMNS) what pixels see of the board."""
        seen = self._pixel_rays()
        X_o = (seen * ((R[:, 2] @ T) / (seen @ R[:, 2]))[:, None] - T) @ R
        u, v = (X_o[:, :2] / SQUARE + 1).T.reshape(2, ROWS, COLUMNS)
        checks = 0.5 * (WHITE + BLACK) - 0.5 * (WHITE - BLACK) * self._stripes(u) * self._stripes(v)
        printed = self._inside(u, 0, ACROSS + 1) * self._inside(v, 0, DOWN + 1)
        board = self._inside(u, -MARGIN, ACROSS + 1 + MARGIN) * self._inside(v, -MARGIN, DOWN + 1 + MARGIN)
        return np.asarray(BEHIND + board * (WHITE - BEHIND + printed * (checks - WHITE)))

    def _step(self, off: Array, u: Array) -> Array:
        """0 to 1 where off, in the unit of u, passes zero: an edge as wide as the optics and a pixel make it."""
        sd = np.sqrt(self.blur**2 + 1 / 12) * np.hypot(*np.gradient(u))
        return np.asarray(0.5 + 0.5 * erf(off / (np.sqrt(2) * sd)))

    def _stripes(self, u: Array) -> Array:
        """1 from 0 to 1, -1 from 1 to 2, and so on."""
        edge = np.round(u)
        return np.asarray((2 * self._step(u - edge, u) - 1) * np.where(edge % 2 == 0, 1, -1))

    def _inside(self, u: Array, start: float, end: float) -> Array:
        return np.asarray(self._step(u - start, u) * self._step(end - u, u))

    def _pixel_rays(self) -> Array:
        if self not in _RAYS:
            grid = np.stack(np.meshgrid(np.arange(COLUMNS), np.arange(ROWS)), axis=-1)
            _RAYS[self] = self.rays(grid.reshape(-1, 2).astype(float))
        return _RAYS[self]

    def _exposed(self, counts: Array, rng: np.random.Generator) -> Image:
        noisy = counts + self.noise * rng.standard_normal(counts.shape)
        return np.clip(np.round(noisy), 0, 255).astype(np.uint8)

    def __hash__(self) -> int:
        return hash((self.f, self.c, self.k))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, BoardCamera) and (self.f, self.c, self.k) == (other.f, other.c, other.k)


_RAYS: dict[BoardCamera, Array] = {}


def board_poses(count: int, seed: int, *, tilt: float = 0.45) -> list[tuple[Array, Array]]:
    """R and T of boards all over the image, tilted either way up to an angle [rad], where the laser's plane passes."""
    rng = np.random.default_rng(seed)
    poses = []
    for i in range(count):
        turn = np.array([*rng.uniform(-tilt, tilt, 2), rng.uniform(-0.1, 0.1)])
        R = cv2.Rodrigues(turn)[0]
        u, v = (-1, 1)[i % 2] * rng.uniform(0.2, 1), (-1, 1)[i // 2 % 2] * rng.uniform(0, 1)
        z = 0.40 - 0.03 * v + rng.uniform(-0.02, 0.02)
        middle = np.array([u * 0.048, v * 0.017, z])
        poses.append((R, middle - R @ np.array([(ACROSS - 1) / 2 * SQUARE, (DOWN - 1) / 2 * SQUARE, 0.0])))
    return poses
