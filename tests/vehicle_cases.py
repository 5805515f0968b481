"""Vehicles for tests of the equations of motion: one with every kind of element, one simple enough for hand work."""

from twin.vehicle.description import (
    Body,
    BumpStop,
    Bushing,
    Element,
    Gear,
    LineDamper,
    RollBar,
    TractionRod,
    Vehicle,
    Wheels,
)
from twin.vehicle.mirrors import LEFT_RIGHT, Mirror, with_copies

WHEELS = Wheels(radius=0.46, half_distance=0.75)


def everything(*, damped: bool = True) -> Vehicle:
    """A body on a bogie with a driven wheelset: every element and every joint there is; dampers only where damped."""
    on = 1.0 if damped else 0.0
    return Vehicle(
        name="everything",
        source="made for tests",
        bodies=_bodies(),
        elements=(*_springs(on), *_single(on), *(_dampers() if damped else ())),
    )


def _bodies() -> tuple[Body, ...]:
    return (
        Body(name="coach", kind="carbody", mass=16e3, inertia=(30e3, 90e3, 95e3), position=(0.1, 0, 1.8)),
        Body(name="bogie", kind="bogie", mass=2600, inertia=(1700, 1500, 3000), position=(0, 0, 0.6)),
        wheelset("wheelset 1", 1.28),
        wheelset("wheelset 2", -1.28),
        Body(
            name="motor",
            kind="motor",
            mass=700,
            inertia=(20, 30, 25),
            position=(0.7, 0, 0.55),
            parent="bogie",
            joint="hinge_y",
            pivot=(0.2, 0, 0.6),
        ),
        Body(
            name="rotor",
            kind="rotor",
            mass=150,
            inertia=(6, 4, 6),
            position=(0.7, 0, 0.55),
            parent="motor",
            joint="hinge_y",
        ),
        Body(
            name="tank",
            kind="motor",
            mass=90,
            inertia=(3, 4, 5),
            position=(-0.4, 0.2, 0.5),
            parent="bogie",
            joint="fixed",
        ),
    )


def _springs(on: float) -> tuple[Element, ...]:
    primary = Bushing(
        name="primary 1 left",
        first="bogie",
        second="wheelset 1",
        at_first=(1.28, 1.0, 1.0),
        at_second=(1.28, 1.0, 0.46),
        stiffness=(31e6, 3.9e6, 1.2e6),
        damping=(15e3 * on, 2e3 * on, 4e3 * on),
        series_stiffness=(0, 0, 3e6),
    )
    secondary = Bushing(
        name="secondary left",
        first="coach",
        second="bogie",
        at_first=(0, 1.0, 1.13),
        at_second=(0, 1.0, 0.525),
        stiffness=(160e3, 160e3, 430e3),
        damping=(0, 0, 20e3 * on),
        rotational_stiffness=(10.5e3, 9e3, 4e3),
        rotational_damping=(10 * on, 20 * on, 30 * on),
    )
    return (
        *with_copies((primary,), LEFT_RIGHT, Mirror(axis="x", words={" 1": " 2"})),
        *with_copies((secondary,), LEFT_RIGHT),
    )


def _single(on: float) -> tuple[Element, ...]:
    return (
        RollBar(
            name="bar",
            first="coach",
            second="bogie",
            at_first=(0, 0, 0.7),
            at_second=(0, 0, 0.6),
            stiffness=940e3,
            damping=100 * on,
        ),
        TractionRod(
            name="rod",
            first="coach",
            second="bogie",
            at_first=(1.2, 0, 0.62),
            at_second=(0.2, 0, 0.55),
            stiffness=5e6,
            damping=25e3 * on,
        ),
        BumpStop(
            name="stop",
            first="coach",
            second="bogie",
            at_first=(0, 0, 0.65),
            at_second=(0, 0, 0.65),
            axis="y",
            clearance=0.002,
            curve=((0, 0), (0.005, 600), (0.01, 3000)),
        ),
        Bushing(
            name="motor nose",
            first="motor",
            second="bogie",
            at_first=(0.9, 0, 0.7),
            at_second=(0.9, 0, 0.8),
            stiffness=(0, 0, 4e6),
        ),
        Gear(
            name="gear",
            first="rotor",
            second="wheelset 1",
            at_first=(0.7, 0, 0.55),
            at_second=(1.28, 0, 0.46),
            teeth=(20, 60),
            stiffness=5e7,
            damping=1e3 * on,
        ),
    )


def _dampers() -> tuple[Element, ...]:
    return (
        LineDamper(
            name="yaw damper",
            first="coach",
            second="bogie",
            at_first=(-0.9, 1.3, 0.7),
            at_second=(0.1, 1.3, 0.6),
            curve=((0, 0), (0.02, 8e3), (0.3, 12e3)),
            series_stiffness=6e6,
        ),
        LineDamper(
            name="lateral damper",
            first="coach",
            second="bogie",
            at_first=(0.3, 0.6, 0.7),
            at_second=(0.3, 0, 0.7),
            curve=((0, 0), (0.1, 3e3), (0.3, 4e3)),
        ),
    )


def wheelset(name: str, x: float) -> Body:
    """A wheelset of the Manchester vehicle."""
    return Body(name=name, kind="wheelset", mass=1813, inertia=(1120, 112, 1120), position=(x, 0, 0.46), wheels=WHEELS)
