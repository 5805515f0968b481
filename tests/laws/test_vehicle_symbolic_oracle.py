"""The Manchester vehicle with its wheelsets clamped, against exudyn: matrices and free response."""

import pytest

from twin.vehicle.symbolic import VehicleModel

pytest.importorskip("exudyn", reason="the oracle exudyn is not installed")

from tests.exudyn_vehicle import matrix_errors, response_error, weightless

TOLERANCE = 1e-6


@pytest.fixture(scope="module")
def model() -> VehicleModel:
    return weightless()


def test_mass_stiffness_and_damping_are_those_of_exudyn(model: VehicleModel) -> None:
    assert max(matrix_errors(model).values()) <= TOLERANCE


def test_free_response_is_that_of_exudyn(model: VehicleModel) -> None:
    assert response_error(model) <= TOLERANCE
