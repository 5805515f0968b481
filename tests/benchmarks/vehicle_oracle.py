"""The Manchester vehicle against the numbers of others: exudyn's matrices and response, and the modes of the design.

Without exudyn its figures are left out. The design's pitch of the body, 1.38 Hz, is disproved by its own inertias
(tests/published/test_vehicle_manchester.py): what `modes_pitch_percent` compares is the derivation there.
"""

from importlib.util import find_spec
from math import sqrt

from tests.benchmarks.figure import Figure
from tests.benchmarks.vehicle_figure import named
from twin.cli.vehicle_contacts import coned_contacts
from twin.vehicle.library import vehicle
from twin.vehicle.linear import LinearVehicle
from twin.vehicle.modes import all_modes

SPEED, CONICITY = 30.0, 0.1
PUBLISHED = {"carbody bounce": 1.08, "bogie bounce": 7.4, "bogie pitch": 13.4}
"""[Hz]"""
HALF_PIVOT = 9.5


def figures() -> list[Figure]:
    """All of them."""
    return [*_modes(), *(_exudyn() if find_spec("exudyn") else [])]


def _modes() -> list[Figure]:
    """How far frequencies lie off the published ones at most, and off the derivation."""
    found = vehicle("manchester")
    modes = all_modes(LinearVehicle(found, coned_contacts(found, CONICITY)), SPEED)["vertical"]

    def frequency(start: str) -> float:
        return next(mode.frequency for mode in modes if mode.name.startswith(start))

    body = found.body("carbody")
    pitch = frequency("carbody bounce") * HALF_PIVOT * sqrt(body.mass / body.inertia[1])
    off = max(abs(frequency(name) / value - 1) for name, value in PUBLISHED.items())
    return [
        named("vehicle.modes_percent", 100 * off, "percent"),
        named("vehicle.modes_pitch_percent", 100 * abs(frequency("carbody pitch") / pitch - 1), "percent"),
        named("vehicle.modes_pitch", frequency("carbody pitch"), "Hz"),
    ]


def _exudyn() -> list[Figure]:
    from tests.exudyn_vehicle import matrix_errors, response_error, weightless

    model = weightless()
    errors = matrix_errors(model) | {"response": response_error(model)}
    return [named(f"vehicle.oracle_{name}", error, "relative") for name, error in errors.items()]
