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

from twin.contact.conicity import RollingRadiusDifference, equivalent_conicity
from twin.contact.pair import Pair, pair
from twin.contact.profile_file import ReadingOptions
from twin.contact.profiles import laid_rail, rail_profile, wheel_curve, wheel_profile
from twin.contact.traverse import level, traverse
from twin.core.arrays import Array, BoolArray, frozen
from twin.core.errors import ConfigError

MM = 1e-3
"""[m/mm]: the folder is in mm."""
AS_STANDS, TREAD_DOWN = ReadingOptions(sd_noise=0.0), ReadingOptions(sd_noise=0.0, flip=True)
"""How the profiles are read: computed points, nothing to smooth; wheels stand on their tread."""
GAUGE = 1.43516
"""Of the benchmark's track [m]."""
FROM_FILE = 0.0974e-3
"""How much further out the rail lies if its file's first point is taken for the gauge face [m]."""
BEST_FIT = -0.0324e-3
"""rail_shift with which the re-sampled profiles in circulation come nearest to the standard's results [m]."""
RADIUS, SMALL_RADIUS = 0.460, 0.459
"""Of its wheels [m]."""


@dataclass(frozen=True, slots=True)
class Case:
    """One wheelset of the benchmark on rail S-UIC 519-A, by the letters of its wheels R-UIC 519-."""

    name: str
    right: str
    left: str
    radius_left: float = RADIUS
    """[m]"""
    radius_right: float = RADIUS
    """[m]"""


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


@dataclass(frozen=True, slots=True)
class Judgement:
    """What was found for one case, beside what the standard has."""

    case: Case
    reference: Reference
    tan_gamma: Array
    """(m,) found at the amplitudes of the reference; NaN where the motion leaves a table."""

    @property
    def deviation(self) -> Array:
        """(m,) found minus reference."""
        return self.tan_gamma - self.reference.tan_gamma

    @property
    def outside(self) -> BoolArray:
        """(m,) which values leave the field; one not found is outside."""
        return ~((self.tan_gamma >= self.reference.lower) & (self.tan_gamma <= self.reference.upper))


def judge_profiles(folder: Path, *, rail_shift: float = 0.0) -> list[Judgement]:
    """Every case from the profiles in the folder, by the level wheelset; rail_shift as for read_wheelset [m]."""
    return [
        _judged(case, reference, traverse(level(*read_wheelset(folder, case, rail_shift=rail_shift))).difference)
        for case, reference in zip(CASES, read_references(folder).values(), strict=True)
    ]


def judge_tables(folder: Path) -> list[Judgement]:
    """Every case from the rolling-radius differences in the folder."""
    tables, references = read_differences(folder), read_references(folder)
    return [_judged(case, references[case.name], tables[case.name]) for case in CASES]


def _judged(case: Case, reference: Reference, difference: RollingRadiusDifference) -> Judgement:
    found = equivalent_conicity(difference, amplitude=reference.amplitude)
    return Judgement(case, reference, found.tan_gamma)


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


def read_wheelset(folder: Path, case: Case, *, rail_shift: float = 0.0) -> tuple[Pair, Pair]:
    """The left wheel of a case on its rail, and the right one mirrored, from the profiles in the folder.

    The gauge is measured 14 mm below the rail's highest point, as on any rail here. The file has the 14 mm below the
    middle of the inclined head, 0.49 mm lower, at u = -32.5 mm: to lay that point at gauge / 2 puts the rail
    FROM_FILE further out.

    rail_shift: how far each rail is laid nearer to the track's centre than the gauge says [m].
    """
    drawn = rail_profile(folder / "SUIC519A.dat", AS_STANDS)
    rail = laid_rail(drawn, cant=0.0, gauge=GAUGE - 2 * rail_shift)  # it is drawn as it lies in the track
    left, right = (
        wheel_curve(wheel_profile(folder / f"RUIC519{letter}.dat", TREAD_DOWN), radius=radius)
        for letter, radius in ((case.left, case.radius_left), (case.right, case.radius_right))
    )
    return pair(left, rail), pair(right, rail)


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
