"""The Manchester vehicle with its wheelsets clamped, ours and exudyn's: another program, another formulation.

Without gravity: exudyn's bushings leave out the moment of a preload about the other body's point, so that two preloaded
models differ at first order. Importing this needs exudyn.
"""

from typing import Any

import exudyn as exu
import numpy as np
from exudyn.itemInterface import (
    MarkerBodyRigid,
    NodeRigidBodyRxyz,
    ObjectConnectorRigidBodySpringDamper,
    ObjectConnectorSpringDamper,
    ObjectGround,
    ObjectRigidBody,
)
from scipy.integrate import solve_ivp

from twin.core.arrays import Array
from twin.vehicle.description import Body, Bushing, LineDamper, RollBar, Vector
from twin.vehicle.library import vehicle
from twin.vehicle.symbolic import VehicleModel, vehicle_model

KICK = 1e-5
"""Speeds at the start [m/s, rad/s]: small enough that terms of second order stay below a millionth."""
SECONDS = 0.1
"""A tenth of the bounce, several periods of the bogies."""
MANCHESTER = vehicle("manchester")
SPRUNG = tuple(body for body in MANCHESTER.bodies if body.kind != "wheelset")


def weightless() -> VehicleModel:
    """Our model."""
    return vehicle_model(MANCHESTER, gravity=0.0)


def oracle(*, kick: float) -> Any:
    """The same vehicle built of exudyn's bodies and connectors; wheelsets are ground. kick: speeds at the start."""
    system = exu.SystemContainer().AddSystem()
    speeds = np.random.default_rng(4).standard_normal((len(SPRUNG), 6)) * kick
    numbers = {body.name: _rigid(system, body, v) for body, v in zip(SPRUNG, speeds, strict=True)}
    ground = system.AddObject(ObjectGround())

    def marker(name: str, point: Vector) -> Any:
        origin = MANCHESTER.body(name).position if name in numbers else (0.0, 0.0, 0.0)
        place = np.subtract(point, origin)
        return system.AddMarker(MarkerBodyRigid(bodyNumber=numbers.get(name, ground), localPosition=place))

    for element in MANCHESTER.elements:
        ends = [marker(element.first, element.at_first), marker(element.second, element.at_second)]
        match element:
            case Bushing():
                k = np.diag([*element.stiffness, *element.rotational_stiffness])
                c = np.diag([*element.damping, *element.rotational_damping])
                system.AddObject(ObjectConnectorRigidBodySpringDamper(markerNumbers=ends, stiffness=k, damping=c))
            case RollBar():
                k = np.diag([0.0, 0, 0, element.stiffness, 0, 0])
                system.AddObject(ObjectConnectorRigidBodySpringDamper(markerNumbers=ends, stiffness=k))
            case LineDamper():
                (_, (speed, force)) = element.curve
                length = float(np.linalg.norm(np.subtract(element.at_second, element.at_first)))
                system.AddObject(
                    ObjectConnectorSpringDamper(markerNumbers=ends, damping=force / speed, referenceLength=length)
                )
    system.Assemble()
    return system


def _rigid(system: Any, body: Body, velocities: Array) -> Any:
    reference = [*body.position, 0.0, 0.0, 0.0]
    node = system.AddNode(NodeRigidBodyRxyz(referenceCoordinates=reference, initialVelocities=velocities))
    return system.AddObject(ObjectRigidBody(mass=body.mass, inertia=[*body.inertia, 0.0, 0.0, 0.0], nodeNumber=node))


def sprung(model: VehicleModel) -> Array:
    """Places of the coordinates of the bodies that are not clamped."""
    return np.concatenate([np.r_[model.layout.blocks[model.layout.frames.index(body.name)]] for body in SPRUNG])


def matrix_errors(model: VehicleModel) -> dict[str, float]:
    """Relative differences of mass, stiffness and damping, by the Frobenius norm."""
    model.q[:], model.v[:] = model.layout.rest, 0
    found = model.linearised()
    free = np.ix_(sprung(model), sprung(model))
    M, K, C = oracle(kick=0.0).ComputeLinearizedSystem()
    pairs = {"mass": (found.M, M), "stiffness": (found.K, K), "damping": (found.C, C)}
    return {name: _relative(ours[free], theirs) for name, (ours, theirs) in pairs.items()}


def response_error(model: VehicleModel) -> float:
    """Relative difference of the places after a kick."""
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
    return _relative(ours, theirs.systemData.GetODE2Coordinates())


def _relative(ours: Array, theirs: Array) -> float:
    return float(np.linalg.norm(ours - theirs) / np.linalg.norm(theirs))
