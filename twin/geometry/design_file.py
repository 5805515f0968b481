"""Design geometry from LandXML: plan, cant, profile and chainage of every alignment of a file.

Rotation ccw is a left curve. Cant of a station is a height without sign: it lifts the outer rail of the curve the
station names, or the inner one where it is adverse; files write it in millimetres whatever their linear unit. Points
are northing and easting.
"""

from math import atan2, hypot, inf, isfinite
from pathlib import Path

from twin.core.errors import ConfigError
from twin.core.places import KilometrePost
from twin.geometry.design_elements import (
    SHAPES,
    CantStation,
    Design,
    PlanElement,
    ProfilePoint,
    horizontal_elements,
    vertical_elements,
)
from twin.geometry.plain_xml import Element, read_xml

LINEAR_UNITS = {"meter": 1.0, "metre": 1.0, "millimeter": 1e-3, "foot": 0.3048, "USSurveyFoot": 1200 / 3937}
CANT_UNIT = 1e-3
"""Of appliedCant [m]."""
SLACK = 0.05
"""How far a station may lie outside the plan [m]: what files round."""
_TURNS = {"ccw": 1.0, "cw": -1.0}
_SKIPPED = ("Feature",)


def landxml_names(path: Path) -> tuple[str, ...]:
    """Names of the alignments of a file."""
    return tuple(_name(alignment) for alignment in _root(path).within("Alignment"))


def read_landxml(path: Path, *, name: str | None = None) -> Design:
    """One alignment of a file, by its name or because it is the only one; the others are not looked at.

    ConfigError names file, line, element and remedy.
    """
    root = _root(path)
    unit = _linear_unit(path, root)
    found = list(root.within("Alignment"))
    chosen = [alignment for alignment in found if name is None or _name(alignment) == name]
    if len(chosen) != 1:
        names = ", ".join(_name(alignment) for alignment in found) or "there is none"
        got = "" if name is None else f"; got '{name}'"
        raise ConfigError(f"{path}: name one of its alignments: {names}{got}")
    return _Reader(path, chosen[0], unit).design()


def _root(path: Path) -> Element:
    root = read_xml(path)
    if root.name != "LandXML":
        raise ConfigError(f"{path}: the outermost element is '{root.name}', not LandXML")
    return root


def _name(alignment: Element) -> str:
    return alignment.attributes.get("name", "without a name")


def _linear_unit(path: Path, root: Element) -> float:
    units = root.first("Units")
    if units is None or not units.children:
        return 1.0
    name = units.children[0].attributes.get("linearUnit", "meter")
    if name not in LINEAR_UNITS:
        raise ConfigError(f"{path}, line {units.line}: linearUnit '{name}'; known are {', '.join(LINEAR_UNITS)}")
    return LINEAR_UNITS[name]


class _Reader:
    """Reads one alignment; remembers what messages and stations refer to."""

    def __init__(self, path: Path, alignment: Element, unit: float) -> None:
        self._path, self._alignment, self._unit = path, alignment, unit
        self._name = _name(alignment)
        self._source = f"{path}: alignment '{self._name}'"
        self._station_start = self._number(alignment, "staStart", 0.0) * unit

    def design(self) -> Design:
        geometry = self._alignment.first("CoordGeom")
        if geometry is None:
            raise ConfigError(f"{self._at(self._alignment)}: has no CoordGeom, so no plan")
        elements = [child for child in geometry.children if child.name not in _SKIPPED]
        plan = [self._plan(child) for child in elements]
        length = sum(element.length for element in plan)
        stated = self._number(self._alignment, "length", length / self._unit) * self._unit
        if abs(stated - length) > SLACK:
            raise ConfigError(
                f"{self._at(self._alignment)}: length is {stated:.3f} m, its elements add up to {length:.3f} m: "
                "look for one that is missing or stands twice"
            )
        start, heading = self._first_point(elements)
        return Design(
            name=self._name,
            horizontal=horizontal_elements(plan, self._cant(length), source=self._source),
            vertical=vertical_elements(self._profile(), length=length, source=self._source),
            posts=self._posts(),
            start=start,
            heading=heading,
        )

    def _plan(self, element: Element) -> PlanElement:
        where = f"line {element.line}, {element.name}"
        if element.name == "Line":
            start, end = self._point(element, "Start"), self._point(element, "End")
            apart = hypot(end[0] - start[0], end[1] - start[1]) if start and end else None
            return PlanElement(self._number(element, "length", apart) * self._unit, 0.0, 0.0, where=where)
        if element.name == "Curve":
            kappa = self._turn(element) / self._radius(element, "radius")
            return PlanElement(self._number(element, "length") * self._unit, kappa, kappa, where=where)
        if element.name == "Spiral":
            turn = self._turn(element)
            first, last = (turn / self._radius(element, key) for key in ("radiusStart", "radiusEnd"))
            shape = element.attributes.get("spiType", "clothoid")
            return PlanElement(self._number(element, "length") * self._unit, first, last, shape, where)
        raise ConfigError(f"{self._at(element)}: plans are made of Line, Curve and Spiral: replace the element")

    def _cant(self, length: float) -> list[CantStation]:
        table = self._alignment.first("Cant")
        stations: list[CantStation] = []
        for element in table.all("CantStation") if table else ():
            s = self._number(element, "station") * self._unit - self._station_start
            if not -SLACK <= s <= length + SLACK:
                raise ConfigError(
                    f"{self._at(element)}: station {s + self._station_start:.3f} m lies outside the plan, which goes "
                    f"from {self._station_start:.3f} to {self._station_start + length:.3f} m: correct the stations"
                )
            if stations and s < stations[-1].s:
                raise ConfigError(f"{self._at(element)}: stations must ascend")
            applied = self._number(element, "appliedCant") * CANT_UNIT
            inside = -1.0 if element.attributes.get("adverse") == "true" else 1.0
            sign = inside * self._turn(element, key="curvature") if applied else 0.0
            shape = element.attributes.get("transitionType", "linear")
            if shape not in SHAPES:
                raise ConfigError(f"{self._at(element)}: transitionType '{shape}'; known are {', '.join(SHAPES)}")
            stations.append(CantStation(s, sign * applied, shape))
        return stations

    def _profile(self) -> list[ProfilePoint]:
        profile = self._alignment.first("Profile")
        polygon = profile.first("ProfAlign") if profile else None
        points = []
        for element in polygon.children if polygon else ():
            if element.name in _SKIPPED:
                continue
            if element.name not in ("PVI", "ParaCurve", "CircCurve", "UnsymParaCurve"):
                raise ConfigError(f"{self._at(element)}: profiles are made of PVI and vertical curves")
            values = self._coordinates(element)
            if element.name == "UnsymParaCurve":
                curve = self._number(element, "lengthIn"), self._number(element, "lengthOut")
            else:
                whole = 0.0 if element.name == "PVI" else self._number(element, "length")
                curve = whole / 2, whole / 2
            s, height, before, after = (value * self._unit for value in (*values, *curve))
            where = f"line {element.line}, {element.name}"
            points.append(ProfilePoint(s - self._station_start, height, before, after, where))
        return points

    def _posts(self) -> tuple[KilometrePost, ...]:
        """Kilometres from the stations; an equation is a jump, as two posts at one place."""
        posts = [KilometrePost(s=0.0, km=self._station_start / 1000)]
        for equation in self._alignment.all("StaEquation"):
            s = self._number(equation, "staInternal") * self._unit - self._station_start
            back = posts[-1].km + (s - posts[-1].s) / 1000
            ahead = self._number(equation, "staAhead") * self._unit / 1000
            if s < posts[-1].s:
                raise ConfigError(f"{self._at(equation)}: station equations must ascend")
            posts += [KilometrePost(s=s, km=back), KilometrePost(s=s, km=ahead)]
        return tuple(posts)

    def _first_point(self, elements: list[Element]) -> tuple[tuple[float, float] | None, float | None]:
        """Easting and northing of the start, and the heading where the plan starts with a line."""
        if not elements:
            return None, None
        start, end = self._point(elements[0], "Start"), self._point(elements[0], "End")
        if start is None:
            return None, None
        heading = None
        if elements[0].name == "Line" and end is not None:
            heading = atan2(end[1] - start[1], end[0] - start[0])
        return (start[0] * self._unit, start[1] * self._unit), heading

    def _point(self, element: Element, name: str) -> tuple[float, float] | None:
        """Easting and northing in the file's unit; a file writes northing first."""
        child = element.first(name)
        if child is None or not child.text.strip():
            return None
        northing, easting = self._coordinates(child)
        return easting, northing

    def _coordinates(self, element: Element) -> tuple[float, float]:
        try:
            first, second, *_ = (float(word) for word in element.text.split())
        except ValueError:
            raise ConfigError(f"{self._at(element)}: two numbers expected, got '{element.text.strip()}'") from None
        if not (isfinite(first) and isfinite(second)):
            raise ConfigError(f"{self._at(element)}: two finite numbers expected, got '{element.text.strip()}'")
        return first, second

    def _radius(self, element: Element, key: str) -> float:
        radius = inf if element.attributes.get(key, "").upper() in ("INF", "INFINITY") else self._number(element, key)
        if radius <= 0:
            raise ConfigError(f"{self._at(element)}: {key} = {radius:g}: a radius is positive, rot says where it turns")
        return radius * self._unit

    def _turn(self, element: Element, *, key: str = "rot") -> float:
        word = element.attributes.get(key, "")
        if word not in _TURNS:
            raise ConfigError(f"{self._at(element)}: {key} = '{word}' must be cw or ccw")
        return _TURNS[word]

    def _number(self, element: Element, key: str, otherwise: float | None = None) -> float:
        word = element.attributes.get(key)
        if word is None:
            if otherwise is None:
                raise ConfigError(f"{self._at(element)}: attribute '{key}' is missing")
            return otherwise
        try:
            value = float(word)
        except ValueError:
            raise ConfigError(f"{self._at(element)}: {key} = '{word}' is not a number") from None
        if not isfinite(value):
            raise ConfigError(f"{self._at(element)}: {key} = '{word}' is not finite")
        return value

    def _at(self, element: Element) -> str:
        return f"{self._path}, line {element.line}, {element.name} of alignment '{self._name}'"
