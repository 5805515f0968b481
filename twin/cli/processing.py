"""From bytes to results: the one path that a live run and its replay share.

Pure: the same chunks and events give the same results, whoever feeds them and however fast.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from firmware_interface import Chunk
from recordings import RecordedImage
from sensors.config import DeviceConfig
from sensors.decode import DeviceDecoder
from sensors.emulator import record_chunks
from twin.cli.config import RunConfig
from twin.cli.heads import rail_image
from twin.core.arrays import Array, G
from twin.core.blocks import RawBlock
from twin.core.estimate import Health, OperatorEvent, Result
from twin.core.places import Direction
from twin.core.track import DesignTrack
from twin.core.vehicle import Mounting
from twin.geometry.fusion import CameraPlace
from twin.geometry.heads import HeadsFound
from twin.navigation.chain import Setup
from twin.pipeline.track_geometry import GeometrySetup, RailSource
from twin.pipeline.twin import Twin, TwinSetup

WARM_UP_S = 12.0
"""Length of the made-up run that warms up [s]: long enough to reach every kernel, standing and under way."""
_JUDGED_BY_SAMPLE = ("frames", "samples", "saturated", "implausible", "stuck", "clock_unsure")
"""Counts of a decoder that are no fault of its wire; faults of samples are counted by the twin, by the second."""


Item = Chunk | OperatorEvent | RecordedImage
"""What a run is made of."""
Decoded = OperatorEvent | RawBlock | RecordedImage
"""The same with samples in place of bytes."""
Found = OperatorEvent | RawBlock | RecordedImage | HeadsFound
"""The same where heads may have been found already."""


class Processing:
    """Chunks, images and operator's notes in, results out."""

    def __init__(self, config: RunConfig) -> None:
        self._decoders = _decoders(config)
        self._twin = Twin(twin_setup(config))
        self._t_ns = 0

    @property
    def t_ns(self) -> int:
        """Host time of the newest chunk [ns]; 0 before the first."""
        return self._t_ns

    def feed(self, item: Item | HeadsFound) -> list[Result]:
        """Results this item completes. A device that is not configured is passed over."""
        if isinstance(item, HeadsFound):
            return self.follow(item)
        return [result for decoded in self.decode(item) for result in self.follow(decoded)]

    def decode(self, item: Item) -> Sequence[Decoded]:
        """An item with samples in place of bytes."""
        if not isinstance(item, Chunk):
            return (item,)
        self._t_ns = max(self._t_ns, item.t_host_ns)
        decoder = self._decoders.get(item.device)
        return [] if decoder is None else decoder.process(item)

    def follow(self, item: Found) -> list[Result]:
        """Results a decoded item completes."""
        if isinstance(item, OperatorEvent):
            return [item]
        return list(self._twin.process(rail_image(item) if isinstance(item, RecordedImage) else item))

    def finish(self) -> list[Result]:
        """What is still held, then one last record on the wire of every device."""
        wires = [self._wire_health(name, decoder) for name, decoder in self._decoders.items()]
        return [*self._twin.flush(), *wires]

    def problems(self) -> list[str]:
        """Devices that answer, but are not those configured: sentences with their remedies."""
        return [problem for decoder in self._decoders.values() if (problem := decoder.identity_problem) is not None]

    def _wire_health(self, name: str, decoder: DeviceDecoder) -> Health:
        counts = dict(decoder.health())
        faults = {key: count for key, count in counts.items() if key not in (*_JUDGED_BY_SAMPLE, "lost")}
        packets = {"samples": counts["frames"], "missing": counts["lost"]}
        return Health(self._t_ns, f"{name} wire", packets | faults, {})


def twin_setup(config: RunConfig) -> TwinSetup:
    """What the twin is told: the line as the train meets it, from its starting place on."""
    design, start = config.track.design(), config.run.start_s
    if config.run.direction is Direction.DECREASING:
        design, start = design.reversed(), design.length - start
    imu = next(device for device in config.device if device.name == config.navigation.imu)
    return TwinSetup(
        navigation=Setup(
            config=config.navigation,
            design=design,
            vehicle=config.vehicle,
            mounting=imu.mounting,
            start=start,
            start_sd=config.run.start_sd,
        ),
        synchroniser=config.synchroniser,
        rates={device.name: device.rate for device in config.device if device.required},
        direction=config.run.direction,
        geometry=_geometry(config, design, imu.mounting),
    )


def _geometry(config: RunConfig, design: DesignTrack, imu: Mounting) -> GeometrySetup | None:
    """Track geometry by what sees the rails; of two scanners the left one is named first."""
    scanners, cameras = {}, {}
    for device in config.device:
        if device.profile is not None:
            seen = device.profile
            scanners[device.name] = RailSource(
                CameraPlace(mounting=device.mounting, roll=seen.roll, y=seen.y, z=seen.z)
            )
    for camera in config.camera:
        place = CameraPlace(mounting=camera.mounting, roll=camera.roll, y=camera.y, z=camera.z)
        cameras[camera.name] = RailSource(place, camera.rail_number, camera.calibration)
    chosen = (cameras or scanners) if config.geometry.prefer == "cameras" else (scanners or cameras)
    if not chosen:
        return None
    return GeometrySetup(config.geometry, design, config.run.direction, imu, chosen)


def raw_blocks(config: RunConfig, chunks: Iterable[Chunk], *, but: Iterable[str] = ()) -> Iterator[RawBlock]:
    """Decoded samples of all devices but some, in the order received."""
    decoders = _decoders(config)
    for name in but:
        decoders.pop(name, None)
    for chunk in chunks:
        if chunk.device in decoders:
            yield from decoders[chunk.device].process(chunk)


def warm_up(config: RunConfig) -> None:
    """Run a few made-up seconds through the twin: compiled code is there before the first real sample."""
    processing = Processing(config)
    streams = [_made_up(device) for device in config.device if device.kind in ("imu", "encoder")]
    for chunk in record_chunks(streams, config.device):
        processing.feed(chunk)
    processing.finish()


@dataclass(frozen=True, slots=True)
class _MadeUp:
    """A stream of samples; see sensors.emulator.Stream."""

    source: str
    kind: str
    t: Array
    values: Array


def _made_up(device: DeviceConfig) -> _MadeUp:
    """A vehicle that stands for half the time, then rolls fast enough for the smoothers to let go of results.

    Noise keeps the sensors from being stuck.
    """
    t = np.arange(round(WARM_UP_S * device.rate)) / device.rate
    if device.kind == "encoder":
        return _MadeUp(device.name, device.kind, t, 100 * np.maximum(t - WARM_UP_S / 2, 0)[:, None])
    rest = np.array([0, 0, G, 0, 0, 0, 293.15])
    noise = np.random.default_rng(0).standard_normal((t.size, rest.size))
    return _MadeUp(device.name, device.kind, t, rest + 1e-3 * noise)


def _decoders(config: RunConfig) -> dict[str, DeviceDecoder]:
    return {device.name: DeviceDecoder(device) for device in config.device}
