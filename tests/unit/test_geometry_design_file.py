"""Design geometry from LandXML and CSV: signs, cant, chainage, coordinates, and what is refused."""

from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

from twin.core.errors import ConfigError
from twin.core.places import Places
from twin.core.track import DesignTrack
from twin.geometry.design_elements import PIECES, Design
from twin.geometry.design_file import landxml_names, read_landxml
from twin.geometry.design_tables import read_design_tables
from twin.geometry.plain_xml import DEEPEST

SAMPLES = Path(__file__).parents[3] / "shared" / "reference" / "real" / "design_alignments_landxml"
needs_samples = pytest.mark.skipif(not SAMPLES.is_dir(), reason="the reference design files are not here")

HEAD = '<?xml version="1.0"?>\n<LandXML xmlns="http://www.landxml.org/schema/LandXML-1.2" version="1.2">\n'
TRACK = """<Units><Metric linearUnit="meter"/></Units>
<Alignments><Alignment name="main" length="900" staStart="1000">
<CoordGeom>
<Line length="200"><Start>5000 100</Start><End>5000 300</End></Line>
<Spiral length="100" radiusStart="INF" radiusEnd="500" rot="ccw" spiType="clothoid"/>
<Curve length="150" radius="500" rot="ccw"/>
<Spiral length="50" radiusStart="500" radiusEnd="300" rot="ccw" spiType="clothoid"/>
<Curve length="100" radius="300" rot="ccw"/>
<Spiral length="100" radiusStart="300" radiusEnd="INF" rot="ccw" spiType="bloss"/>
<Spiral length="100" radiusStart="INF" radiusEnd="600" rot="cw" spiType="clothoid"/>
<Curve length="100" radius="600" rot="cw"/>
</CoordGeom>
<StaEquation staInternal="1400" staAhead="2000"/>
<Profile><ProfAlign name="p">
<PVI>1000 50</PVI><ParaCurve length="100">1300 53</ParaCurve><PVI>1900 53</PVI>
</ProfAlign></Profile>
<Cant name="c" gauge="1.435">
<CantStation station="1000" appliedCant="0" curvature="ccw"/>
<CantStation station="1200" appliedCant="0" curvature="ccw"/>
<CantStation station="1280" appliedCant="80" curvature="ccw"/>
<CantStation station="1600" appliedCant="80" curvature="ccw"/>
<CantStation station="1700" appliedCant="0" curvature="ccw"/>
<CantStation station="1800" appliedCant="60" curvature="cw"/>
<CantStation station="1900" appliedCant="60" curvature="cw"/>
</Cant>
</Alignment></Alignments></LandXML>
"""


def _written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "track.xml"
    path.write_text(HEAD + text, encoding="utf-8")
    return path


def _curvature_and_cant(design: Design, places: list[float]) -> tuple[list[float], list[float]]:
    """Of the elements as they are, without the rounding of a track."""
    ends = np.cumsum([0.0] + [element.length for element in design.horizontal])
    kappa, cant = [], []
    for s in places:
        k = int(np.searchsorted(ends, s, side="right")) - 1
        e, share = design.horizontal[k], (s - ends[k]) / design.horizontal[k].length
        kappa.append(e.curvature_start + share * (e.curvature_end - e.curvature_start))
        cant.append(e.cant_start + share * (e.cant_end - e.cant_start))
    return kappa, cant


def test_a_compound_curve_with_cant_is_read_with_its_signs(tmp_path: Path) -> None:
    design = read_landxml(_written(tmp_path, TRACK))
    kappa, cant = _curvature_and_cant(design, [100, 240, 250, 350, 475, 550, 850])
    expected = [0, 0.4 / 500, 0.5 / 500, 1 / 500, (1 / 500 + 1 / 300) / 2, 1 / 300, -1 / 600]
    assert_allclose(kappa, expected, atol=1e-9)
    assert_allclose(cant, [0, 0.04, 0.05, 0.08, 0.08, 0.08, -0.06], atol=1e-9)
    assert design.length == pytest.approx(900)


def test_a_bloss_transition_follows_its_cubic(tmp_path: Path) -> None:
    design = read_landxml(_written(tmp_path, TRACK))
    t = np.linspace(0.01, 0.99, 50)
    kappa, _ = _curvature_and_cant(design, list(600 + 100 * t))
    steepest = 6.0  # second derivative of the cubic: a chord of it is off by that times its length squared over 8
    assert_allclose(kappa, (1 - t**2 * (3 - 2 * t)) / 300, atol=steepest / 8 / PIECES**2 / 300)


def test_the_profile_has_its_gradients_and_its_curve(tmp_path: Path) -> None:
    design = read_landxml(_written(tmp_path, TRACK))
    read = [(e.length, e.gradient_start, e.gradient_end) for e in design.vertical]
    assert_allclose(read, [(250, 0.01, 0.01), (100, 0.01, 0.0), (550, 0.0, 0.0)], atol=1e-12)


def test_chainage_starts_and_jumps_where_the_file_says(tmp_path: Path) -> None:
    places = Places(posts=read_landxml(_written(tmp_path, TRACK)).posts)
    assert_allclose(places.kilometre(np.array([0.0, 399.0, 401.0, 500.0])), [1.0, 1.399, 2.001, 2.1], atol=1e-9)


def test_a_design_becomes_a_track_whose_pose_leans_into_the_curve(tmp_path: Path) -> None:
    design = read_landxml(_written(tmp_path, TRACK))
    track = DesignTrack.from_elements(list(design.horizontal), list(design.vertical))
    pose = track.pose(np.array([350.0, 850.0]))
    assert_allclose(track.curvature(np.array([350.0, 850.0])), [1 / 500, -1 / 600], atol=1e-9)
    assert_allclose(pose.roll, [-np.arcsin(0.08 / 1.5), np.arcsin(0.06 / 1.5)], atol=1e-9)


def test_feet_become_metres(tmp_path: Path) -> None:
    feet = TRACK.replace('<Metric linearUnit="meter"/>', '<Imperial linearUnit="foot"/>')
    assert read_landxml(_written(tmp_path, feet)).length == pytest.approx(900 * 0.3048)


def test_adverse_cant_lifts_the_inner_rail(tmp_path: Path) -> None:
    adverse = TRACK.replace('"80" curvature="ccw"', '"80" curvature="ccw" adverse="true"')
    _, cant = _curvature_and_cant(read_landxml(_written(tmp_path, adverse)), [350])
    assert cant == pytest.approx([-0.08])


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('<Curve length="150" radius="500" rot="ccw"/>', '<Curve length="150" radius="500"/>', "rot = '' must be cw"),
        ('radius="600"', 'radius="-600"', "line 13, Curve of alignment 'main': radius = -600"),
        ('radius="600"', 'radius="six"', "radius = 'six' is not a number"),
        ('radius="600"', "", "attribute 'radius' is missing"),
        ('radius="300" rot', 'radius="30" rot', "curvature_start.*0.0333"),
        ('spiType="bloss"', 'spiType="wiener"', "transitions are clothoid"),
        ('length="100" radius="600"', 'length="90" radius="600"', "its elements add up to 890"),
        ('<CantStation station="1900"', '<CantStation station="2900"', "station 2900.000 m lies outside the plan"),
        ('station="1280"', 'station="1180"', "stations must ascend"),
        ("<PVI>1900 53</PVI>", "<PVI>1900</PVI>", "line 17, PVI of alignment 'main': two numbers"),
        ("<PVI>1900 53</PVI>", "<PVI>1200 53</PVI>", "profile points must ascend"),
        ("<PVI>1900 53</PVI>", "<PVI>1900 nan</PVI>", "two finite numbers"),
        ("<CoordGeom>", "<CoordGeom><Chain/>", "Chain of alignment 'main': plans are made of"),
        ('linearUnit="meter"', 'linearUnit="cubit"', "linearUnit 'cubit'"),
        ("</Alignments>", "", "is not XML"),
    ],
)
def test_a_wrong_file_is_refused_with_file_and_element(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert old in TRACK
    with pytest.raises(ConfigError, match=message) as caught:
        read_landxml(_written(tmp_path, TRACK.replace(old, new)))
    assert "track.xml" in str(caught.value)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_a_document_type_is_refused_before_its_entities_are_read(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "laughs.xml"
    entities = "".join(f'<!ENTITY e{i + 1} "{f"&e{i};" * 10}">' for i in range(12))
    text = f'<?xml version="1.0" encoding="{encoding}"?><!DOCTYPE x [<!ENTITY e0 "ha">{entities}]><x>&e12;</x>'
    path.write_text(text, encoding=encoding)
    with pytest.raises(ConfigError, match="has a DOCTYPE"):
        read_landxml(path)


def test_elements_without_end_inside_each_other_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=f"more than {DEEPEST} elements inside each other"):
        read_landxml(_written(tmp_path, "<a>" * 100_000))


def test_a_file_of_several_alignments_asks_which(tmp_path: Path) -> None:
    one = TRACK[TRACK.index("<Alignment ") : TRACK.index("</Alignments>")]
    path = _written(tmp_path, TRACK.replace("</Alignments>", one.replace('"main"', '"siding"') + "</Alignments>"))
    assert landxml_names(path) == ("main", "siding")
    assert read_landxml(path, name="siding").name == "siding"
    for name in (None, "yard"):
        with pytest.raises(ConfigError, match="name one of its alignments: main, siding"):
            read_landxml(path, name=name)


def _walked(design: Design) -> tuple[float, float]:
    """Easting and northing of the far end: heading and place integrated along the elements."""
    assert design.start is not None
    assert design.heading is not None
    x, y = design.start
    heading = design.heading
    for element in design.horizontal:
        s = np.linspace(0.0, element.length, 2001)
        turned = element.curvature_start * s + (element.curvature_end - element.curvature_start) * s**2 / 2 / s[-1]
        x += np.trapezoid(np.cos(heading + turned), s)
        y += np.trapezoid(np.sin(heading + turned), s)
        heading += turned[-1]
    return float(x), float(y)


@needs_samples
def test_a_real_line_ends_where_its_coordinates_say() -> None:
    """Lines, clothoids and arcs both ways over 1029 m, against the end point in the file."""
    design = read_landxml(SAMPLES / "STN01_Alignment_exchange.xml")
    assert_allclose(_walked(design), (453202.52411176963, 4539831.9286928643), atol=0.002)
    assert design.posts[0].km == pytest.approx(-0.1531)


@needs_samples
def test_landxml_and_tables_of_one_line_agree() -> None:
    xml = read_landxml(SAMPLES / "STN01_Alignment_exchange.xml")
    tables = _tables("STN01")
    assert len(xml.horizontal) == len(tables.horizontal)
    for a, b in zip(xml.horizontal, tables.horizontal, strict=True):
        assert_allclose(list(a.model_dump().values()), list(b.model_dump().values()), atol=2e-4)
    for c, d in zip(xml.vertical, tables.vertical, strict=True):
        assert c.length == pytest.approx(d.length, abs=0.01)
        assert_allclose((c.gradient_start, c.gradient_end), (d.gradient_start, d.gradient_end), atol=1e-6)
    assert max(e.cant_end for e in tables.horizontal) == 0.06
    assert min(e.cant_end for e in tables.horizontal) == -0.06


@needs_samples
def test_a_radius_of_the_wrong_sign_is_told_by_the_directions(tmp_path: Path) -> None:
    """The last curve of these real tables turns right, its radius says left; corrected, it ends as its LandXML does."""
    with pytest.raises(ConfigError, match=r"line 13: starts in direction 0\.383957 rad.*to 0\.483957 rad"):
        _tables("STN02")
    path = tmp_path / "corrected.csv"
    text = (SAMPLES / "STN02_Alignment_horizontal.csv").read_text(encoding="utf-8-sig")
    path.write_text(text.replace(",600", ",-600"), encoding="utf-8")
    design = read_design_tables(path, name="corrected")
    assert_allclose(_walked(design), (453616.16457484878, 4539926.1049216324), atol=0.01)


@needs_samples
def test_real_files_with_faults_are_refused_with_the_fault() -> None:
    """Cant stations counted from another start; a plan that lacks its last 82 m; tramway curves of 25 m."""
    with pytest.raises(ConfigError, match=r"station 1312\.707 m lies outside the plan"):
        read_landxml(SAMPLES / "STN02_Alignment_STN02.xml")
    with pytest.raises(ConfigError, match=r"length is 14028\.834 m, its elements add up to 13946\.345 m"):
        read_landxml(SAMPLES / "AL01_BC001_Alignment.xml", name="A50034A")
    with pytest.raises(ConfigError, match="curvature"):
        read_landxml(SAMPLES / "BC003_AL01_BC003_AL01_alignments.xml", name="SAN1_COM")


@needs_samples
def test_a_real_main_line_of_18_km_is_read_whole() -> None:
    design = read_landxml(SAMPLES / "AL01_BC001_Alignment.xml", name="A50068A")
    assert design.length == pytest.approx(17765.13832, abs=1e-6)
    assert sum(e.length for e in design.vertical) == pytest.approx(17765.13832, abs=1e-3)
    assert max(abs(e.cant_end) for e in design.horizontal) <= 0.16
    for e in design.horizontal:  # cant never lifts the inner rail of a tight curve
        assert e.curvature_start * e.cant_start >= 0 or abs(e.curvature_start) < 1 / 1500 or abs(e.cant_start) < 0.03


def _tables(name: str) -> Design:
    paths = {part: SAMPLES / f"{name}_Alignment_{part}.csv" for part in ("horizontal", "cant", "vertical")}
    return read_design_tables(paths["horizontal"], cant=paths["cant"], vertical=paths["vertical"], name=name)


PLAN_CSV = """Entity,PredefinedType,Name,Start Point X,Start Point Y,Start Direction,Start Radius of Curvature,\
End Radius of Curvature ,Segment Length
x,LINE,H1,0,0,0,0,0,100
x,CLOTHOID,H2,100,0,0,0,-400,60
x,CIRCULARARC,H3,160,-1.5,-0.075,-400,-400,200
"""


def test_tables_without_cant_and_profile_are_a_flat_track(tmp_path: Path) -> None:
    path = tmp_path / "plan.csv"
    path.write_text("\ufeff" + PLAN_CSV, encoding="utf-8")
    design = read_design_tables(path, name="x", station_start=500.0)
    assert [e.curvature_end for e in design.horizontal] == [0.0, -1 / 400, -1 / 400]
    assert design.vertical == ()
    assert design.posts[0].km == 0.5


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("CLOTHOID", "WIENERBOGEN", "line 3, 'PredefinedType': 'wienerbogen'"),
        (",60", ",sixty", "line 3, 'segment length': 'sixty' is not a number"),
        (",60", ",-60", "a length is positive"),
        (",60", "", "line 3: 8 cells, the header has 9"),
        ("Segment Length", "Length", "has no column 'segment length'"),
    ],
)
def test_a_wrong_table_is_refused_with_file_and_line(tmp_path: Path, old: str, new: str, message: str) -> None:
    path = tmp_path / "plan.csv"
    path.write_text(PLAN_CSV.replace(old, new), encoding="utf-8")
    with pytest.raises(ConfigError, match=message) as caught:
        read_design_tables(path, name="x")
    assert "plan.csv" in str(caught.value)
