"""What the estimators are told about a simulated run: its design and its data sheets, never its truth."""

from collections.abc import Mapping
from math import ceil, degrees, floor
from typing import Any

from sensors.config import DeviceConfig
from twin.cli.camera_config import camera_devices
from twin.cli.config import RunConfig, RunIdentity, TrackConfig
from twin.core.places import Direction, KilometrePost, Places
from twin.core.vehicle import VehicleParameters
from twin.navigation.config import NavigationConfig
from twin.pipeline.track_geometry import GeometryConfig
from twin.simulation import Scenario
from twin.simulation.dynamic.config import WheelSensorConfig
from twin.vehicle.description import wheels_of
from twin.vehicle.library import vehicle

FIRST_KM = 12.0
POST_SPACING = 1000.0
"""[m]"""
BOXES = 4
"""Axle boxes of the leading bogie."""
COUNTS = 32_000
"""Of a converter of 16 bit to either side."""
SECTION_REACH = 1.2
"""Of the points of rail sections from the middle of the measuring body [m]: rails lie 0.75 m to either side."""
FAST_LINE = 4_000_000
"""Of devices that send some 200 kB/s: axle boxes and scanners [bit/s]; queues are sized by it."""
KM_JUMP = 0.2
"""Kilometres the line once lost to a new alignment: labels jump where posts stand two at a place."""
WHEEL_STEP = 0.01
"""Nominal wheel radii come in whole centimetres, and a wheel only wears: the true one lies below [m]."""


def config_of(scenario: Scenario, *, name: str = "simulated", ports: Mapping[str, str] | None = None) -> RunConfig:
    """A configuration as a person would write it for this line and train, with the errors of the scenario's survey.

    ports: by name of the device.
    """
    length = sum(element.length for element in scenario.horizontal)
    ahead = scenario.motion.start + _measuring_body(scenario)
    start = ahead if scenario.direction is Direction.INCREASING else length - ahead
    survey, ports = scenario.surveyed, ports or {}
    return RunConfig(
        run=RunIdentity(name=name, direction=scenario.direction, start_s=survey.start(start, length=length)),
        places=Places(line="7 Simulated Line", track="1", posts=posts_along(length)),
        track=TrackConfig(
            horizontal=survey.horizontal(scenario.horizontal), vertical=survey.vertical(scenario.vertical)
        ),
        vehicle=VehicleParameters(
            wheel_radius=survey.wheel_radius(ceil(_wheel_radius(scenario) / WHEEL_STEP) * WHEEL_STEP),
        ),
        device=tuple(
            DeviceConfig.model_validate(device | {"port": ports.get(str(device["name"]), "")})
            for device in _devices(scenario)
        ),
        camera=camera_devices(scenario),
        navigation=_navigation(scenario),
        geometry=_geometry(scenario),
    )


def _geometry(scenario: Scenario) -> GeometryConfig:
    """Rails by the scanners where the cameras see a part of the run only."""
    dynamics = scenario.dynamics
    if dynamics is None or dynamics.cameras is None or dynamics.scanners is None:
        return GeometryConfig()
    cameras = dynamics.cameras
    whole = cameras.from_s is cameras.to_s is cameras.from_t is cameras.to_t is None
    return GeometryConfig(prefer="cameras" if whole else "scanners")


def _devices(scenario: Scenario) -> list[dict[str, Any]]:
    """All of them, where they are said to sit."""
    sheet, survey = scenario.errors, scenario.surveyed
    imu: dict[str, Any] = {
        "name": "imu",
        "kind": "imu",
        "rate": scenario.imu_rate,
        "mounting": scenario.mounting,
        "imu": {
            "sd_accel_bias": (round(max(sheet.accelerometer.turn_on, 1e-5), 5),) * 3,
            "sd_gyro_bias": (round(max(sheet.gyroscope.turn_on, 1e-6), 6),) * 3,
        },
    }
    encoder: dict[str, Any] = {
        "name": "encoder",
        "kind": "encoder",
        "rate": scenario.encoder.rate,
        "encoder": {"counts_per_turn": scenario.encoder.counts},
    }
    devices = [imu, encoder, *_dynamic_devices(scenario, imu)]
    return [
        device | {"mounting": survey.mounting(device["mounting"], kind=device["kind"])}
        if "mounting" in device
        else device
        for device in devices
    ]


def _dynamic_devices(scenario: Scenario, imu: dict[str, Any]) -> list[dict[str, Any]]:
    """What a nonlinear vehicle carries beside the first IMU and the encoder; an interval does not wait for it."""
    dynamics = scenario.dynamics
    if dynamics is None:
        return []
    devices: list[dict[str, Any]] = []
    if dynamics.second_imu:
        devices.append(imu | {"name": "imu_body", "mounting": dynamics.second_mounting, "required": False})
    if dynamics.scanners is not None:
        section = {
            "kind": "profile",
            "rate": dynamics.scanner_rate,
            "baud": FAST_LINE,
            "mounting": dynamics.scanner_mounting,
            "required": False,
            "profile": {"points": dynamics.scanners.points, "reach": SECTION_REACH},
        }
        devices += [section | {"name": f"profile_{side}"} for side in ("left", "right")]
    return devices + ([] if dynamics.wheels is None else _wheel_devices(dynamics.wheels))


def _wheel_devices(sensors: WheelSensorConfig) -> list[dict[str, Any]]:
    """Devices on axle boxes and wheels, with the scales of their data sheets."""
    boxes, bridges, lasers = sensors.axle_boxes, sensors.bridges, sensors.lasers
    box_channels = BOXES * len(boxes.axes)
    strains = len(bridges.wheels) * sum(circle.gauges for circle in bridges.circles)
    distances = 3 * len(lasers.wheels)
    return [
        {
            "name": "axle_box",
            "kind": "axle_box",
            "rate": sensors.short_waves.interaction.rate,
            "baud": FAST_LINE,
            "required": False,
            "axle_box": {"scale": (boxes.lsb or boxes.limit / COUNTS,) * box_channels},
        },
        {
            "name": "bridge",
            "kind": "bridge",
            "rate": bridges.rate,
            "required": False,
            "bridge": {"scale": (bridges.lsb or bridges.limit / COUNTS,) * strains},
        },
        {
            "name": "laser_distance",
            "kind": "laser_distance",
            "rate": lasers.rate,
            "required": False,
            "laser_distance": {
                "scale": (lasers.lsb or lasers.half_range / COUNTS,) * distances,
                "offset": (lasers.distance,) * distances,
            },
        },
    ]


def posts_along(length: float) -> tuple[KilometrePost, ...]:
    """A post every kilometre and, at the middle one, a jump of the labels."""
    posts, jump = [], 0.0
    count = max(floor(length / POST_SPACING), 1)
    for i in range(count + 1):
        s, km = i * POST_SPACING, FIRST_KM + i * POST_SPACING / 1000
        posts.append(KilometrePost(s=s, km=round(km + jump, 3)))
        if i == (count + 1) // 2:
            jump = KM_JUMP
            posts.append(KilometrePost(s=s, km=round(km + jump, 3)))
    return tuple(posts)


def _navigation(scenario: Scenario) -> NavigationConfig:
    """Noise as the data sheet of the inertial sensor states it, unless too good to be true; the rest as tuned."""
    accel, gyro = scenario.errors.accelerometer, scenario.errors.gyroscope
    usual = NavigationConfig()
    latitude = scenario.latitude
    return usual.model_copy(
        update={
            "accel_noise": max(usual.accel_noise, round(accel.noise_density, 5)),
            "gyro_noise": max(usual.gyro_noise, round(gyro.noise_density, 6)),
            "accel_bias": max(usual.accel_bias, round(accel.turn_on, 5)),
            "gyro_bias": max(usual.gyro_bias, round(gyro.turn_on, 5)),
            "latitude_deg": None if latitude is None else round(degrees(latitude), 2),
        }
    )


def _measuring_body(scenario: Scenario) -> float:
    """How far the middle of the measuring body lies ahead of the vehicle's, from which the timetable counts [m]."""
    if scenario.dynamics is None:
        return 0.0
    return float(vehicle(scenario.dynamics.vehicle).body(scenario.dynamics.measuring_body).position[0])


def _wheel_radius(scenario: Scenario) -> float:
    """Of the encoder's wheel [m]."""
    if scenario.dynamics is None:
        return scenario.vehicle.wheel_radius
    return wheels_of(vehicle(scenario.dynamics.vehicle).wheelsets[0]).radius
