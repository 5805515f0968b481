"""The classifier of contact networks: how many points a pose has, learnt from a survey.

Regions of equal count are stripes in (roll, G_y) with nearly straight edges, where a minimum and a maximum of the gap
merge. A perceptron that starts anywhere spends its neurons on the insides of the regions, where there is nothing to
learn. So neurons start on the edges, across them; poses near the edges are learnt from more often; and the target is no
step but tanh(distance to the edge / width), the width shrinking in stages. With 16 neurons E_c of S1002 on 60E1 is then
0.3 to 0.5 %; from a random start, all else equal, 0.6 to 0.9 %. Nothing here knows how many regions there are or how
they lie.
"""

from dataclasses import dataclass

import numpy as np
from scipy.spatial import KDTree

from calibration.contact_survey import Locate, Survey
from twin.contact.agreement import classification_error
from twin.contact.network import Ranges
from twin.core.arrays import Array, IntArray
from twin.numerics.levenberg import EpochProgress, Samples, TrainingSettings, train
from twin.numerics.perceptron import Perceptron, Scale

WIDTHS = (0.02, 0.01)
"""Of an edge in each stage, of a survey 2 wide: the second is the distance of neighbours among 300 000 poses."""
NEAR = 4.0
"""Poses within so many widths are near an edge."""
NEAR_SHARE = 0.75
"""Of the poses that are learnt from: near an edge. The rest hold the insides of the regions down."""
NEIGHBOURS = 24
"""Poses that show how an edge lies: enough for its direction, few enough to see it straight."""
STARTS = 60_000
"""Poses among which edges are looked for at the start."""
YAWS = 16
"""Yaws between which a classifier that cannot see them must choose one count."""


@dataclass(frozen=True, slots=True)
class EdgeData:
    """Poses in units of their ranges, their class, and their distance to the edge of every class."""

    scale: Scale
    poses: Array
    """(n, 3) in -1 to 1."""
    classes: IntArray
    """(n,) 0 for the smallest count there is a network for."""
    distances: Array
    """(n, classes - 1) to the nearest pose on the other side; above zero where there are at least so many points."""


def class_of(counts: IntArray, known: tuple[int, ...]) -> IntArray:
    """Class (n,) of counts (n,): the largest known count that is not larger, or the smallest there is."""
    return np.maximum(np.searchsorted(known, counts, side="right") - 1, 0)


def edge_data(found: Survey, ranges: Ranges, known: tuple[int, ...]) -> EdgeData:
    """What the classifier learns from."""
    scale = scale_of(ranges)
    poses, classes = scale.scaled(found.poses), class_of(found.counts, known)
    columns = []
    for j in range(1, len(known)):
        there = classes >= j
        distance = np.empty(len(found))
        distance[there] = KDTree(poses[~there]).query(poses[there])[0]
        distance[~there] = -KDTree(poses[there]).query(poses[~there])[0]
        columns.append(distance)
    return EdgeData(scale, poses, classes, np.column_stack(columns) if columns else np.empty((len(found), 0)))


def scale_of(ranges: Ranges) -> Scale:
    """Ranges on -1 to 1."""
    low = np.array([0.0, ranges.roll_from, ranges.G_y_from])
    high = np.array([ranges.yaw, ranges.roll_to, ranges.G_y_to])
    return Scale(centre=(low + high) / 2, half=(high - low) / 2)


def train_classifier(
    data: EdgeData,
    *,
    hidden: int,
    training: int,
    settings: TrainingSettings,
    rng: np.random.Generator,
    progress: EpochProgress | None = None,
) -> tuple[Perceptron, int]:
    """A classifier learnt from so many poses, and the epochs it took; settings.epochs are those of one stage."""
    perceptron, epochs = _on_edges(data, hidden, WIDTHS[0], rng), 0
    if data.distances.shape[1] == 0:  # a single class needs no learning
        return perceptron, 0
    nearest = np.abs(data.distances).min(axis=1)
    for width in WIDTHS:
        close = np.flatnonzero(nearest < NEAR * width)
        wanted = min(int(NEAR_SHARE * 1.5 * training), close.size)
        anywhere = min(int((1.0 - NEAR_SHARE) * 1.5 * training), nearest.size)
        chosen = np.concatenate((rng.choice(close, wanted, False), rng.choice(nearest.size, anywhere, False)))
        rng.shuffle(chosen)
        poses, targets = data.scale.unscaled(data.poses[chosen]), np.tanh(data.distances[chosen] / width)
        cut = 2 * chosen.size // 3
        learnt, held = Samples(poses[:cut], targets[:cut]), Samples(poses[cut:], targets[cut:])
        done = train(perceptron, learnt, held, settings=settings, progress=progress)
        perceptron, epochs = done.perceptron, epochs + done.epochs
    return perceptron, epochs


def _on_edges(data: EdgeData, hidden: int, width: float, rng: np.random.Generator) -> Perceptron:
    """A start with every neuron on an edge, as steep as the target of the first stage; output weights zero."""
    tree, outputs = KDTree(data.poses), data.distances.shape[1]
    W, b = np.zeros((hidden, 3)), np.zeros(hidden)
    around = np.asarray(tree.query(data.poses[:STARTS], k=min(NEIGHBOURS, len(data.poses)))[1])
    mixed = np.flatnonzero(np.ptp(data.classes[around], axis=1) > 0)
    for neuron, place in enumerate(rng.choice(mixed, hidden) if mixed.size else ()):
        poses, classes = data.poses[around[place]], data.classes[around[place]].astype(float)
        centred = np.column_stack((poses - poses.mean(axis=0), np.ones(len(poses))))
        across = np.linalg.lstsq(centred, classes, rcond=None)[0][:3]
        across /= max(float(np.linalg.norm(across)), 1e-12)
        along, upper = poses @ across, classes > classes.mean()
        W[neuron] = across / width
        b[neuron] = -(along[upper].mean() + along[~upper].mean()) / (2.0 * width)
    unscaled = Scale(np.zeros(outputs), np.ones(outputs))
    return Perceptron(W, b, np.zeros((outputs, hidden)), np.zeros(outputs), data.scale, unscaled)


def counts_by(perceptron: Perceptron, poses: Array, known: tuple[int, ...]) -> IntArray:
    """Counts (n,) a classifier gives poses (n, 3)."""
    return np.asarray(np.array(known, dtype=np.int64)[np.sum(perceptron(poses) > 0.0, axis=1)])


def error_without_yaw(locate: Locate, ranges: Ranges, *, places: int, rng: np.random.Generator) -> float:
    """E_c of the best classifier that sees roll and G_y only: at each of some places the median count over the yaws.

    No lines in (roll, G_y), straight or bent, can do better; [Fal 4.1.1] has 0.91 % (1/40) and 0.85 % (1/20).
    """
    where = rng.uniform((ranges.roll_from, ranges.G_y_from), (ranges.roll_to, ranges.G_y_to), (places, 2))
    yaws = (np.arange(YAWS) + 0.5) / YAWS * ranges.yaw
    poses = np.column_stack((np.tile(yaws, places), np.repeat(where, YAWS, axis=0)))
    counts = locate(poses)[0].reshape(places, YAWS)
    chosen = np.repeat(np.sort(counts, axis=1)[:, YAWS // 2], YAWS)
    return classification_error(reference_counts=counts.ravel(), tested_counts=chosen)
