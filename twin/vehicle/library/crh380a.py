"""High-speed vehicle CRH380A with yaw dampers; masses, stiffness and damper knees from vehicles.csv, "CRH380A"."""

from twin.vehicle.description import AnyElement, BumpStop, TractionRod, Vehicle, Wheels
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

CARBODY = Inertia(43862.5, (109400.0, 1654000.0, 1561000.0), height=1.7)
BOGIE = Inertia(2400.0, (1944.0, 1314.0, 2400.0), height=0.56)
WHEELSET = Inertia(1850.0, (967.0, 123.0, 967.0), height=0.43)
LENGTHS = Lengths(half_pivot=8.75, half_base=1.25)
WHEELS = Wheels(radius=0.43, half_distance=0.75, profile="S1002")
YAW_DAMPER = ((0.0, 0.0), (0.015, 4.9e6 * 0.015), (0.115, 4.9e6 * 0.015 + 0.01e6 * 0.1))
"""4.9 MN s/m to the knee at 0.015 m/s, then 10 kN s/m."""
LATERAL_DAMPER = ((0.0, 0.0), (0.15, 58.8e3 * 0.15), (0.30, 58.8e3 * 0.15 + 6.1e3 * 0.15))
"""58.8 kN s/m to the knee at 0.15 m/s, then 6.1 kN s/m."""
STOP_CURVE = ((0.0, 0.0), (0.02, 10000.0), (0.03, 30000.0), (0.04, 120000.0))

ASSUMPTIONS = (
    "pivots 17.5 m apart, wheelbase 2.5 m, wheel radius 0.43 m: the train's usual data sheet",
    "centres of mass of body and bogie at 1.7 and 0.56 m, primary springs at y 1.0 m, secondary at y 1.23 m",
    "primary dampers upright, 20 kN s/m per axle box; the source gives none",
    "yaw damper beside the bogie at y 1.35 m, one per side of a bogie, ends of 8 MN/m in series",
    "secondary vertical damping (40 kN s/m) stands beside each air spring; one lateral damper per side",
    "traction rod 5 MN/m on the centre line; lateral bump stops after 20 mm; wheel profile S1002",
)


def crh380a() -> Vehicle:
    """The vehicle."""
    return Vehicle(
        name="CRH380A",
        source="vehicles.csv 'CRH380A' (one public parameter file)",
        assumptions=ASSUMPTIONS,
        bodies=two_bogie_bodies(carbody=CARBODY, bogie=BOGIE, wheelset=WHEELSET, lengths=LENGTHS, wheels=WHEELS),
        elements=with_copies((*_primary(), *_secondary()), *bogie_mirrors(half_pivot=LENGTHS.half_pivot)),
    )


def _primary() -> tuple[AnyElement, ...]:
    x = LENGTHS.leading
    return (
        spring("wheelset 1 left primary spring", PRIMARY, at=(x, 1.0, 0.55), stiffness=(14.68e6, 6.47e6, 1.176e6)),
        damper("wheelset 1 left primary damper", PRIMARY, ends=((x, 1.1, 0.8), (x, 1.1, 0.43)), curve=linear(20000.0)),
    )


def _secondary() -> tuple[AnyElement, ...]:
    x = LENGTHS.half_pivot
    return (
        spring("front left air spring", SECONDARY, at=(x, 1.23, 0.85), stiffness=(160e3, 160e3, 190e3)),
        damper("front left vertical damper", SECONDARY, ends=((x, 1.3, 1.0), (x, 1.3, 0.6)), curve=linear(40000.0)),
        damper("front left lateral damper", SECONDARY, ends=((x, 0.9, 0.7), (x, 0.4, 0.7)), curve=LATERAL_DAMPER),
        damper(
            "front left yaw damper",
            SECONDARY,
            ends=((x - 0.8, 1.35, 0.7), (x, 1.35, 0.7)),
            curve=YAW_DAMPER,
            series_stiffness=8e6,
        ),
        TractionRod(
            name="front traction rod",
            first="carbody",
            second="front bogie",
            at_first=(x - 0.8, 0.0, 0.5),
            at_second=(x, 0.0, 0.5),
            stiffness=5e6,
        ),
        BumpStop(
            name="front lateral bump stop",
            first="carbody",
            second="front bogie",
            at_first=(x, 0.0, 0.7),
            at_second=(x, 0.0, 0.7),
            axis="y",
            clearance=0.02,
            curve=STOP_CURVE,
        ),
    )
