"""A 1:10 vehicle for a scaled track such as that of [Esc Fig. 8], whose parameters are not published with it.

Assumption: it is the Manchester passenger vehicle 1 reduced with gravity kept (similarity of Froude), so that it
stands, leans and takes its curves as the large one does: lengths with s, masses s^3, speeds sqrt(s), forces s^3.
"""

from twin.vehicle.description import (
    AnyElement,
    Body,
    BumpStop,
    Bushing,
    Curve,
    LineDamper,
    RollBar,
    TractionRod,
    Vector,
    Vehicle,
)
from twin.vehicle.library.manchester import manchester

SCALE = 0.1

ASSUMPTIONS = (
    "Manchester passenger vehicle 1 with lengths in s = 0.1, masses and forces s^3, inertias s^5, stiffness s^2, "
    "damping s^2.5, rotational stiffness s^4: speeds are sqrt(s) of the large vehicle's, frequencies 1/sqrt(s)",
    "the wheel profile is that of the large vehicle in the same scale",
)


def scaled() -> Vehicle:
    """The 1:10 vehicle: 44.5 kg on rolling circles 150 mm apart."""
    return reduced(manchester(), SCALE, name="1:10 scaled vehicle", assumptions=ASSUMPTIONS)


def reduced(vehicle: Vehicle, s: float, *, name: str, assumptions: tuple[str, ...]) -> Vehicle:
    """A vehicle in another scale under the same gravity."""
    return vehicle.model_copy(
        update={
            "name": name,
            "assumptions": (*vehicle.assumptions, *assumptions),
            "scale": vehicle.scale * s,
            "bodies": tuple(_body(body, s) for body in vehicle.bodies),
            "elements": tuple(_element(element, s) for element in vehicle.elements),
        }
    )


def _times(vector: Vector, factor: float) -> Vector:
    x, y, z = vector
    return x * factor, y * factor, z * factor


def _curve(curve: Curve, argument: float, force: float) -> Curve:
    return tuple((x * argument, y * force) for x, y in curve)


def _body(body: Body, s: float) -> Body:
    wheels = body.wheels
    changes = {
        "mass": body.mass * s**3,
        "inertia": _times(body.inertia, s**5),
        "position": _times(body.position, s),
        "pivot": _times(body.pivot, s) if body.pivot else None,
        "wheels": wheels
        and wheels.model_copy(update={"radius": wheels.radius * s, "half_distance": wheels.half_distance * s}),
    }
    return body.model_copy(update=changes)


def _element(element: AnyElement, s: float) -> AnyElement:
    points = {"at_first": _times(element.at_first, s), "at_second": _times(element.at_second, s)}
    return element.model_copy(update=points | _strength(element, s))


def _strength(element: AnyElement, s: float) -> dict[str, object]:
    if isinstance(element, Bushing):
        return {
            "stiffness": _times(element.stiffness, s**2),
            "damping": _times(element.damping, s**2.5),
            "rotational_stiffness": _times(element.rotational_stiffness, s**4),
            "rotational_damping": _times(element.rotational_damping, s**4.5),
            "series_stiffness": _times(element.series_stiffness, s**2),
        }
    if isinstance(element, LineDamper):
        return {"curve": _curve(element.curve, s**0.5, s**3), "series_stiffness": element.series_stiffness * s**2}
    if isinstance(element, BumpStop):
        return {"clearance": element.clearance * s, "curve": _curve(element.curve, s, s**3)}
    if isinstance(element, RollBar):
        return {"stiffness": element.stiffness * s**4, "damping": element.damping * s**4.5}
    if isinstance(element, TractionRod):
        return {"stiffness": element.stiffness * s**2, "damping": element.damping * s**2.5}
    return {"stiffness": element.stiffness * s**2, "damping": element.damping * s**2.5}
