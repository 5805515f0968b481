"""Contact and seating tables on disk: plain arrays, and a card that says what they are worth.

A file made for other profiles is refused.
"""

from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from twin.contact.agreement import agreement
from twin.contact.array_file import ArrayFile, save_arrays
from twin.contact.network import Ranges
from twin.contact.network_file import fingerprint
from twin.contact.pair import Pair
from twin.contact.seating import WheelsetPair
from twin.contact.seating_table import COLUMNS, SeatingArrays, SeatingErrors, SeatingTable, seating_errors
from twin.contact.tables import ContactTable, TableArrays, points_at, table_batch
from twin.core.arrays import frozen
from twin.core.settings import Settings

REMEDY = "make a table for these profiles again"
JUDGED = 20_000
"""Poses a table is judged in: its errors in per cent are then known to a tenth or so."""


class ContactTableCard(Settings):
    """What a table of contact points is and what it is worth."""

    version: Literal[1] = Field(1, description="of the file")
    kind: Literal["contact table"] = Field("contact table", description="of the file")
    pair: str = Field(description="wheel, rail and how it is laid, for people")
    fingerprint: str = Field(description="of the two curves, for the program")
    ranges: Ranges = Field(description="poses it knows: yaw to either side, roll from, to [rad], G_y from, to [m]")
    nodes: tuple[int, int, int] = Field(description="of yaw, roll and g")
    lever: float = Field(description="g = G_y + lever roll [m]")
    jump: float = Field(description="how far a point may move within a cell [m]")
    disagreement: float = Field(description="with DIFF at 2 mm by [Fal eq. 61], 0 to 1")
    position_95: float = Field(description="95 % of the points of poses with the right count are nearer to DIFF's [m]")
    judged: int = Field(description="random poses of these two figures")


class SeatingTableCard(Settings):
    """What a table of seatings is and what it is worth."""

    version: Literal[1] = Field(1, description="of the file")
    kind: Literal["seating table"] = Field("seating table", description="of the file")
    wheelset: str = Field(description="wheels, rails and how they are laid, for people")
    fingerprints: tuple[str, str] = Field(description="of the curves of the left and the right pair, for the program")
    reach: float = Field(description="largest lateral position [m]")
    yaw: float = Field(description="largest yaw [rad]")
    nodes: tuple[int, int] = Field(description="of yaw and lateral position")
    jump: float = Field(description="how far a contact may move within a cell [m]")
    errors: SeatingErrors = Field(description="against the seatings in random poses: see SeatingErrors")


def contact_table_card(
    table: ContactTable, pair: Pair, *, name: str, poses: int = JUDGED, seed: int = 0
) -> ContactTableCard:
    """Judge a table against DIFF in random poses over its ranges."""
    ranges, rng = table.ranges, np.random.default_rng(seed)
    low, high = (0.0, ranges.roll_from, ranges.G_y_from), (ranges.yaw, ranges.roll_to, ranges.G_y_to)
    asked = rng.uniform(low, high, (poses, 3))
    counts, xy = points_at(pair, asked)
    found, found_counts = np.zeros((poses, table.most, 2)), np.zeros(poses, dtype=np.int64)
    table_batch(table.arrays, asked, found, found_counts)
    judged = agreement(reference=xy, reference_counts=counts, tested=found, tested_counts=found_counts)
    right = counts == found_counts
    points = np.arange(table.most) < counts[right, None]
    off = np.linalg.norm(found[right] - xy[right, : table.most], axis=2)[points]
    a, b, c = table.arrays.counts.shape
    return ContactTableCard(
        pair=name,
        fingerprint=fingerprint(pair),
        ranges=ranges,
        nodes=(a, b, c),
        lever=table.arrays.lever,
        jump=table.arrays.jump,
        disagreement=judged.total,
        position_95=float(np.percentile(off, 95)) if off.size else 0.0,
        judged=poses,
    )


def seating_table_card(
    table: SeatingTable, wheelset: WheelsetPair, *, name: str, poses: int = JUDGED, seed: int = 0
) -> SeatingTableCard:
    """Judge a table against the seatings themselves in random poses."""
    a, b, _ = table.arrays.nodes.shape
    return SeatingTableCard(
        wheelset=name,
        fingerprints=(fingerprint(wheelset.left), fingerprint(wheelset.right)),
        reach=table.reach,
        yaw=table.yaw,
        nodes=(a, b),
        jump=table.arrays.jump,
        errors=seating_errors(table, wheelset, poses=poses, seed=seed),
    )


def save_contact_table(file: Path, table: ContactTable, card: ContactTableCard) -> None:
    """Write a table and its card; an existing file is replaced in one step."""
    arrays = table.arrays
    parts: dict[str, NDArray[Any]] = {
        "grid": arrays.grid,
        "counts": arrays.counts,
        "whole": arrays.whole,
        "points": arrays.points,
    }
    save_arrays(file, card, parts)


def load_contact_table(file: Path, *, pair: Pair | None = None) -> tuple[ContactTable, ContactTableCard]:
    """A table and its card; with a pair, only if it was made for it."""
    stored = ArrayFile(file, what="tables", remedy=REMEDY)
    card = stored.card(ContactTableCard)
    if pair is not None and card.fingerprint != fingerprint(pair):
        raise stored.refuse(f"made for other profiles ({card.pair})")
    a, b, c = card.nodes
    counts = stored.array("counts", (a, b, c), np.int8)
    if counts.min() < 0:
        raise stored.refuse("'counts' has numbers below zero")
    arrays = TableArrays(
        grid=stored.array("grid", (3, 3), np.float64),
        lever=card.lever,
        G_y=frozen(np.array([card.ranges.G_y_from, card.ranges.G_y_to])),
        counts=counts,
        whole=stored.array("whole", (a - 1, b - 1, c - 1), np.uint8),
        points=stored.array("points", (a, b, c, max(int(counts.max()), 1), 2), np.float32),
        jump=card.jump,
    )
    _check_grid(stored, arrays.grid, card.nodes)
    return ContactTable(card.ranges, arrays), card


def save_seating_table(file: Path, table: SeatingTable, card: SeatingTableCard) -> None:
    """Write a table and its card; an existing file is replaced in one step."""
    arrays = table.arrays
    save_arrays(file, card, {"grid": arrays.grid, "whole": arrays.whole, "nodes": arrays.nodes})


def load_seating_table(file: Path, *, wheelset: WheelsetPair | None = None) -> tuple[SeatingTable, SeatingTableCard]:
    """A table and its card; with a wheelset, only if it was made for it."""
    stored = ArrayFile(file, what="tables", remedy=REMEDY)
    card = stored.card(SeatingTableCard)
    if wheelset is not None and card.fingerprints != (fingerprint(wheelset.left), fingerprint(wheelset.right)):
        raise stored.refuse(f"made for other profiles ({card.wheelset})")
    a, b = card.nodes
    arrays = SeatingArrays(
        grid=stored.array("grid", (2, 3), np.float64),
        whole=stored.array("whole", (a - 1, b - 1, 2), np.uint8),
        nodes=stored.array("nodes", (a, b, COLUMNS), np.float64),
        jump=card.jump,
    )
    _check_grid(stored, arrays.grid, card.nodes)
    return SeatingTable(arrays), card


def _check_grid(stored: ArrayFile, grid: NDArray[Any], nodes: tuple[int, ...]) -> None:
    """The kernels trust the grid: it must name the nodes there are."""
    if min(nodes) < 2 or not np.array_equal(grid[:, 2], np.array(nodes) - 1) or not np.all(grid[:, 1] > 0.0):
        raise stored.refuse("'grid' and the card name different nodes")
