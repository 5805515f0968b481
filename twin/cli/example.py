"""A small, complete configuration to start from."""

from typing import Any

from sensors.camera import CameraDevice
from sensors.config import DeviceConfig
from twin.cli.config import RunConfig, TrackConfig
from twin.cli.keys import Key, keys_of
from twin.cli.toml_text import to_commented_toml
from twin.core.places import KilometrePost, Places
from twin.core.track import HorizontalElement, VerticalElement

HEAD = """\
# RailTwin configuration. Units are SI and radians. A key left out takes its default; an unknown key is an error.
# Check it with `railtwin config check`, look a key up with `railtwin config explain KEY`.

"""

CAMERA_HEAD = """
# A laser camera over one rail; another table for the other rail. To use it, take the first "# " away.
"""


def example_config() -> RunConfig:
    """One IMU and one encoder on 1 km of track with one canted curve."""
    curvature, cant = 0.0016, 0.1
    return RunConfig(
        places=Places(line="example", posts=(KilometrePost(s=0.0, km=12.0), KilometrePost(s=1000.0, km=13.0))),
        track=TrackConfig(
            horizontal=(
                HorizontalElement(length=300.0),
                HorizontalElement(length=100.0, curvature_end=curvature, cant_end=cant),
                HorizontalElement(
                    length=200.0,
                    curvature_start=curvature,
                    curvature_end=curvature,
                    cant_start=cant,
                    cant_end=cant,
                ),
                HorizontalElement(length=100.0, curvature_start=curvature, cant_start=cant),
                HorizontalElement(length=300.0),
            ),
            vertical=(VerticalElement(length=1000.0, gradient_start=0.004, gradient_end=0.004),),
        ),
        device=(
            DeviceConfig.model_validate({"name": "imu", "kind": "imu", "port": "/dev/ttyUSB0"}),
            DeviceConfig.model_validate({"name": "encoder", "kind": "encoder", "port": "/dev/ttyUSB1"}),
        ),
    )


def commented_example() -> str:
    """The example as a file: every key with its unit, range and reason."""
    keys = keys_of(RunConfig)
    data = without_absent_tables(example_config().model_dump(mode="json"), keys, "")
    del data["camera"]
    return HEAD + to_commented_toml(data, lambda name: keys[name].remark()) + _commented_camera(keys)


def _commented_camera(keys: dict[str, Key]) -> str:
    """A camera, ready to be used without its comment signs."""
    camera = CameraDevice(name="camera_left", rail="left", path="/dev/video0", file="camera-left.toml")
    shown = camera.model_dump(mode="json", exclude={"plane", "origin"})

    def remark(name: str) -> str:
        return keys[name].remark() if name in keys else ""

    lines = to_commented_toml({"camera": [shown]}, remark).splitlines()
    return CAMERA_HEAD + "".join(f"# {line}".rstrip() + "\n" for line in lines)


def without_absent_tables(table: dict[str, Any], keys: dict[str, Key], prefix: str) -> dict[str, Any]:
    """Leave out sub-tables without content: they belong to other kinds of device and would only confuse."""
    kept: dict[str, Any] = {}
    for name, value in table.items():
        key = f"{prefix}{name}"
        if isinstance(value, dict):
            kept[name] = without_absent_tables(value, keys, f"{key}.")
        elif isinstance(value, list):
            kept[name] = [
                without_absent_tables(item, keys, f"{key}.") if isinstance(item, dict) else item for item in value
            ]
        elif value is not None or keys[key].kind != "table":
            kept[name] = value
    return kept
