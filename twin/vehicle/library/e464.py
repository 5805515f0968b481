"""Locomotive E.464 [Ign Tables 1 and 2], as printed and without the rotational stiffness of its coils.

The paper prints masses and the linear stiffness of the coils; geometry and dampers are "in the literature" or drawn
only. What had to be added is listed in the assumptions.
"""

from twin.vehicle.description import NONE, AnyElement, NotNegativeVector, TractionRod, Vehicle, Wheels
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

CARBODY = Inertia(43000.0, (61000.0, 524700.0, 524300.0), height=1.9)
BOGIE = Inertia(10605.0, (1735.0, 6670.0, 8224.0), height=0.7)
WHEELSET = Inertia(1599.0, (954.0, 220.0, 954.0), height=0.55)
LENGTHS = Lengths(half_pivot=3.77, half_base=1.325)
WHEELS = Wheels(radius=0.55, half_distance=0.75, profile="S1002")
COIL_OFFSET = 0.25
"""Of the coils before and behind the axle, and before and behind the pivot [m]."""
PRINTED_ROTATIONAL: NotNegativeVector = (2e6, 2e6, 2e6)
"""[N m/rad] of every coil, [Ign Table 2]."""
YAW_DAMPER = ((0.0, 0.0), (0.02, 10000.0), (0.3, 15000.0))

ASSUMPTIONS = (
    "pivots 7.54 m apart, wheelbase 2.65 m, wheel diameter 1.10 m: the locomotive's usual data sheet",
    "centres of mass of body and bogie at 1.9 and 0.7 m, springs at y 1.0 m, primary at 0.7 m, secondary at 0.95 m",
    "the rod of an axle box holds it with 10 MN/m along x (elastic joints); its damper stands upright, 10 kN s/m",
    "per bogie two vertical (20 kN s/m), two lateral (30 kN s/m), two yaw dampers (10 kN at 0.02 m/s, ends 6 MN/m)",
    "traction rod 5 MN/m with 25 kN s/m, low, from the middle of the bogie",
)


def e464_printed() -> Vehicle:
    """With 2 MN m/rad about every axis of every coil, as printed: hard to believe of coils."""
    return _e464("E.464 as printed", PRINTED_ROTATIONAL)


def e464() -> Vehicle:
    """With coils that resist no rotation."""
    return _e464("E.464", NONE)


def _e464(name: str, rotational: NotNegativeVector) -> Vehicle:
    taken = "coils resist no rotation: the printed 2 MN m/rad about every axis is that of a solid bar"
    return Vehicle(
        name=name,
        source="[Ign Tables 1 and 2]",
        assumptions=ASSUMPTIONS if rotational == PRINTED_ROTATIONAL else (*ASSUMPTIONS, taken),
        bodies=two_bogie_bodies(carbody=CARBODY, bogie=BOGIE, wheelset=WHEELSET, lengths=LENGTHS, wheels=WHEELS),
        elements=with_copies((*_primary(rotational), *_secondary(rotational)), *bogie_mirrors(half_pivot=3.77)),
    )


def _primary(rotational: NotNegativeVector) -> tuple[AnyElement, ...]:
    x = LENGTHS.leading
    coils = tuple(
        spring(
            f"wheelset 1 left {which} coil",
            PRIMARY,
            at=(x + offset, 1.0, 0.7),
            stiffness=(1730000.0, 1730000.0, 852000.0),
            rotational_stiffness=rotational,
        )
        for which, offset in (("outer", COIL_OFFSET), ("inner", -COIL_OFFSET))
    )
    rod = spring("wheelset 1 left axle box rod", PRIMARY, at=(x, 1.0, 0.55), stiffness=(10e6, 0.0, 0.0))
    upright = damper(
        "wheelset 1 left primary damper", PRIMARY, ends=((x, 1.1, 0.9), (x, 1.1, 0.5)), curve=linear(10000.0)
    )
    return (*coils, rod, upright)


def _secondary(rotational: NotNegativeVector) -> tuple[AnyElement, ...]:
    x = LENGTHS.half_pivot
    coils = tuple(
        spring(
            f"front left {which} coil",
            SECONDARY,
            at=(x + offset, 1.0, 0.95),
            stiffness=(84300.0, 84300.0, 284000.0),
            rotational_stiffness=rotational,
        )
        for which, offset in (("outer", COIL_OFFSET), ("inner", -COIL_OFFSET))
    )
    return (
        *coils,
        damper("front left vertical damper", SECONDARY, ends=((x, 1.2, 1.2), (x, 1.2, 0.7)), curve=linear(20000.0)),
        damper("front left lateral damper", SECONDARY, ends=((x, 0.9, 0.8), (x, 0.4, 0.8)), curve=linear(30000.0)),
        damper(
            "front left yaw damper",
            SECONDARY,
            ends=((x - 0.8, 1.3, 0.8), (x, 1.3, 0.8)),
            curve=YAW_DAMPER,
            series_stiffness=6e6,
        ),
        TractionRod(
            name="front traction rod",
            first="carbody",
            second="front bogie",
            at_first=(x - 1.5, 0.0, 0.5),
            at_second=(x, 0.0, 0.5),
            stiffness=5e6,
            damping=25000.0,
        ),
    )
