"""Profile files: three formats read alike, every fault told with its line and remedy, noise smoothed away."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

from twin.contact.curve import curve_values
from twin.contact.profile_file import ReadingOptions
from twin.contact.profiles import Profile, laid_rail, rail_profile, wheel_profile
from twin.core.arrays import Array
from twin.core.errors import ConfigError

EXACT = ReadingOptions(sd_noise=0.0)
S1002, RAIL = wheel_profile("S1002"), rail_profile("60E1-EN")

SIMPACK = """! a comment
  header.begin
    version = 1   ! flag
    type    = {type}
  header.end
  spline.begin
    shift.y     = +1.0e+00
    mirror.y    = 1
    mirror.z    = 0
    inversion   = 0
    bound.y.min = 1.0
    bound.y.max = 0.0
    units.len.f = +1.0e+03
    point.begin
    ! y z weight
{points}
    point.end
  spline.end
"""
MINIPROF = """Filename=x.whl
XYPoints={count}
"ColumnDef=Y,X"
ColumnDef=A,Y,X

{points}
"""


def along(profile: Profile, *, step: float = 0.2e-3, sd: float = 0.0, seed: int = 0) -> tuple[Array, Array]:
    """Points equally spaced along a profile [m], with errors normal to it."""
    y = np.linspace(*profile.span, 40_001)
    z = curve_values(profile.curve, y)[:, 0]
    length = np.append(0.0, np.cumsum(np.hypot(np.diff(y), np.diff(z))))
    y = np.interp(np.arange(0.0, length[-1], step), length, y)
    z, slope, _ = curve_values(profile.curve, y).T
    error = np.random.default_rng(seed).normal(0.0, sd, y.size) / np.hypot(1.0, slope)
    return y - error * slope, z + error


def rows(y: Array, z: Array, form: str = "{:.6f} {:.6f}", scale: float = 1e3) -> list[str]:
    return [form.format(a, b) for a, b in zip(y * scale, z * scale, strict=True)]


def written(path: Path, lines: list[str]) -> Path:
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def wheel_rows() -> list[str]:
    """A clean wheel file: line n + 1 is row n."""
    return rows(*along(S1002))


def assert_is_s1002(found: Profile) -> None:
    s = np.linspace(-0.06, 0.055, 2001)
    z, slope, _ = (curve_values(found.curve, s) - curve_values(S1002.curve, s)).T
    assert np.abs(z).max() < 1e-6
    assert np.sqrt(np.mean(slope**2)) < 1e-3


@pytest.mark.parametrize(
    "form", ["{:.6f} {:.6f}", "{:.6f},{:.6f}", "{:.6f} ; {:.6f}", "\t{:.6e}\t{:.6e}  % remark", "{},{} 9 9"]
)
def test_columns_are_read_whatever_separates_them(tmp_path: Path, form: str) -> None:
    lines = ["# title", "! remark", "", *rows(*along(S1002), form=form)]
    assert_is_s1002(wheel_profile(written(tmp_path / "wheel.txt", lines), EXACT))


def test_falling_metres_mirrored_shifted_and_upside_down_are_put_right(tmp_path: Path) -> None:
    y, z = along(S1002)
    path = written(tmp_path / "wheel.txt", rows(-(y + 0.07), -z, "{:.9f} {:.9f}", scale=1.0)[::-1])
    options = ReadingOptions(units="m", flip=True, mirror=True, origin=0.07, sd_noise=0.0)
    assert_is_s1002(wheel_profile(path, options))


def test_miniprof_columns_are_those_of_its_columndef(tmp_path: Path) -> None:
    y, z = along(S1002)
    points = "\n".join(f"0 {b:.6f} {a:.6f} 7" for a, b in zip(y * 1e3, z * 1e3, strict=True))
    path = tmp_path / "wheel.whl"
    path.write_text(MINIPROF.format(count=y.size, points=points + '\n" 1 2 3'), encoding="utf-8")
    found = wheel_profile(path, EXACT)
    assert_is_s1002(found)
    assert not any("XYPoints" in note for note in found.notes)


def test_miniprof_file_that_lost_points_says_so(tmp_path: Path) -> None:
    y, z = along(S1002)
    path = tmp_path / "wheel.whl"
    path.write_text(MINIPROF.format(count=2000, points="\n".join(rows(z, y, "0 {} {}"))), encoding="utf-8")
    assert f"XYPoints says 2000 points, {y.size} read" in wheel_profile(path, EXACT).notes


def test_simpack_wheel_is_shifted_and_mirrored_as_it_says(tmp_path: Path) -> None:
    y, z = along(S1002)
    path = tmp_path / "wheel.prw"
    path.write_text(SIMPACK.format(type=1, points="\n".join(rows(-y - 1e-3, z, "{} {} 1.0"))), encoding="utf-8")
    assert_is_s1002(wheel_profile(path, EXACT))


def test_simpack_rail_counts_z_downwards(tmp_path: Path) -> None:
    u, z = along(RAIL)
    path = tmp_path / "rail.prr"
    path.write_text(SIMPACK.format(type=0, points="\n".join(rows(-u - 1e-3, -z))), encoding="utf-8")
    y = np.linspace(0.72, 0.785, 2001)
    laid, exact = (curve_values(laid_rail(rail), y) for rail in (rail_profile(path, EXACT), RAIL))
    assert_allclose(laid[:, 0], exact[:, 0], rtol=0.0, atol=2e-7)


def test_simpack_rail_is_no_wheel(tmp_path: Path) -> None:
    path = tmp_path / "rail.prr"
    path.write_text(SIMPACK.format(type=0, points="\n".join(rows(*along(RAIL)))), encoding="utf-8")
    with pytest.raises(
        ConfigError, match=r"rail\.prr, line 4: type = 0 is a rail profile where a wheel profile belongs"
    ):
        wheel_profile(path)


def swap(lines: list[str]) -> None:
    lines[400], lines[401] = lines[401], lines[400]


def repeat(lines: list[str]) -> None:
    lines.insert(401, lines[400])


def far_off(lines: list[str]) -> None:
    lines[300] = lines[300].split()[0] + " 4e31"


def put(row: int, text: str) -> Callable[[list[str]], None]:
    def change(lines: list[str]) -> None:
        lines[row] = text

    return change


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (swap, r"line 40[12]: y = .* mm is out of order: sort the file by y, or remove the line"),
        (repeat, r"line 40[12]: y = .* mm stands twice: sort the file by y, or remove the line"),
        (put(300, "nan 0.1"), r"line 301: 'nan' is not finite: remove the line"),
        (put(300, "1.0 -inf"), r"line 301: '-inf' is not finite: remove the line"),
        (put(300, "1.0 tread"), r"line 301: 'tread' is no number: write decimals with a point, and # before"),
        (far_off, r"line 301: z = 4e\+31 mm is far off the rest: correct or remove the line"),
        (put(300, "1.0"), r"line 301: 1 column\(s\), 2 needed: complete or remove the line"),
        (lambda lines: lines.__delitem__(slice(19, None)), r", line 19: 19 points, 20 needed: measure more densely"),
        (lambda lines: lines.clear(), r": 0 points, 20 needed"),
    ],
)
def test_fault_is_told_with_line_and_remedy(
    tmp_path: Path, wheel_rows: list[str], damage: Callable[[list[str]], None], message: str
) -> None:
    damage(wheel_rows)
    with pytest.raises(
        ConfigError, match="wheel.txt" + (message if message.startswith((":", ",")) else ", " + message)
    ):
        wheel_profile(written(tmp_path / "wheel.txt", wheel_rows), EXACT)


@pytest.mark.parametrize(
    ("change", "options", "message"),
    [
        (lambda y, z: (y / 1e3, z / 1e3), {}, r"lines 1 to \d+: .* mm wide, .*: did you mean units = m\?"),
        (lambda y, z: (y, z), {"units": "m"}, r"lines 1 to \d+: .* mm wide, .*: did you mean units = mm\?"),
        (lambda y, z: (y / 9, z), {}, r"mm wide, .*: check units and the first column"),
        (lambda y, z: (y, -z), {}, r"line \d+: -23.* mm high, where a wheel has its flange: set flip"),
        (lambda y, z: (-y, z), {}, r"line \d+: \+23.* mm high, where a wheel has its tread: set mirror"),
        (lambda y, z: (-y, -z), {}, r"line \d+: -23.* mm high, where a wheel has its tread: set flip and mirror"),
        (lambda y, z: (y + 0.07, z), {}, r"goes from 0.3 to 1.* no flange .* as origin \(0.07 m where"),
    ],
)
def test_wheel_in_other_units_or_directions_is_refused_with_the_option_that_turns_it(
    tmp_path: Path, change: Callable[[Array, Array], tuple[Array, Array]], options: dict[str, str], message: str
) -> None:
    path = written(tmp_path / "wheel.txt", rows(*change(*along(S1002)), form="{:.9f} {:.9f}"))
    with pytest.raises(ConfigError, match=message):
        wheel_profile(path, ReadingOptions.model_validate(options))


def test_rail_on_its_head_is_refused(tmp_path: Path) -> None:
    u, z = along(RAIL)
    with pytest.raises(ConfigError, match=r"line \d+: the crown of the rail is its lowest point: .* set flip"):
        rail_profile(written(tmp_path / "rail.txt", rows(u, -z)))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"1 2\x00", "not a text file"),
        (b"[FileInfo]\nx=1\n", "several parts"),
        (b"ColumnDef=A,C\n\n1 2\n", "columns X and Y are needed"),
    ],
)
def test_file_of_another_kind_is_refused(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "x.whl"
    path.write_bytes(content)
    with pytest.raises(ConfigError, match=message):
        wheel_profile(path)


def test_missing_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"none.txt: cannot be read \(No such file"):
        wheel_profile(tmp_path / "none.txt")


def test_overhanging_ends_are_cut_with_a_note(tmp_path: Path) -> None:
    u, z = along(RAIL)
    under = np.linspace(0.0, 5e-3, 20)[1:]  # below the head the rail goes back inwards
    u = np.concatenate([(u[0] + under)[::-1], u, u[-1] - under])
    z = np.concatenate([(z[0] - under / 3)[::-1], z, z[-1] - under / 3])
    found = rail_profile(written(tmp_path / "rail.txt", rows(u, z)), EXACT)
    assert [note.split(":")[0].split(" = ")[0] for note in found.notes] == ["cut at y", "cut at y"]
    assert found.span == pytest.approx(RAIL.span, abs=1e-4)
    y = np.linspace(0.72, 0.785, 2001)
    assert_allclose(
        curve_values(laid_rail(found), y)[:, 0], curve_values(laid_rail(RAIL), y)[:, 0], rtol=0.0, atol=1e-6
    )


@pytest.mark.parametrize("seed", range(6))
def test_noise_of_10_um_leaves_5_mrad_of_slope_and_4_um_of_height_on_the_tread(tmp_path: Path, seed: int) -> None:
    y, z = along(S1002, step=0.3e-3, sd=1e-5, seed=seed)
    found = wheel_profile(written(tmp_path / "wheel.txt", rows(y, z)), ReadingOptions(sd_noise=1e-5))
    s = np.linspace(-0.025, 0.03, 1001)
    height, slope, second = (curve_values(found.curve, s) - curve_values(S1002.curve, s)).T
    raw = np.diff(z) / np.diff(y) - curve_values(S1002.curve, (y[1:] + y[:-1]) / 2)[:, 1]
    tread = np.abs(y[1:]) < 0.025
    assert np.std(raw[tread]) > 0.03  # what differences of the raw points would give
    assert np.abs(slope).max() < 0.005
    assert np.std(height) < 4e-6
    assert np.median(np.abs(second)) < 1.5
    s = np.linspace(-0.045, -0.025, 1001)  # curvature jumps in the flange's root are rounded
    exact, smooth = curve_values(S1002.curve, s), curve_values(found.curve, s)
    assert np.abs(np.arctan(smooth[:, 1]) - np.arctan(exact[:, 1])).max() < 0.04
    assert (np.abs(smooth[:, 0] - exact[:, 0]) / np.hypot(1, exact[:, 1])).max() < 3e-5


def test_outlier_is_named_by_its_line(tmp_path: Path, wheel_rows: list[str]) -> None:
    y, z = map(float, wheel_rows[499].split())
    wheel_rows[499] = f"{y} {z + 0.15}"
    found = wheel_profile(written(tmp_path / "wheel.txt", wheel_rows))
    assert any(note.startswith("line 500 lies 0.1") for note in found.notes)


@pytest.mark.parametrize("seed", range(60))
def test_damaged_file_is_read_or_refused_but_never_crashes(tmp_path: Path, wheel_rows: list[str], seed: int) -> None:
    rng = np.random.default_rng(seed)
    data = bytearray("\n".join(wheel_rows).encode())
    for _ in range(rng.integers(1, 6)):
        place = int(rng.integers(len(data)))
        data[place : place + int(rng.integers(0, 40))] = rng.integers(
            9, 127, int(rng.integers(0, 4)), dtype=np.uint8
        ).tobytes()
    path = tmp_path / "wheel.txt"
    path.write_bytes(bytes(data))
    try:
        zones = wheel_profile(path).zones
    except ConfigError:
        zones = ()
    assert all(np.all(np.isfinite(values)) for zone in zones for values in zone)
