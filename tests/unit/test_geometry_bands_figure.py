"""The picture of the wavelength bands, and that the filters keep to the lines drawn in it."""

import numpy as np
import pytest

from twin.geometry.rails import STEP
from twin.numerics.bands import BANDS, gain
from twin.report.track_bands import bands_figure, tolerance


@pytest.mark.parametrize("name", BANDS)
def test_every_band_keeps_between_the_lines(name: str) -> None:
    wavelength = np.geomspace(1.0, 1000.0, 5000)
    decibels = 20 * np.log10(np.maximum(gain(wavelength, step=STEP, name=name), 1e-12))
    lower, upper = tolerance(wavelength, name=name)
    assert np.all(decibels >= lower)
    assert np.all(decibels <= upper)


def test_the_picture_shows_all_bands_with_units() -> None:
    figure = bands_figure(step=STEP)
    assert [axes.get_title(loc="left").split(":")[0] for axes in figure.axes] == list(BANDS)
    assert figure.axes[2].get_xlabel() == "wavelength [m]"
    assert figure.axes[0].get_ylabel() == "gain [dB]"
