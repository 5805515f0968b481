"""Laws of the flexible track: statics, moving loads, reciprocity, passivity, and what the moving modes keep of them."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from twin.core.arrays import Array
from twin.core.errors import ConfigError
from twin.vehicle.plain.track_flexibility import moving_receptance
from twin.vehicle.track_flexibility.beam import Beam, ComplexArray, meshed, receptance
from twin.vehicle.track_flexibility.moving_modes import (
    MovingModes,
    Reduction,
    deflection_matrix,
    force_matrix,
    moving_modes,
    reduced_receptance,
    state_matrix,
    step_matrices,
)
from twin.vehicle.track_flexibility.parameters import (
    BALLAST,
    BALLAST_SLEEPERS,
    SLAB_EULER,
    ContinuousSupport,
    Layer,
    Mesh,
    Rail,
    SleeperSupport,
    Track,
)
from twin.vehicle.track_flexibility.poles import at_rest, poles, step_poles

BOGIE = np.array([1.25, -1.25])
REDUCTION = Reduction(to_frequency=1000.0, frequencies=24, speeds=(0.0, 50.0), tolerance=1e-2)
HERTZ = 2 * np.pi


def closed_form(track: Track, *, omega: float, V: float, places: Array) -> ComplexArray:
    """Receptances (p, p) of an endless track."""
    assert isinstance(track.support, ContinuousSupport)
    xi = places[:, None] - places
    found = moving_receptance(track.rail, track.support, omega=omega, V=V, xi=xi.ravel())
    return np.asarray(found.reshape(xi.shape))


def largest_error(found: Array | ComplexArray, exact: Array | ComplexArray) -> float:
    return float(np.abs(found - exact).max() / np.abs(exact).max())


def random_track(rng: np.random.Generator, *, euler: bool, ballast: bool) -> Track:
    def layer(low: float, high: float) -> Layer:
        return Layer(stiffness=rng.uniform(low, high), damping=rng.uniform(2e4, 8e4))

    below = {"mass": rng.uniform(150.0, 300.0), "ballast": layer(5e7, 1.5e8)} if ballast else {}
    rail = Rail(second_moment=rng.uniform(0.5e-5, 4e-5), shear_coefficient=None if euler else rng.uniform(0.3, 0.6))
    return Track(name="random", source="test", rail=rail, support=ContinuousSupport(pad=layer(1e8, 5e8), **below))


@pytest.fixture(scope="module")
def bogie() -> MovingModes:
    return moving_modes(BALLAST, places=BOGIE, mesh=Mesh(length=16.0), reduction=REDUCTION)


@pytest.fixture(scope="module")
def beam() -> Beam:
    return meshed(BALLAST, Mesh(), places=BOGIE)


def test_a_force_at_rest_deflects_an_euler_rail_by_its_share_of_the_textbook() -> None:
    support = SLAB_EULER.support
    beta = (support.pad.stiffness / (4 * SLAB_EULER.rail.bending_stiffness)) ** 0.25
    beam = meshed(SLAB_EULER, Mesh(), places=np.array([0.0]))
    found = receptance(beam, places=np.array([0.0, 0.6]), omega=np.array([0.0]))[0, :, 0].real
    x = beta * np.array([0.0, 0.6])
    expected = beta / (2 * support.pad.stiffness) * np.exp(-x) * (np.cos(x) + np.sin(x))
    assert_allclose(found, expected, rtol=5e-5)


@pytest.mark.parametrize("share", [0.1, 0.3, 0.6, 0.8])
def test_a_moving_load_deflects_the_rail_more_as_the_critical_speed_is_neared(share: float) -> None:
    """w = (beta / 2 k) / sqrt(1 - (V / V_cr)^2), V_cr^2 = 2 sqrt(k E I) / m, without damping [Fryba 1972, ch. 13]."""
    k = 3e8
    track = SLAB_EULER.model_copy(update={"support": ContinuousSupport(pad=Layer(stiffness=k))})
    EI, m = track.rail.bending_stiffness, track.rail.mass
    V = share * np.sqrt(2 * np.sqrt(k * EI) / m)
    expected = (k / (4 * EI)) ** 0.25 / (2 * k) / np.sqrt(1 - share**2)
    place = np.array([0.0])
    assert_allclose(closed_form(track, omega=0.0, V=V, places=place), expected, rtol=1e-9)
    found = receptance(meshed(track, Mesh(), places=place), places=place, omega=np.array([0.0]), V=V)
    assert_allclose(found, expected, rtol=1e-3)


@pytest.mark.parametrize("euler", [False, True])
@pytest.mark.parametrize("ballast", [False, True])
def test_elements_answer_as_the_endless_track_does_at_any_speed(*, euler: bool, ballast: bool) -> None:
    rng = np.random.default_rng(4)
    places = np.array([-1.3, 0.17, 1.1])
    for V in (0.0, *rng.uniform(-90.0, 90.0, 3)):
        track = random_track(rng, euler=euler, ballast=ballast)
        beam = meshed(track, Mesh(length=30.0, element=0.1), places=places)
        for frequency in (0.0, *rng.uniform(5.0, 1500.0, 2)):
            omega = HERTZ * frequency
            found = receptance(beam, places=places, omega=np.array([omega]), V=V)[0]
            assert largest_error(found, closed_form(track, omega=omega, V=V, places=places)) < 2e-3


def test_sleepers_a_hand_apart_are_an_even_support() -> None:
    rng = np.random.default_rng(9)
    near = SleeperSupport(
        spacing=0.1,
        pad=Layer(stiffness=3e7, damping=3e3),
        mass=25.0,
        ballast=Layer(stiffness=1e7, damping=8e3),
    )
    track = BALLAST.model_copy(update={"support": near})
    place = np.array([0.0])
    beam = meshed(track, Mesh(), places=place)
    for omega in HERTZ * rng.uniform(5.0, 1000.0, 4):
        found = receptance(beam, places=place, omega=np.array([omega]))[0]
        assert largest_error(found, closed_form(track.spread(), omega=omega, V=0.0, places=place)) < 5e-3


def test_the_ends_of_the_mesh_send_no_echo(beam: Beam) -> None:
    omega = HERTZ * np.geomspace(5.0, 1500.0, 12)
    long = meshed(BALLAST, Mesh(length=60.0, absorbing=0.1), places=BOGIE)
    near, far = (receptance(one, places=BOGIE, omega=omega, V=30.0) for one in (beam, long))
    assert largest_error(near, far) < 2e-4


def test_deflection_here_by_a_force_there_is_that_there_by_a_force_here_in_a_frame_that_runs_back(beam: Beam) -> None:
    omega = HERTZ * np.array([0.0, 70.0, 700.0])
    for V in (0.0, 60.0):
        there = receptance(beam, places=BOGIE, omega=omega, V=V)
        here = receptance(beam, places=BOGIE, omega=omega, V=-V)
        assert_allclose(there, np.swapaxes(here, 1, 2), rtol=1e-4, atol=1e-6 * np.abs(here).max())


def test_moving_modes_answer_as_the_endless_track_does_at_speeds_and_frequencies_not_tried(bogie: MovingModes) -> None:
    rng = np.random.default_rng(5)
    for V in (0.0, 13.0, 27.0, 50.0):
        for omega in HERTZ * rng.uniform(0.0, REDUCTION.to_frequency, 12):
            found = reduced_receptance(bogie, omega=np.array([omega]), V=V)[0]
            exact = closed_form(BALLAST, omega=omega, V=V, places=BOGIE)
            assert largest_error(found, exact) < 1.5 * REDUCTION.tolerance


def test_more_modes_answer_better(bogie: MovingModes) -> None:
    worst = np.array(bogie.worst)
    assert worst[-1] <= REDUCTION.tolerance < worst[-2]
    assert worst[0] > 0.5
    assert np.polyfit(np.arange(worst.size), np.log(worst), 1)[0] < -0.2


def test_energy_of_the_free_track_never_grows_at_any_speed(bogie: MovingModes) -> None:
    for V in (-30.0, 0.0, 20.0, 50.0, 120.0):
        A = state_matrix(bogie, V=V)
        power = np.linalg.eigvalsh((A + A.T) / 2)  # energy is x'x / 2
        assert power.max() <= 1e-9 * np.abs(A).max()
        assert np.linalg.eigvals(A).real.max() < 0.0


def test_energy_of_the_free_track_never_grows_while_the_speed_changes(bogie: MovingModes) -> None:
    rng = np.random.default_rng(6)
    x = rng.standard_normal(bogie.states)
    for V in rng.uniform(-80.0, 80.0, 20):
        Phi, _ = step_matrices(bogie, V=V, dt=2e-4)
        after = Phi @ x
        assert after @ after <= x @ x * (1 + 1e-12)
        x = after


def test_a_track_at_rest_takes_power_at_every_frequency_and_pair_of_forces(bogie: MovingModes) -> None:
    omega = HERTZ * np.geomspace(1.0, 3000.0, 60)
    mobility = 1j * omega[:, None, None] * reduced_receptance(bogie, omega=omega)
    taken = np.linalg.eigvalsh((mobility + np.conj(np.swapaxes(mobility, 1, 2))) / 2)
    assert taken.min() >= -1e-9 * np.abs(mobility).max()


def test_reduced_receptance_at_rest_is_reciprocal(bogie: MovingModes) -> None:
    H = reduced_receptance(bogie, omega=HERTZ * np.array([3.0, 130.0, 800.0]))
    assert_allclose(H, np.swapaxes(H, 1, 2), rtol=1e-3)


def test_steps_under_constant_forces_end_in_the_steady_deflection(bogie: MovingModes) -> None:
    V, force = 40.0, np.array([8e4, 6e4])
    Phi, Gamma = step_matrices(bogie, V=V, dt=1e-3)
    x = np.zeros(bogie.states)
    for _ in range(400):
        x = Phi @ x + Gamma @ force
    expected = closed_form(BALLAST, omega=0.0, V=V, places=BOGIE).real @ force
    assert_allclose(deflection_matrix(bogie) @ x, expected, rtol=2 * REDUCTION.tolerance)


@pytest.mark.parametrize("V", [0.0, 33.0])
def test_poles_step_as_the_matrix_exponential_does(bogie: MovingModes, V: float) -> None:
    rng = np.random.default_rng(7)
    Phi, Gamma = step_matrices(bogie, V=V, dt=1e-4)
    track = poles(bogie, V=V, dt=1e-4)
    A, F, W = state_matrix(bogie, V=V), force_matrix(bogie), deflection_matrix(bogie)
    x, z = np.zeros(bogie.states), at_rest(track)
    deflection, rate = np.empty(2), np.empty(2)
    for force in rng.uniform(0.0, 1e5, (300, 2)):
        x = Phi @ x + Gamma @ force
        step_poles(track, z, force, deflection, rate)
        assert_allclose(deflection, W @ x, rtol=1e-7, atol=1e-11)
        assert_allclose(rate, W @ (A @ x + F @ force), rtol=1e-6, atol=1e-8)


def test_a_track_without_load_stays_at_rest(bogie: MovingModes) -> None:
    track = poles(bogie, V=0.0, dt=1e-3)
    z, deflection, rate = at_rest(track), np.full(2, np.nan), np.full(2, np.nan)
    step_poles(track, z, np.zeros(2), deflection, rate)
    assert not deflection.any()
    assert not rate.any()


def test_steps_must_go_forward_in_time(bogie: MovingModes) -> None:
    with pytest.raises(ConfigError, match="dt must be positive"):
        poles(bogie, V=0.0, dt=0.0)


def test_shapes_are_those_of_the_rail_under_the_wheels(bogie: MovingModes) -> None:
    at_wheels = [int(np.argmin(np.abs(bogie.nodes - place))) for place in BOGIE]
    assert_allclose(bogie.shapes[at_wheels], bogie.W, rtol=1e-9, atol=1e-15)


@pytest.mark.parametrize("frequency", [60.0, 350.0, 800.0])
def test_wheels_on_contact_springs_over_corrugation_press_as_the_receptances_say(
    bogie: MovingModes, frequency: float
) -> None:
    """f = r / (alpha_w + alpha_c + alpha_r) for all wheels at once; the trailing wheel meets the same waves later."""
    V, dt, mass, k_H = 40.0, 1e-5, 600.0, 1.2e9
    omega = HERTZ * frequency
    roughness = 1e-5 * np.exp(1j * omega * BOGIE / V)  # the leading wheel is at every wave first
    alpha = (1 / k_H - 1 / (mass * omega**2)) * np.eye(2) + closed_form(BALLAST, omega=omega, V=V, places=BOGIE)
    expected: ComplexArray = np.asarray(np.linalg.solve(alpha, roughness), dtype=complex)

    track = poles(bogie, V=V, dt=dt)
    rail, deflection, rate = at_rest(track), np.zeros(2), np.zeros(2)
    height, speed, found = np.zeros(2), np.zeros(2), np.zeros(2, dtype=complex)
    steps, period = round(0.35 / dt), round(0.05 / dt)  # whole periods of each frequency in the last 0.05 s
    for n in range(steps):
        turn = np.exp(1j * omega * n * dt)
        force = k_H * (height + (roughness * turn).real - deflection)
        speed -= force / mass * dt
        height += speed * dt
        step_poles(track, rail, force, deflection, rate)
        if n >= steps - period:
            found += 2 / period * force * np.conj(turn)
    assert_allclose(np.abs(found), np.abs(expected), rtol=0.02)
    assert largest_error(found, expected) < 0.03


def test_hysteretic_losses_are_refused_where_time_matters() -> None:
    with pytest.raises(ConfigError, match="viscous damping instead"):
        moving_modes(BALLAST_SLEEPERS, places=BOGIE)


def test_sleepers_do_not_travel() -> None:
    sleepers = SleeperSupport(pad=Layer(stiffness=3e8, damping=3e4))
    track = BALLAST.model_copy(update={"support": sleepers})
    with pytest.raises(ConfigError, match=r"Track\.spread\(\)"):
        receptance(meshed(track, Mesh(), places=BOGIE), places=BOGIE, omega=np.array([1.0]), V=10.0)


def test_a_wheel_beyond_the_mesh_is_an_error_that_says_what_to_do() -> None:
    with pytest.raises(ConfigError, match="lengthen the mesh"):
        meshed(BALLAST, Mesh(), places=np.array([11.0]))


def test_an_accuracy_out_of_reach_is_an_error_that_says_what_to_do() -> None:
    few = Reduction(frequencies=4, speeds=(0.0,), most_shapes=4)
    with pytest.raises(ConfigError, match="loosen it, lower to_frequency, or allow more shapes"):
        moving_modes(BALLAST, places=np.array([0.0]), reduction=few)


def test_an_accuracy_beyond_that_of_the_mesh_is_an_error_and_no_endless_search() -> None:
    beyond = Reduction(frequencies=4, speeds=(90.0,), tolerance=1.1e-6)
    with pytest.raises(ConfigError, match="shapes leave an error of"):
        moving_modes(BALLAST, places=np.array([0.0]), mesh=Mesh(length=12.0, element=0.4), reduction=beyond)


def test_sleepers_without_mass_on_ballast_are_refused() -> None:
    with pytest.raises(ConfigError, match="mass is zero on ballast"):
        ContinuousSupport.load({"pad": {"stiffness": 1e8}, "ballast": {"stiffness": 1e8}}, where="track.toml")
