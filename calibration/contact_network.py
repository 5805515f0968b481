"""Training of contact networks for one wheel on one rail [Fal 4.1]: survey, classifier, one network per count, errors.

Differences from [Fal]: poses are random, not a grid; the classifier is a perceptron of the whole pose
(contact_classes.py), not straight lines; steep places are learnt from more often, as a distance along the rail counts,
not across it; training goes on to 350 epochs, as the validation error of the single point at 1/40 still falls by a
sixth to a third from 150 to 300; and the better of two starts is kept, whose errors differ by up to a factor of two.
"""

from dataclasses import dataclass
from math import pi

import numpy as np
from pydantic import Field

from calibration.contact_classes import counts_by, edge_data, error_without_yaw, train_classifier
from calibration.contact_survey import Locate, Progress, Survey, by_difference, on_rail, rail_values, survey
from twin.contact.agreement import agreement, classification_error, network_error, point_error
from twin.contact.network import ContactNetwork, Ranges, locate
from twin.contact.network_file import ClassifierCard, LocatorCard, NetworkCard, fingerprint
from twin.contact.pair import Pair
from twin.core.arrays import Array
from twin.core.errors import CalibrationError
from twin.core.settings import Settings
from twin.numerics.levenberg import EpochProgress, Samples, Training, TrainingSettings, spread, train
from twin.numerics.perceptron import Perceptron

SURVEY_SHARE = 0.04
"""Of the time: the survey takes so much."""
TESTED = 0.2
"""Of the survey: kept away from the classifier, for choosing between its starts and for its error."""
UNKNOWING_PLACES = 4000
"""Places in (roll, G_y) for the error of a classifier that does not see the yaw: a comparison, good to 0.06 %."""


class NetworkConfig(Settings):
    """How contact networks are made."""

    yaw: float = Field(pi / 180, gt=0, le=0.1, description="largest yaw, either side [rad]; [Fal Table 3]: 1 deg")
    roll: float = Field(pi / 240, gt=0, le=0.05, description="largest roll, either side [rad]; [Fal Table 3]: 0.75 deg")
    G_y: float = Field(10e-3, gt=0, le=0.03, description="largest lateral displacement [m]; [Fal Table 3]: 10 mm")
    poses: int = Field(
        400_000, ge=2000, le=5_000_000, description="of the survey; more resolve finer regions of counts"
    )
    training: int = Field(18_254, ge=100, le=500_000, description="poses each network learns from; [Fal Table 4]")
    validation: int = Field(9_127, ge=50, le=500_000, description="poses that stop its training; [Fal Table 4]")
    test: int = Field(9_127, ge=50, le=500_000, description="poses its error is counted on; [Fal Table 4]")
    least: int = Field(
        2000, ge=50, description="poses of one count below which it gets no network: the one below answers"
    )
    hidden: int = Field(
        32, ge=4, le=128, description="neurons of each network; [Fal] 20-30; a multiple of 8 wastes none"
    )
    class_hidden: int = Field(24, ge=4, le=128, description="neurons of the classifier")
    epochs: int = Field(350, ge=1, le=5000, description="of each network; [Fal] 150, see above")
    class_epochs: int = Field(100, ge=1, le=5000, description="of each stage of the classifier")
    starts: int = Field(2, ge=1, le=20, description="of each network; the best by its validation error is kept")
    judged: int = Field(100_000, ge=100, le=5_000_000, description="poses of the final comparison with DIFF")

    @property
    def ranges(self) -> Ranges:
        """As the networks know them."""
        return Ranges(self.yaw, -self.roll, self.roll, -self.G_y, self.G_y)


@dataclass(frozen=True, slots=True)
class Judgement:
    """Networks against DIFF on poses of their own."""

    disagreement: float
    """e of [Fal eq. 61] at 2 mm, 0 to 1."""
    classification: float
    """E_c of [Fal eq. 56], 0 to 1."""
    position_95: float
    """95 % of the points of poses with the right count are nearer [m]."""


@dataclass(frozen=True, slots=True)
class _Steps:
    """Tells the share of all epochs that is done."""

    progress: Progress
    total: int
    done: list[int]

    def epoch(self, _epoch: int, _mse: float) -> None:
        self.done[0] += 1
        self.progress(SURVEY_SHARE + (1.0 - SURVEY_SHARE) * min(self.done[0] / self.total, 1.0))

    def until(self, epochs: int) -> None:
        """A training that stopped early has done its share."""
        self.done[0] = epochs


def train_network(
    pair: Pair, *, name: str, config: NetworkConfig | None = None, seed: int = 0, progress: Progress | None = None
) -> tuple[ContactNetwork, NetworkCard]:
    """Networks for a pair and their card. name: the pair for people; equal arguments give equal weights."""
    config, told = config or NetworkConfig(), progress or _nobody
    rng, search = np.random.default_rng(seed), by_difference(pair)
    found = survey(
        search, config.ranges, poses=config.poses, rng=rng, progress=lambda share: told(SURVEY_SHARE * share)
    )
    known = _known_counts(found, config)
    class_epochs, own = 2 * config.class_epochs * config.starts, config.epochs * config.starts
    steps = _Steps(told, class_epochs + own * len(known), [0])
    classifier, class_card = _classifier(found, known, search, config, rng, steps.epoch)
    steps.until(class_epochs)
    locators, cards = [], []
    for number, count in enumerate(known, start=1):
        perceptron, card = _locator(pair, found.of_count(count), count, config, rng, steps.epoch)
        steps.until(class_epochs + number * own)
        locators.append(perceptron)
        cards.append(card)
    network = ContactNetwork(config.ranges, known, classifier, tuple(locators), fingerprint(pair))
    judged = judge(network, pair, survey(search, config.ranges, poses=config.judged, rng=rng))
    told(1.0)
    return network, NetworkCard(
        pair=name,
        fingerprint=network.fingerprint,
        ranges=network.ranges,
        seed=seed,
        survey=tuple(np.bincount(found.counts).tolist()),
        classifier=class_card,
        locators=tuple(cards),
        error=_total_error(found, cards),
        disagreement=judged.disagreement,
        position_95=judged.position_95,
        judged=config.judged,
    )


def judge(network: ContactNetwork, pair: Pair, truth: Survey) -> Judgement:
    """Compare networks with DIFF's survey of the same poses, by distances in space as [Fal 5.2] has them."""
    counts, xy = locate(network, truth.poses)
    found, expected = on_rail(pair, xy), on_rail(pair, truth.xy)
    right = counts == truth.counts
    most = min(found.shape[1], expected.shape[1])
    off = np.linalg.norm(found[right, :most] - expected[right, :most], axis=2)
    off = off[np.arange(most) < counts[right][:, None]]
    return Judgement(
        agreement(reference=expected, reference_counts=truth.counts, tested=found, tested_counts=counts).total,
        classification_error(reference_counts=truth.counts, tested_counts=counts),
        float(np.percentile(off, 95)) if off.size else 0.0,
    )


def _known_counts(found: Survey, config: NetworkConfig) -> tuple[int, ...]:
    """Counts with poses enough for a network; no points need none."""
    numbers = np.bincount(found.counts)[: found.xy.shape[1] + 1]
    known = tuple(int(count) for count in np.flatnonzero(numbers >= config.least))
    if not known or known == (0,):
        raise CalibrationError(
            f"of {len(found)} poses too few have contact points ({numbers.tolist()} with 0, 1, 2 ... points): does the "
            "wheel stand on the rail? Check gauge and profiles"
        )
    return known


def _classifier(
    found: Survey,
    known: tuple[int, ...],
    search: Locate,
    config: NetworkConfig,
    rng: np.random.Generator,
    progress: EpochProgress,
) -> tuple[Perceptron, ClassifierCard]:
    """The best of some starts, by its error on poses it did not learn from; its card counts on yet others."""
    cut, half = int((1.0 - TESTED) * len(found)), int(TESTED / 2 * len(found))
    data = edge_data(found.part(slice(cut)), config.ranges, known)
    held, test = found.part(slice(cut, cut + half)), found.part(slice(cut + half, None))

    def error(perceptron: Perceptron, on: Survey) -> float:
        return classification_error(reference_counts=on.counts, tested_counts=counts_by(perceptron, on.poses, known))

    settings = TrainingSettings(epochs=config.class_epochs)
    arguments = {"hidden": config.class_hidden, "training": config.training}
    trained = [
        train_classifier(data, **arguments, settings=settings, rng=rng, progress=progress) for _ in range(config.starts)
    ]
    best, epochs = min(trained, key=lambda each: error(each[0], held))
    return best, ClassifierCard(
        hidden=config.class_hidden,
        training=config.training,
        validation=half,
        test=len(test),
        epochs=epochs,
        error=error(best, test),
        error_without_yaw=error_without_yaw(search, config.ranges, places=UNKNOWING_PLACES, rng=rng),
    )


def _locator(
    pair: Pair, found: Survey, count: int, config: NetworkConfig, rng: np.random.Generator, progress: EpochProgress
) -> tuple[Perceptron, LocatorCard]:
    """The network of one count, from the poses that have it; where they are few, shared out like [Fal Table 4]."""
    share = min(1.0, len(found) / (config.training + config.validation + config.test))
    sizes = [int(share * size) for size in (config.training, config.validation, config.test)]
    test, shares = np.arange(sizes[2]), _steepness(pair, found, count)
    drawn = test.size + rng.choice(
        len(found) - test.size, sizes[0] + sizes[1], replace=False, p=shares[test.size :] / shares[test.size :].sum()
    )
    learnt, held = drawn[: sizes[0]], drawn[sizes[0] :]
    data = Samples(found.poses, found.xy[:, :count].reshape(len(found), 2 * count))
    settings = TrainingSettings(epochs=config.epochs)

    def run(seed: int) -> Training:
        samples, validation = (Samples(data.inputs[each], data.targets[each]) for each in (learnt, held))
        start = spread(samples, hidden=config.hidden, seed=seed)
        if count == 0:  # no places to learn
            return Training(start, epochs=0, best_epoch=0, mse=0.0, validation_mse=0.0)
        return train(start, samples, validation, settings=settings, progress=progress)

    best = min((run(int(rng.integers(2**32))) for _ in range(config.starts)), key=lambda each: each.validation_mse)
    truth, tested = (
        each.reshape(test.size, count, 2) for each in (data.targets[test], best.perceptron(data.inputs[test]))
    )
    return best.perceptron, LocatorCard(
        points=count,
        hidden=config.hidden,
        training=sizes[0],
        validation=sizes[1],
        test=sizes[2],
        available=len(found),
        epochs=best.epochs,
        error=point_error(reference=truth, tested=tested) if count else 0.0,
    )


def _steepness(pair: Pair, found: Survey, count: int) -> Array:
    """How often a pose is to be drawn (n,): by the square of the way along the rail over that across it.

    A network that is fitted to x and y takes a millimetre across for the same everywhere; on a flank of 70 degrees it
    is three along the surface.
    """
    slopes = np.zeros((len(found), max(count, 1)))
    for point in range(count):
        slopes[:, point] = rail_values(pair, found.xy[:, point, 1])[:, 1]
    return np.asarray(1.0 + np.max(slopes**2, axis=1))


def _total_error(found: Survey, cards: list[LocatorCard]) -> float:
    """E_NN; a count without a network is wrong altogether, as in [Fal 4.1.3]."""
    available = np.bincount(found.counts)[1:]
    errors: Array = np.ones(available.size)
    for card in cards:
        if card.points:
            errors[card.points - 1] = card.error
    return network_error(errors=errors, available=available)


def _nobody(_share: float) -> None:
    """Nobody watches."""
