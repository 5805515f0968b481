"""The Manchester vehicle with its wheelsets clamped, against exudyn: another program, another formulation.

Without gravity: exudyn's bushings leave out the moment of a preload about the other body's point, so that two preloaded
models differ at first order.
"""

from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from twin.core.arrays import Array
from twin.vehicle.description import Body, Bushing, LineDamper, RollBar, Vector
from twin.vehicle.library import vehicle
from twin.vehicle.symbolic import VehicleModel, vehicle_model

exu = pytest.importorskip("exudyn", reason="the oracle exudyn is not installed")
items = pytest.importorskip("exudyn.itemInterface")

TOLERANCE = 1e-6
KICK = 1e-5
"""Speeds at the start [m/s, rad/s]: small enough that terms of second order stay below the tolerance."""
SECONDS = 0.1
"""A tenth of the bounce, several periods of the bogies."""
MANCHESTER = vehicle("manchester")
SPRUNG = tuple(body for body in MANCHESTER.bodies if body.kind != "wheelset")


@pytest.fixture(scope="module")
def model() -> VehicleModel:
    return vehicle_model(MANCHESTER, gravity=0.0)


def oracle(*, kick: float) -> Any:
    """The same vehicle built of exudyn's bodies and connectors; wheelsets are ground. kick: speeds at the start."""
    system = exu.SystemContainer().AddSystem()
    speeds = np.random.default_rng(4).standard_normal((len(SPRUNG), 6)) * kick
    numbers = {body.name: _rigid(system, body, v) for body, v in zip(SPRUNG, speeds, strict=True)}
    ground = system.AddObject(items.ObjectGround())

    def marker(name: str, point: Vector) -> Any:
        origin = MANCHESTER.body(name).position if name in numbers else (0.0, 0.0, 0.0)
        place = np.subtract(point, origin)
        return system.AddMarker(items.MarkerBodyRigid(bodyNumber=numbers.get(name, ground), localPosition=place))

    for element in MANCHESTER.elements:
        ends = [marker(element.first, element.at_first), marker(element.second, element.at_second)]
        match element:
            case Bushing():
                k = np.diag([*element.stiffness, *element.rotational_stiffness])
                c = np.diag([*element.damping, *element.rotational_damping])
                system.AddObject(items.ObjectConnectorRigidBodySpringDamper(markerNumbers=ends, stiffness=k, damping=c))
            case RollBar():
                k = np.diag([0.0, 0, 0, element.stiffness, 0, 0])
                system.AddObject(items.ObjectConnectorRigidBodySpringDamper(markerNumbers=ends, stiffness=k))
            case LineDamper():
                (_, (speed, force)) = element.curve
                length = float(np.linalg.norm(np.subtract(element.at_second, element.at_first)))
                system.AddObject(
                    items.ObjectConnectorSpringDamper(markerNumbers=ends, damping=force / speed, referenceLength=length)
                )
    system.Assemble()
    return system


def _rigid(system: Any, body: Body, velocities: Array) -> Any:
    reference = [*body.position, 0.0, 0.0, 0.0]
    node = system.AddNode(items.NodeRigidBodyRxyz(referenceCoordinates=reference, initialVelocities=velocities))
    return system.AddObject(
        items.ObjectRigidBody(mass=body.mass, inertia=[*body.inertia, 0.0, 0.0, 0.0], nodeNumber=node)
    )


def sprung(model: VehicleModel) -> Array:
    """Places of the coordinates of the bodies that are not clamped."""
    return np.concatenate([np.r_[model.layout.blocks[model.layout.frames.index(body.name)]] for body in SPRUNG])


def test_mass_stiffness_and_damping_are_those_of_exudyn(model: VehicleModel) -> None:
    model.q[:], model.v[:] = model.layout.rest, 0
    found = model.linearised()
    free = np.ix_(sprung(model), sprung(model))
    M, K, C = oracle(kick=0.0).ComputeLinearizedSystem()
    for ours, theirs in ((found.M, M), (found.K, K), (found.C, C)):
        assert np.linalg.norm(ours[free] - theirs) <= TOLERANCE * np.linalg.norm(theirs)


def test_free_response_is_that_of_exudyn(model: VehicleModel) -> None:
    free, theirs = sprung(model), oracle(kick=KICK)
    start = theirs.systemData.GetODE2Coordinates_t(exu.ConfigurationType.Initial)

    def rate(_: float, state: Array) -> Array:
        model.q[:], model.v[:] = model.layout.rest, 0
        model.q[free] += state[: free.size]
        model.v[free] = state[free.size :]
        return np.concatenate((model.v[free], model.accelerations()[free]))

    initial = np.concatenate((np.zeros(free.size), start))
    ours = solve_ivp(rate, (0, SECONDS), initial, method="DOP853", rtol=1e-9, atol=1e-16).y[: free.size, -1]
    settings = exu.SimulationSettings()
    settings.timeIntegration.endTime = SECONDS
    settings.timeIntegration.numberOfSteps = 1000
    settings.timeIntegration.verboseMode = 0
    settings.solution.file.write = False
    theirs.SolveDynamic(settings, solverType=exu.DynamicSolverType.RK67)
    expected = theirs.systemData.GetODE2Coordinates()
    assert np.linalg.norm(ours - expected) <= TOLERANCE * np.linalg.norm(expected)
