"""A vehicle on track that gives way: wheel, contact and rail in series, and no energy of their own making."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from pydantic import ValidationError

from tests.running_cases import R0, coned, known, rough_rails, running, straight
from twin.contact.hertz import Material
from twin.contact.pressed import press_wheelset
from twin.core.arrays import Array, G
from twin.core.errors import ConfigError
from twin.vehicle.running import Rails, Record, Running, RunSettings, run
from twin.vehicle.running.contacts import ElasticContacts
from twin.vehicle.running.flexible import FlexibleRails, reduced_rail
from twin.vehicle.running.record import WHEEL_DEFLECTION, WHEEL_Q
from twin.vehicle.running.reference import reference_run
from twin.vehicle.statics import at_rest
from twin.vehicle.track_flexibility.beam import ComplexArray, meshed, receptance
from twin.vehicle.track_flexibility.parameters import BALLAST, Mesh
from twin.vehicle.track_flexibility.rail_steps import lossless_rail_at_speed

SPEED, STEP = 20.0, 2.5e-4
FREQUENCIES = np.array([20.0, 31.0, 40.0, 50.0, 63.0, 80.0, 100.0, 125.0, 160.0, 200.0])
"""Of waves under the wheels [Hz]; whole numbers, so that a second holds whole periods of all."""
WAVE = 5e-7
"""Height of each [m]: forces stay within a few percent of the load, where Hertz's spring is straight."""
RAIL = meshed(BALLAST, Mesh(length=40.0, element=0.1), places=np.zeros(1))
"""The whole beam below one wheel."""
UNDAMPED = coned("cone-20").model_copy(update={"material": Material(k_v=0.0)})
WHEELSET, FRAME = 1813.0, 10.0
"""Masses of the single wheelset and of the frame on it [kg]."""
SPRING, DAMPING, FRAME_HEIGHT = 1e4, 500.0, 0.6
"""Of the frame on each side [N/m, N s/m], and where it lies [m]."""


def flexible(settings: RunSettings) -> RunSettings:
    return settings.model_copy(update={"track": BALLAST})


def rails_of(run: Running) -> FlexibleRails:
    assert isinstance(run.contacts, ElasticContacts)
    assert run.contacts.flexible is not None
    return run.contacts.flexible


def waves() -> Rails:
    """Both rails alike, waves of all frequencies at the speed."""
    s = np.arange(-20.0, 80.0, 0.005)
    z = WAVE * np.sum([np.cos(2 * np.pi * f / SPEED * s + i**2) for i, f in enumerate(FREQUENCIES)], axis=0)
    return straight(length=60, rough=rough_rails([0 * s, z, 0 * s, z], s0=-20.0, step=0.005))


def force_per_wave(run_over: Running) -> ComplexArray:
    """(frequencies,) dynamic force of a wheel over the height of the wave under it [N/m]."""
    run(run_over, 1.0)
    record = run(run_over, 1.0)
    # forces are those of the state before the step that led to s
    s = record["wheelset.s"] - run_over.settings.dt * record.v[:, record.layout.index("wheelset.s")]
    phase = 2 * np.pi * s[:, None] * FREQUENCIES / SPEED + np.arange(FREQUENCIES.size) ** 2
    columns = np.hstack([np.ones((s.size, 1)), np.cos(phase), -np.sin(phase)])
    fit = np.linalg.lstsq(columns, record.wheel("Q")[:, 0])[0][1:]
    return (fit[: FREQUENCIES.size] + 1j * fit[FREQUENCIES.size :]) / WAVE


def in_series(rail: ComplexArray, run_over: Running) -> ComplexArray:
    """1 / (wheelset + contact + rail), each by its own formula; half of the frame rides on each side."""
    omega = 2 * np.pi * FREQUENCIES
    spring, inertia = SPRING + 1j * DAMPING * omega, -FRAME / 2 * omega**2
    hung = spring * inertia / (spring + inertia)
    wheelset = 1 / (-WHEELSET / 2 * omega**2 + hung)
    load = (WHEELSET + FRAME) / 2 * G
    left, _ = press_wheelset(run_over.pairs[0], y=0.0, loads=(load, load), material=Material(k_v=0.0))
    return np.asarray(1 / (wheelset + 1 / left.zones.rate.sum() + rail))


@pytest.fixture(scope="module")
def over_waves() -> Running:
    settings = RunSettings(step=STEP, rate=1 / STEP, wheel_rail=UNDAMPED)
    return running("single wheelset", waves(), speed=SPEED, settings=flexible(settings))


@pytest.fixture(scope="module")
def found(over_waves: Running) -> ComplexArray:
    return force_per_wave(over_waves)


@pytest.fixture(scope="module")
def expected(over_waves: Running) -> ComplexArray:
    alpha = receptance(RAIL, places=np.zeros(1), omega=2 * np.pi * FREQUENCIES, V=SPEED)[:, 0, 0]
    return in_series(alpha, over_waves)


def test_force_over_waves_is_that_of_wheelset_contact_and_whole_beam_in_series(
    found: ComplexArray, expected: ComplexArray
) -> None:
    assert_allclose(found, expected, rtol=0.03)


def test_wheelset_resonates_on_the_track_near_50_hz_and_not_where_it_would_on_its_contacts_alone(
    found: ComplexArray, over_waves: Running
) -> None:
    rigid = np.abs(in_series(np.zeros(FREQUENCIES.size, dtype=complex), over_waves))
    low = FREQUENCIES <= 100
    assert FREQUENCIES[low][np.abs(found)[low].argmax()] == 50
    assert np.abs(found)[FREQUENCIES == 50] > 3 * rigid[FREQUENCIES == 50]
    assert np.abs(found)[rigid.argmax()] < 0.1 * rigid.max()


@pytest.mark.parametrize("V", [0.0, 1.0])
@pytest.mark.parametrize("dt", [1e-4, 2.5e-4, 1e-3])
def test_rail_takes_power_at_every_frequency_and_step(V: float, dt: float) -> None:
    step = lossless_rail_at_speed(reduced_rail(BALLAST, (0.0,), 20.0), V=V, dt=dt).step
    z = np.exp(1j * np.linspace(1e-3, np.pi - 1e-3, 400))[:, None]
    turn, push = step.turn_real + 1j * step.turn_imaginary, (step.push_real + 1j * step.push_imaginary)[:, 0]
    pull = (step.pull_real + 1j * step.pull_imaginary)[:, 0]
    both = pull * push / (z - turn) + (pull * push).conj() / (z - turn.conj())
    assert (np.imag(both.sum(axis=1) / 2 + step.D[0, 0]) < 0).all()


def vertical_energy(run_on: Running, steps: int) -> Array:
    """(steps - 1,) of wheelset, frame, contacts and rails, which the load at rest has bent already [J].

    Forces and rails are those at a state, places those at the next one, so rates lie half a step to either side.
    """
    parts, rails = [], []
    for _ in range(steps):
        parts.append(run_on.stretch(1))
        rails.append(rails_of(run_on).energy())
    record = Record.join(parts)
    energy = np.array(rails)[1:]
    for body, mass in (("wheelset", WHEELSET), ("frame", FRAME)):
        v = record.v[:, record.layout.index(f"{body}.r_z")]
        energy += mass * (v[:-1] + v[1:]) ** 2 / 8 + mass * G * record[f"{body}.r_z"][:-1]
    gap = (record["frame.r_z"] - record["wheelset.r_z"])[:-1] - (FRAME_HEIGHT - R0)
    energy += SPRING * (gap - FRAME * G / (2 * SPRING)) ** 2
    load = (WHEELSET + FRAME) / 2 * G
    left, _ = press_wheelset(run_on.pairs[0], y=0.0, loads=(load, load), material=Material(k_v=0.0))
    depth = 1.5 * load / left.zones.rate.sum()  # Hertz's force grows with the power 3/2 of the depth
    Q = np.maximum(record.wheel("Q")[1:], 0.0)
    energy += 0.4 * load * depth * np.sum((Q / load) ** (5 / 3), axis=1)
    return np.asarray(energy + load * record.wheel("deflection")[1:].sum(axis=1))


@pytest.mark.parametrize("step", [1.25e-4, 2.5e-4, 5e-4])
def test_wheelset_that_was_pushed_down_gives_its_energy_to_the_track_and_gets_none(step: float) -> None:
    settings = RunSettings(step=step, rate=1 / step, wheel_rail=UNDAMPED)
    pushed = running("single wheelset", straight(), speed=SPEED, settings=flexible(settings))
    pushed.stretch(round(0.1 / step))
    rest = vertical_energy(pushed, 3)[-1]
    pushed.model.v[pushed.model.layout.index("wheelset.r_z")] -= 0.02
    energy = vertical_energy(pushed, round(0.15 / step)) - rest
    given = WHEELSET * 0.02**2 / 2
    assert_allclose(energy[0], given, rtol=0.05)
    highest_yet = np.maximum.accumulate(energy[::-1])[::-1]  # that is still to come
    assert (highest_yet - energy < 0.01 * given).all()
    assert energy[-1] < 0.02 * given


@pytest.mark.parametrize("name", ["single wheelset", "manchester"])
def test_on_straight_rails_nothing_moves_once_rolling_has_begun(name: str) -> None:
    settings = RunSettings(rate=1000, wheel_rail=coned("cone-20"))
    still = run(running(name, straight(), speed=SPEED, settings=flexible(settings)), 0.6)
    loads = np.array([load for pair in at_rest(known(name)[0]).wheel_loads.values() for load in pair])
    bent = receptance(RAIL, places=np.zeros(1), omega=np.zeros(1))[0, 0, 0].real * loads
    off = np.stack((still.wheel("Q") / loads - 1, still.wheel("deflection") / bent))
    # wheels are set down without spin creep, which lifts them by some thousandths on their cones as they begin to roll
    assert np.abs(off).max() < 3e-3
    assert np.abs(off[:, 500:]).max() < 1e-4


def test_cutting_a_run_into_stretches_changes_nothing_while_the_speed_does() -> None:
    step = 2.0**-12  # so that times are the same however they are summed
    settings = flexible(RunSettings(step=step, rate=1 / (4 * step), wheel_rail=coned("cone-20")))
    speed = np.array([0.0, 0.25]), np.array([19.0, 22.0])

    def on_its_way() -> Running:
        return running("single wheelset", waves(), speed=speed, settings=settings)

    whole = on_its_way().stretch(256)
    cut = on_its_way()
    parts = Record.join([cut.stretch(n) for n in (1, 100, 37, 118)])
    assert np.ptp(whole.v[:, whole.layout.index("wheelset.s")]) > 1.5  # beyond what a rail at one speed serves
    assert_array_equal(parts.q, whole.q)
    assert_array_equal(parts.wheels, whole.wheels)


@pytest.fixture(scope="module")
def long_wave() -> tuple[Record, Record, FlexibleRails]:
    """A vehicle over a long hump of one rail: on rigid and on flexible track."""
    s = np.arange(-50.0, 100.0, 0.1)
    hump = 5e-3 * np.exp(-(((s - 32) / 5.0) ** 2))
    rails = straight(length=80, rough=rough_rails([0 * s, hump, 0 * s, 0 * s], s0=-50.0, step=0.1))
    settings = RunSettings(rate=500)
    rigid = run(running("manchester", rails, speed=SPEED, settings=settings), 1.5)
    soft = running("manchester", rails, speed=SPEED, settings=flexible(settings))
    return rigid, run(soft, 1.5), rails_of(soft)


def test_slow_motion_of_the_vehicle_is_as_on_rigid_track(long_wave: tuple[Record, Record, FlexibleRails]) -> None:
    rigid, soft, _ = long_wave
    for name in ("carbody.r_z", "carbody.roll", "carbody.pitch"):
        size = np.ptp(rigid[name])
        assert size > 1e-4
        assert_allclose(soft[name], rigid[name], atol=0.01 * size)


def test_slow_loads_deflect_the_rails_by_their_static_receptance(
    long_wave: tuple[Record, Record, FlexibleRails],
) -> None:
    _, soft, rails = long_wave
    places = rails.modes.places
    beam = meshed(BALLAST, Mesh(length=60.0, element=0.1), places=places)
    alpha = receptance(beam, places=places, omega=np.zeros(1), V=SPEED)[0].real
    left = soft.wheels[:, 0::2]
    f = left[:, :, WHEEL_Q] - [loads[0] for loads in at_rest(known("manchester")[0]).wheel_loads.values()]
    assert np.abs(f).max() > 500
    assert_allclose(left[:, :, WHEEL_DEFLECTION], f @ alpha.T, atol=0.02 * np.abs(f @ alpha.T).max())


def test_knives_and_references_ask_for_rigid_track() -> None:
    with pytest.raises(ValidationError, match="set contact = 'elastic'"):
        RunSettings(contact="knife", track=BALLAST)
    soft = running("single wheelset", straight(), speed=SPEED, settings=flexible(RunSettings()))
    with pytest.raises(ConfigError, match="only rigid track"):
        reference_run(soft, 0.1)
