"""Steps without a C compiler are the steps with one, only slower."""

import numpy as np
import pytest

from tests.running_cases import CONTACTS, Contact, known, rough_rails, straight
from twin.vehicle.running import Rails, Record, Running, RunSettings, WheelRailSettings
from twin.vehicle.symbolic import SlowerWithoutCompiler, VehicleModel, derive
from twin.vehicle.symbolic.export import found_compiler

STEPS = 150
NAME = "single wheelset"
needs_compiler = pytest.mark.skipif(found_compiler() is None, reason="no C compiler on this machine")


@pytest.fixture(scope="module")
def slower(tmp_path_factory: pytest.TempPathFactory) -> VehicleModel:
    with pytest.warns(SlowerWithoutCompiler, match="slower"):
        return VehicleModel(derive(known(NAME)[0]), compiler=None, directory=tmp_path_factory.mktemp("code"))


def waves() -> Rails:
    """Rails that wave by a millimetre, unlike each other."""
    s = np.arange(-60.0, 60.0, 0.1)
    columns = [1e-3 * np.sin(2 * np.pi * s / length) for length in (7.0, 5.0, 6.0, 4.0)]
    return straight(length=50, rough=rough_rails(columns, s0=-60.0, step=0.1))


def steps(model: VehicleModel, contact: Contact) -> tuple[Running, Record]:
    settings = RunSettings(contact=contact, step=5e-4, rate=2000, wheel_rail=WheelRailSettings(wheel="S1002"))
    running = Running(known(NAME)[0], waves(), speed=20.0, s=0.0, settings=settings, model=model)
    return running, running.stretch(STEPS)


@needs_compiler
@pytest.mark.parametrize("contact", CONTACTS)
def test_without_a_compiler_the_steps_are_the_same_to_rounding(contact: Contact, slower: VehicleModel) -> None:
    fast, compiled = steps(known(NAME)[1], contact)
    slow, interpreted = steps(slower, contact)
    assert fast.model.motion.library is not None
    assert slow.model.motion.library is None
    assert compiled.stopped is None
    assert interpreted.t.size == compiled.t.size == STEPS
    assert np.ptp(compiled["wheelset.r_y"]) > 1e-5
    np.testing.assert_allclose(interpreted.q, compiled.q, rtol=1e-9, atol=1e-10)
    np.testing.assert_allclose(interpreted.v, compiled.v, rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(interpreted.wheel("Q"), compiled.wheel("Q"), rtol=1e-6)
    np.testing.assert_array_equal(interpreted.wheel("points"), compiled.wheel("points"))


def test_a_vehicle_that_leaves_the_track_without_a_compiler_says_so_and_keeps_what_was_computed(
    slower: VehicleModel,
) -> None:
    s = np.arange(-60.0, 60.0, 0.1)
    aside, level = 0.2 / (1 + np.exp(-4 * (s - 5.0))), np.zeros_like(s)
    rails = straight(length=50, rough=rough_rails((aside, level, aside, level), s0=-60.0, step=0.1))
    running = Running(known(NAME)[0], rails, speed=20.0, s=0.0, settings=RunSettings(contact="knife"), model=slower)
    record = running.stretch(1000)
    assert record.stopped is not None
    assert "wheelset has left the track, at s = " in record.stopped
    assert 100 < record.t.size < 1000
    assert np.all(np.isfinite(record.q))
