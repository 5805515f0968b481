"""Draw the wavelength bands against their tolerance: `python -m tests.published.track_bands PNG`."""

import sys

from twin.geometry.rails import STEP
from twin.report.track_bands import bands_figure


def main(path: str) -> None:
    """On the grid of the line."""
    bands_figure(step=STEP).savefig(path, dpi=110)


if __name__ == "__main__":
    main(sys.argv[1])
