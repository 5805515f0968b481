"""The outline of a whole rail: the head's profile, gone on down its sides to web and foot.

u [m] across the rail, positive to the field side, z [m] up, as rolled: axes and origin of the rail's profile (for the
60 kg rail the top of its axis of symmetry). The outline runs from the foot on the gauge side over the head to the foot
on the field side, so that the air is on its left. Nothing below the profile is ever touched by a wheel: web and foot
are the dimensions of the 60E1 drawing with single fillets, good to a millimetre, which is what a laser that looks for
the head needs of them.
"""

import numpy as np

from twin.contact.profiles import Profile
from twin.contact.shapes import refined
from twin.core.arrays import Array
from twin.core.errors import ConfigError

FLANK = 20.0
"""Slope of the head's side below the profile, 1:20 from the vertical [-]."""
FISHING = 1 / 2.75
"""Slope of the head's underside and of the foot next to the web [-]."""
UNDERSIDE = -51e-3
"""Height at which the planes of the underside meet on the rail's axis [m]."""
FOOT_PLANE = -140.5e-3
"""The same of the planes on top of the foot [m]."""
FOOT_EDGE = 1 / 14
"""Slope of the foot's outer part [-]."""
EDGE = (75e-3, -160.5e-3)
"""Upper edge of the foot (u, z) [m]: 150 mm wide, 11.5 mm thick there."""
BOTTOM = -172e-3
"""Height of the sole [m]."""
WEB = 8.25e-3
"""Half thickness of the web [m]."""
RADII = (3e-3, 20e-3, 25e-3, 40e-3, 2e-3)
"""Fillets of lower corner, web below the head, web above the foot, bend of the foot, its edge [m]."""
STEP = 0.25e-3
"""Longest stretch between two points of side and fillets [m]: as fine as the profile, since wear bends the side."""


def rail_outline(profile: Profile) -> Array:
    """Points (n, 2) of the outline (u, z), from the gauge side's sole over the head to the field side's."""
    zones = [refined(zone) for zone in profile.zones]
    u = np.append(np.concatenate([zone.y[:-1] for zone in zones]), zones[-1].y[-1])
    z = np.append(np.concatenate([zone.z[:-1] for zone in zones]), zones[-1].z[-1])
    head = np.column_stack([u, z])
    mirror = np.array([-1.0, 1.0])
    gauge_side = _below(head[0] * mirror, profile.name) * mirror
    field_side = _below(head[-1], profile.name)
    return np.concatenate([gauge_side[::-1], head, field_side])


def _below(end: Array, name: str) -> Array:
    """Points (n, 2) of the field side that follow on the profile's last point, down to the sole."""
    u, z = float(end[0]), float(end[1])
    down = (z - UNDERSIDE - FISHING * u) / (1 + FISHING / FLANK)
    if down < RADII[0] * 2:
        raise ConfigError(
            f"rail profile '{name}' reaches {-z * 1e3:.1f} mm down, into the underside of the head: cut its sides"
        )
    lower_corner = (u + down / FLANK, z - down)
    bend = (FOOT_PLANE - EDGE[1] - FOOT_EDGE * EDGE[0]) / (FISHING - FOOT_EDGE)
    corners = np.array(
        [
            end,
            lower_corner,
            (WEB, UNDERSIDE + FISHING * WEB),
            (WEB, FOOT_PLANE - FISHING * WEB),
            (bend, FOOT_PLANE - FISHING * bend),
            EDGE,
            (EDGE[0], BOTTOM),
        ]
    )
    below = rounded(corners, RADII)
    return np.concatenate([refined_path(below[:2], STEP), below[2:]])[1:]


def rounded(corners: Array, radii: tuple[float, ...]) -> Array:
    """The path (n, 2) through corners (k, 2) with an arc of its radius (k - 2) [m] at each inner one."""
    parts = [corners[:1]]
    for before, corner, after, radius in zip(corners[:-2], corners[1:-1], corners[2:], radii, strict=True):
        arriving, leaving = _unit(corner - before), _unit(after - corner)
        turn = np.arctan2(arriving[0] * leaving[1] - arriving[1] * leaving[0], arriving @ leaving)
        tangent = radius * np.tan(abs(turn) / 2)
        if tangent > min(np.hypot(*(corner - before)), np.hypot(*(after - corner))):
            raise ValueError(f"an arc of {radius * 1e3:g} mm does not fit its corner")
        pieces = int(np.ceil(abs(turn) * radius / STEP))
        along = np.linspace(0.0, turn, pieces + 1)
        sideways = np.sign(turn) * np.array([-arriving[1], arriving[0]])
        # on the arc: start, then R sin forwards and R (1 - cos) towards the centre
        forwards, inwards = radius * np.sin(np.abs(along)), radius * (1 - np.cos(along))
        parts.append(corner - tangent * arriving + np.outer(forwards, arriving) + np.outer(inwards, sideways))
    return np.concatenate([*parts, corners[-1:]])


def refined_path(path: Array, step: float) -> Array:
    """The path (n, 2) with points no farther apart than step [m]; its own points stay."""
    length = np.hypot(*np.diff(path, axis=0).T)
    pieces = np.maximum(np.ceil(length / step - 1e-9).astype(np.int64), 1)
    parts = [
        start + np.linspace(0.0, 1.0, n, endpoint=False)[:, None] * (end - start)
        for start, end, n in zip(path[:-1], path[1:], pieces.tolist(), strict=True)
    ]
    return np.concatenate([*parts, path[-1:]])


def _unit(vector: Array) -> Array:
    return np.asarray(vector / np.hypot(vector[0], vector[1]))
