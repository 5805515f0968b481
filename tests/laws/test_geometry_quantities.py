"""Quantities of EN 13848 against rails whose place in space is known."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from tests.rail_traces import EVERY, STEP, flat_trace, trace_of, true_rails
from twin.core.arrays import Array
from twin.core.errors import ConfigError
from twin.core.places import Places
from twin.core.track import DesignTrack, HorizontalElement
from twin.geometry.quantities.config import Chord, QuantityConfig
from twin.geometry.quantities.geometry import track_geometry
from twin.geometry.quantities.quantity import TrackGeometry
from twin.geometry.quantities.recolour import kept, recoloured
from twin.geometry.quantities.waves import band_weights, waves
from twin.geometry.rails import RailFlag, RailTrace, reversed_running
from twin.numerics.bands import BANDS, band, gain
from twin.simulation.irregularity import SPECTRA, Irregularity, SpectrumClass, band_sd

CONFIG = QuantityConfig()
LENGTH = 6000.0
DESIGN = DesignTrack.from_elements(
    [
        HorizontalElement(length=2000),
        HorizontalElement(length=80, curvature_end=1 / 500, cant_end=0.12),
        HorizontalElement(length=1500, curvature_start=1 / 500, curvature_end=1 / 500, cant_start=0.12, cant_end=0.12),
        HorizontalElement(length=80, curvature_start=1 / 500, cant_start=0.12),
        HorizontalElement(length=2340),
    ],
    [],
)


@pytest.fixture(scope="module")
def rails() -> Irregularity:
    return true_rails(seed=11, length=LENGTH)


@pytest.fixture(scope="module")
def geometry(rails: Irregularity) -> TrackGeometry:
    return track_geometry(trace_of(rails, DESIGN), CONFIG, places=Places())


def _heights(rails: Irregularity) -> tuple[Array, Array]:
    """Height of both rail heads over a level plane, 1.5 m apart in the canted track frame turned by their own lean."""
    s = rails.s[::EVERY]
    roll = DESIGN.cant_angle(s)
    dz = (rails.z_left - rails.z_right)[::EVERY]
    half = np.sqrt(1.5**2 - dz**2) / 2
    heights = []
    for side, z in ((1, rails.z_left), (-1, rails.z_right)):
        heights.append(np.sin(roll) * side * half + np.cos(roll) * z[::EVERY])
    return heights[0], heights[1]


def test_cross_level_and_twist_agree_with_heights_of_the_rails_in_space(
    rails: Irregularity, geometry: TrackGeometry
) -> None:
    left, right = _heights(rails)
    difference = left - right
    assert_allclose(geometry["cross level"].values, difference, atol=1e-5)
    for base, points in ((3, 12), (5, 20), (9, 36)):
        expected = (difference[points:] - difference[:-points]) / base
        at = slice(points // 2, -(points // 2))
        assert_allclose(geometry[f"twist {base} m"].values[at], expected, atol=1e-5 / base)


def test_gauge_is_the_distance_of_the_rails_beyond_nominal(rails: Irregularity, geometry: TrackGeometry) -> None:
    expected = (0.7175 + rails.y_left) - (-0.7175 + rails.y_right) - 1.435
    assert_allclose(geometry["gauge"].values, expected[::EVERY], atol=1e-5)


@pytest.mark.parametrize(("name", "behind", "ahead"), [("10 m", 5, 5), ("20 m", 10, 10), ("10 m", 4, 6)])
def test_chords_agree_with_strings_stretched_along_the_fine_truth(
    rails: Irregularity, geometry: TrackGeometry, name: str, behind: int, ahead: int
) -> None:
    variant = f"{name} chord" + ("" if behind == ahead else f" {behind}/{ahead}")
    s = geometry.s[100:-100]
    for quantity, truth in (("longitudinal level", rails.z_right), ("alignment", rails.y_right)):
        ends = [np.interp(s + offset, rails.s, truth) for offset in (-behind, ahead)]
        string = ends[0] + behind / (behind + ahead) * (ends[1] - ends[0])
        expected = np.interp(s, rails.s, truth) - string
        assert_allclose(geometry[f"{quantity} {variant} right"].values[100:-100], expected, atol=1e-5)


def test_cant_and_curvature_of_a_curve_are_those_of_its_design(geometry: TrackGeometry) -> None:
    inside = (geometry.s > 2300) & (geometry.s < 3300)
    assert np.mean(geometry["cant"].values[inside]) == pytest.approx(0.12, abs=1e-4)
    assert np.mean(geometry["curvature"].values[inside]) == pytest.approx(1 / 500, rel=1e-3)


def test_curvature_of_a_measured_heading_is_that_of_the_circle() -> None:
    s = STEP * np.arange(2000)
    heading = np.angle(np.exp(1j * s / 300))  # wraps twice
    result = track_geometry(flat_trace(2000), CONFIG, places=Places(), heading=heading)
    known = result["curvature"].valid
    assert known.sum() == 2000 - 80
    assert_allclose(result["curvature"].values[known], 1 / 300, rtol=1e-9)


@pytest.mark.parametrize("name", BANDS)
def test_a_sine_in_the_middle_of_a_band_passes_and_far_outside_is_blocked(name: str) -> None:
    shortest, longest = BANDS[name]
    s = STEP * np.arange(round(40 * longest / STEP))
    for wavelength, expected, tolerance in (
        (np.sqrt(shortest * longest), 1.0, 0.01),
        (longest * 3, 0.0, 0.002),
        (max(shortest / 3, 2 * STEP), 0.0, 0.002),
    ):
        values, valid = waves(np.sin(2 * np.pi * s / wavelength), name=name, edge_wavelengths=5.0)
        amplitude = np.sqrt(2) * np.std(values[valid])
        assert amplitude == pytest.approx(expected, abs=tolerance)


@pytest.mark.parametrize("name", BANDS)
def test_the_weights_of_a_band_are_its_response_to_an_impulse(name: str) -> None:
    impulse = np.zeros(30001)
    impulse[15000] = 1.0
    weights = band_weights(name)
    filtered = band(impulse, step=STEP, name=name)[15000 - weights.middle : 15001 + weights.middle]
    assert_allclose(weights.taps, filtered, atol=1e-8 * weights.taps.max())


@pytest.mark.parametrize("track", [SpectrumClass.GERMAN_LOW, SpectrumClass.GERMAN_HIGH])
def test_bands_hold_the_deviation_of_the_spectrum_through_their_own_gain(track: SpectrumClass) -> None:
    """200 km in pieces: the mean variance of the filtered track, against the integral of gain^2 * spectrum, 3 %."""
    spectra, pieces = SPECTRA[track], 5
    for quantity, kind, names in (
        ("level", "longitudinal level", ("D1", "D2", "D3")),
        ("alignment", "alignment", ("D1", "D2", "D3 alignment")),
    ):
        runs = [getattr(true_rails(seed=s, length=40000.0, spectrum=track), quantity)[::EVERY] for s in range(pieces)]
        for name in names:
            filtered = [waves(run, name=name, edge_wavelengths=2.0) for run in runs]
            measured = np.sqrt(np.mean([np.mean(values[valid] ** 2) for values, valid in filtered]))
            Omega = np.geomspace(2 * np.pi / 300, 2 * np.pi, 20000)
            density = getattr(spectra, quantity)(Omega) * gain(2 * np.pi / Omega, step=STEP, name=name) ** 2
            expected = np.sqrt(np.trapezoid(density, Omega))
            assert measured == pytest.approx(expected, rel=0.03), (kind, name)


def test_the_real_filters_pass_nearly_the_deviation_of_ideal_bands() -> None:
    """Of the German low level 0.98, 1.65 and 2.12 mm lie in D1, D2 and D3; gain^2 leaves so much of them."""
    Omega = np.geomspace(2 * np.pi / 3000, np.pi / STEP, 40000)
    for name, ideal_mm in (("D1", 0.98), ("D2", 1.65), ("D3", 2.12)):
        density = SPECTRA[SpectrumClass.GERMAN_LOW].level(Omega)
        passed = 1e3 * np.sqrt(np.trapezoid(density * gain(2 * np.pi / Omega, step=STEP, name=name) ** 2, Omega))
        shortest, longest = BANDS[name]
        ideal = 1e3 * band_sd(SPECTRA[SpectrumClass.GERMAN_LOW].level, shortest=shortest, longest=longest)
        assert ideal == pytest.approx(ideal_mm, rel=0.03)
        assert passed == pytest.approx(ideal, rel=0.03)


def test_what_is_marked_valid_hardly_depends_on_rails_beyond_the_end() -> None:
    whole = true_rails(seed=5, length=12000.0).level[::EVERY]
    for name, share in (("D1", 0.05), ("D2", 0.15), ("D3", 0.2)):
        full, _ = waves(whole, name=name, edge_wavelengths=2.0)
        worst = 0.0
        for start in range(8000, 36000, 3001):
            part, valid = waves(whole[start : start + 8000], name=name, edge_wavelengths=2.0)
            worst = max(worst, np.abs((part - full[start : start + 8000])[valid]).max())
        assert worst < share * np.std(full[8000:-8000])


def test_a_long_gap_takes_its_surroundings_out_and_a_short_one_is_bridged(rails: Irregularity) -> None:
    trace = trace_of(rails)
    y_left = np.array(trace.y_left)
    y_left[4000:4004] = np.nan  # 1 m
    y_left[12000:12005] = np.nan  # 1.25 m
    holed = replace(trace, y_left=y_left)
    result = track_geometry(holed, CONFIG, places=Places())
    valid = result["alignment D1 left"].valid
    assert valid[3900:4100].all()
    assert (result.flags[4000:4004] & RailFlag.BRIDGED).all()
    assert_array_equal(np.flatnonzero(~valid[400:-400]) + 400, np.arange(12000 - 200, 12005 + 200))
    assert result["alignment D1 right"].valid[12000:12005].all()
    whole = track_geometry(trace, CONFIG, places=Places())
    difference = np.abs(result["alignment D1 left"].values - whole["alignment D1 left"].values)
    assert difference[3800:4200].max() < 5e-5


def test_points_known_to_be_wrong_count_as_unknown(rails: Irregularity) -> None:
    trace = trace_of(rails)
    wrong = np.zeros(len(trace), dtype=bool)
    wrong[5000:5003] = True
    wild = replace(trace, z_left=np.where(wrong, 0.5, trace.z_left)).marked(wrong, RailFlag.INVALID)
    unknown = replace(
        trace, z_left=np.where(wrong, np.nan, trace.z_left), y_right=np.where(wrong, np.nan, trace.y_right)
    )
    name = "longitudinal level D1 left"
    a, b = (track_geometry(t, CONFIG, places=Places())[name].values for t in (wild, unknown))
    assert_array_equal(a, b)
    assert np.abs(a).max() < 0.01


def test_a_run_towards_lower_kilometres_gives_every_quantity_alike(rails: Irregularity) -> None:
    trace = trace_of(rails, DESIGN)
    running = trace_of(rails.reversed(LENGTH), DESIGN.reversed())
    turned = reversed_running(running, s_start=LENGTH)
    forth, back = (track_geometry(t, CONFIG, places=Places()) for t in (trace, turned))
    for a, b in zip(forth, back, strict=True):
        assert_array_equal(a.valid, b.valid)
        assert_allclose(a.values, b.values, atol=1e-9, err_msg=a.name)
    twice = reversed_running(reversed_running(trace, s_start=LENGTH), s_start=LENGTH)
    assert_array_equal(twice.y_left, trace.y_left)
    assert_array_equal(twice.s, trace.s)


def test_a_trace_off_the_grid_or_with_a_short_column_is_refused() -> None:
    zero = np.zeros(4)
    flags = np.zeros(4, dtype=np.uint8)
    with pytest.raises(ValueError, match=r"multiples of 0\.25"):
        RailTrace(0.25 * np.arange(4) + 0.1, zero, zero, zero, zero, flags=flags, speed=zero)
    with pytest.raises(ValueError, match="z_left has shape"):
        RailTrace(0.25 * np.arange(4), zero, zero[:3], zero, zero, flags=flags, speed=zero)


@pytest.mark.parametrize("chord", [Chord(behind=5, ahead=5), Chord(behind=10, ahead=10), Chord(behind=4, ahead=6)])
def test_recoloured_chords_are_the_band_itself_but_for_waves_the_chord_cannot_see(
    rails: Irregularity, geometry: TrackGeometry, chord: Chord
) -> None:
    readings = geometry[f"longitudinal level {chord.name} left"].values
    direct = geometry["longitudinal level D1 left"]
    result = recoloured(readings, chord=chord, name="D1")
    inside = slice(600, -600)
    lost = result[inside] - direct.values[inside]
    # What is missing has the spectrum of the track where the chord is blind.
    Omega = np.geomspace(2 * np.pi / 300, 2 * np.pi, 20000)
    spectra = SPECTRA[SpectrumClass.GERMAN_LOW]
    density = spectra.level(Omega) + 0.75**2 * spectra.cross(Omega)
    wave = 2 * np.pi / Omega
    missing = gain(wave, step=STEP, name="D1") * (1 - kept(wave, chord=chord))
    expected = np.sqrt(np.trapezoid(density * missing**2, Omega))
    assert np.std(lost) == pytest.approx(expected, rel=0.1)
    assert np.std(lost) < 0.35 * np.std(direct.values[inside])


@pytest.mark.parametrize("wavelength", [4.0, 7.0, 12.0, 20.0])
def test_a_wave_the_chord_sees_comes_back_in_place_and_size(wavelength: float) -> None:
    chord = Chord(behind=4, ahead=6)
    s = STEP * np.arange(8000)
    sine = np.sin(2 * np.pi * s / wavelength)
    trace = flat_trace(8000, z_left=sine * 1e-3, z_right=sine * 1e-3)
    readings = track_geometry(trace, CONFIG, places=Places())[f"longitudinal level {chord.name} left"].values
    back = recoloured(readings, chord=chord, name="D1")[3000:5000] / 1e-3
    expected = gain(wavelength, step=STEP, name="D1") * kept(np.array(wavelength), chord=chord)
    assert_allclose(back, expected * sine[3000:5000], atol=0.003)
    assert expected > 0.95


def test_a_base_or_chord_off_the_grid_is_refused_with_its_name() -> None:
    with pytest.raises(ConfigError, match=r"twist_bases: 3\.1 m"):
        QuantityConfig.load({"twist_bases": [3.1]}, where="test")
    with pytest.raises(ConfigError, match=r"behind = 4\.9 m"):
        QuantityConfig.load({"chords": [{"behind": 4.9, "ahead": 5}]}, where="test")
