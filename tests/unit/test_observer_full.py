"""The observer of the whole vehicle: steady gains against the book, sensors against mechanics, errors as stated."""

from functools import cache
from typing import NamedTuple

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.linalg import expm

from twin.core.arrays import Array, G
from twin.observer.config import TrackPrior
from twin.observer.full_filter import FullObserver, FullSteps, full_steps, noise, smoothed_outputs
from twin.observer.full_model import FullModel, full_model
from twin.observer.observability import transfer
from twin.observer.plain.full import follow
from twin.observer.sensors import Fitted, full_set, seville_set
from twin.observer.steady import steady
from twin.vehicle.library import vehicle
from twin.vehicle.linear import Block, LinearVehicle
from twin.vehicle.wheel_rail import cones

DT, V = 0.002, 20.0
CONTACT = cones(conicity=0.1, half_distance=0.75, f11=8e6, f22=7e6, f23=2e4, f33=50.0)
VEHICLE = vehicle("manchester")
LACKING = {"wheelset": 0.03, "bogie": 0.03, "carbody": 0.01}


@cache
def linear() -> LinearVehicle:
    return LinearVehicle(VEHICLE, [CONTACT] * 4)


@cache
def modelled(block: Block, fitted: Fitted | None = None) -> FullModel:
    fitted = fitted or full_set(VEHICLE, accel_sd=0.05, gyro_sd=2e-3)
    return full_model(
        linear().at(V, block),
        block,
        VEHICLE,
        contacts=linear().contacts,
        prior=TrackPrior(),
        channels=fitted.of(block),
        lacking=LACKING,
    )


def variances(block: Block) -> Array:
    return np.array([channel.sd**2 for channel in full_set(VEHICLE, accel_sd=0.05, gyro_sd=2e-3).of(block)])


class Run(NamedTuple):
    steps: FullSteps
    rows: Array
    F: Array
    Q: Array
    states: Array
    z: Array


@cache
def made(block: Block, word: str, samples: int = 12000) -> Run:
    """A run that the model itself makes."""
    model, r, rng = modelled(block), variances(block), np.random.default_rng(7)
    rows = np.stack([model.outputs[f"wheelset {w}.{word}"] for w in (1, 3)])
    steps, F, Q = full_steps(model, r, dt=DT, outputs=rows), expm(DT * model.A), noise(model.A, model.L, DT)
    values, vectors = np.linalg.eigh(Q)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    x, states = np.zeros(len(F)), np.empty((samples, len(F)))
    for i in range(samples):
        x = F @ x + root @ rng.standard_normal(len(F))
        states[i] = x
    z = states @ model.C.T + np.sqrt(r) * rng.standard_normal((samples, len(r)))
    return Run(steps, rows, F, Q, states, z)


def followed(run: Run, z: Array) -> tuple[Array, Array]:
    """Causal and smoothed outputs."""
    observer = FullObserver(lambda speed: run.steps, np.array([V]), gate=1e9)
    parts = observer.process(np.full(len(z), V), z, np.zeros((len(z), len(run.steps.Gamma_T))))
    return parts[0].causal, smoothed_outputs(parts)[0]


def test_steady_filter_and_smoother_are_what_the_book_settles_to() -> None:
    rng, n = np.random.default_rng(1), 400
    A, L, C = rng.standard_normal((4, 4)) - 3 * np.eye(4), rng.standard_normal((4, 2)), rng.standard_normal((3, 4))
    model = FullModel(V, A, np.zeros((4, 0)), L, C, np.zeros((3, 0)), (), {})
    r, rows, dt = np.array([0.01, 0.02, 0.03]), np.eye(4), 0.05
    steps, F, Q = full_steps(model, r, dt=dt, outputs=rows), expm(A * dt), noise(A, L, dt)
    found, z = steady(F, Q, C, r), rng.standard_normal((n, 3))
    corrected, smoothed = follow(F, Q, C, r, z, np.zeros((n, 4)), found.P_corrected)
    assert_allclose(found.P_corrected, corrected[1][-1], rtol=1e-9, atol=1e-12)
    parts = FullObserver(lambda speed: steps, np.array([V]), gate=1e9).process(np.full(n, V), z, np.zeros((n, 0)))
    assert_allclose(parts[0].causal, corrected[0], rtol=1e-8, atol=1e-10)
    assert_allclose(smoothed_outputs(parts)[0], smoothed[0], rtol=1e-8, atol=1e-10)
    assert_allclose(steps.var_smoothed, np.diagonal(smoothed[1][n // 2]), rtol=1e-8)


def test_steady_covariance_of_a_vehicle_is_a_fixed_point() -> None:
    run, r, C = made("vertical", "level"), variances("vertical"), modelled("vertical").C
    found = steady(run.F, run.Q, C, r)
    corrected, _ = follow(run.F, run.Q, C, r, run.z[:200], np.zeros((200, len(run.F))), found.P_corrected)
    assert_allclose(np.diagonal(corrected[1][-1]), np.diagonal(found.P_corrected), rtol=1e-6)
    assert (np.linalg.eigvalsh(found.P_smoothed / np.sqrt(np.outer(*2 * [np.diagonal(found.P)]))) > -1e-9).all()


@pytest.mark.parametrize(("block", "word"), [("lateral", "alignment"), ("vertical", "level")])
def test_smoothing_beats_the_causal_estimate_and_both_are_as_good_as_stated(block: Block, word: str) -> None:
    run = made(block, word)
    truth = run.states @ run.rows.T
    causal, smooth = followed(run, run.z)
    for estimate, variance in ((causal, run.steps.var_causal), (smooth, run.steps.var_smoothed)):
        error = (estimate - truth)[500:-200] / np.sqrt(variance)
        assert 0.4 < np.sqrt(np.mean(error**2)) < 1.6  # waves are long: a run holds few independent errors
    assert (run.steps.var_smoothed < run.steps.var_causal).all()


def test_accelerometers_show_what_the_cant_leaves_in_a_steady_curve() -> None:
    model = modelled("lateral")
    u = np.zeros(len(model.inputs))
    for place, name in enumerate(model.inputs):
        u[place] = {"rho_h": 1 / 3000, "roll": -0.01}.get(name.rsplit(".", 1)[1], 0.0)
    x = np.linalg.lstsq(model.A, -model.B @ u)[0]
    shown = model.C @ x + model.D @ u
    channels = full_set(VEHICLE, accel_sd=0.05, gyro_sd=2e-3).of("lateral")
    demand = V**2 / 3000 - 0.01 * G
    roll = {name: float(row @ x) for name, row in model.outputs.items() if name.endswith(".roll")}
    for channel, value in zip(channels, shown, strict=True):
        if channel.shown == "rate_z":
            assert_allclose(value, V / 3000, rtol=1e-6)
        elif channel.shown == "accel_y" and f"{channel.body}.roll" in roll:
            assert_allclose(value, demand + G * roll[f"{channel.body}.roll"], rtol=1e-3)


def test_any_subset_of_sensors_is_a_model_of_its_own() -> None:
    published = seville_set(VEHICLE, accel_sd=0.05, gyro_sd=2e-3)
    every = full_set(VEHICLE, accel_sd=0.05, gyro_sd=2e-3)
    few, all_of = modelled("lateral", published), modelled("lateral")
    assert few.C.shape[0] == 5
    assert few.A.shape == all_of.A.shape
    names = [channel.name for channel in every.of("lateral")]
    for channel, row in zip(published.of("lateral"), few.C, strict=True):
        assert_allclose(row, all_of.C[names.index(channel.name)])


def test_other_cuts_of_the_samples_change_nothing() -> None:
    run = made("vertical", "level")
    u = np.zeros((len(run.z), len(run.steps.Gamma_T)))
    speeds = np.full(len(run.z), V)
    whole = FullObserver(lambda speed: run.steps, np.array([V]), gate=50.0).process(speeds, run.z, u)
    observer, parts = FullObserver(lambda speed: run.steps, np.array([V]), gate=50.0), []
    for cut in np.split(np.arange(len(run.z)), [1, 17, 900, 1003]):
        parts += observer.process(speeds[cut], run.z[cut], u[cut])
    assert np.array_equal(np.concatenate([part.causal for part in parts]), whole[0].causal)
    assert np.array_equal(np.concatenate(smoothed_outputs(parts)), smoothed_outputs(whole)[0])


def test_missing_samples_are_not_accepted_and_harm_nothing() -> None:
    run = made("vertical", "level")
    z = run.z.copy()
    z[1000:1100, 0] = np.nan
    observer = FullObserver(lambda speed: run.steps, np.array([V]), gate=1e9)
    (part,) = observer.process(np.full(len(z), V), z, np.zeros((len(z), len(run.steps.Gamma_T))))
    assert not part.accepted[1000:1100, 0].any()
    assert np.isfinite(part.causal).all()
    assert np.isfinite(smoothed_outputs([part])[0]).all()


def test_both_bogies_meet_the_same_rails_in_spectra() -> None:
    """Alignment under the third wheelset is that under the first, 19 m later."""
    omega, model = 2 * np.pi * np.array([0.5, 2.0]), modelled("lateral")
    rows = np.stack([model.outputs[f"wheelset {w}.alignment"] for w in (1, 3)])
    first, third = transfer(model, rows, omega).swapaxes(0, 1)
    assert_allclose(third, first * np.exp(-1j * omega * 19.0 / V)[:, None], rtol=1e-9, atol=1e-15)
