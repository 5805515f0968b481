"""Passenger vehicle 1 of the Manchester benchmarks, the wagon of [Fal 6] (a vehicle with bogies, read as this one).

Numbers: reference/vehicles/vehicles.csv, "Manchester V1", which follows S. Iwnicki, Manchester Benchmarks for Rail
Vehicle Simulation, Vehicle System Dynamics 30 (1998) 295-313, as three public models carry it; where they differ the
majority is taken.
"""

from twin.vehicle.description import AnyElement, BumpStop, RollBar, Vehicle, Wheels
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

CARBODY = Inertia(32000.0, (56800.0, 1970000.0, 1970000.0), height=1.8)
BOGIE = Inertia(2615.0, (1722.0, 1476.0, 3067.0), height=0.6)
WHEELSET = Inertia(1813.0, (1120.0, 112.0, 1120.0), height=0.46)
LENGTHS = Lengths(half_pivot=9.5, half_base=1.28)
WHEELS = Wheels(radius=0.46, half_distance=0.75, profile="S1002")
SPACING = 1.0
"""Half the lateral distance of primary and of secondary springs [m]."""
PRIMARY_HEIGHT = (0.46 + 1.0) / 2
SECONDARY_ENDS = (0.525, 1.13)
"""Heights of the ends of the secondary springs [m]."""
STOP_HEIGHT = 0.65
STOP_CLEARANCE = 0.025
STOP_CURVE = (
    (0.0, 0.0),
    (0.005, 600.0),
    (0.010, 1760.0),
    (0.015, 3730.0),
    (0.020, 6870.0),
    (0.025, 11580.0),
    (0.030, 17170.0),
    (0.035, 29200.0),
    (0.040, 230000.0),
)
"""Beyond the clearance: the source counts from the middle."""

ASSUMPTIONS = (
    "rolling circles 2 x 0.75 m apart: wheels 1.360 m back to back, the tread datum 0.070 m from the back",
    "springs act at half the height of their ends",
    "vertical dampers stand beside the secondary springs, lateral dampers lie at the height of the lateral bump stop",
    "the traction rod's damper (25 kN s/m, one per bogie on the centre line, at the height of the bogie's centre of "
    "mass) has rigid ends: its series stiffness is not in the source",
    "bending stiffness of the secondary springs acts about x and y",
)


def manchester() -> Vehicle:
    """The vehicle: 7 bodies, wheel load 54.55 kN."""
    return Vehicle(
        name="Manchester passenger vehicle 1",
        source="vehicles.csv 'Manchester V1' after Iwnicki, Vehicle System Dynamics 30 (1998) 295-313",
        assumptions=ASSUMPTIONS,
        bodies=two_bogie_bodies(carbody=CARBODY, bogie=BOGIE, wheelset=WHEELSET, lengths=LENGTHS, wheels=WHEELS),
        elements=with_copies(_elements(), *bogie_mirrors(half_pivot=LENGTHS.half_pivot)),
    )


def _elements() -> tuple[AnyElement, ...]:
    x, low, high = LENGTHS.half_pivot, *SECONDARY_ENDS
    middle = (x, 0.0, STOP_HEIGHT)
    return (
        spring(
            "wheelset 1 left primary spring",
            PRIMARY,
            at=(LENGTHS.leading, SPACING, PRIMARY_HEIGHT),
            stiffness=(31391000.0, 3884000.0, 1220000.0),
            damping=(15000.0, 2000.0, 4000.0),
        ),
        spring(
            "front left secondary spring",
            SECONDARY,
            at=(x, SPACING, (low + high) / 2),
            stiffness=(160000.0, 160000.0, 430000.0),
            rotational_stiffness=(10500.0, 10500.0, 0.0),
        ),
        damper(
            "front left vertical damper",
            SECONDARY,
            ends=((x, SPACING, high), (x, SPACING, low)),
            curve=linear(20000.0),
        ),
        damper(
            "front left lateral damper",
            SECONDARY,
            ends=((x, SPACING, STOP_HEIGHT), (x, 0.4, STOP_HEIGHT)),
            curve=linear(32000.0),
        ),
        damper(
            "front traction rod damper",
            SECONDARY,
            ends=((x - 1.0, 0.0, BOGIE.height), (x, 0.0, BOGIE.height)),
            curve=linear(25000.0),
        ),
        RollBar(
            name="front roll bar",
            first="carbody",
            second="front bogie",
            at_first=middle,
            at_second=middle,
            stiffness=940000.0,
        ),
        BumpStop(
            name="front lateral bump stop",
            first="carbody",
            second="front bogie",
            at_first=middle,
            at_second=middle,
            axis="y",
            clearance=STOP_CLEARANCE,
            curve=STOP_CURVE,
        ),
    )
