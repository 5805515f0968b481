"""Rails placed in the track: exact on exact inputs, whatever the cuts; gaps bridged by the body's path and flagged."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from twin.core.arrays import Array
from twin.core.estimate import Estimate, Form, GridBlock, StateLayout
from twin.core.places import Direction
from twin.core.quality import Quality
from twin.core.track import DesignTrack, HorizontalElement
from twin.core.vehicle import Mounting
from twin.geometry.fusion import CameraPlace, FusionConfig, PlacerSetup, RailPlacer, SeenRail

NAMES = ("s", "speed", "roll_rel", "pitch_rel", "yaw_rel", "r_y", "r_z")
IMU, CAMERA = Mounting(x=0.1, y=0.0, z=0.6), Mounting(x=0.4, y=0.05, z=0.45)
V, LENGTH = 20.0, 400.0
HALF = 1.435 / 2


def wave(s: Array, *, length: float, size: float) -> Array:
    return np.asarray(size * np.sin(2 * np.pi * s / length))


def rails(s: Array) -> tuple[Array, Array, Array, Array]:
    """True y and z of the left and the right rail off the design [m]."""
    return (
        wave(s, length=12.0, size=2e-3),
        wave(s + 3, length=9.0, size=3e-3),
        wave(s + 5, length=15.0, size=2e-3),
        wave(s, length=7.0, size=2e-3),
    )


def track() -> DesignTrack:
    arc = HorizontalElement(length=200, curvature_start=1 / 600, curvature_end=1 / 600, cant_start=0.1, cant_end=0.1)
    ramp = HorizontalElement(length=100, curvature_end=1 / 600, cant_end=0.1)
    return DesignTrack.from_elements([HorizontalElement(length=100), ramp, arc], [])


def navigation() -> Estimate:
    """A body that sways, rolls, pitches and yaws."""
    t = np.arange(0.0, 18.0, 0.002)
    s = 10.0 + V * t
    states = [s, np.full(t.size, V), wave(s, length=25, size=3e-3), wave(s, length=11, size=2e-3)]
    states += [wave(s, length=18, size=2e-3), wave(s, length=30, size=5e-3), wave(s, length=21, size=4e-3)]
    x = np.stack(states, axis=1)
    zero = np.zeros(t.size, np.uint8)
    layout = StateLayout(NAMES, ("m", "m/s", "rad", "rad", "rad", "m", "m"))
    return Estimate("navigation", Form.SMOOTHED, layout, np.rint(t * 1e9).astype(np.int64), x, np.ones_like(x), zero)


def rotation(roll: float, pitch: float, yaw: float) -> Array:
    cr, sr, cp, sp, cy, sy = (f(a) for a in (roll, pitch, yaw) for f in (np.cos, np.sin))
    Rx = np.array([[1, 0, 0], [0, cr, -sr], [0, sr, cr]])
    Ry = np.array([[cp, 0, sp], [0, 1, 0], [-sp, 0, cp]])
    Rz = np.array([[cy, -sy, 0], [sy, cy, 0], [0, 0, 1]])
    return np.asarray(Rz @ Ry @ Rx)


def seen(rail: int, body: Estimate, *, design: DesignTrack) -> SeenRail:
    """What a camera sees: by exact rotations, and the rail found where the camera's plane cuts it."""
    rows = np.arange(rail, len(body), 5)
    side = 1 - 2 * rail
    u_x = CAMERA.x - IMU.x
    yz = np.empty((rows.size, 2))
    for n, row in enumerate(rows):
        s, _, roll, pitch, yaw, r_y, r_z = body.x[row]
        R = rotation(roll, pitch, yaw)
        origin = np.array([0.0, r_y, IMU.z + r_z]) + R @ np.array([u_x, CAMERA.y - IMU.y, CAMERA.z - IMU.z])
        x = origin[0]
        for _ in range(5):  # the plane of the camera cuts the rail where its own x is zero
            y, z = rails(np.array([s + x]))[2 * rail : 2 * rail + 2]
            pose = design.pose(np.array([s + x / 2]))
            twist = float(design.cant_angle(np.array([s + x]))[0] - design.cant_angle(np.array([s]))[0])
            flat = np.array([side * HALF + y[0], z[0]])
            turned = np.array(
                [np.cos(twist) * flat[0] - np.sin(twist) * flat[1], np.sin(twist) * flat[0] + np.cos(twist) * flat[1]]
            )
            point = np.array([x, turned[0] + pose.rho_h[0] * x**2 / 2, turned[1] - pose.rho_v[0] * x**2 / 2])
            x -= float((R.T @ (point - origin))[0])
        yz[n] = (R.T @ (point - origin))[1:]
    zero, var = np.zeros(rows.size), np.full(rows.size, 1e-10)
    good = np.ones(rows.size, bool)
    return SeenRail(rail, body.t_ns[rows], yz[:, 0], yz[:, 1], var, var, zero, np.zeros((rows.size, 3)), good)


def placer(direction: Direction = Direction.INCREASING, **config: float) -> RailPlacer:
    camera = CameraPlace(mounting=CAMERA)
    settings = FusionConfig.model_validate(config)
    return RailPlacer(PlacerSetup(settings, Form.SMOOTHED, track(), direction, IMU, (camera, camera)))


@pytest.fixture(scope="module")
def body() -> Estimate:
    return navigation()


@pytest.fixture(scope="module")
def both(body: Estimate) -> tuple[SeenRail, SeenRail]:
    return seen(0, body, design=track()), seen(1, body, design=track())


def placed(blocks: list[GridBlock]) -> dict[str, Array]:
    names = blocks[0].layout.names
    found = {name: np.concatenate([block[name] for block in blocks]) for name in names}
    return found | {"s": np.concatenate([block.s for block in blocks])}


def whole(
    fusion: RailPlacer, body: Estimate, images: tuple[SeenRail, ...], cuts: Array | None = None
) -> list[GridBlock]:
    """The run in parts of two seconds, or cut at rows of the navigation."""
    blocks: list[GridBlock] = []
    for rows in np.split(np.arange(len(body)), np.arange(1000, len(body), 1000) if cuts is None else cuts):
        t0, t1 = body.t_ns[rows[[0, -1]]]
        for image in images:
            blocks += fusion.see(image.rows((image.t_ns >= t0) & (image.t_ns <= t1)))
        part = replace(body, t_ns=body.t_ns[rows], x=body.x[rows], var=body.var[rows], quality=body.quality[rows])
        blocks += fusion.follow(part)
    return blocks + list(fusion.flush())


def test_rails_come_out_where_they_are(body: Estimate, both: tuple[SeenRail, SeenRail]) -> None:
    found = placed(whole(placer(), body, both))
    inner = slice(8, -8)
    for name, true in zip(("y_left", "z_left", "y_right", "z_right"), rails(found["s"]), strict=True):
        assert_allclose(found[name][inner], true[inner], atol=1.5e-5)
    assert found["s"][0] < 11
    assert found["s"][-1] > 365


def test_cutting_images_and_navigation_changes_nothing(body: Estimate, both: tuple[SeenRail, SeenRail]) -> None:
    expected = placed(whole(placer(), body, both))
    cuts = np.sort(np.random.default_rng(1).choice(np.arange(1, len(body)), 60, replace=False))
    found = placed(whole(placer(), body, both, cuts))
    for name, values in expected.items():
        assert_array_equal(found[name], values)


def test_a_gap_of_seconds_is_bridged_by_the_path_of_the_body_and_flagged(
    body: Estimate, both: tuple[SeenRail, SeenRail]
) -> None:
    lost = (body.t_ns[0] + 8_000_000_000, body.t_ns[0] + 10_500_000_000)
    left = both[0].rows((both[0].t_ns < lost[0]) | (both[0].t_ns > lost[1]))
    blocks = whole(placer(), body, (left, both[1]))
    found, flags = placed(blocks), np.concatenate([block.quality for block in blocks])
    gap = (found["s"] > 172) & (found["s"] < 219)
    assert ((flags[gap] & Quality.BRIDGED) != 0).all()
    assert not (flags[found["s"] < 168] & Quality.BRIDGED).any()
    error = found["y_left"] - rails(found["s"])[0]
    assert np.abs(error[gap]).max() < 12e-3  # the body of this test does not follow its rails
    assert found["sd_y_left"][gap].max() > 1e-3
    assert np.abs(error[found["s"] < 168][8:]).max() < 1.5e-5


def test_a_gap_too_long_stays_empty(body: Estimate, both: tuple[SeenRail, SeenRail]) -> None:
    lost = (body.t_ns[0] + 5_000_000_000, body.t_ns[0] + 10_000_000_000)
    kept = tuple(each.rows((each.t_ns < lost[0]) | (each.t_ns > lost[1])) for each in both)
    found = placed(whole(placer(longest_bridge=50.0), body, kept))
    assert not ((found["s"] > 115) & (found["s"] < 205) & np.isfinite(found["y_left"])).any()
    assert (found["s"] > 220).any()


def test_one_camera_alone_gives_its_rail(body: Estimate, both: tuple[SeenRail, SeenRail]) -> None:
    found = placed(whole(placer(), body, both[1:]))
    assert np.isnan(found["y_left"]).all()
    inner = slice(8, -8)
    assert_allclose(found["y_right"][inner], rails(found["s"])[2][inner], atol=1.5e-5)


def test_running_towards_lower_kilometres_swaps_sides_and_signs(
    body: Estimate, both: tuple[SeenRail, SeenRail]
) -> None:
    forward = placed(whole(placer(), body, both))
    back = placed(whole(placer(Direction.DECREASING), body, both))
    assert_allclose(back["s"], track().length - forward["s"], atol=1e-9)
    assert_array_equal(back["y_left"], -forward["y_right"])
    assert_array_equal(back["z_right"], forward["z_left"])


def test_bad_images_are_not_used(body: Estimate, both: tuple[SeenRail, SeenRail]) -> None:
    wrong = np.arange(len(both[0])) % 3 == 0
    spoilt = replace(both[0], y=both[0].y + np.where(wrong, 0.01, 0.0), good=~wrong)
    found = placed(whole(placer(), body, (spoilt, both[1])))
    inner = slice(8, -8)
    assert_allclose(found["y_left"][inner], rails(found["s"])[0][inner], atol=1e-4)
