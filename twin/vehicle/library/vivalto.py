"""Double-deck coach Vivalto [Ign Tables 3 to 5], as printed and corrected.

Two printed values are ten times off by what they do: the primary coils' k_z of 5 MN/m gives 6.9 mm under the coach
(0.5 MN/m: 69 mm), the air springs' k_y of 14 kN/m a sway of 0.17 Hz (140 kN/m, the printed k_x: 0.53 Hz). Both variants
are here; nothing else differs.
"""

from typing import NamedTuple

from twin.vehicle.description import AnyElement, BumpStop, RollBar, TractionRod, Vehicle, Wheels
from twin.vehicle.library.two_bogies import (
    PRIMARY,
    SECONDARY,
    Inertia,
    Lengths,
    damper,
    linear,
    spring,
    two_bogie_bodies,
)
from twin.vehicle.mirrors import bogie_mirrors, with_copies

CARBODY = Inertia(50935.0, (128118.0, 2911166.0, 2811166.0), height=2.0)
BOGIE = Inertia(2470.0, (1890.0, 2014.0, 3737.0), height=0.6)
WHEELSET = Inertia(1410.0, (866.0, 101.0, 866.0), height=0.46)
LENGTHS = Lengths(half_pivot=10.0, half_base=1.25)
WHEELS = Wheels(radius=0.46, half_distance=0.75, profile="S1002")
COIL_OFFSET = 0.25
"""Of the two coils before and behind the axle [m]."""
STOP_CURVE = ((0.0, 0.0), (0.01, 5000.0), (0.02, 20000.0), (0.03, 100000.0))

ASSUMPTIONS = (
    "pivots 20 m apart, wheel diameter 0.92 m; the wheelbase of 2.5 m is that of [Ign Table 7]",
    "centres of mass of coach and bogie at 2.0 and 0.6 m, springs at y 1.0 m, primary at 0.55 m, secondary at 0.85 m",
    "each axle box has two coils with a rubber spring in each, 0.25 m before and behind the axle",
    "two lateral dampers per bogie of 20 kN s/m; a primary damper is not added to the printed 2 kN s/m per coil",
    "the roll bar has no damping: its printed value is lost in the text at hand",
    "the zeta link holds the bogie along x with 5 MN/m on the centre line",
    "lateral bump stops after 30 mm, vertical ones of the primary suspension stay open and are left out",
)


class Doubtful(NamedTuple):
    """The two values in doubt [N/m]."""

    coil_k_z: float
    air_spring_k_y: float


PRINTED = Doubtful(coil_k_z=5000000.0, air_spring_k_y=14000.0)
CORRECTED = Doubtful(coil_k_z=500000.0, air_spring_k_y=140000.0)


def vivalto_printed() -> Vehicle:
    """With every value as printed."""
    return _vivalto("Vivalto as printed", PRINTED, ())


def vivalto() -> Vehicle:
    """With the coils' k_z a tenth of the printed one and the air springs' k_y ten times it."""
    return _vivalto("Vivalto", CORRECTED, ("k_z of the coils 0.5 for 5 MN/m, k_y of the air springs 140 for 14 kN/m",))


def _vivalto(name: str, values: Doubtful, corrections: tuple[str, ...]) -> Vehicle:
    return Vehicle(
        name=name,
        source="[Ign Tables 3 to 5]",
        assumptions=(*ASSUMPTIONS, *corrections),
        bodies=two_bogie_bodies(carbody=CARBODY, bogie=BOGIE, wheelset=WHEELSET, lengths=LENGTHS, wheels=WHEELS),
        elements=with_copies((*_primary(values), *_secondary(values)), *bogie_mirrors(half_pivot=10.0)),
    )


def _primary(values: Doubtful) -> tuple[AnyElement, ...]:
    return tuple(
        spring(
            f"wheelset 1 left {which} coil",
            PRIMARY,
            at=(LENGTHS.leading + offset, 1.0, 0.55),
            stiffness=(5500000.0, 24300000.0, values.coil_k_z),
            damping=(12000.0, 9000.0, 2000.0),
        )
        for which, offset in (("outer", COIL_OFFSET), ("inner", -COIL_OFFSET))
    )


def _secondary(values: Doubtful) -> tuple[AnyElement, ...]:
    x = LENGTHS.half_pivot
    middle = (x, 0.0, 0.65)
    return (
        spring(
            "front left air spring",
            SECONDARY,
            at=(x, 1.0, 0.85),
            stiffness=(140000.0, values.air_spring_k_y, 280000.0),
            damping=(840.0, 840.0, 25000.0),
        ),
        damper("front left lateral damper", SECONDARY, ends=((x, 0.9, 0.65), (x, 0.4, 0.65)), curve=linear(20000.0)),
        RollBar(
            name="front roll bar",
            first="carbody",
            second="front bogie",
            at_first=middle,
            at_second=middle,
            stiffness=975000.0,
        ),
        BumpStop(
            name="front lateral bump stop",
            first="carbody",
            second="front bogie",
            at_first=middle,
            at_second=middle,
            axis="y",
            clearance=0.03,
            curve=STOP_CURVE,
        ),
        TractionRod(
            name="front zeta link",
            first="carbody",
            second="front bogie",
            at_first=(x - 1.0, 0.0, 0.6),
            at_second=(x, 0.0, 0.6),
            stiffness=5e6,
        ),
    )
