"""Loaded wheels: time of eight wheels with all their forces, and errors against CONTACT's rolling wheels."""

import sys
from collections.abc import Callable

import numpy as np

from tests.benchmarks.contact_figure import contact_figure, microseconds
from tests.benchmarks.figure import Figure
from tests.contact_wheels import CASES, compared, standard_pair
from twin.contact.creep import Friction
from twin.contact.hertz import Material
from twin.contact.pair import Pair
from twin.contact.points import CAPACITY, Pose
from twin.contact.pressed import press_kernel, press_wheelset_kernel
from twin.contact.seating import SEATED, WheelsetPair
from twin.contact.wheel_forces import (
    APPROACH,
    F_X,
    Buffers,
    ContactLaw,
    Motion,
    contact_law,
    wheel_buffers,
    wheel_forces_kernel,
)
from twin.contact.zones import ZONE_FIELDS, Scan, scan_room
from twin.core.arrays import Array
from twin.numerics.compiled import compiled

WHEELSETS, WHEELS = 1000, 8
LOAD = 60e3
"""Of each wheel [N]."""
DRIVEN = 500.0
"""Longitudinal force above which its error is taken in per cent [N]: a sixth of mu N."""


@compiled
def _eight_wheels_loop(wheel: Pair, states: Array, law: ContactLaw, buffers: Buffers) -> float:
    """All left and right wheels of wheelsets in states (n, 10): pose and motion."""
    total = 0.0
    for k in range(states.shape[0]):
        s = states[k]
        for sign in (1.0, -1.0):
            pose = Pose(sign * s[0], s[1], sign * s[2], sign * s[3])
            motion = Motion(s[4], sign * s[5], s[6], sign * s[7], s[8], sign * s[9])
            _, wrench = wheel_forces_kernel(wheel, pose, motion, law, buffers)
            total += wrench.F_z
    return total


@compiled
def _press_loop(wheel: Pair, states: Array, load: float, E_star: float, scan: Scan, rows: Array) -> float:
    total = 0.0
    for k in range(states.shape[0]):
        held = Pose(states[k, 0], 0.0, states[k, 2], states[k, 3])
        total += press_kernel(wheel, held, load, E_star, scan, rows)[0]
    return total


@compiled
def _press_wheelset_loop(
    wheelset: WheelsetPair, states: Array, load: float, E_star: float, scans: tuple[Scan, Scan], rows: Array
) -> float:
    total = 0.0
    for k in range(states.shape[0]):
        total += press_wheelset_kernel(wheelset, states[k, 0], states[k, 2], (load, load), E_star, scans, rows)[1]
    return total


def loaded_states(wheelset: WheelsetPair, material: Material) -> Array:
    """Random wheelsets (WHEELSETS, 10) under LOAD: pose, and a rolling that creeps by some per mille."""
    rng = np.random.default_rng(0)
    rows, scans = np.empty((2, CAPACITY, ZONE_FIELDS)), (scan_room(wheelset.left), scan_room(wheelset.right))
    states: list[list[float]] = []
    while len(states) < WHEELSETS:
        y, yaw = rng.uniform(-7e-3, 7e-3), rng.normal(0, 3e-3)
        roll, height, _, _, what = press_wheelset_kernel(wheelset, y, yaw, (LOAD, LOAD), material.E_star, scans, rows)
        if what == SEATED:
            v, omega = rng.uniform(5, 40), rng.normal(0, 0.02, 2)
            motion = [v, v * rng.normal(0, 2e-3), 0.0, omega[0], v / 0.46 * rng.normal(1, 2e-3), omega[1]]
            states.append([y, height, yaw, roll, *motion])
    return np.array(states)


def times() -> list[Figure]:
    """Of eight wheels with zones, Kalker and FASTSIM of 20 x 20 cells, and of finding the height under a load."""
    material = Material()
    wheel = standard_pair("1/40")
    wheelset, law = WheelsetPair(wheel, wheel), contact_law(material, Friction(), n_x=20, n_y=20)
    states = loaded_states(wheelset, material)
    rows, scans = np.empty((2, CAPACITY, ZONE_FIELDS)), (scan_room(wheel), scan_room(wheel))
    buffers = wheel_buffers(wheel, law)
    eights, E_star = 2 * WHEELSETS // WHEELS, material.E_star
    loops: dict[str, tuple[Callable[[], float], int]] = {
        "eight_wheels_us": (lambda: _eight_wheels_loop(wheel, states, law, buffers), eights),
        "press_us": (lambda: _press_loop(wheel, states, LOAD, E_star, scans[0], rows[0]), WHEELSETS),
        "press_wheelset_us": (lambda: _press_wheelset_loop(wheelset, states, LOAD, E_star, scans, rows), WHEELSETS),
    }
    return [contact_figure(name, microseconds(*loop), "us") for name, loop in loops.items()]


def errors() -> list[Figure]:
    """Of the wheels with one patch, and of the whole force of all, against CONTACT."""
    wheels = compared()
    singles = [it for it in wheels if it.single]
    force = np.array([it.force_error for it in singles])
    F_x = np.array([[it.row[F_X], it.case.F[0]] for it in singles if abs(it.case.F[0]) > DRIVEN])
    height = 1e6 * np.abs([it.height - it.case.G_z for it in wheels])
    approach = 100 * np.abs([it.row[APPROACH] / it.case.approach - 1 for it in singles])
    centre = 1e3 * np.abs([it.centre - it.case.centre for it in singles])
    total = 100 * np.array([it.total_error for it in wheels])
    return [
        contact_figure("loaded_vs_contact_height_median_um", np.median(height), "um"),
        contact_figure("loaded_vs_contact_height_max_um", height.max(), "um"),
        contact_figure("loaded_vs_contact_approach_median_percent", np.median(approach), "%"),
        contact_figure("loaded_vs_contact_approach_max_percent", approach.max(), "%"),
        contact_figure("loaded_vs_contact_centre_median_mm", np.median(centre), "mm"),
        contact_figure("loaded_vs_contact_centre_max_mm", centre.max(), "mm"),
        contact_figure("loaded_vs_contact_Fx_median_percent", 100 * np.median(np.abs(F_x[:, 0] / F_x[:, 1] - 1)), "%"),
        contact_figure("loaded_vs_contact_force_median", np.median(force), "mu N"),
        contact_figure("loaded_vs_contact_force_max", force.max(), "mu N"),
        contact_figure("loaded_vs_contact_total_max_percent", total.max(), "% of load"),
    ]


def figures() -> list[Figure]:
    """Times always; errors where the reference numbers are at hand."""
    if not CASES.exists():
        print("no reference numbers beside the repository: loaded wheels are not compared", file=sys.stderr)
        return times()
    return [*times(), *errors()]
