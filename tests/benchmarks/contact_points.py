"""Contact points: errors against an exact solver and CONTACT, disagreement of DIST and DIFF, and times of all searches.

Times are of compiled loops over random poses within [Fal Table 1], 0.1 mm of deepest vertical penetration, in the
search range of [Fal 3.1.2]; ratios are of times taken in turn.
"""

import csv
import sys
import time
from collections.abc import Callable
from functools import cache
from itertools import groupby

import numpy as np

from tests.benchmarks.contact_figure import REFERENCE, contact_figure
from tests.benchmarks.figure import Figure
from twin.contact.agreement import agreement
from twin.contact.direct_search import COMPASS, GRID, SIMPLEX, direct_search_batch
from twin.contact.methods import ContactBatch, Method, locate, locate_many
from twin.contact.pair import FALOMI_RANGE, Pair, SearchConfig, pair
from twin.contact.points import CAPACITY, FIELDS, GAP, SLOPE, VERTICAL_GAP, X_R, Y_R, Z_R, Pose, Side
from twin.contact.profiles import laid_rail, rail_profile, wheel_curve, wheel_profile
from twin.contact.search import DIFFERENCE, DISTANCE, search_batch
from twin.contact.seating import WheelsetPair, seat, seat_batch
from twin.core.arrays import Array, IntArray

CANT = {"1/40": 1 / 40, "1/20": 1 / 20}
EXACT = {"diff": Method.DIFFERENCE, "dist": Method.DISTANCE}
REPEATS = 10
POSES = 500
ACROSS = 58
"""Poses along each of the three ranges of [Fal Table 9]: 195 112 in all."""
DEEPEST = 0.33e-3
"""Largest normal penetration [Fal 5.2] [m]."""
Row = dict[str, str]
Loop = Callable[[slice], None]
"""Searches a part of the poses."""


@cache
def on_rail(variant: str, cant: str, search: SearchConfig | None = None) -> Pair:
    """S1002 on a 60E1."""
    rail = laid_rail(rail_profile(f"60E1-{variant}"), cant=CANT[cant])
    return pair(wheel_curve(wheel_profile("S1002")), rail, search)


def random_poses(on: Pair, n: int, *, penetration: float) -> Array:
    """Poses (n, 4) within [Fal Table 1] that have a point, the deepest of them so far within the rail [m]."""
    poses = np.random.default_rng(0).uniform(-1, 1, (2 * n, 4)) * (0.01, 0.0, np.pi / 180, np.pi / 240)
    found = locate_many(on, poses)
    poses = poses[found.counts > 0]
    poses[:, 1] = -np.nanmin(found.column(VERTICAL_GAP)[found.counts > 0], axis=1) - penetration
    return poses[:n]


def times() -> list[Figure]:
    """Time of each search and how many times that of DIFF it is."""
    on, whole = on_rail("EN", "1/40", FALOMI_RANGE), on_rail("EN", "1/40")
    poses = random_poses(on, POSES, penetration=1e-4)
    rows, counts = np.empty((POSES, CAPACITY, FIELDS)), np.empty(POSES, dtype=np.int64)
    y_yaw, seated, other = poses[:, (0, 2)] * (0.6, 1.0), np.empty((POSES, 5)), np.empty_like(rows)
    loops: dict[str, tuple[Loop, int, int]] = {  # and how many poses in all and in a part
        "diff": (lambda part: search_batch(on, DIFFERENCE, poses[part], rows[part], counts[part]), POSES, 500),
        "dist": (lambda part: search_batch(on, DISTANCE, poses[part], rows[part], counts[part]), POSES, 200),
        "grid": (lambda part: direct_search_batch(on, GRID, poses[part], rows[part], counts[part]), 10, 1),
        "simplex": (lambda part: direct_search_batch(on, SIMPLEX, poses[part], rows[part], counts[part]), POSES, 25),
        "compass": (lambda part: direct_search_batch(on, COMPASS, poses[part], rows[part], counts[part]), POSES, 25),
        "seating": (
            lambda part: seat_batch(whole, whole, y_yaw[part], seated[part], rows[part], other[part]),
            POSES,
            50,
        ),
    }
    best = microseconds(loops)
    return [
        *(contact_figure(f"{name}_us", best[name], "us") for name in loops),
        *(
            contact_figure(f"{name}_over_diff", best[name] / best["diff"], "ratio")
            for name in ("grid", "simplex", "compass")
        ),
    ]


def microseconds(loops: dict[str, tuple[Loop, int, int]]) -> dict[str, float]:
    """Time of one call of each loop: the mean over parts of about 2 ms of the best of REPEATS turns.

    Parts of one length see the same of what else the machine does, so the ratios are fair on a busy one.
    """
    best = {name: np.full(calls // part, np.inf) for name, (_, calls, part) in loops.items()}
    for _ in range(1 + REPEATS):  # the first compiles or loads the kernels
        for name, (loop, calls, part) in loops.items():
            for k in range(calls // part):
                begin = time.perf_counter()
                loop(slice(k * part, (k + 1) * part))
                best[name][k] = min(best[name][k], time.perf_counter() - begin)
    return {name: float(1e6 * np.mean(best[name]) / part) for name, (_, _, part) in loops.items()}


def location_errors(name: str) -> list[Figure]:
    """99 % of |dy| and |dx| of all reference points, and the share of random poses with the right number of points."""
    method, dx, dy, equal = EXACT[name], list[float](), list[float](), list[bool]()
    pairs = {cant: on_rail("EN", cant, FALOMI_RANGE) for cant in CANT}
    rows = [row for row in _rows("geom_random_DIFF_DIST_left_wheel.csv") if row["method"].lower() == name]
    for _, group in groupby(rows, key=lambda row: row["cfg"]):
        points = list(group)
        found = locate(pairs[points[0]["cant"]], _pose(points[0], yaw="alpha_rad", roll="beta_rad"), method=method)
        equal.append(found.count == len(points))
        for point in points:
            dx.append(np.min(np.abs(found.x - 1e-3 * float(point["x_tr_mm"])), initial=np.inf))
            dy.append(np.min(np.abs(found.y - 1e-3 * float(point["y_rail_mm"])), initial=np.inf))
    for row in _rows("geom_seating_S1002_rail60.csv"):
        on, given = on_rail(row["rail_variant"], row["cant"]), _pose(row, yaw="yaw_alpha_rad", roll="roll_beta_rad")
        pose = seat(WheelsetPair(on, on), y=given.G_y, yaw=given.yaw).pose
        for side, letter in ((Side.LEFT, "L"), (Side.RIGHT, "R")):
            found = locate(on, pose, side=side, method=method)
            touching = int(np.argmin(np.abs(found.gap)))
            dx.append(abs(found.x[touching] - 1e-3 * float(row[f"{letter}_x_tr_mm"])))
            dy.append(abs(found.y[touching] - 1e-3 * float(row[f"{letter}_y_tr_mm"])))
    return [
        contact_figure(f"location_error_y_99_um_{name}", 1e6 * np.quantile(dy, 0.99), "um"),
        contact_figure(f"location_error_x_99_um_{name}", 1e6 * np.quantile(dx, 0.99), "um"),
        contact_figure(f"location_counts_equal_{name}", 100 * float(np.mean(equal)), "%"),
    ]


def errors_against_contact() -> list[Figure]:
    """|dy| of the rigid points from the centres of CONTACT's patches at 20 N."""
    pairs, dy = {cant: on_rail("EN", cant) for cant in CANT}, []
    for row in _rows("contact_wr_location_20N.csv"):
        side = Side.LEFT if row["wheel"] == "L" else Side.RIGHT
        found = locate(pairs[row["cant"]], _pose(row, yaw="yaw_alpha_rad", roll="roll_beta_rad"), side=side)
        dy.append(np.min(np.abs(found.y - 1e-3 * float(row["y_tr_mm"]))))
    return [
        contact_figure("location_error_contact_20N_median_um", 1e6 * np.median(dy), "um"),
        contact_figure("location_error_contact_20N_max_um", 1e6 * np.max(dy), "um"),
    ]


def touching_points(batch: ContactBatch) -> tuple[Array, IntArray]:
    """x, y, z on the rail (n, capacity, 3) of the points that touch, put first, and how many there are (n,)."""
    touching = batch.column(GAP) <= 0.0
    order = np.argsort(~touching, axis=1, kind="stable")
    points = np.take_along_axis(batch.rows[:, :, (X_R, Y_R, Z_R)], order[:, :, None], axis=1)
    return points, touching.sum(axis=1)


def disagreement(cant: str, deepest: float) -> float:
    """Errors of DIST against DIFF at 2 mm [Fal eqs 60, 61] in percent of DIFF's points, over [Fal Table 9].

    Taken: a grid over G_y 0 to 10 mm, yaw 0 to 0.01, roll -0.01 to 0.01 rad; G_z such that DIFF's deepest normal
    penetration is a random share of `deepest` [m]; points of either method with gap <= 0; the whole profiles. With
    [Fal]'s range of the rail, from 720 mm, a quarter to a third of these poses would have no point, and points of one
    method would lie beyond its end while the other's do not.
    """
    on = on_rail("EN", cant)
    G_y, yaw, roll = (np.linspace(low, 0.01, ACROSS) for low in (0.0, 0.0, -0.01))
    poses = np.stack(np.meshgrid(G_y, 0.0, yaw, roll, indexing="ij"), axis=-1).reshape(-1, 4)
    found = locate_many(on, poses)
    depth = np.random.default_rng(0).uniform(0.0, deepest, (len(poses), 1))
    # the highest axle at which a point's D cos(theta) reaches the depth; every pose here has a point
    poses[:, 1] = np.nanmax(-depth * np.hypot(1.0, found.column(SLOPE)) - found.column(VERTICAL_GAP), axis=1)
    reference, reference_counts = touching_points(locate_many(on, poses))
    tested, tested_counts = touching_points(locate_many(on, poses, method=Method.DISTANCE))
    return (
        100
        * agreement(
            reference=reference, reference_counts=reference_counts, tested=tested, tested_counts=tested_counts
        ).total
    )


def disagreements() -> list[Figure]:
    """At the paper's penetration, and at a seventh of it.

    The methods are one where surfaces just touch and part with the penetration, most on the flank of 70 degrees, where
    0.33 mm along the normal are 1 mm along z, and on the gauge corner, which fits the wheel's fillet so well that a
    point slides by millimetres for a hundredth of them.
    """
    return [
        contact_figure(f"dist_vs_diff_{name}", disagreement(cant, deepest), "%")
        for cant, angle in (("1/40", "40"), ("1/20", "20"))
        for name, deepest in ((angle, DEEPEST), (f"{angle}_50um", 50e-6))
    ]


def figures() -> list[Figure]:
    """Times and disagreement always; errors where the reference numbers are at hand."""
    found = [*times(), *disagreements()]
    if not REFERENCE.is_dir():
        print("no reference numbers beside the repository: errors of location are not measured", file=sys.stderr)
        return found
    return [*found, *location_errors("diff"), *location_errors("dist"), *errors_against_contact()]


def _pose(row: Row, *, yaw: str, roll: str) -> Pose:
    return Pose(float(row["Gy_mm"]) * 1e-3, float(row["Gz_mm"]) * 1e-3, float(row[yaw]), float(row[roll]))


def _rows(name: str) -> list[Row]:
    with (REFERENCE / name).open(encoding="utf-8") as file:
        return list(csv.DictReader(file))
