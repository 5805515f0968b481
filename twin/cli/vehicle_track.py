"""Tracks a vehicle is run over: straight, into a curve, or from a file; with irregularities or without."""

import tomllib
from enum import StrEnum
from math import copysign
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from twin.core.errors import ConfigError

if TYPE_CHECKING:
    from twin.core.track import DesignTrack, HorizontalElement
    from twin.simulation.irregularity import IrregularityConfig
    from twin.vehicle.description import Vehicle
    from twin.vehicle.running import Rails, RoughRails

MM = 1e-3
"""[m/mm]"""
TRACK = "Track"
TANGENT, ARC, STRAIGHT = 50.0, 200.0, 300.0
"""Straight before a curve, arc, and straight track, unless a length is asked for [m]."""
TIGHTEST = 50.0
"""Radius of a design track [m]."""
LEAD_IN = 40.0
"""Over which irregularities begin ahead of a full-size vehicle [m]: a start without a jump."""
MARGIN = 20.0
"""Of irregularities beyond the run at both ends [m], more than a coach reaches."""


class Roughness(StrEnum):
    """How good the track is."""

    NONE = "none"
    GERMAN_LOW = "german-low"
    GERMAN_HIGH = "german-high"


TrackFile = Annotated[
    Path | None,
    typer.Option(
        "--track",
        metavar="FILE",
        help="TOML with [[horizontal]] and [[vertical]] elements, as in a scenario; a scenario serves.",
        rich_help_panel=TRACK,
    ),
]
Radius = Annotated[
    float | None,
    typer.Option(
        "--radius",
        metavar="M",
        help="Of a curve behind 50 m of straight, negative to the right.",
        rich_help_panel=TRACK,
    ),
]
Cant = Annotated[
    float,
    typer.Option("--cant", metavar="MM", min=-200.0, max=200.0, help="Of its outer rail.", rich_help_panel=TRACK),
]
Transition = Annotated[
    float, typer.Option("--transition", metavar="M", min=0.0, max=1000.0, help="Before the arc.", rich_help_panel=TRACK)
]
Irregular = Annotated[
    Roughness | None,
    typer.Option("--irregularity", help="Class of the track; else none, or what the file says.", rich_help_panel=TRACK),
]
Seed = Annotated[
    int, typer.Option("--seed", min=0, help="Names the irregularities: one seed, one track.", rich_help_panel=TRACK)
]


class AskedTrack(NamedTuple):
    """What the options say about the track."""

    file: Path | None
    radius: float | None
    cant: float
    """[mm]"""
    transition: float
    irregularity: Roughness | None
    seed: int


class LaidTrack(NamedTuple):
    """A track, ready to be run over from s = 0."""

    design: "DesignTrack"
    rails: "Rails"
    way: float
    """Of the vehicle's middle [m]."""


class _Line(NamedTuple):
    """A design, what its file says of irregularities, and whether it is run from its far end."""

    design: "DesignTrack"
    irregularity: "IrregularityConfig | None" = None
    reverse: bool = False


def laid(asked: AskedTrack, vehicle: "Vehicle", way: float | None) -> LaidTrack:
    """The track for a way of the vehicle's middle [m]; without one as long as it is."""
    from twin.vehicle.running import rails_between

    line = _built_in(asked, vehicle, way) if asked.file is None else _from_file(asked, vehicle)
    way = way or line.design.length
    if way > line.design.length:
        raise ConfigError(f"the run of {way:g} m is longer than the track of {line.design.length:g} m: shorten it")
    reach = max(abs(wheelset.position[0]) for wheelset in vehicle.wheelsets) + 1.0
    rough = _rough(asked, vehicle, line)
    return LaidTrack(line.design, rails_between(line.design, rough, first=-reach, last=way + reach), way)


def _built_in(asked: AskedTrack, vehicle: "Vehicle", way: float | None) -> _Line:
    from twin.core.track import HorizontalElement

    if asked.radius is None:
        if asked.cant:
            raise ConfigError("--cant needs a curve: add --radius")
        return _Line(_design([HorizontalElement(length=way or STRAIGHT)], vehicle))
    if abs(asked.radius) < TIGHTEST:
        raise ConfigError(f"--radius {asked.radius:g}: a curve has at least {TIGHTEST:g} m, negative to the right")
    begin = TANGENT + asked.transition
    way = way or begin + ARC
    if way <= begin:
        raise ConfigError(f"a run of {way:g} m ends before the arc, which begins at {begin:g} m: give a longer one")
    curvature, cant = 1 / asked.radius, copysign(1.0, asked.radius) * asked.cant * MM
    ramp = [HorizontalElement(length=asked.transition, curvature_end=curvature, cant_end=cant)] * bool(asked.transition)
    arc = HorizontalElement(
        length=way - begin, curvature_start=curvature, curvature_end=curvature, cant_start=cant, cant_end=cant
    )
    return _Line(_design([HorizontalElement(length=TANGENT), *ramp, arc], vehicle))


def _design(horizontal: "list[HorizontalElement]", vehicle: "Vehicle") -> "DesignTrack":
    from twin.core.track import DesignTrack
    from twin.vehicle.curving import cant_base

    return DesignTrack.from_elements(horizontal, [], cant_base=cant_base(vehicle))


def _from_file(asked: AskedTrack, vehicle: "Vehicle") -> _Line:
    from twin.core.places import Direction
    from twin.core.track import DesignTrack
    from twin.simulation.scenario import Scenario
    from twin.vehicle.curving import cant_base

    if asked.radius is not None or asked.cant:
        raise ConfigError("--track has its own curves: leave --radius and --cant out")
    path = asked.file or Path()
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read ({error.strerror}); give the path of a track") from None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(f"{path}: is not TOML ({error})") from None
    if not data.get("horizontal"):
        raise ConfigError(f"{path}: no track: write [[horizontal]] with length, curvature_end, ... for each element")
    data.pop("faults", None)
    scenario = Scenario.load({"vertical": []} | data, where=str(path))
    design = DesignTrack.from_elements(list(scenario.horizontal), list(scenario.vertical), cant_base=cant_base(vehicle))
    reverse = scenario.direction is Direction.DECREASING
    given = scenario.irregularity if "irregularity" in data else None
    return _Line(design.reversed() if reverse else design, given, reverse)


def _rough(asked: AskedTrack, vehicle: "Vehicle", line: _Line) -> "RoughRails | None":
    """Irregularities that begin ahead of the vehicle; those of a model track are built to its scale."""
    import numpy as np

    from twin.simulation.irregularity import IrregularityConfig, SpectrumClass, realise
    from twin.vehicle.running import RoughRails, faded_in

    config = line.irregularity
    if asked.irregularity is not None:
        spectrum = SpectrumClass(asked.irregularity.value.replace("-", "_"))
        config = IrregularityConfig(spectrum=spectrum, seed=asked.seed)
    if config is None or (config.spectrum is SpectrumClass.NONE and not config.defects):
        return None
    length = line.design.length / vehicle.scale
    drawn = realise(config, s0=-MARGIN, length=length + 2 * MARGIN)
    drawn = drawn.reversed(length) if line.reverse else drawn
    places = np.stack((drawn.y_left, drawn.z_left, drawn.y_right, drawn.z_right), axis=1)
    rough = RoughRails(drawn.s0 * vehicle.scale, drawn.step * vehicle.scale, places * vehicle.scale)
    front = vehicle.wheelsets[0].position[0] + vehicle.scale
    return faded_in(rough, first=front, length=LEAD_IN * vehicle.scale)
