"""Look-up tables and knife edges: their time in a compiled loop, their size, and their error against what they copy."""

import numpy as np

from tests.benchmarks.contact_figure import contact_figure, microseconds
from tests.benchmarks.figure import Figure
from twin.contact.knife_edge import STANDING, Irregularity, KnifeEdge, KnifeWheel, knife_edge, stand_free, stand_on
from twin.contact.pair import FALOMI_RANGE, Pair, SearchConfig, pair
from twin.contact.profiles import laid_rail, rail_profile, wheel_curve, wheel_profile
from twin.contact.seating import WheelsetPair
from twin.contact.seating_table import COLUMNS, HEIGHT, ROLL, seated_nodes, seating_errors, seating_many, seating_table
from twin.contact.table_file import contact_table_card
from twin.contact.tables import ContactTable, TableArrays, contact_table, table_kernel
from twin.core.arrays import Array
from twin.numerics.compiled import compiled

CALLS = 20_000
GAUGE = 1.435
OFF = 5e-3
"""How much wider or narrower the gauge is where the knife edges are tried off their nominal track [m]."""


def s1002_on(cant: float, *, gauge: float = GAUGE, search: SearchConfig | None = None) -> Pair:
    """S1002 on 60E1-EN."""
    rail = laid_rail(rail_profile("60E1-EN"), cant=cant, gauge=gauge)
    return pair(wheel_curve(wheel_profile("S1002")), rail, search)


@compiled
def _table_loop(table: TableArrays, poses: Array, out: Array) -> int:
    total = 0
    for k in range(poses.shape[0]):
        total += table_kernel(table, poses[k, 0], poses[k, 1], poses[k, 2], out)
    return total


@compiled
def _free_loop(left: KnifeWheel, right: KnifeWheel, y: Array, rails: Irregularity) -> float:
    total = 0.0
    for k in range(y.size):
        total += stand_free(left, right, y[k], rails).roll
    return total


@compiled
def _held_loop(left: KnifeWheel, right: KnifeWheel, y: Array, rails: Irregularity) -> float:
    total = 0.0
    for k in range(y.size):
        total += stand_on(left, right, 1, 0, y[k], rails).roll
    return total


def table_us(table: ContactTable, *, seed: int = 0) -> float:
    """Time of one look-up in random poses over the table's ranges [us]."""
    ranges, out = table.ranges, np.zeros((table.most, 2))
    low, high = (-ranges.yaw, ranges.roll_from, ranges.G_y_from), (ranges.yaw, ranges.roll_to, ranges.G_y_to)
    poses = np.random.default_rng(seed).uniform(low, high, (CALLS, 3))
    return microseconds(lambda: _table_loop(table.arrays, poses, out), CALLS)


def contact_tables() -> list[Figure]:
    """The table of points at both laying angles; [Fal Table 9]'s ranges and search range."""
    figures = []
    for name, cant in (("40", 1 / 40), ("20", 1 / 20)):
        one = s1002_on(cant, search=FALOMI_RANGE)
        table = contact_table(one)
        card = contact_table_card(table, one, name=f"S1002 on 60E1-EN at 1/{name}", poses=200_000)
        figures += [
            contact_figure(f"table_vs_diff_{name}", 100 * card.disagreement, "%"),
            contact_figure(f"table_position_95_mm_{name}", 1e3 * card.position_95, "mm"),
        ]
        if name == "40":
            figures += [
                contact_figure("table_us", table_us(table), "us"),
                contact_figure("table_mb", table.megabytes, "MB"),
            ]
    return figures


def seating_tables() -> list[Figure]:
    """The table of seatings."""
    one = s1002_on(1 / 40)
    wheelset = WheelsetPair(one, one)
    table = seating_table(wheelset)
    errors = seating_errors(table, wheelset, poses=CALLS, seed=0)
    y, yaw = np.random.default_rng(1).uniform((-0.01, -0.02), (0.01, 0.02), (CALLS, 2)).T.copy()
    out = np.empty((CALLS, COLUMNS))
    return [
        contact_figure("seating_table_us", microseconds(lambda: seating_many(table.arrays, y, yaw, out), CALLS), "us"),
        contact_figure("seating_table_mb", table.megabytes, "MB"),
        contact_figure("seating_table_roll_95_urad", 1e6 * errors.roll_95, "urad"),
        contact_figure("seating_table_roll_max_urad", 1e6 * errors.roll_max, "urad"),
    ]


def knife_error(edge: KnifeEdge, wheelset: WheelsetPair, rails: Irregularity) -> tuple[float, float]:
    """Largest error of height [um] and roll [urad] from 9 mm right to 9 mm left."""
    y = np.linspace(-9e-3, 9e-3, 1801) + 1.7e-6
    exact = seated_nodes(wheelset, y=y, yaw=np.zeros(y.size))
    found = [stand_free(edge.left_wheel, edge.right_wheel, place, rails) for place in y]
    if any(each.state != STANDING for each in found):
        raise ValueError("a wheelset that can be seated did not stand on its knives")
    z, roll = np.array([(each.z, each.roll) for each in found]).T
    return 1e6 * float(np.abs(z - exact[:, HEIGHT]).max()), 1e6 * float(np.abs(roll - exact[:, ROLL]).max())


def knife_edges() -> list[Figure]:
    """Knife edges at 1/40: set down freely, held by given branches; their error on nominal, wide and narrow gauge."""
    one = s1002_on(1 / 40)
    wheelset = WheelsetPair(one, one)
    edge = knife_edge(wheelset)
    rng, rails = np.random.default_rng(2), Irregularity(1e-3, 0.0, 0.0, 1e-3)
    y, tread = rng.uniform(-8e-3, 8e-3, CALLS), rng.uniform(5e-4, 4e-3, CALLS)
    z, roll = knife_error(edge, wheelset, Irregularity())
    off = []
    for wider in (OFF, -OFF):
        moved = s1002_on(1 / 40, gauge=GAUGE + wider)
        off.append(knife_error(edge, WheelsetPair(moved, moved), Irregularity(wider / 2, 0.0, -wider / 2, 0.0))[0])
    free = microseconds(lambda: _free_loop(edge.left_wheel, edge.right_wheel, y, rails), CALLS)
    return [
        contact_figure("knife_edge_us", free, "us"),
        contact_figure(
            "knife_edge_held_us",
            microseconds(lambda: _held_loop(edge.left_wheel, edge.right_wheel, tread, rails), CALLS),
            "us",
        ),
        contact_figure("knife_edge_error_um", z, "um"),
        contact_figure("knife_edge_error_urad", roll, "urad"),
        contact_figure("knife_edge_error_gauge_um", max(off), "um"),
    ]


def figures() -> list[Figure]:
    """All of them, in under a minute."""
    return [*contact_tables(), *seating_tables(), *knife_edges()]
