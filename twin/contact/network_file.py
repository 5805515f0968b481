"""Contact networks on disk: plain arrays, and a card that says what they are worth.

A file trained for other profiles is refused.
"""

from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from twin.contact.array_file import ArrayFile, save_arrays
from twin.contact.curve import curve_many
from twin.contact.network import ContactNetwork, Ranges
from twin.contact.pair import Pair
from twin.core.settings import Settings
from twin.numerics.perceptron import Perceptron, Scale

REMEDY = "train it for these profiles, `railtwin calibrate contact-network`"
FINGERPRINT_PLACES = 1001
"""Where wheel and rail are looked at for the fingerprint, each over the range of the search."""

PARTS = ("W", "b", "V", "c", "input_centre", "input_half", "output_centre", "output_half")
"""Arrays of one perceptron; in the file their names follow `classifier_` or `points_N_`."""


class ClassifierCard(Settings):
    """How the classifier was trained, and its error."""

    hidden: int = Field(description="neurons")
    training: int = Field(description="poses learnt from")
    validation: int = Field(description="poses that chose among the restarts")
    test: int = Field(description="poses the error is counted on")
    epochs: int = Field(description="steps of all stages")
    error: float = Field(description="E_c of [Fal eq. 56], 0 to 1")
    error_without_yaw: float = Field(description="least E_c of all that see roll and G_y only, as straight lines do")


class LocatorCard(Settings):
    """How the network of one count was trained, and its error."""

    points: int = Field(description="count it is for")
    hidden: int = Field(description="neurons")
    training: int = Field(description="poses learnt from, as in [Fal Table 4]")
    validation: int = Field(description="poses that stopped the training")
    test: int = Field(description="poses the error is counted on")
    available: int = Field(description="poses of this count in the survey, A_k")
    epochs: int = Field(description="steps of the run that was kept")
    error: float = Field(description="E_k of [Fal eq. 58] at 1 mm, 0 to 1")


class NetworkCard(Settings):
    """What a file of networks is and what it is worth."""

    version: Literal[1] = Field(1, description="of the file")
    pair: str = Field(description="wheel, rail and how it is laid, for people")
    fingerprint: str = Field(description="of the two curves, for the program")
    inputs: tuple[str, str, str] = Field(("yaw [rad]", "roll [rad]", "G_y [m]"), description="in this order")
    outputs: str = Field("x, y on the rail of each point [m], left wheel, rising y_w", description="in this order")
    ranges: Ranges = Field(description="poses it knows: yaw to either side, roll from, to [rad], G_y from, to [m]")
    seed: int = Field(description="of the survey and the starts")
    survey: tuple[int, ...] = Field(description="poses with 0, 1, 2 ... points among the random ones")
    classifier: ClassifierCard
    locators: tuple[LocatorCard, ...]
    error: float = Field(description="E_NN of [Fal eq. 59], 0 to 1")
    disagreement: float = Field(description="with DIFF at 2 mm by [Fal eq. 61] on poses of their own, 0 to 1")
    position_95: float = Field(description="95 % of the points of poses with the right count are nearer to DIFF's [m]")
    judged: int = Field(description="poses of these two figures")


def fingerprint(pair: Pair) -> str:
    """What tells one pair of curves from another: their values to a nanometre, over the range of the search."""
    digest = sha256()
    for curve, low, high in ((pair.wheel, pair.y_w[0], pair.y_w[-1]), (pair.rail, pair.rail_from, pair.rail_to)):
        y, values = np.linspace(low, high, FINGERPRINT_PLACES), np.empty((FINGERPRINT_PLACES, 3))
        curve_many(curve, y, values)
        digest.update(np.round(1e9 * np.column_stack((y, values[:, 0]))).astype("<i8").tobytes())
    return digest.hexdigest()


def save_network(file: Path, network: ContactNetwork, card: NetworkCard) -> None:
    """Write networks and their card; an existing file is replaced in one step."""
    arrays: dict[str, NDArray[Any]] = {}
    named = zip(network.counts, network.locators, strict=True)
    for name, each in (("classifier", network.classifier), *((f"points_{n}", one) for n, one in named)):
        scales = each.of_inputs.centre, each.of_inputs.half, each.of_outputs.centre, each.of_outputs.half
        for part, values in zip(PARTS, (each.W, each.b, each.V, each.c, *scales), strict=True):
            arrays[f"{name}_{part}"] = values
    save_arrays(file, card, arrays)


def load_network(file: Path, *, pair: Pair | None = None) -> tuple[ContactNetwork, NetworkCard]:
    """Networks and their card; with a pair, only if they were trained for it."""
    stored = ArrayFile(file, what="contact networks", remedy=REMEDY)
    card = stored.card(NetworkCard)
    if pair is not None and card.fingerprint != fingerprint(pair):
        raise stored.refuse(f"trained for other profiles ({card.pair})")
    counts = tuple(each.points for each in card.locators)
    if not counts or counts != tuple(sorted(set(counts))):
        raise stored.refuse(f"counts of points must rise, the card has {counts}")
    classifier = _perceptron(stored, "classifier", hidden=card.classifier.hidden, outputs=len(counts) - 1)
    locators = tuple(
        _perceptron(stored, f"points_{each.points}", hidden=each.hidden, outputs=2 * each.points)
        for each in card.locators
    )
    return ContactNetwork(card.ranges, counts, classifier, locators, card.fingerprint), card


def _perceptron(stored: ArrayFile, name: str, *, hidden: int, outputs: int) -> Perceptron:
    shapes = ((hidden, 3), (hidden,), (outputs, hidden), (outputs,), (3,), (3,), (outputs,), (outputs,))
    parts = [stored.array(f"{name}_{part}", shape) for part, shape in zip(PARTS, shapes, strict=True)]
    W, b, V, c, input_centre, input_half, output_centre, output_half = parts
    return Perceptron(W, b, V, c, Scale(input_centre, input_half), Scale(output_centre, output_half))
