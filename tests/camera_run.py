"""A short run past two cameras and two scanners, with a stop: what was received, images as the lines they show.

Lines are those the camera sees without noise, taken without rendering: hundreds of times as fast.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from firmware_interface import Chunk
from recordings import RecordedImage
from recordings.image_record import ImageRecord, encode
from sensors.emulator import record_chunks
from tests.laser_cases import true_rows
from twin.cli.config import RunConfig
from twin.cli.heads import heads_found
from twin.cli.processing import Item, Processing, twin_setup
from twin.cli.scenario_config import config_of
from twin.core.arrays import Array
from twin.core.blocks import RawBlock
from twin.core.estimate import Form, GridBlock, Result
from twin.core.track import HorizontalElement
from twin.geometry.heads import HeadsFound
from twin.geometry.laser.line import ROW_STEP, SD_STEP, Centres, shared_peak
from twin.pipeline.offline import smooth
from twin.pipeline.twin import Seen
from twin.simulation import Dynamics, IrregularityConfig, Leg, MotionConfig, Scenario, SimulatedRun, simulate
from twin.simulation.dynamic.config import ImagingConfig
from twin.simulation.rail_head import CLEAN, ROWS, CameraConfig, RailCamera, rail_section
from twin.simulation.survey import EXACT
from twin.vehicle.running import RunSettings

START_NS = 5_000_000_000_000
RATE = 20.0
"""Images and cross-sections per second: one every 0.3 m at the most."""
SD = 0.05
"""Stated for every centre [pixels]."""
SCENARIO = Scenario(
    horizontal=(HorizontalElement(length=200.0),),
    vertical=(),
    irregularity=IrregularityConfig(seed=4),
    motion=MotionConfig(
        legs=(Leg(speed=6, distance=40), Leg(speed=0, duration=2), Leg(speed=1, distance=6)),
        start=30.0,
        standstill=2.0,
        acceleration=2.0,
    ),
    dynamics=Dynamics(
        run=RunSettings(contact="knife"),
        settle=2.0,
        wheels=None,
        second_imu=False,
        scanner_rate=RATE,
        cameras=ImagingConfig(camera=CameraConfig(rate=RATE, soiling=CLEAN)),
    ),
    survey=EXACT,
    seed=3,
)
"""At 6 m/s, a stop, and on at a walk of 1 m/s."""


class CameraRun(NamedTuple):
    """What was received, and what is true."""

    config: RunConfig
    items: tuple[Item, ...]
    simulated: SimulatedRun


@lru_cache(maxsize=1)
def camera_run() -> CameraRun:
    """The run; made once."""
    config, simulated = config_of(SCENARIO), simulate(SCENARIO)
    chunks = list(record_chunks(simulated.streams, config.device, seed=3, start_ns=START_NS))
    merged = sorted([*chunks, *_images(simulated)], key=_received)
    return CameraRun(config, tuple(merged), simulated)


def _received(item: Chunk | RecordedImage) -> int:
    return item.t_host_ns if isinstance(item, Chunk) else item.t_ns


def _images(simulated: SimulatedRun) -> Iterator[RecordedImage]:
    dynamics, sensed = SCENARIO.dynamics, simulated.sensed
    assert dynamics is not None
    assert dynamics.cameras is not None
    assert sensed is not None
    section = rail_section(dynamics.rail_head)
    for rail, side in ((0, "left"), (1, "right")):
        camera = RailCamera(dynamics.cameras.camera, rail=rail, section=section, seed=1)
        for t, place in zip(sensed.images.t.tolist(), getattr(sensed.images, side), strict=True):
            t_ns = START_NS + round(t * 1e9)
            record = ImageRecord(t_ns, 1, (ROWS, 1280), line_of(camera, t, place))
            yield RecordedImage(f"camera_{side}", t_ns, 0, encode(record))


def line_of(camera: RailCamera, t: float, place: Array) -> Centres:
    """What an image without noise shows."""
    line = camera.line(t, place)
    rows = np.nanmin(np.where(np.isfinite(found := true_rows(line)[0]), found, np.inf), axis=1)
    columns = np.flatnonzero(np.isfinite(rows))
    lit = np.flatnonzero(line.brightness > 0)
    order = lit[np.argsort(line.pixels[lit, 0])]
    bright = np.interp(columns, line.pixels[order, 0], line.brightness[order])
    return Centres(
        columns,
        np.rint(rows[columns] / ROW_STEP) * ROW_STEP,
        np.full(columns.size, round(SD / SD_STEP) * SD_STEP),
        shared_peak(bright),
        np.zeros(columns.size, np.bool_),
    )


def seen_by(prefer: str, *rails: str) -> RunConfig:
    """The configuration with cameras or scanners of some rails alone."""
    config = camera_run().config
    kept = tuple(device for device in config.device if device.kind != "profile" or device.name.endswith(rails))
    cameras = tuple(camera for camera in config.camera if camera.rail in rails)
    geometry = config.geometry.model_copy(update={"prefer": prefer})
    return config.model_copy(update={"device": kept, "camera": cameras, "geometry": geometry})


def live(config: RunConfig, items: Sequence[Item]) -> list[Result]:
    """Results as a run gives them."""
    processing = Processing(config)
    results = [result for item in items for result in processing.feed(item)]
    return [*results, *processing.finish()]


def smoothed(config: RunConfig, items: Sequence[Item]) -> list[Result]:
    """Results that know the whole run."""
    setup = twin_setup(config)
    geometry = setup.geometry
    assert geometry is not None

    def blocks() -> Iterator[Seen]:
        processing = Processing(config)
        decoded = (each for item in items for each in processing.decode(item))
        return (each for each in heads_found(decoded, geometry) if isinstance(each, RawBlock | HeadsFound))

    return list(smooth(setup, blocks))


def without(items: Sequence[Item], gone: Callable[[str, float], bool]) -> list[Item]:
    """The items but those images and cross-sections for which gone(name, t) holds; t since the start [s]."""

    def lost(item: Item) -> bool:
        if isinstance(item, RecordedImage):
            return gone(item.camera, (item.t_ns - START_NS) * 1e-9)
        return (
            isinstance(item, Chunk)
            and "profile" in item.device
            and gone(item.device, (item.t_host_ns - START_NS) * 1e-9)
        )

    return [item for item in items if not lost(item)]


def columns(results: Sequence[Result], form: Form) -> dict[str, Array]:
    """The rails on the grid by the names of their columns, with s, t [s] and quality."""
    blocks = [each for each in results if isinstance(each, GridBlock) and each.name == "geometry" and each.form is form]
    found = {name: np.concatenate([block[name] for block in blocks]) for name in blocks[0].layout.names}
    t_ns = np.concatenate([block.t_ns for block in blocks])
    quality = np.concatenate([block.quality for block in blocks])
    return found | {
        "s": np.concatenate([block.s for block in blocks]),
        "t": (t_ns - START_NS) * 1e-9,
        "quality": quality,
    }
