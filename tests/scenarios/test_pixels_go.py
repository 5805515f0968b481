"""A disk that gets full costs the oldest pixels of a run: said by events, and the results stay as they are."""

import threading
import time
from pathlib import Path

import numpy as np
from numpy.testing import assert_array_equal

from recordings import ClockPair, RecordedImage, RecordingHeader, RecordingWriter, describe
from recordings.image_record import RecordKind
from recordings.reader import RecordingReader
from recordings.segments import IMAGES, segments_in
from sensors.camera import CameraDevice
from tests.laser_cases import NOMINAL, SPECKLED, calibration_of
from tests.served_run import PATIENCE
from twin.cli.camera_recorder import CameraRecorder
from twin.cli.config import RunConfig
from twin.cli.example import example_config
from twin.cli.heads import rail_image
from twin.cli.live_cameras import PixelKeeper
from twin.core.estimate import OperatorEvent
from twin.geometry.heads import HeadConfig, ImageHeadFinder, RailImage
from twin.simulation.rail_head import RailCamera, RailSectionConfig, rail_section

COUNT = 40


def config_of(camera: CameraDevice, *, free_bytes: int) -> RunConfig:
    config = example_config()
    storage = config.recording.images.model_copy(update={"free_bytes": free_bytes, "segment_s": 0.5})
    recording = config.recording.model_copy(update={"images": storage})
    return config.model_copy(update={"camera": (camera,), "recording": recording})


def record(directory: Path, eye: RailCamera, camera: CameraDevice, config: RunConfig) -> None:
    header = RecordingHeader(
        config_toml=config.to_toml(),
        devices=("imu",),
        cameras=(camera.name,),
        clock=ClockPair(monotonic_ns=1, wall_ns=0),
    )
    recorder = CameraRecorder(camera, config.geometry.heads.extraction, start_ns=1)
    with RecordingWriter(directory, header, config.recording.of_images(), stem=IMAGES) as writer:
        for number in range(COUNT):
            place = NOMINAL + 1e-3 * np.sin(number / 5) * np.array([1.0, 1.0, 0.5])
            kept = recorder.keep(number * 50_000_000, eye.render(number, place))
            writer.write_image_when_room(RecordedImage(camera.name, kept.record.t_ns, 0, kept.data))


def seen(directory: Path) -> list[RailImage]:
    items = (numbered.item for numbered in RecordingReader(directory, stem=IMAGES).items())
    return [rail_image(item) for item in items if isinstance(item, RecordedImage)]


def test_the_oldest_pixels_go_and_the_heads_stay(tmp_path: Path) -> None:
    eye = RailCamera(SPECKLED, rail=0, section=rail_section(RailSectionConfig()), seed=6)
    camera = CameraDevice(name="camera_left", rail="left", plane=calibration_of(eye.truth))
    config = config_of(camera, free_bytes=2**62)
    record(tmp_path, eye, camera, config)
    before, segments = seen(tmp_path), segments_in(tmp_path, IMAGES)
    events: list[OperatorEvent] = []
    over = threading.Event()
    keeper = threading.Thread(target=PixelKeeper(config, tmp_path, events.append).watch, args=(over,))
    keeper.start()
    deadline = time.monotonic() + PATIENCE
    while len(events) < 2 and time.monotonic() < deadline:
        time.sleep(0.05)
    over.set()
    keeper.join()
    assert [event.kind for event in events] == ["images"] * len(events)
    assert len(events) >= 2
    assert events[0].text.startswith(f"{segments[0].name}: the pixels of")
    (found,) = describe_cameras(tmp_path)
    assert found[RecordKind.LINE] + found[RecordKind.STRIP] == COUNT
    assert found[RecordKind.LINE] >= 15
    assert found[RecordKind.STRIP] >= 5  # of the segment that would be written
    after = seen(tmp_path)
    finders = [ImageHeadFinder(HeadConfig(), calibration_of(eye.truth), rail=0) for _ in range(2)]
    for was, now in zip(before, after, strict=True):
        heads = [finder.process(image).heads[0] for finder, image in zip(finders, (was, now), strict=True)]
        assert_array_equal(heads[0].y, heads[1].y)
        assert_array_equal(heads[0].var_z, heads[1].var_z)


def describe_cameras(directory: Path) -> list[dict[RecordKind, int]]:
    with RecordingWriter(directory, RecordingHeader(devices=("imu",))):
        pass
    return [dict(camera.kinds) for camera in describe(directory).cameras]
