"""Laws of wheels on a flexible rail: their linear response, contact and its loss, energy, coupling, cuts."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from tests.wheel_stretches import VEHICLE_RATE, cut, rolling
from twin.core.arrays import Array
from twin.core.errors import ConfigError
from twin.simulation.short_wave import (
    CorrugationPatch,
    HalfWheelset,
    InteractionConfig,
    RailAndWheels,
    RoughnessConfig,
    ShortWaveConfig,
    ShortWaves,
    SurfaceFault,
    WheelRoughnessConfig,
    WheelsetBending,
    box_response,
    reduced_rail,
)
from twin.simulation.short_wave.contact_filter import filter_gain
from twin.vehicle.track_flexibility.moving_modes import MovingModes, reduced_receptance

RATE = 25600.0
LOAD = 50e3
CONFIG = InteractionConfig()
QUIET = WheelRoughnessConfig(above_curve_db=-60.0)


@pytest.fixture(scope="module")
def modes() -> MovingModes:
    return reduced_rail(CONFIG, places=np.array([1.28, -1.28]))


def run(
    config: InteractionConfig, modes: MovingModes, roughness: Array, V: float
) -> tuple[RailAndWheels, Array, Array]:
    """Wheels after the roughness (n, 2), with their box accelerations and forces."""
    wheels = RailAndWheels(config, modes)
    n = roughness.shape[0]
    motion = wheels.process(roughness=roughness, load=np.full((n, 2), LOAD), V=np.full(n, V))
    return wheels, motion.acceleration, motion.force


def tones(frequencies: Array, *, amplitude: float, seconds: int) -> Array:
    t = np.arange(int(seconds * RATE)) / RATE
    phases = np.random.default_rng(5).uniform(0, 2 * np.pi, frequencies.size)
    return np.asarray(amplitude * np.cos(2 * np.pi * frequencies * t[:, None] + phases).sum(axis=1))


@pytest.mark.parametrize("bending", [None, WheelsetBending()])
@pytest.mark.parametrize("V", [0.0, 20.0, 55.0])
def test_a_box_answers_small_roughness_by_the_receptances(
    modes: MovingModes, bending: WheelsetBending | None, V: float
) -> None:
    """a / r = -omega^2 alpha_w / (alpha_w + alpha_c + alpha_r), 50 to 1500 Hz, of the own wheel and of the other."""
    config = CONFIG.model_copy(update={"wheelset": HalfWheelset(bending=bending)})
    frequencies = np.unique(np.round(np.geomspace(50.0, 1500.0, 40)))
    r = np.zeros((int(4 * RATE), 2))
    r[:, 0] = tones(frequencies, amplitude=2e-9, seconds=4)
    _, acceleration, _ = run(config, modes, r, V)
    last = slice(-int(RATE), None)
    bins = frequencies.astype(int)
    drive = np.fft.rfft(r[last, 0])[bins]
    found = np.fft.rfft(acceleration[last], axis=0)[bins] / drive[:, None]
    expected = box_response(config, modes, omega=2 * np.pi * frequencies, load=LOAD, V=V)[:, :, 0]
    assert_allclose(np.abs(found[:, 0] / expected[:, 0] - 1), 0.0, atol=0.03)
    assert np.abs(found[:, 1] - expected[:, 1]).max() < 0.03 * np.abs(expected[:, 0]).max()


def test_without_coupling_the_response_is_the_formula_of_one_wheel() -> None:
    modes = reduced_rail(CONFIG, places=np.array([0.0]))
    omega = 2 * np.pi * np.array([60.0, 300.0, 1200.0])
    found = box_response(CONFIG, modes, omega=omega, load=LOAD)[:, 0, 0]
    alpha_w, alpha_c = -1 / (700.0 * omega**2), 1 / CONFIG.contact_stiffness(LOAD)
    alpha_r = reduced_receptance(modes, omega=omega)[:, 0, 0]
    assert_allclose(found, -(omega**2) * alpha_w / (alpha_w + alpha_c + alpha_r), rtol=1e-9)
    assert 1.0e9 < 1 / alpha_c < 1.4e9


@pytest.mark.parametrize(("wavelength", "V"), [(0.05, 20.0), (0.1, 40.0)])
def test_a_corrugation_patch_shakes_a_box_by_the_formula(wavelength: float, V: float, modes: MovingModes) -> None:
    patch = CorrugationPatch(from_s=110.0, to_s=110.0 + 3 * V, wavelength=wavelength, depth=20e-6)
    rails = RoughnessConfig(above_limit_db=-60.0, corrugation=(patch,))
    stage = ShortWaves(ShortWaveConfig(rails=rails, wheel=QUIET), vehicle_rate=VEHICLE_RATE)
    fast = stage.process(rolling(V=V, duration=3.0))
    inside = (fast.t > 1.0) & (fast.t < 2.5)
    f = V / wavelength
    wave = np.exp(-2j * np.pi * f * fast.t[inside])
    found = 2 * np.abs(np.mean(fast.acceleration[inside] * wave[:, None], axis=0))
    H = box_response(CONFIG, modes, omega=2 * np.pi * np.array([f]), load=LOAD, V=V)[0]
    # both wheels of a rail roll over the same wave, 2.56 m apart
    phase = np.exp(2j * np.pi * np.array([1.28, -1.28]) / wavelength)
    expected = np.abs(H @ phase) * 10e-6 * filter_gain(np.array([wavelength]), load=LOAD)[0]
    assert_allclose(found, np.repeat(expected, 2), rtol=0.03)


def test_a_dipped_joint_at_high_speed_throws_the_wheel_off_the_rail() -> None:
    joint = SurfaceFault(s=110.0, depth=2e-3, length=0.3)
    config = ShortWaveConfig(rails=RoughnessConfig(above_limit_db=-60.0, faults=(joint,)), wheel=QUIET)
    least = {}
    for V in (2.0, 50.0):
        stage = ShortWaves(config, vehicle_rate=VEHICLE_RATE)
        fast = stage.process(rolling(V=V, duration=1.0 + 10.0 / V, s=109.0 - V / 2))
        least[V] = fast.force.min()
        assert_allclose(fast.force[-100:], LOAD, rtol=0.02)  # it comes back and rests
    assert least[50.0] == 0.0
    assert least[2.0] > 0.3 * LOAD


def test_a_wheel_in_the_air_falls_with_its_load(modes: MovingModes) -> None:
    r = np.zeros((400, 2))
    r[100:] = -1e-3  # the rail is gone for a millimetre
    _, acceleration, force = run(CONFIG, modes, r, 20.0)
    free = force[:, 0] == 0.0
    assert free.sum() > 50
    assert_allclose(acceleration[free, 0], -LOAD / CONFIG.wheelset.mass, rtol=1e-9)


def test_energy_does_not_grow(modes: MovingModes) -> None:
    """After an impact and loss of contact, over roughness that has ended, at any speed and across its changes."""
    rng = np.random.default_rng(8)
    for start, end in ((0.0, 0.0), (20.0, 20.0), (50.0, 56.0)):
        wheels = RailAndWheels(CONFIG, modes)
        r = 3e-4 * rng.standard_normal((256, 2))
        load = np.full((256, 2), LOAD)
        wheels.process(roughness=r, load=load, V=np.full(256, start))
        V = np.linspace(start, end, 60 * 256)
        energy = []
        for part in np.split(V, 60):
            motion = wheels.process(roughness=np.zeros((256, 2)), load=load, V=part)
            assert np.isfinite(motion.force).all()
            energy.append(wheels.energy())
        # energy to and fro between contact and motion within a 10 ms part: judged over tenths of a second
        peaks = np.array(energy).reshape(6, 10).max(axis=1)
        assert (np.diff(peaks) < 0).all()
        assert peaks[-1] < 1e-3 * peaks[0]


def test_a_load_that_changes_slowly_makes_no_noise(modes: MovingModes) -> None:
    t = np.arange(int(RATE)) / RATE
    load = LOAD * (1 + 0.3 * np.sin(2 * np.pi * 2.0 * t))[:, None] * np.ones(2)
    motion = RailAndWheels(CONFIG, modes).process(roughness=np.zeros((t.size, 2)), load=load, V=np.full(t.size, 20.0))
    assert np.abs(motion.acceleration).max() < 1e-6
    assert_allclose(motion.force, load, rtol=1e-9)


def test_the_speed_may_change_on_the_way_without_a_jolt(modes: MovingModes) -> None:
    n = int(RATE)
    r = np.zeros((n, 2))
    r[:] = tones(np.array([150.0, 700.0]), amplitude=1e-6, seconds=1)[:, None]
    load = np.full((n, 2), LOAD)
    ramp = RailAndWheels(CONFIG, modes).process(roughness=r, load=load, V=np.linspace(20.0, 23.0, n))
    steady = RailAndWheels(CONFIG, modes).process(roughness=r, load=load, V=np.full(n, 21.5))
    scale = np.abs(steady.acceleration).max()
    assert np.abs(ramp.acceleration - steady.acceleration).max() < 0.02 * scale


@pytest.mark.parametrize("seed", [0, 1])
def test_cuts_change_no_bit(seed: int) -> None:
    rng = np.random.default_rng(seed)
    config = ShortWaveConfig(rails=RoughnessConfig(faults=(SurfaceFault(s=110.0, depth=1e-3),)))
    stretch = rolling(V=30.0, duration=0.6)
    stretch.V[:] = np.linspace(28.0, 31.0, stretch.V.size)  # over several of the rail's speeds
    whole = ShortWaves(config, vehicle_rate=VEHICLE_RATE).process(stretch)
    stage = ShortWaves(config, vehicle_rate=VEHICLE_RATE)
    parts = [stage.process(part) for part in cut(stretch, np.sort(rng.integers(1, 600, 9)))]
    assert_array_equal(np.concatenate([part.force for part in parts]), whole.force)
    assert_array_equal(np.concatenate([part.acceleration for part in parts]), whole.acceleration)
    assert_allclose(np.concatenate([part.t for part in parts]), whole.t, rtol=0, atol=1e-12)


def test_a_stretch_of_other_wheels_is_refused() -> None:
    config = ShortWaveConfig(wheels=ShortWaveConfig().wheels[:2])
    with pytest.raises(ConfigError, match="2 wheels, the stretch 4"):
        ShortWaves(config, vehicle_rate=VEHICLE_RATE).process(rolling(V=20.0, duration=0.1))
