"""Point mobilities of four tracks against published ones.

Source of the numbers: Rolland (TU Berlin, BSD-3-Clause), commit 10e8e9a, reference of its analytical methods:
|mobility| of a UIC60 rail in m/(s N). Receptance is mobility over angular frequency. Its rail has 60.2 kg/m, and on
discrete supports a loss factor of 0.02: both are in its source but not in the table's description.
"""

from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

from twin.core.arrays import Array
from twin.vehicle.plain.track_flexibility import moving_receptance
from twin.vehicle.track_flexibility.beam import meshed, receptance
from twin.vehicle.track_flexibility.parameters import (
    BALLAST_EULER,
    BALLAST_SLEEPERS,
    SLAB_EULER,
    SLAB_SEATS,
    ContinuousSupport,
    Mesh,
    Track,
)

FOLDER = Path(__file__).parents[3] / "shared" / "reference" / "corrugation" / "track_receptance_reference"
LONG = Mesh(length=145.0, element=0.1)
"""Sleepers of little damping carry a wave far at the pinned-pinned frequency, where a bay is half a wave."""
COLUMNS = {
    "EBBCont1LSupp": SLAB_EULER,
    "EBBCont2LSupp": BALLAST_EULER,
    "TSDiscr1LSupp": SLAB_SEATS,
    "TSDiscr2LSupp": BALLAST_SLEEPERS,
}
TYPED = {
    # frequency [Hz]: mobility [m/(s N)] in the order of COLUMNS
    20.0: (3.887043e-07, 1.128994e-06, 2.716691e-07, 9.635984e-07),
    79.63976: (1.603435e-06, 7.277576e-06, 1.103671e-06, 4.571415e-06),
    129.3396: (2.780975e-06, 4.590721e-06, 1.859008e-06, 4.122054e-06),
    300.3069: (1.301281e-05, 6.188018e-06, 6.001667e-06, 2.656219e-06),
    499.1061: (9.516242e-06, 9.984359e-06, 1.35156e-05, 1.339287e-05),
    1000.08: (4.529462e-06, 4.535471e-06, 3.232042e-06, 3.228273e-06),
    1059.72: (4.350553e-06, 4.354529e-06, 2.017789e-06, 2.024704e-06),
    1499.066: (3.498359e-06, 3.498179e-06, 4.785871e-06, 4.80354e-06),
    2000.04: (2.9724e-06, 2.971972e-06, 3.910223e-06, 3.911575e-06),
    3000.0: (2.395402e-06, 2.395164e-06, 4.770963e-06, 4.775498e-06),
}
ANTIRESONANCE = 1101.468
"""[Hz] frequency of the table at which the rail over a sleeper moves least between 700 and 1400 Hz."""


def mobility(track: Track, frequency: Array) -> Array:
    """Magnitude over a sleeper by finite elements [m/(s N)]."""
    place, omega = np.array([0.0]), 2 * np.pi * frequency
    return np.asarray(omega * np.abs(receptance(meshed(track, LONG, places=place), places=place, omega=omega)[:, 0, 0]))


@pytest.mark.parametrize("column", COLUMNS)
def test_elements_have_the_published_mobility_to_one_per_mille(column: str) -> None:
    place = list(COLUMNS).index(column)
    expected = np.array([row[place] for row in TYPED.values()])
    assert_allclose(mobility(COLUMNS[column], np.array(list(TYPED))), expected, rtol=1e-3)


@pytest.mark.parametrize("column", ["EBBCont1LSupp", "EBBCont2LSupp"])
def test_the_closed_form_has_the_published_mobility(column: str) -> None:
    track, place = COLUMNS[column], list(COLUMNS).index(column)
    assert isinstance(track.support, ContinuousSupport)
    for frequency, row in TYPED.items():
        omega = 2 * np.pi * frequency
        found = moving_receptance(track.rail, track.support, omega=omega, V=0.0, xi=np.array([0.0]))
        assert_allclose(omega * np.abs(found), row[place], rtol=2e-6)


@pytest.mark.parametrize("track", [SLAB_SEATS, BALLAST_SLEEPERS])
def test_over_a_sleeper_the_rail_moves_least_at_the_published_pinned_pinned_frequency(track: Track) -> None:
    frequency = ANTIRESONANCE + np.arange(-6.0, 7.0, 2.0)
    assert frequency[np.argmin(mobility(track, frequency))] == pytest.approx(ANTIRESONANCE, abs=2.0)


def test_between_sleepers_the_rail_moves_most_at_the_pinned_pinned_frequency() -> None:
    place, frequency = np.array([0.3]), np.arange(900.0, 1200.0, 10.0)
    beam = meshed(SLAB_SEATS, LONG, places=place)
    moved = np.abs(receptance(beam, places=place, omega=2 * np.pi * frequency)[:, 0, 0]) * frequency
    assert frequency[np.argmax(moved)] == pytest.approx(1060.0, abs=40.0)


@pytest.mark.parametrize("column", COLUMNS)
def test_the_whole_published_table_is_met_up_to_3000_hz(column: str) -> None:
    file = FOLDER / "track_receptance_analytical.csv"
    if not file.is_file():
        pytest.skip(f"reference table {file.name} is not beside the project")
    table = np.genfromtxt(file, delimiter=",", names=True)[::25]
    assert_allclose(mobility(COLUMNS[column], table["Frequency"]), table[column], rtol=1e-3)


@pytest.mark.parametrize(
    ("column", "track"), [("ContSlabSingleRailTrack", SLAB_EULER), ("ContBallastedSingleRailTrack", BALLAST_EULER)]
)
def test_a_published_time_domain_model_is_met_to_its_own_3_percent(column: str, track: Track) -> None:
    file = FOLDER / "track_receptance_fdm.csv"
    if not file.is_file():
        pytest.skip(f"reference table {file.name} is not beside the project")
    table = np.genfromtxt(file, delimiter=",", names=True)[::40]
    assert_allclose(mobility(track, table["Frequency"]), table[column], rtol=0.03)
