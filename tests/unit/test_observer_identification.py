"""Identification of a simple process from its samples, and the factors of a vehicle."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from twin.core.arrays import Array
from twin.observer.factors import FactoredVehicle, doubled
from twin.observer.full_model import FullModel
from twin.observer.identification import identify, measured
from twin.vehicle.library import vehicle
from twin.vehicle.linear import LinearVehicle
from twin.vehicle.wheel_rail import cones

CONTACTS = [cones(conicity=0.1, half_distance=0.75, f11=8e6, f22=7e6)] * 4
DT, R = 0.01, np.array([1e-4, 1e-4])


def oscillator(theta: Array) -> FullModel:
    """x'' + 2 x' + k x = white, seen in position and speed; theta: log-factors of stiffness and drive."""
    stiffness, drive, _ = np.exp(theta)
    A = np.array([[0.0, 1.0], [-100.0 * stiffness, -2.0]])
    return FullModel(
        1.0, A, np.zeros((2, 0)), np.array([[0.0], [drive]]), np.diag([1.0, 0.1]), np.zeros((2, 0)), (), {}
    )


def samples(theta: Array, n: int = 20_000) -> Array:
    rng, model, x = np.random.default_rng(4), oscillator(theta), np.zeros(2)
    fine, out = 5, np.empty((n, 2))
    for i in range(n):
        for _ in range(fine):
            x = x + DT / fine * (model.A @ x) + np.sqrt(DT / fine) * model.L[:, 0] * rng.standard_normal()
        out[i] = model.C @ x + np.sqrt(R) * rng.standard_normal(2)
    return out


def test_factors_are_found_within_their_stated_deviations_and_what_is_unseen_keeps_its_prior() -> None:
    true = np.log([1.3, 0.8, 1.0])
    seen = measured(samples(true), dt=DT, segment=1024, lowest=0.3, highest=8.0)
    found = identify(oscillator, ("stiffness", "drive", "unseen"), seen, R, dt=DT, prior_sd=np.full(3, 0.5))
    for k, name in enumerate(("stiffness", "drive")):
        value, sd = found.factor(name)
        assert sd < 0.05
        assert abs(value - np.exp(true[k])) < 4 * sd + 0.02
    assert_allclose(found.factor("unseen"), (1.0, 0.5))
    assert abs(found.misfit - 1.0) < 0.05


@pytest.fixture(scope="module")
def factored() -> FactoredVehicle:
    return FactoredVehicle(LinearVehicle(vehicle("manchester"), CONTACTS))


def test_state_space_is_linear_in_suspension_factors(factored: FactoredVehicle) -> None:
    half_way = factored.at({"k2y": 1.5}, 20.0, "lateral")
    nominal = factored.at({}, 20.0, "lateral")
    twice = LinearVehicle(doubled(vehicle("manchester"), "k2y"), CONTACTS).at(20.0, "lateral")
    assert_allclose(half_way.A, (nominal.A + twice.A) / 2, rtol=1e-9, atol=1e-6)
    assert np.abs(twice.A - nominal.A).max() > 1.0


def test_contact_factors_act_on_every_wheelset(factored: FactoredVehicle) -> None:
    assert all(abs(each.conicity - 0.13) < 1e-12 for each in factored.linear({"conicity": 1.3}).contacts.values())
