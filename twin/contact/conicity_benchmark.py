"""The benchmark of EN 15302 (Annexes D, E and F): nine wheelsets, their conicity, and how far off one may be.

The numbers belong to the standard and are not part of this package. They are read from a folder that holds
    RUIC519A.dat, RUIC519B.dat, RUIC519H.dat, RUIC519I.dat, SUIC519A.dat   wheel and rail profiles, mm, z up
    conicity_reference.csv   case, y_amplitude_mm, tan_gamma_e, ..., annexF_field_upper, annexF_field_lower
    delta_r_reference.csv    case, y_mm, delta_r_mm
"""

import csv
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from twin.contact.conicity import EquivalentConicity, RollingRadiusDifference
from twin.core.arrays import Array, BoolArray, frozen
from twin.core.errors import ConfigError

MM = 1e-3
"""[m/mm]: the folder is in mm."""
GAUGE = 1.43516
"""Of the benchmark's track [m]."""
RADIUS, SMALL_RADIUS = 0.460, 0.459
"""Of its wheels [m]."""


@dataclass(frozen=True, slots=True)
class Case:
    """One wheelset of the benchmark on rail S-UIC 519-A, by the letters of its wheels R-UIC 519-."""

    name: str
    right: str
    left: str
    radius_left: float = RADIUS
    """[m]; the right wheel has 0.460 always."""


CASES = (
    *(Case(name, wheel, wheel) for name, wheel in zip(("E1", "E2", "E3", "E4"), "ABHI", strict=True)),
    *(Case(name, wheel, wheel, SMALL_RADIUS) for name, wheel in zip(("E5", "E6", "E7", "E8"), "ABHI", strict=True)),
    Case("E9", "A", "B"),
)


@dataclass(frozen=True, slots=True)
class Reference:
    """Conicity of one case as the standard has it, and the field of its Annex F that a program must keep to."""

    amplitude: Array
    """(m,) [m]"""
    tan_gamma: Array
    lower: Array
    upper: Array

    def outside(self, found: EquivalentConicity) -> BoolArray:
        """Which of the values found at the amplitudes of the reference leave the field (m,)."""
        return ~((found.tan_gamma >= self.lower) & (found.tan_gamma <= self.upper))

    def deviation(self, found: EquivalentConicity) -> Array:
        """Found minus reference (m,); NaN where nothing was found."""
        return found.tan_gamma - self.tan_gamma


def read_references(folder: Path) -> dict[str, Reference]:
    """The conicity of every case in the folder."""
    columns = ("y_amplitude_mm", "tan_gamma_e", "annexF_field_lower", "annexF_field_upper")
    return {
        case: Reference(frozen(rows[:, 0] * MM), *(frozen(rows[:, k]) for k in (1, 2, 3)))
        for case, rows in _cases(folder / "conicity_reference.csv", columns).items()
    }


def read_differences(folder: Path) -> dict[str, RollingRadiusDifference]:
    """The rolling-radius difference of every case in the folder.

    The standard counts y and the difference towards the right wheel: turned to the left, the motion is the same.
    """
    return {
        case: RollingRadiusDifference(y=frozen(-rows[::-1, 0] * MM), delta_r=frozen(-rows[::-1, 1] * MM))
        for case, rows in _cases(folder / "delta_r_reference.csv", ("y_mm", "delta_r_mm")).items()
    }


def _cases(path: Path, columns: tuple[str, ...]) -> dict[str, Array]:
    """Rows (n, columns) of each case of a table."""
    found: dict[str, list[list[float]]] = {case.name: [] for case in CASES}
    try:
        with path.open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                found[row["case"]].append([float(row[column]) for column in columns])
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}; name the folder with the benchmark") from None
    except (KeyError, ValueError) as error:
        raise ConfigError(f"{path}: not a table of the benchmark with case, {', '.join(columns)}: {error}") from None
    if empty := [name for name, rows in found.items() if not rows]:
        raise ConfigError(f"{path}: no rows of case {', '.join(empty)}")
    return {name: np.array(rows) for name, rows in found.items()}
