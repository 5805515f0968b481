"""Lens, board poses and laser plane together by least squares, with the covariance that they share.

Unknown are the lens (f, c, k1, k2, p1, p2), the pose of every board and the plane q . X = 1 in camera axes. Measured
are corners, X = R X_o + T seen through the lens, and points of the laser's line: the ray of such a pixel meets its
board, m . X = m . T with the board's normal m, and must meet it in the plane,

    e = (q . ray) (m . T) / (m . ray) - 1 = 0

A longer focal length with a farther plane gives nearly the same points: only the common covariance knows how well a
point is mapped. k3 stays zero: at the narrow angles of a laser camera it cannot be told from k2.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import cv2
import numpy as np

from calibration.camera_boards import Pose, Poses
from twin.core.arrays import Array, BoolArray, IntArray
from twin.core.errors import CalibrationError
from twin.geometry.laser.plane import undistorted

LENS, POSE, PLANE = 8, 6, 3
"""Unknowns of each: fx, fy, cx, cy, k1, k2, p1, p2; turn and place of a board; q."""
ROUNDS = 30
"""Of Gauss and Newton; it starts next to the end."""
SETTLED = 1e-2
"""Step that is no longer worth a round, in standard deviations."""
OUTLIER = 4.0
"""Standard deviations from the plane beyond which a point of a line is not believed."""
LEAST = 10
"""Points of a line that are worth using."""
STEP = 1e-6
"""Of numerical derivatives, relative to the size of a parameter."""


@dataclass(frozen=True, slots=True)
class Bundle:
    """Lens and plane as found."""

    lens: Array
    """(8,) fx, fy, cx, cy [pixels], k1, k2, p1, p2."""
    plane: Array
    """(3,) q of q . X = 1, camera axes [1/m]."""
    S: Array
    """(11, 11) their covariance."""
    corner_errors: tuple[Array, ...]
    """(corners, 2) seen less expected, of every pose [pixels]."""
    line_points_c: tuple[Array, ...]
    """(points, 3) of the laser's line on every board, camera axes [m]."""
    line_errors: tuple[Array, ...]
    """(points,) distance from the plane [m]."""
    tilts: Array
    """(poses,) of the boards against the image [rad]."""


def rays(lens: Array, pixels: Array) -> Array:
    """(n, 3) directions with z = 1 of pixels (n, 2), camera axes."""
    k1, k2, p1, p2 = lens[4:].tolist()
    x = undistorted((pixels - lens[2:4]) / lens[:2], (k1, k2, p1, p2, 0.0))
    return np.column_stack([x, np.ones(len(x))])


def mapped(lens_and_plane: Array, pixels: Array) -> Array:
    """(n, 3) points of the laser's plane that pixels (n, 2) see, camera axes [m]."""
    seen = rays(lens_and_plane[:LENS], pixels)
    return np.asarray(seen / (seen @ lens_and_plane[LENS:])[:, None])


def shape_sd(found: Bundle, pixels: Array) -> Array:
    """(n,) sd of mapped points by the calibration [m], but for a turn and a shift that all of them share.

    Where the camera looks is known to a pixel or two at best, since a lens that looks aside and a camera turned aside
    see nearly the same. That moves all points alike, and is found with the place of the camera on the vehicle.
    """
    x = np.concatenate([found.lens, found.plane])
    whole = derivative(lambda each: mapped(each, pixels), x).reshape(-1, x.size)
    basis = np.linalg.qr(rigid_motions(mapped(x, pixels)))[0]
    J = (whole - basis @ (basis.T @ whole)).reshape(len(pixels), 3, x.size)
    return np.asarray(np.sqrt(np.einsum("nip,pq,niq->n", J, found.S, J)))


def rigid_motions(points: Array) -> Array:
    """(3 n, 6) how points (n, 3) move by a small shift along, and turn about, each axis."""
    from_middle = points - points.mean(axis=0)
    shifts = [np.broadcast_to(axis, points.shape) for axis in np.eye(3)]
    turns = [np.cross(axis, from_middle) for axis in np.eye(3)]
    return np.stack([each.ravel() for each in (*shifts, *turns)], axis=1)


def adjust(poses: Poses, *, largest_rms: float) -> Bundle:
    """Everything from the poses; CalibrationError where it does not settle, or corners fit no lens [pixels]."""
    lens, boards, rms = _first_lens(poses)
    if rms > largest_rms:
        raise CalibrationError(
            f"corners are {rms:.2f} pixels (rms) from where they belong, at most {largest_rms:g}: is the board flat, "
            "and did it hold still?"
        )
    lines = [_on_board(lens, board, pose, poses) for pose, board in zip(poses.found, boards, strict=True)]
    q = _first_plane(lens, boards, lines)
    problem = _Problem(poses, lines)
    x = np.concatenate([lens, np.ravel(boards), q])
    for _ in range(ROUNDS):
        N, b = problem.normal_equations(x)
        size = np.sqrt(np.diag(N))  # unknowns are pixels, radians and 1 / m: each in its own scale
        P = np.linalg.inv(N / np.outer(size, size)) / np.outer(size, size)
        step = P @ b
        x = x + step
        if np.abs(step / np.sqrt(np.diag(P))).max() < SETTLED:
            return problem.found(x, P)
    raise CalibrationError(
        "lens, boards and plane do not settle on one answer: hold the board more tilted, and in every part of the image"
    )


def derivative(function: Callable[[Array], Array], x: Array) -> Array:
    """(*values, parameters) by central differences."""
    columns = []
    for k in range(x.size):
        step = np.zeros(x.size)
        step[k] = STEP * max(abs(x[k]), 1e-2)
        columns.append((function(x + step) - function(x - step)) / (2 * step[k]))
    return np.stack(columns, axis=-1)


@dataclass(frozen=True, slots=True)
class _Seen:
    """The points of one line as rays, z = 1."""

    rays: Array
    """(points, 3)"""
    by_row: Array
    """(points, 3) what a row changes."""
    by_lens: Array
    """(points, 3, 8) what the lens changes."""
    sd_row: Array
    """(points,) [pixels]"""

    def error(self, pose: Array, q: Array) -> tuple[Array, Array]:
        """(points,) e of the module's head, and the sd that its row gives it; pose (6,), plane q (3,)."""
        m = _normal(pose)
        e = (self.rays @ q) * (m @ pose[3:]) / (self.rays @ m) - 1.0
        return e, np.abs(np.sum(self._by_ray(m, pose[3:], q) * self.by_row, axis=1)) * self.sd_row

    def derivatives(self, pose: Array, q: Array) -> Array:
        """(points, 17) of e by lens, turn and place of the board, and plane."""
        by_turn = np.asarray(cv2.Rodrigues(pose[:3])[1], dtype=np.float64)
        m, T, r = _normal(pose), pose[3:], self.rays
        reach, across = ((m @ T) / (r @ m))[:, None], ((r @ q) / (r @ m))[:, None]
        by_normal = across * (T - reach * r)
        by_lens = np.sum(self._by_ray(m, T, q)[:, :, None] * self.by_lens, axis=1)
        return np.concatenate([by_lens, by_normal @ by_turn[:, 2::3].T, across * m, reach * r], axis=1)

    def _by_ray(self, m: Array, T: Array, q: Array) -> Array:
        r = self.rays
        return np.asarray((m @ T) / (r @ m)[:, None] * (q - ((r @ q) / (r @ m))[:, None] * m))


def _normal(pose: Array) -> Array:
    """(3,) of a board at a pose (6,), camera axes."""
    return np.asarray(cv2.Rodrigues(pose[:3])[0][:, 2], dtype=np.float64)


class _Problem:
    """Measurements as residuals in standard deviations, which are learnt from the residuals themselves."""

    def __init__(self, poses: Poses, lines: list[Array]) -> None:
        self._poses, self._lines = poses, lines
        self._size = LENS + POSE * len(lines) + PLANE
        self._line_scale = 1.0

    def normal_equations(self, x: Array) -> tuple[Array, Array]:
        """N and b of N dx = b at x."""
        N, b = np.zeros((self._size, self._size)), np.zeros(self._size)
        seen, q = self._seen(x[:LENS]), x[-PLANE:]
        sd_corner, self._line_scale = self._scales(x, seen)
        for i, pose in enumerate(self._poses.found):
            at = self._places(i)
            error, J = _corners(x[at], pose.corners, self._poses.points_o)
            _add(N, b, at[: LENS + POSE], J / sd_corner, error / sd_corner)
            board = x[at][LENS : LENS + POSE]
            e, sd = seen[i].error(board, q)
            weight = self._believed(e, sd) / (sd * self._line_scale)
            _add(N, b, at, seen[i].derivatives(board, q) * weight[:, None], -e * weight)
        return N, b

    def found(self, x: Array, P: Array) -> Bundle:
        """What is kept of the answer."""
        corner_errors, points, errors, tilts = [], [], [], []
        seen, q = self._seen(x[:LENS]), x[-PLANE:]
        for i, pose in enumerate(self._poses.found):
            at = self._places(i)
            corner_errors.append(_corners(x[at], pose.corners, self._poses.points_o)[0].reshape(-1, 2))
            board = x[at][LENS : LENS + POSE]
            m = _normal(board)
            tilts.append(float(np.arccos(min(abs(m[2]), 1.0))))
            e, sd = seen[i].error(board, q)
            kept = self._believed(e, sd)
            r = seen[i].rays[kept]
            points.append(r * ((m @ board[3:]) / (r @ m))[:, None])
            errors.append(e[kept] / np.linalg.norm(q))
        shared = [*range(LENS), *range(self._size - PLANE, self._size)]
        S = P[np.ix_(shared, shared)]
        return Bundle(x[:LENS], q, S, tuple(corner_errors), tuple(points), tuple(errors), np.array(tilts))

    def _places(self, i: int) -> IntArray:
        """Where lens, pose i and plane stand among the unknowns."""
        start = LENS + POSE * i
        return np.array([*range(LENS), *range(start, start + POSE), *range(self._size - PLANE, self._size)])

    def _believed(self, e: Array, sd: Array) -> BoolArray:
        return np.asarray(np.abs(e) < OUTLIER * sd * self._line_scale)

    def _seen(self, lens: Array) -> list[_Seen]:
        """All lines through the lens, at once: it is turned round point by point, and that takes the time."""
        line = np.concatenate(self._lines)
        pixels, half = line[:, :2], np.array([0.0, 0.5])
        whole = _Seen(
            rays(lens, pixels),
            rays(lens, pixels + half) - rays(lens, pixels - half),
            derivative(lambda each: rays(each, pixels), lens),
            line[:, 2],
        )
        ends = np.cumsum([0, *(len(each) for each in self._lines)])
        parts = [slice(start, end) for start, end in pairwise(ends)]
        return [_Seen(whole.rays[p], whole.by_row[p], whole.by_lens[p], whole.sd_row[p]) for p in parts]

    def _scales(self, x: Array, seen: list[_Seen]) -> tuple[float, float]:
        """Standard deviation of a corner [pixels], and that of line points in those expected."""
        square, count, ratios = 0.0, 0, []
        for i, pose in enumerate(self._poses.found):
            at = self._places(i)
            error, _ = _corners(x[at], pose.corners, self._poses.points_o)
            square, count = square + float(error @ error), count + error.size
            e, sd = seen[i].error(x[at][LENS : LENS + POSE], x[-PLANE:])
            ratios.append(np.abs(e) / sd)
        free = max(count - (self._size - PLANE), 1)
        return float(np.sqrt(square / free)), float(np.median(np.concatenate(ratios)) / 0.6745)


def _corners(x: Array, corners: Array, points_o: Array) -> tuple[Array, Array]:
    """Errors (2 n,) seen less expected, and derivatives (2 n, 14) of what is expected; x: lens, pose and more."""
    fx, fy, cx, cy = x[:4]
    K = np.array([[fx, 0.0, cx], [0.0, fy, cy], [0.0, 0.0, 1.0]])
    turn, T = x[LENS : LENS + 3], x[LENS + 3 : LENS + POSE]
    seen, J = cv2.projectPoints(points_o, turn, T, K, np.append(x[4:LENS], 0.0))
    return (corners - seen.reshape(-1, 2)).ravel(), np.concatenate([J[:, 6:14], J[:, :6]], axis=1)


def _add(N: Array, b: Array, at: IntArray, J: Array, error: Array) -> None:
    N[np.ix_(at, at)] += J.T @ J
    b[at] += J.T @ error


def _first_lens(poses: Poses) -> tuple[Array, list[Array], float]:
    """Lens and poses (6,) by corners alone, and the rms of these [pixels]."""
    points = [poses.points_o.astype(np.float32)] * len(poses.found)
    corners = [pose.corners.astype(np.float32) for pose in poses.found]
    size = (poses.columns, poses.rows)
    rms, K, k, turns, places = cv2.calibrateCamera(points, corners, size, None, None, flags=cv2.CALIB_FIX_K3)
    lens = np.array([K[0, 0], K[1, 1], K[0, 2], K[1, 2], *np.ravel(k)[:4]])
    boards = [np.concatenate([turn.ravel(), place.ravel()]) for turn, place in zip(turns, places, strict=True)]
    return lens, boards, float(rms)


def _on_board(lens: Array, board: Array, pose: Pose, poses: Poses) -> Array:
    """The points of a pose's line that lie on its squares, away from their edges."""
    if not len(pose.line):
        return pose.line
    R, T = cv2.Rodrigues(board[:3])[0], board[3:]
    seen = rays(lens, pose.line[:, :2])
    X_o = (seen * ((R[:, 2] @ T) / (seen @ R[:, 2]))[:, None] - T) @ R
    kept = _clear(X_o[:, :2] / poses.board.square, poses)
    line = pose.line[kept]
    return line if len(line) >= LEAST else line[:0]


def _clear(squares: Array, poses: Poses) -> BoolArray:
    """Whether places (n, 2), counted in squares, are on the board and not next to an edge."""
    board = poses.board
    inside = np.all((squares > -1) & (squares < np.array([board.across, board.down])), axis=1)
    return np.asarray(inside & np.all(np.abs(squares - np.round(squares)) > board.clear, axis=1))


def _first_plane(lens: Array, boards: list[Array], lines: list[Array]) -> Array:
    """q by plain least squares over the points on the boards."""
    points = []
    for board, line in zip(boards, lines, strict=True):
        m = _normal(board)
        seen = rays(lens, line[:, :2])
        points.append(seen * ((m @ board[3:]) / (seen @ m))[:, None])
    X = np.concatenate(points)
    if len(X) < LEAST or np.linalg.matrix_rank(X, tol=1e-4 * np.linalg.norm(X)) < PLANE:
        raise CalibrationError(
            "the points of the laser's line span no plane beside the camera: show boards at different distances and "
            "tilts, and see that the laser's plane does not pass through the camera"
        )
    weight = np.ones(len(X))
    for _ in range(ROUNDS):  # sum of the distances, not of their squares: reflections pull on neither
        q = np.linalg.lstsq(X * weight[:, None], weight, rcond=None)[0]
        off = np.abs(X @ q - 1)
        weight = 1 / np.sqrt(np.maximum(off, np.median(off)) + np.finfo(float).tiny)
    return np.asarray(q)
