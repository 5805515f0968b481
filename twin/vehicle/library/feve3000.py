"""A metre-gauge locomotive like the FEVE 3000 of [Ros 3], with bolsters, axle boxes, motors, rotors and gears.

Numbers: vehicles.csv, "FEVE 3000 locomotive", and lengths from the model it names (lib_3d_mec_ginac, train_complete
v82). The front bogie runs free, the rear one drives both its wheelsets. [Ros] removes coordinates (yaw and shift
between bolster and bogie, all but lift and roll between bogie and wheelset); here stiff guides hold them, so that one
derivation serves every vehicle.
"""

from twin.vehicle.description import AnyElement, Body, Gear, Vehicle, Wheels
from twin.vehicle.library.two_bogies import spring
from twin.vehicle.mirrors import Mirror, bogie_mirrors, with_copies

HALF_PIVOT = 9.5 / 2
HALF_BASE = 1.0925
SPRING_Y = 0.815
"""Half the lateral distance of primary and secondary springs [m]."""
PRIMARY_X = (0.265 + 0.250) / 2
"""Of the two springs before and behind the axle [m]."""
SECONDARY_X = 0.170
"""Of the springs before and behind the middle of the bogie [m]."""
NOSE_X = 0.3525
"""From the middle of the bogie to the bushing of a motor [m]."""
GEAR_X = 0.344
"""From the axle to the shaft of its motor [m]."""
RADIUS = 0.43
BOLSTER_HEIGHT = 0.50
AXLE_1 = HALF_PIVOT + HALF_BASE
AXLE_3 = -HALF_PIVOT + HALF_BASE
WHEELSET_INERTIA = (376.6, 79.6, 376.6)
GEAR_RING = 6.136481
"""Spin inertia of the large gear, on driven wheelsets [kg m^2]."""
REAR = Mirror(axis="x", about=-HALF_PIVOT, words={"wheelset 3": "wheelset 4"})

ASSUMPTIONS = (
    "inertias of the vehicle body are marked as invented in the source; they and the motor housing's fit no real body",
    "the body's centre of mass lies 1.9 m above the rails: the source's 3.5 m over the bolster is above the roof",
    "wheel radius 0.43 m; rolling circles 1.070 m apart, the source's reference of the gauge; wheel profile S1002",
    "bolsters at 0.50 m and bogie at 0.66 m over the rails: the source's heights at rest, from the axle",
    "springs act vertically; guides of 8 and 5 MN/m along x and y hold each axle box, 10 MN/m along x and y and "
    "10 MN m/rad about z the bogie to its bolster, where the source has no coordinate",
    "the rotor's shaft goes through the centre of mass of the housing; motor, shaft and axle lie at one height",
)


def feve3000() -> Vehicle:
    """The locomotive: 21 bodies, 34.3 t, more of them on the driven bogie."""
    mirrors = bogie_mirrors(half_pivot=HALF_PIVOT)
    carried = with_copies(_bodies(), *mirrors)
    driven = ("wheelset 3", "wheelset 4")
    ringed = (WHEELSET_INERTIA[0], WHEELSET_INERTIA[1] + GEAR_RING, WHEELSET_INERTIA[2])
    bodies = tuple(body.model_copy(update={"inertia": ringed}) if body.name in driven else body for body in carried)
    return Vehicle(
        name="FEVE 3000-like locomotive",
        source="vehicles.csv 'FEVE 3000 locomotive' after lib_3d_mec_ginac, train_complete v82; [Ros 3]",
        assumptions=ASSUMPTIONS,
        bodies=(*bodies, *with_copies(_drives(), REAR)),
        elements=(*with_copies(_suspension(), *mirrors), *with_copies(_transmission(), REAR)),
    )


def _bodies() -> tuple[Body, ...]:
    return (
        Body(
            name="carbody",
            kind="carbody",
            mass=22608.0,
            inertia=(7800.0, 53079.0, 17000.0),
            position=(-0.1372, 0.0, 1.9),
        ),
        Body(
            name="front bolster",
            kind="bolster",
            mass=461.0,
            inertia=(216.4, 25.9, 232.1),
            position=(HALF_PIVOT, 0.0, BOLSTER_HEIGHT),
            parent="carbody",
            joint="hinge_z",
        ),
        Body(
            name="front bogie",
            kind="bogie",
            mass=1507.86,
            inertia=(716.9, 1738.3, 2347.3),
            position=(HALF_PIVOT, 0.0, 0.66),
        ),
        Body(
            name="wheelset 1",
            kind="wheelset",
            mass=1222.0,
            inertia=WHEELSET_INERTIA,
            position=(AXLE_1, 0.0, RADIUS),
            wheels=Wheels(radius=RADIUS, half_distance=1.070 / 2, profile="S1002"),
        ),
        Body(
            name="wheelset 1 left axle box",
            kind="axlebox",
            mass=67.72,
            inertia=(0.96, 4.57, 4.29),
            position=(AXLE_1, SPRING_Y, RADIUS),
            parent="wheelset 1",
            joint="fixed",
        ),
    )


def _drives() -> tuple[Body, ...]:
    shaft = (AXLE_3 - GEAR_X, 0.0, RADIUS)
    return (
        Body(
            name="wheelset 3 motor",
            kind="motor",
            mass=568.8,
            inertia=(49.3, 139.1, 6.69),
            position=shaft,
            parent="wheelset 3",
            joint="hinge_y",
            pivot=(AXLE_3, 0.0, RADIUS),
        ),
        Body(
            name="wheelset 3 rotor",
            kind="rotor",
            mass=568.8,
            inertia=(17.7, 1.7, 17.7),
            position=shaft,
            parent="wheelset 3 motor",
            joint="hinge_y",
        ),
    )


def _suspension() -> tuple[AnyElement, ...]:
    box = ("front bogie", "wheelset 1 left axle box")
    bolster = ("front bolster", "front bogie")
    springs = tuple(
        element
        for which, side in (("outer", 1.0), ("inner", -1.0))
        for element in (
            spring(
                f"wheelset 1 left {which} spring",
                box,
                at=(AXLE_1 + side * PRIMARY_X, SPRING_Y, 0.5),
                stiffness=(0.0, 0.0, 261954.0),
                damping=(0.0, 0.0, 5000.0),
            ),
            spring(
                f"front left {which} spring",
                bolster,
                at=(HALF_PIVOT + side * SECONDARY_X, SPRING_Y, 0.45),
                stiffness=(0.0, 0.0, 277046.0),
                damping=(0.0, 0.0, 5000.0),
            ),
        )
    )
    return (
        *springs,
        spring(
            "wheelset 1 left axle guide",
            box,
            at=(AXLE_1, SPRING_Y, RADIUS),
            stiffness=(8e6, 5e6, 0.0),
            damping=(8e3, 5e3, 0.0),
        ),
        spring(
            "front bolster guide",
            bolster,
            at=(HALF_PIVOT, 0.0, BOLSTER_HEIGHT),
            stiffness=(10e6, 10e6, 0.0),
            damping=(20e3, 20e3, 0.0),
            rotational_stiffness=(0.0, 0.0, 10e6),
        ),
    )


def _transmission() -> tuple[AnyElement, ...]:
    return (
        spring(
            "wheelset 3 motor bushing",
            ("rear bogie", "wheelset 3 motor"),
            at=(-HALF_PIVOT + NOSE_X, 0.0, RADIUS),
            stiffness=(500000.0, 500000.0, 500000.0),
            damping=(5000.0, 5000.0, 5000.0),
        ),
        Gear(
            name="wheelset 3 gear",
            first="wheelset 3 rotor",
            second="wheelset 3",
            at_first=(AXLE_3 - GEAR_X, 0.0, RADIUS),
            at_second=(AXLE_3, 0.0, RADIUS),
            teeth=(16, 68),
            stiffness=1e6,
            damping=1e4,
        ),
    )
