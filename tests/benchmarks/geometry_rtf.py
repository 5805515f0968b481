"""How fast track geometry is seen through anew: a recorded run with two cameras, and the same with two scanners.

A complete replay each: causal, lagged and smoothed results, heads found once, by processes of their own. The images are
the reference camera's, rendered along three seconds at 20 m/s and recorded over and over, as if the train went
on: rendering takes far longer than seeing.
"""

from dataclasses import replace
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from recordings import RecordedImage, RecordingReader, RecordingWriter
from recordings.image_record import ImageRecord, decode, encode
from recordings.segments import IMAGES
from tests.benchmarks.figure import Figure
from tests.benchmarks.vehicle_figure import named
from twin.cli.config import RunConfig
from twin.cli.heads import HeadStore
from twin.cli.processing import Processing
from twin.cli.replaying import Replay, images_beside, recorded_items
from twin.cli.run_directory import RunDirectory, recorded_config
from twin.cli.simulating import START_NS, record_simulated
from twin.core.track import HorizontalElement
from twin.simulation import Dynamics, IrregularityConfig, Scenario, constant
from twin.simulation.dynamic.config import ImagingConfig
from twin.simulation.rail_head import ScannerConfig
from twin.vehicle.running import RunSettings

SPEED, LENGTH = 20.0, 1000.0
"""[m/s], [m] of the run that is replayed."""
FROM, FOR = 14.0, 3.0
"""Of the run, in which images are rendered [s]: at full speed."""
CAMERAS = 2


def figures() -> list[Figure]:
    """Real-time factors, and what images of a kilometre take."""
    with TemporaryDirectory() as folder:
        run = RunDirectory(Path(folder) / "run")
        record_simulated(_scenario(), run, progress=_nobody)
        per_image = _repeat(run)
        images = _real_time_factor(run, prefer="cameras")
        profiles = _real_time_factor(run, prefer="scanners")
    rate = ImagingConfig().camera.rate
    return [
        named("geometry.rtf_images", images, "ratio"),
        named("geometry.rtf_profiles", profiles, "ratio"),
        named("geometry.images_mb_per_km", _per_km(per_image, rate, SPEED), "MB/km"),
        named("geometry.images_mb_per_km_40", _per_km(per_image, rate, 40.0), "MB/km"),
        named("geometry.images_mb_per_km_5", _per_km(per_image, rate, 5.0), "MB/km"),
    ]


def _scenario() -> Scenario:
    dynamics = Dynamics(
        run=RunSettings(contact="knife"),
        wheels=None,
        second_imu=False,
        scanners=ScannerConfig(),
        cameras=ImagingConfig(from_t=FROM, to_t=FROM + FOR),
    )
    return Scenario(
        horizontal=(HorizontalElement(length=LENGTH + 200),),
        vertical=(),
        irregularity=IrregularityConfig(seed=4),
        motion=constant(speed=SPEED, length=LENGTH, standstill=2.0).model_copy(update={"acceleration": 2.0}),
        dynamics=dynamics,
        seed=3,
    )


def _repeat(run: RunDirectory) -> float:
    """Record the images of the run's stretch for all of it, forth and back; the mean size of a record [byte]."""
    reader = RecordingReader(run.recording)
    received = [chunk.t_host_ns for chunk in reader.chunks()]
    rendered = RecordingReader(run.recording, stem=IMAGES)
    by_camera: dict[str, list[ImageRecord]] = {}
    sizes: list[int] = []
    for numbered in rendered.items():
        if isinstance(numbered.item, RecordedImage):
            record = decode(numbered.item.data)
            assert isinstance(record, ImageRecord)
            by_camera.setdefault(numbered.item.camera, []).append(record)
            sizes.append(len(numbered.item.packed()))
    for segment in rendered.segments:
        segment.path.unlink()
    period_ns = round(1e9 / ImagingConfig().camera.rate)
    follows = 0
    with RecordingWriter(run.recording, reader.header, stem=IMAGES) as writer:
        for number in range((received[-1] - START_NS) // period_ns):
            t_ns = START_NS + number * period_ns
            while follows < len(received) and received[follows] <= t_ns:
                follows += 1
            for camera, records in by_camera.items():
                round_trip = number % (2 * len(records) - 2)
                record = records[min(round_trip, 2 * len(records) - 2 - round_trip)]
                data = encode(replace(record, t_ns=t_ns))
                writer.write_image_when_room(RecordedImage(camera, t_ns, follows, data))
    return sum(sizes) / len(sizes)


def _real_time_factor(run: RunDirectory, *, prefer: str) -> float:
    """Data time over the time of a complete replay, smoothing included, once everything is compiled."""
    reader = RecordingReader(run.recording)
    config = _preferring(recorded_config(reader), prefer)
    images = images_beside(run.recording) if prefer == "cameras" else None
    replay = Replay(reader, config, RunDirectory(run.path / prefer), images=images)
    _warm(replay)
    heads = HeadStore()
    began = perf_counter()
    replay.results(progress=_nobody, heads=heads)
    replay.smoothed(progress=_nobody, heads=heads)
    took = perf_counter() - began
    heads.close()
    times = [chunk.t_host_ns for chunk in reader.chunks()]
    return (times[-1] - times[0]) * 1e-9 / took


def _warm(replay: Replay) -> None:
    """Compile what a replay uses, on the first seconds of the recording."""
    processing = Processing(replay.config)
    for item in islice(recorded_items(replay.reader, replay.images), 3000):
        processing.feed(item)
    processing.finish()


def _preferring(config: RunConfig, prefer: str) -> RunConfig:
    return config.model_copy(update={"geometry": config.geometry.model_copy(update={"prefer": prefer})})


def _per_km(per_image: float, rate: float, speed: float) -> float:
    """Of all cameras [MB]."""
    return CAMERAS * rate * 1000 / speed * per_image / 1e6


def _nobody(share: float) -> None:
    """Nobody watches."""
