"""Wheels held to knives: constraints instead of elastic contacts, so that a step may be a millisecond long.

Every branch of every wheel's equivalent profile (twin.contact.knife_edge) is a constraint that can push and not pull.
Over a step a gap g_i with derivatives G_i by the wheelset's rates v stays open or closes,

    0 <= g_i + dt G_i v+   perpendicular to   lambda_i >= 0,     A (v+ - v_free) = dt G' lambda

(Moreau's time stepping), where g_i is taken at the place of the rails at the end of the step. So tread and flange may
carry at once, a wheel may lift off, and nothing drifts: what is left of a gap after one step is closed in the next.
Creep forces act at the true contact points that belong to the place on the branch, under the normal forces of the step
before. So does the push along the track of rails that are not parallel to it: g changes with the way, and lambda dg/ds
keeps constraints from doing work.
"""

from typing import NamedTuple

import numpy as np

from twin.contact.creep import Creepage, creepage, rolling_patch
from twin.contact.hertz import ellipse_under_force
from twin.contact.knife_edge import ACROSS, FIRST, LAST, UP, KnifeWheel, beyond, constraint
from twin.contact.wheel_forces import ContactLaw, rolling_force
from twin.core.arrays import Array, IntArray
from twin.numerics.compiled import compiled
from twin.vehicle.running.rails import Rails, in_plane, plane_at
from twin.vehicle.running.record import (
    WHEEL_ANGLE,
    WHEEL_OFFSET,
    WHEEL_POINTS,
    WHEEL_POWER,
    WHEEL_Q,
    WHEEL_RADIUS,
    WHEEL_X,
    WHEEL_Y,
)
from twin.vehicle.running.wheelset import (
    R_Y,
    R_Z,
    ROLL,
    YAW,
    Arm,
    S,
    add_creep_damping,
    plane_slopes,
    wheelset_motion,
)

POINT_Y_W, POINT_RADIUS, POINT_SLOPE, POINT_ALONG, POINT_ACROSS = range(5)
POINT_FIELDS = 5
"""Of a true contact point: place along the axle and radius [m], slope of the wheel, half curvatures [1/m]."""

MOST = 8
"""Constraints of a wheelset looked at in one step: two wheels, each with tread, root and flank, and one to spare."""
NEAR = 5e-4
"""Gap above which a branch cannot close within a step at the rates it began with [m]: 0.5 m/s over a millisecond."""
BETWEEN = 2e-3
"""Farthest a wheel may be beyond the ends of all its branches [m]: branches are those of the nominal track, and where
rails lie off it a wheel can be between two of them; farther out it has climbed or left its rail."""
SOFT = 1e-9
"""Added to the diagonal of the contacts' mass matrix, relative: four of them on three coordinates stay solvable."""
PIVOTS = 60
"""Most pivots of the complementarity: six constraints have 64 cases, a handful is tried."""

GAP, D_Y, D_Z, D_ROLL, D_S, BRANCH, SIDE, PLACE, FORCE = range(9)
CONSTRAINT_FIELDS = 9


class KnifeWheels(NamedTuple):
    """All wheels of a vehicle on their knives, the branches of all wheels one after the other."""

    knives: KnifeWheel
    first: IntArray
    """(wheels + 1,) first branch of each wheel; left and right of each wheelset from the front."""
    points: Array
    """(rows, 5) true contact points along all branches."""
    point_first: IntArray
    """(branches,) first row of each branch."""
    point_count: IntArray
    """(branches,) rows of each branch, evenly spaced from its first to its last s."""
    law: ContactLaw
    work: Array
    """Of FASTSIM."""
    found: Array
    """(wheelsets, MOST, 9) constraints of the present step."""
    counts: IntArray
    """(wheelsets,) how many."""
    half: Array
    """(wheelsets,) half the distance of the rolling circles [m]."""
    carried: Array
    """(branches,) normal force of the step before [N]."""


@compiled
def _touching_point(wheels: KnifeWheels, branch: int, s: float, point: Array) -> None:
    """Write the true contact point that belongs to a place on a branch."""
    place, count, first = wheels.knives.places[branch], wheels.point_count[branch], wheels.point_first[branch]
    span = place[LAST] - place[FIRST]
    at = (s - place[FIRST]) / span * (count - 1) if span > 0.0 else 0.0
    i = min(max(int(at), 0), count - 2)
    t = min(max(at - i, 0.0), 1.0)
    for k in range(POINT_FIELDS):
        low, high = wheels.points[first + i, k], wheels.points[first + i + 1, k]
        point[k] = low + t * (high - low)


@compiled
def _nearest_branch(wheels: KnifeWheels, wheel: int, y: float, z: float, roll: float) -> tuple[int, float]:
    """The branch that goes on as a straight line where the wheel is within none, -1 if it is; and how far that is."""
    nearest, far = -1, np.inf
    for branch in range(wheels.first[wheel], wheels.first[wheel + 1]):
        place = wheels.knives.places[branch]
        s = np.cos(roll) * (place[ACROSS] - y) - np.sin(roll) * (z - place[UP]) - place[ACROSS]
        beyond_it = beyond(wheels.knives, branch, s)
        if beyond_it == 0.0:
            return -1, 0.0
        if beyond_it < far:
            nearest, far = branch, beyond_it
    return nearest, far


@compiled
def find_constraints(wheels: KnifeWheels, w: int, q: Array, v: Array, rails: Rails, dt: float) -> bool:
    """Write what may touch at the end of the step; whether both wheels are on their rails.

    Each constraint: gap [m], its derivatives with y, z, roll and s in track axes, branch, side, place on the branch.
    """
    rows, count, on_track = wheels.found[w], 0, True
    s_end, half = q[S] + dt * v[S], wheels.half[w]
    plane, slopes = plane_at(rails, s_end, half), plane_slopes(rails, s_end, half)
    cos, sin = np.cos(plane.roll), np.sin(plane.roll)
    y_plane, z = in_plane(plane, q[R_Y], q[R_Z])
    y_s, z_s = z * slopes.roll - sin * slopes.level, -y_plane * slopes.roll - cos * slopes.level
    for number in range(2):
        side, wheel = 1.0 - 2.0 * number, 2 * w + number
        y_rail, aside = (plane.y_left, slopes.y_left) if number == 0 else (plane.y_right, slopes.y_right)
        y, roll = side * (y_plane - y_rail), side * (q[ROLL] - plane.roll)
        nearest, far = _nearest_branch(wheels, wheel, y, z, roll)
        for branch in range(wheels.first[wheel], wheels.first[wheel + 1]):
            gap, d_y, d_z, d_roll, s, inside = constraint(wheels.knives, branch, y, z, roll)
            wheels.carried[branch] *= 1.0 if inside or branch == nearest else 0.0
            d_y_t, d_z_t = cos * side * d_y - sin * d_z, cos * d_z + sin * side * d_y
            closing = dt * (d_y_t * v[R_Y] + d_z_t * v[R_Z] + side * d_roll * v[ROLL])  # a wheel follows a falling rail
            if (inside or branch == nearest) and gap + min(closing, 0.0) < NEAR and count < rows.shape[0]:
                row = rows[count]
                row[GAP], row[D_ROLL] = gap, side * d_roll
                row[D_S] = side * d_y * (y_s - aside) + d_z * z_s - side * d_roll * slopes.roll
                row[D_Y], row[D_Z] = d_y_t, d_z_t
                row[BRANCH], row[SIDE], row[PLACE] = branch, side, s
                row[FORCE] = wheels.carried[branch]
                count += 1
        on_track = on_track and far < BETWEEN
    wheels.counts[w] = count
    return on_track


@compiled
def knife_creep(
    wheels: KnifeWheels, w: int, q: Array, v: Array, numbers: Array, wrench: Array, C: Array, rows: Array
) -> None:
    """Creep forces of a wheelset's constraints into wrench (6,), their damping into C (6, 6), rows of its record."""
    motion, law = wheelset_motion(q, v, numbers), wheels.law
    speed = np.sqrt(motion.v_x**2 + motion.v_y**2 + motion.v_z**2)
    V = max(speed, law.v_floor)
    rolling = min(max(motion.v_x / law.v_floor, -1.0), 1.0)
    cos, sin = np.cos(q[ROLL]), np.sin(q[ROLL])
    point = np.empty(POINT_FIELDS)
    rows[:, :] = 0.0
    for i in range(wheels.counts[w]):
        row = wheels.found[w, i]
        force = row[FORCE]
        if not force > 0.0:
            continue
        _touching_point(wheels, int(row[BRANCH]), row[PLACE], point)
        side, y_w, radius = row[SIDE], row[SIDE] * point[POINT_Y_W], point[POINT_RADIUS]
        size = np.hypot(row[D_Y], row[D_Z])
        n_y, n_z = row[D_Y] / size, row[D_Z] / size
        # the contact leads or trails the axle by yaw on an inclined surface [Bur eq. 3], and follows the turned axle
        x_w = -radius * point[POINT_SLOPE] * side * q[YAW]
        arm = Arm(x_w - q[YAW] * y_w, y_w * cos + radius * sin, y_w * sin - radius * cos, n_z, -n_y)
        slide = (
            motion.v_x + motion.omega_y * arm.z - motion.omega_z * arm.y,
            motion.v_y + motion.omega_z * arm.x - motion.omega_x * arm.z,
            motion.v_z + motion.omega_x * arm.y - motion.omega_y * arm.x,
        )
        turn = (motion.omega_x, motion.omega_y, motion.omega_z)
        creep = creepage(slide, turn, (0.0, n_z, -n_y), (0.0, n_y, n_z), speed, law.v_floor)
        ellipse = ellipse_under_force(point[POINT_ALONG], point[POINT_ACROSS], force, law.E_star)
        patch = rolling_patch(ellipse, law.mu, law.G, law.kalker)
        pull = rolling_force(Creepage(creep.xi, creep.eta, creep.phi), patch, rolling, law.grid, wheels.work)
        F_y, F_z = pull.F_y * n_z, -pull.F_y * n_y
        along = pull.F_x + force * row[D_S] / size
        wrench[0] += along
        wrench[1] += F_y
        wrench[2] += F_z
        wrench[3] += arm.y * F_z - arm.z * F_y
        wrench[4] += arm.z * pull.F_x - arm.x * F_z + pull.M_z * n_y
        wrench[5] += arm.x * F_y - arm.y * pull.F_x + pull.M_z * n_z
        area = patch.a * patch.b
        f11, f22, f23 = law.G * area * patch.C11, law.G * area * patch.C22, law.G * area * np.sqrt(area) * patch.C23
        linear = np.hypot(f11 * creep.xi, f22 * creep.eta + f23 * creep.phi)
        grip = min(1.0, np.hypot(pull.F_x, pull.F_y) / linear) if linear > 0.0 else 1.0
        add_creep_damping(C, q, arm, grip * f11 / V, grip * f22 / V)
        wheel = rows[0] if side > 0.0 else rows[1]
        wheel[WHEEL_X] += along
        wheel[WHEEL_Y] += F_y
        wheel[WHEEL_Q] += F_z
        wheel[WHEEL_OFFSET] += force * point[POINT_Y_W]
        wheel[WHEEL_RADIUS] += force * radius
        wheel[WHEEL_ANGLE] = max(wheel[WHEEL_ANGLE], abs(np.arctan2(n_y, n_z)))
        wheel[WHEEL_POWER] -= V * (pull.F_x * creep.xi + pull.F_y * creep.eta + pull.M_z * creep.phi)
        wheel[WHEEL_POINTS] += force  # the sum of forces, until the step's own are known


@compiled
def close_record(wheels: KnifeWheels, w: int, rows: Array) -> None:
    """Means over the contacts, the normal forces of the step, and how many contacts there are."""
    for number in range(2):
        if rows[number, WHEEL_POINTS] > 0.0:
            rows[number, WHEEL_OFFSET] /= rows[number, WHEEL_POINTS]
            rows[number, WHEEL_RADIUS] /= rows[number, WHEEL_POINTS]
        rows[number, WHEEL_POINTS] = 0.0
    for i in range(wheels.counts[w]):
        row = wheels.found[w, i]
        if row[FORCE] > 0.0:
            wheel = rows[0] if row[SIDE] > 0.0 else rows[1]
            size = np.hypot(row[D_Y], row[D_Z])
            wheel[WHEEL_Y] += row[FORCE] * row[D_Y] / size
            wheel[WHEEL_Q] += row[FORCE] * row[D_Z] / size
            wheel[WHEEL_POINTS] += 1.0
    for number in range(2):
        if rows[number, WHEEL_POINTS] == 0.0:  # what gripped at the start of the step has lifted off within it
            rows[number, :] = 0.0


@compiled
def _basic_solution(W: Array, gap: Array, active: Array, n: int, z: Array, L: Array) -> None:
    """z of the active constraints so that their gaps close; zero for the others. Cholesky of the active part."""
    for i in range(n):
        z[i] = 0.0
    order = np.empty(MOST, dtype=np.int64)
    m = 0
    for i in range(n):
        if active[i] > 0.0:
            order[m] = i
            m += 1
    for a in range(m):
        for b in range(a + 1):
            total = W[order[a], order[b]]
            for k in range(b):
                total -= L[a, k] * L[b, k]
            L[a, b] = np.sqrt(max(total, 1e-300)) if a == b else total / L[b, b]
    for a in range(m):
        total = -gap[order[a]]
        for k in range(a):
            total -= L[a, k] * z[order[k]]
        z[order[a]] = total / L[a, a]
    for a in range(m - 1, -1, -1):
        total = z[order[a]]
        for k in range(a + 1, m):
            total -= L[k, a] * z[order[k]]
        z[order[a]] = total / L[a, a]


@compiled
def complementary(W: Array, gap: Array, n: int, z: Array) -> bool:
    """z (n,) >= 0 with W z + gap >= 0 and their product zero; W (n, n) positive definite. Whether it was found.

    Murty's least-index pivoting: the first basic variable that is negative changes its side. It ends for every
    positive definite W.
    """
    active, L = np.zeros(MOST), np.zeros((MOST, MOST))
    for i in range(n):  # what is closed now mostly stays closed
        active[i] = 1.0 if gap[i] < 0.0 else 0.0
    for _ in range(PIVOTS):
        _basic_solution(W, gap, active, n, z, L)
        wrong = -1
        for i in range(n):
            if active[i] > 0.0:
                if z[i] < 0.0:
                    wrong = i
                    break
            else:
                opening = gap[i]
                for k in range(n):
                    opening += W[i, k] * z[k]
                if opening < -1e-15:
                    wrong = i
                    break
        if wrong < 0:
            return True
        active[wrong] = 1.0 - active[wrong]
    return False


@compiled
def push_off(wheels: KnifeWheels, w: int, factor: Array, v: Array, dt: float) -> bool:
    """Correct the free rates v of wheelset w so that no constraint is violated; factor: Cholesky's of A (n, n).

    Whether a solution was found; the normal forces are kept for the next step's creep.
    """
    n, rows, size = wheels.counts[w], wheels.found[w], v.size
    G, X = np.zeros((MOST, size)), np.zeros((MOST, size))
    W, gap, z = np.zeros((MOST, MOST)), np.zeros(MOST), np.zeros(MOST)
    for i in range(n):
        G[i, R_Y], G[i, R_Z], G[i, ROLL] = rows[i, D_Y], rows[i, D_Z], rows[i, D_ROLL]
        X[i] = G[i]
        solve_factored(factor, X[i])
        gap[i] = rows[i, GAP] / dt + G[i, R_Y] * v[R_Y] + G[i, R_Z] * v[R_Z] + G[i, ROLL] * v[ROLL]
        for k in range(i + 1):
            W[i, k] = X[i, R_Y] * G[k, R_Y] + X[i, R_Z] * G[k, R_Z] + X[i, ROLL] * G[k, ROLL]
            W[k, i] = W[i, k]
    for i in range(n):
        W[i, i] *= 1.0 + SOFT
    found = complementary(W, gap, n, z)
    for i in range(n):
        for k in range(size):
            v[k] += X[i, k] * z[i]
        rows[i, FORCE] = z[i] / dt * np.hypot(rows[i, D_Y], rows[i, D_Z])
        wheels.carried[int(rows[i, BRANCH])] = rows[i, FORCE]
    return found


@compiled
def factorise(A: Array) -> None:
    """Cholesky's factor of A (n, n), positive definite, in its lower half, in place."""
    n = A.shape[0]
    for i in range(n):
        for j in range(i + 1):
            total = A[i, j]
            for k in range(j):
                total -= A[i, k] * A[j, k]
            A[i, j] = np.sqrt(total) if i == j else total / A[j, j]


@compiled
def solve_factored(L: Array, x: Array) -> None:
    """Replace x (n,) by the solution of L L' x = x."""
    n = x.size
    for i in range(n):
        total = x[i]
        for k in range(i):
            total -= L[i, k] * x[k]
        x[i] = total / L[i, i]
    for i in range(n - 1, -1, -1):
        total = x[i]
        for k in range(i + 1, n):
            total -= L[k, i] * x[k]
        x[i] = total / L[i, i]
