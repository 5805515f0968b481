"""Steps of first order: the error halves with the step, against an adaptive method on elastic contacts."""

from itertools import pairwise

import numpy as np
import pytest

from tests.running_cases import Contact, coned, rough_rails, running, straight
from twin.core.arrays import Array
from twin.core.errors import ConfigError
from twin.vehicle.running import Rails, Record, Running, RunSettings, run
from twin.vehicle.running.reference import reference_run

SPEED, DURATION = 10.0, 0.7
STEPS = (1e-3, 5e-4, 2.5e-4, 1.25e-4, 6.25e-5)


def bumps() -> Rails:
    """Straight rails that rise and bend aside by some millimetres, unlike each other.

    Level where the run starts: a vehicle set down on a slope has no rate along it, and begins with an impact.
    """
    s = np.arange(-50.0, 60.0, 0.1)
    columns = [size * np.exp(-(((s - at) / 0.8) ** 2)) for size, at in ((2e-3, 5), (3e-3, 4.5), (2e-3, 5), (1e-3, 5.5))]
    return straight(length=50, rough=rough_rails(columns, s0=-50.0, step=0.1))


def wheelset(contact: Contact, step: float | None = None) -> Running:
    settings = RunSettings(contact=contact, step=step, rate=100, wheel_rail=coned("cone-20"))
    return running("single wheelset", bumps(), speed=SPEED, settings=settings)


def small(record: Record) -> Array:
    """(samples, n) coordinates that do not grow with the way."""
    kept = [i for i, name in enumerate(record.layout.coordinates) if not name.endswith((".s", ".spin"))]
    return np.asarray(record.q[:, kept])


def errors(contact: Contact, steps: tuple[float, ...], reference: Record) -> Array:
    """Root mean square of all small coordinates against a reference, for each step."""
    runs = [run(wheelset(contact, step), DURATION) for step in steps]
    return np.array([np.sqrt(np.mean((small(each) - small(reference)) ** 2)) for each in runs])


def test_on_elastic_contacts_the_error_halves_with_the_step() -> None:
    reference = reference_run(wheelset("elastic"), DURATION, rtol=1e-6)
    assert np.ptp(small(reference), axis=0).max() > 1e-3
    found = errors("elastic", STEPS, reference)
    np.testing.assert_allclose(found[:-1] / found[1:], 2.0, rtol=0.05)
    assert found[0] < 1e-5


def test_on_knives_the_changes_halve_with_the_step() -> None:
    runs = [small(run(wheelset("knife", step), DURATION)) for step in STEPS]
    changes = np.array([np.sqrt(np.mean((a - b) ** 2)) for a, b in pairwise(runs)])
    np.testing.assert_allclose(changes[:-1] / changes[1:], 2.0, rtol=0.1)


def test_knives_have_no_reference_and_say_what_has() -> None:
    with pytest.raises(ConfigError, match="set contact elastic"):
        reference_run(wheelset("knife"), DURATION)
