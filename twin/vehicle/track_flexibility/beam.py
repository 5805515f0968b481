"""Finite elements of a track in a frame that travels with the vehicle.

A place xi of the frame lies over the place x = xi + s(t) of the track, s' = V: the frame is neither fixed to the rail
nor to the ground (arbitrary Lagrangian-Eulerian, [Esc 2.6]); wheels rest in it, and the rail streams through it. Rates
that follow the material are D = d/dt - V d/dxi. With the velocity v of the material as an unknown of its own,

    N q. = N v + V G_N q  (that is v = D q)   N = int N N,  G_N = int N N'
    M v. = V G v - C v - K q + B f            G = int m N N'

where M, C, K are those of the track at rest. Neither the speed's change nor its square appears, and damping needs no
term of its own. The usual single equation M q.. - 2 V G q. - V^2 S q + ... = B f is equal for the rail but ill-posed
for sleepers: waves do not run from sleeper to sleeper, so all that is known about them enters at the leading end, none
at the trailing one, and an equation of second order in xi asks for one condition at each.

A Timoshenko rail has cubic elements for deflection w and rotation theta, continuous but free to kink, as the deflection
does under a force; an Euler rail has Hermite's cubics. The mass under the rail is one more field of the same kind.
The rail is clamped at both ends of the mesh, the mass at the leading one. Sleepers at fixed places cannot rest in the
frame: they need V = 0 (or Track.spread()).
"""

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.polynomial.legendre import leggauss
from numpy.typing import NDArray
from scipy.sparse import block_array, block_diag, coo_array, csc_array, eye_array, vstack
from scipy.sparse.linalg import splu

from twin.core.arrays import Array
from twin.core.errors import ConfigError
from twin.vehicle.track_flexibility.parameters import ContinuousSupport, Mesh, Rail, SleeperSupport, Track

ComplexArray = NDArray[np.complex128]

GAUSS_POINTS = 5
"""Exact to degree 9: the product of two cubics has 6, and the damper at the ends 3."""
SAME_PLACE = 1e-6
"""Places nearer than this share a node [m]."""


@dataclass(frozen=True, slots=True)
class Beam:
    """A meshed track: N q. = N v + V G_N q,  M v. = V G v - C v - (K + i H) q + B f; n unknowns q, n unknowns v."""

    M: csc_array
    """(n, n) mass."""
    C: csc_array
    """(n, n) viscous damping."""
    K: csc_array
    """(n, n) stiffness."""
    H: csc_array
    """(n, n) hysteretic part of the stiffness, for frequency responses at V = 0 only."""
    G: csc_array
    """(n, n) int m N N'."""
    N: csc_array
    """(n, n) int N N."""
    G_N: csc_array
    """(n, n) int N N'."""
    nodes: Array
    """(k,) ends of the elements [m], 0 in the middle of the track."""
    rail: Rail
    fields: int
    """Functions of xi: deflection (and rotation) of the rail, and deflection of a continuous mass."""
    fixed: bool
    """Whether it lies on sleepers, which do not travel: V must be 0."""


class _Term(NamedTuple):
    """Something per metre that goes with u = (shapes u) q; its slope is du. Shapes: (elements, points, unknowns)."""

    density: Array | float
    u: Array
    du: Array


class _Terms(NamedTuple):
    """What a metre of track stores and loses."""

    inertia: list[_Term]
    viscous: list[_Term]
    elastic: list[_Term]
    lossy: list[_Term]


class _Points(NamedTuple):
    """Where an element is integrated."""

    eta: Array
    """(elements, points) place in the element, 0 to 1."""
    weight: Array
    """(elements, points) [m]."""
    h: Array
    """(elements,) length [m]."""
    xi: Array
    """(elements, points) place in the frame [m]."""


def meshed(track: Track, mesh: Mesh, *, places: Array) -> Beam:
    """Finite elements of a track with nodes at the places (p,) [m] of the forces: a rail kinks there.

    Sleepers, if the track has them, lie at whole multiples of their spacing from xi = 0.
    """
    support = track.support
    end = mesh.length / 2
    if not (np.abs(places) < end).all():
        raise ConfigError(f"places must lie inside the mesh, +-{end:g} m: lengthen the mesh or move them")
    if isinstance(support, ContinuousSupport):
        return _on_even_support(track.rail, support, mesh, _nodes(places, mesh))
    reach = int((end - SAME_PLACE) / support.spacing)
    seats: Array = support.spacing * np.arange(-reach, reach + 1, dtype=np.float64)
    return _on_sleepers(track.rail, support, mesh, _nodes(np.concatenate([places, seats]), mesh), seats)


def response(beam: Beam, B: Array, *, omega: complex, V: float = 0.0) -> tuple[ComplexArray, ComplexArray]:
    """Displacements q (n, p) and material velocities v (n, p) under forces B (n, p) exp(i omega t).

    omega: [rad/s]; V: [m/s]. At V = 0 and omega = 0 it is the static deflection.
    """
    s = 1j * omega
    if V == 0.0:
        q = splu(csc_array(s**2 * beam.M + s * beam.C + beam.K + 1j * beam.H)).solve(B.astype(complex))
        return np.asarray(q, dtype=complex), s * q
    if beam.fixed or beam.H.nnz > 0:
        raise ConfigError("sleepers and hysteretic losses need V = 0: use Track.spread() and viscous damping instead")
    n = B.shape[0]
    blocks = [[s * beam.N - V * beam.G_N, -beam.N], [beam.K, s * beam.M - V * beam.G + beam.C]]
    # unknowns of a place side by side keep the factors narrow
    order = np.arange(2 * n).reshape(2, n).T.ravel()
    matrix = csc_array(block_array(blocks, format="csc")[order][:, order])
    forces = np.zeros((2 * n, B.shape[1]), dtype=complex)
    forces[1::2] = B
    both = np.asarray(splu(matrix).solve(forces), dtype=complex)
    return both[0::2], both[1::2]


def rail_shapes(beam: Beam, places: Array) -> Array:
    """B (n, p): the deflection of the rail at places xi (p,) [m] is B' q, unit forces there are the columns of B."""
    nodes = beam.nodes
    if not ((places >= nodes[0]) & (places <= nodes[-1])).all():
        raise ConfigError(f"places must lie inside the mesh, {nodes[0]:g} to {nodes[-1]:g} m: lengthen it or move them")
    element = np.clip(np.searchsorted(nodes, places, side="right") - 1, 0, nodes.size - 2)
    h = np.diff(nodes)[element]
    eta = ((places - nodes[element]) / h)[:, None]
    deflection = _hermite(eta, h)[0] if beam.rail.shear_coefficient is None else _lagrange(eta, h)[0]
    local = _placed(deflection, 0, beam.fields)[:, 0]
    stride, ends = _layout(beam.rail, beam.fields)
    whole = np.zeros((stride * (nodes.size - 1) + ends, places.size))
    for p, start in enumerate(stride * element):
        whole[start : start + stride + ends, p] = local[p]
    free = whole[_clamped(beam.rail, beam.fields) : -ends]
    return np.vstack([free, np.zeros((beam.M.shape[0] - free.shape[0], places.size))])


def receptance(beam: Beam, *, places: Array, omega: Array, V: float = 0.0) -> ComplexArray:
    """Deflection at place i under a unit force at place j (frequencies, p, p) [m/N]; places (p,) [m], omega [rad/s]."""
    B = rail_shapes(beam, places)
    return np.array([B.T @ response(beam, B, omega=w, V=V)[0] for w in omega])


def _nodes(places: Array, mesh: Mesh) -> Array:
    """Ends of elements: each place is one, and between two places lie equal elements."""
    stops = np.unique(np.concatenate([places, [-mesh.length / 2, 0.0, mesh.length / 2]]))
    stops = stops[np.concatenate([[True], np.diff(stops) > SAME_PLACE])]
    pieces = [
        np.linspace(start, stop, int(np.ceil((stop - start) / mesh.element - SAME_PLACE)), endpoint=False)
        for start, stop in pairwise(stops)
    ]
    return np.concatenate([*pieces, stops[-1:]])


def _hermite(eta: Array, h: Array) -> tuple[Array, Array, Array]:
    """Value, slope and curvature (elements, points, 2 ends, (value, slope)); eta (elements, points), h (elements,)."""
    e, h = eta, h[:, None]
    value = [1 - 3 * e**2 + 2 * e**3, h * (e - 2 * e**2 + e**3), 3 * e**2 - 2 * e**3, h * (e**3 - e**2)]
    slope = [6 * (e**2 - e) / h, 1 - 4 * e + 3 * e**2, 6 * (e - e**2) / h, 3 * e**2 - 2 * e]
    curvature = [(12 * e - 6) / h**2, (6 * e - 4) / h, (6 - 12 * e) / h**2, (6 * e - 2) / h]
    stacked = [np.stack(part, axis=-1).reshape(*e.shape, 2, 2) for part in (value, slope, curvature)]
    return stacked[0], stacked[1], stacked[2]


def _lagrange(eta: Array, h: Array) -> tuple[Array, Array]:
    """Value and slope of the cubics through four even points (elements, points, 4, 1)."""
    inverse = np.linalg.inv(np.vander(np.arange(4) / 3, increasing=True))
    power = np.arange(4)
    value = eta[..., None] ** power @ inverse
    slope = (power[1:] * eta[..., None] ** power[:-1]) @ inverse[1:] / h[:, None, None]
    return value[..., None], slope[..., None]


def _placed(shapes: Array, field: int, fields: int) -> Array:
    """Shape functions (..., points of an element, per point) among those of all its fields (..., unknowns)."""
    *lead, points, per_point = shapes.shape
    whole = np.zeros((*lead, points, fields, per_point))
    whole[..., field, :] = shapes
    return whole.reshape(*lead, -1)


def _layout(rail: Rail, fields: int) -> tuple[int, int]:
    """Unknowns from one element to the next, and those of an end that two elements share."""
    return (2 * fields, 2 * fields) if rail.shear_coefficient is None else (3 * fields, fields)


def _clamped(rail: Rail, fields: int) -> int:
    """Unknowns of the rail at an end; those of the mass follow them."""
    return 2 if rail.shear_coefficient is None else min(fields, 2)


def _on_even_support(rail: Rail, support: ContinuousSupport, mesh: Mesh, nodes: Array) -> Beam:
    fields = (1 if rail.shear_coefficient is None else 2) + (support.ballast is not None)
    points = _points(nodes)
    terms = _rail_terms(rail, points, fields)
    _add_support(terms, support, points, rail, fields)
    return _assembled(rail, terms, _absorber(terms, support, mesh, points), nodes, fields)


def _on_sleepers(rail: Rail, support: SleeperSupport, mesh: Mesh, nodes: Array, seats: Array) -> Beam:
    """Each sleeper adds a pad at its place, and an unknown of its own where it lies on ballast."""
    fields = 1 if rail.shear_coefficient is None else 2
    points = _points(nodes)
    terms = _rail_terms(rail, points, fields)
    free = _assembled(rail, terms, _absorber(terms, support.spread(), mesh, points), nodes, fields)
    N, pad, ballast = csc_array(rail_shapes(free, seats)), support.pad, support.ballast
    if ballast is None:
        seat = N @ N.T
        C, K = free.C + pad.damping * seat, free.K + pad.stiffness * seat
        return replace(free, C=C, K=K, H=free.H + pad.loss_factor * pad.stiffness * seat, fixed=True)
    none, one = csc_array((seats.size, seats.size)), eye_array(seats.size, format="csc")
    relative, below = vstack([N, -one], format="csc"), vstack([0.0 * N, one], format="csc")
    over, under = relative @ relative.T, below @ below.T
    grown = {
        name: block_diag([getattr(free, name), none], format="csc") for name in ("M", "C", "K", "H", "G", "N", "G_N")
    }
    grown["M"] += support.mass * under
    grown["N"] += under
    grown["C"] += pad.damping * over + ballast.damping * under
    grown["K"] += pad.stiffness * over + ballast.stiffness * under
    grown["H"] += pad.loss_factor * pad.stiffness * over + ballast.loss_factor * ballast.stiffness * under
    return replace(free, fixed=True, **grown)


def _points(nodes: Array) -> _Points:
    places, weights = leggauss(GAUSS_POINTS)
    h = np.diff(nodes)
    eta = np.tile((places + 1) / 2, (h.size, 1))
    return _Points(eta=eta, weight=h[:, None] * weights / 2, h=h, xi=nodes[:-1, None] + h[:, None] * eta)


def _rail_terms(rail: Rail, points: _Points, fields: int) -> _Terms:
    if rail.shear_stiffness is None:
        w, dw, ddw = (_placed(shapes, 0, fields) for shapes in _hermite(points.eta, points.h))
        inertia = [_Term(rail.mass, w, dw)]
        strains = [(rail.bending_stiffness, ddw)]
    else:
        w, dw = (_placed(shapes, 0, fields) for shapes in _lagrange(points.eta, points.h))
        theta, dtheta = (_placed(shapes, 1, fields) for shapes in _lagrange(points.eta, points.h))
        inertia = [_Term(rail.mass, w, dw), _Term(rail.rotary_inertia, theta, dtheta)]
        strains = [(rail.bending_stiffness, dtheta), (rail.shear_stiffness, dw - theta)]
    elastic = [_Term(stiffness, strain, np.zeros_like(strain)) for stiffness, strain in strains]  # needs no slope
    lossy = [_Term(rail.loss_factor * stiffness, strain, slope) for stiffness, strain, slope in elastic]
    return _Terms(inertia=inertia, viscous=[], elastic=elastic, lossy=lossy)


def _add_support(terms: _Terms, support: ContinuousSupport, points: _Points, rail: Rail, fields: int) -> None:
    """Pad, and mass on ballast as the last field."""
    _, w, dw = terms.inertia[0]
    layers = [(support.pad, w, dw)]
    if support.ballast is not None:
        kind = _hermite if rail.shear_stiffness is None else _lagrange
        z, dz = (_placed(shapes, fields - 1, fields) for shapes in kind(points.eta, points.h)[:2])
        layers = [(support.pad, w - z, dw - dz), (support.ballast, z, dz)]
        terms.inertia.append(_Term(support.mass, z, dz))
    for layer, u, du in layers:
        terms.viscous.append(_Term(layer.damping, u, du))
        terms.elastic.append(_Term(layer.stiffness, u, du))
        terms.lossy.append(_Term(layer.loss_factor * layer.stiffness, u, du))


def _absorber(terms: _Terms, support: ContinuousSupport, mesh: Mesh, points: _Points) -> _Term:
    """Damping that rises towards the ends and rests in the frame."""
    mass, w, dw = terms.inertia[0]
    beyond = np.abs(points.xi) / mesh.length - (0.5 - mesh.absorbing)
    growth = (np.maximum(beyond, 0.0) / max(mesh.absorbing, SAME_PLACE)) ** 3
    return _Term(mesh.absorption * 2 * np.sqrt(support.pad.stiffness * mass) * growth, w, dw)


def _assembled(rail: Rail, terms: _Terms, absorber: _Term, nodes: Array, fields: int) -> Beam:
    """Integrals over the elements, without the unknowns that are clamped."""
    weight = _points(nodes).weight
    stride, ends = _layout(rail, fields)
    width = stride + ends
    start = stride * np.arange(nodes.size - 1)[:, None, None]
    index = np.arange(width)
    rows, columns = np.broadcast_arrays(start + index[:, None], start + index)
    size = stride * (nodes.size - 1) + ends

    def whole(parts: list[tuple[Array | float, Array, Array]]) -> csc_array:
        local = np.zeros(rows.shape)
        for density, left, right in parts:
            local += np.swapaxes(left, 1, 2) @ (right * (weight * density)[..., None])
        matrix = coo_array((local.ravel(), (rows.ravel(), columns.ravel())), shape=(size, size)).tocsc()
        clamped = _clamped(rail, fields)
        inner = csc_array(matrix[clamped:-ends, clamped:-ends])
        inner.eliminate_zeros()
        return inner

    values = [(u, du) for _, u, du in terms.inertia]  # every field has an inertia of its own
    return Beam(
        M=whole([(m, u, u) for m, u, _ in terms.inertia]),
        C=whole([(c, u, u) for c, u, _ in [*terms.viscous, absorber]]),
        K=whole([(k, u, u) for k, u, _ in terms.elastic]),
        H=whole([(k, u, u) for k, u, _ in terms.lossy]),
        G=whole([(m, u, du) for m, u, du in terms.inertia]),
        N=whole([(1.0, u, u) for u, _ in values]),
        G_N=whole([(1.0, u, du) for u, du in values]),
        nodes=nodes,
        rail=rail,
        fields=fields,
        fixed=False,
    )
