"""Images beside the bytes of devices: in their place again, whatever was lost; pixels that go, and what stays."""

from pathlib import Path

import numpy as np
import pytest

from firmware_interface.chunk import Chunk
from recordings import (
    ClockPair,
    RecordedImage,
    RecordingConfig,
    RecordingHeader,
    RecordingReader,
    RecordingWriter,
    describe,
    has_images,
    in_order,
    repair,
)
from recordings.image_record import ImageRecord, RecordKind, encode
from recordings.segments import IMAGES, segments_in
from recordings.thinning import NOTHING, thin_segment
from twin.geometry.laser.line import Centres

WHOLE = np.random.default_rng(1).integers(0, 20, (64, 96), dtype=np.uint8)
EMPTY = Centres(np.zeros(0, np.int64), np.zeros(0), np.zeros(0), np.zeros(0), np.zeros(0, np.bool_))
CONFIG = RecordingConfig(segment_s=1.0)


def header(began: int) -> RecordingHeader:
    return RecordingHeader(devices=("imu",), cameras=("left", "right"), clock=ClockPair(monotonic_ns=began, wall_ns=0))


def image(camera: str, t_ns: int, follows: int) -> RecordedImage:
    return RecordedImage(camera, t_ns, follows, encode(ImageRecord(t_ns, 0, (64, 96), WHOLE)))


def record(directory: Path, *, began: int, count: int = 300) -> list[Chunk | RecordedImage]:
    """Chunks and images as a run takes them in; what it took."""
    taken: list[Chunk | RecordedImage] = []
    with (
        RecordingWriter(directory, header(began), CONFIG) as writer,
        RecordingWriter(directory, header(began), CONFIG.of_images(), stem=IMAGES) as images,
    ):
        for i in range(count):
            t_ns = began + i * 10_000_000
            if i % 3:
                chunk = Chunk("imu", t_ns, bytes([i % 256]) * 20)
                writer.write_when_room(chunk)
                taken.append(chunk)
            else:
                seen = image(("left", "right")[i % 2], t_ns, writer.offered)
                images.write_image_when_room(seen)
                taken.append(seen)
    return taken


def merged(directory: Path) -> list[object]:
    return list(in_order(RecordingReader(directory), RecordingReader(directory, stem=IMAGES)))


def test_images_take_their_place_among_the_bytes(tmp_path: Path) -> None:
    assert merged(tmp_path) == [] if has_images(tmp_path) else True
    taken = record(tmp_path, began=1_000)
    assert merged(tmp_path) == taken
    assert len(segments_in(tmp_path)) == 3


def test_images_of_a_continued_run_stay_with_their_session(tmp_path: Path) -> None:
    first = record(tmp_path, began=1_000)
    second = record(tmp_path, began=90_000_000_000)
    assert merged(tmp_path) == first + second


def test_lost_segments_cost_what_was_in_them_and_no_order(tmp_path: Path) -> None:
    taken = record(tmp_path, began=1_000)
    segments_in(tmp_path)[1].unlink()
    left = merged(tmp_path)
    places = [taken.index(item) for item in left]
    assert places == sorted(places)
    assert len(left) < len(taken)
    assert sum(isinstance(item, RecordedImage) for item in left) == 100


def test_mutated_image_segments_are_counted_and_never_raise(tmp_path: Path) -> None:
    record(tmp_path, began=1_000)
    dice = np.random.default_rng(3)
    (path,) = segments_in(tmp_path, IMAGES)
    sound = path.read_bytes()
    for _ in range(25):
        data = np.frombuffer(sound, np.uint8).copy()
        hits = dice.integers(0, data.size, 8)
        data[hits] ^= dice.integers(1, 256, 8, dtype=np.uint8)
        path.write_bytes(data.tobytes())
        found = describe(tmp_path)
        images = sum(camera.images for camera in found.cameras)
        assert images == 100 or not found.damage.clean
        assert sum(camera.damaged for camera in found.cameras) == 0  # the container's checksum came before


def test_info_tells_images_by_kind(tmp_path: Path) -> None:
    record(tmp_path, began=1_000)
    left, right = describe(tmp_path).cameras
    assert (left.camera, left.images, left.kinds) == ("left", 50, {RecordKind.WHOLE: 50})
    assert right.images == 50
    assert any(line.startswith("images of left: 50 (50 whole)") for line in describe(tmp_path).lines())


def test_thinned_segments_keep_every_image_under_its_number(tmp_path: Path) -> None:
    taken = record(tmp_path, began=1_000)
    (path,) = segments_in(tmp_path, IMAGES)
    thinned = thin_segment(
        path,
        lambda seen: None if seen.camera == "right" else encode(ImageRecord(seen.t_ns, 0, (64, 96), EMPTY)),
    )
    assert thinned.images == 50
    assert thinned.freed > 0.3 * 50 * 64 * 96 * 0.6
    assert [getattr(item, "t_ns", None) for item in merged(tmp_path)] == [getattr(i, "t_ns", None) for i in taken]
    found = describe(tmp_path)
    assert found.cameras[0].kinds == {RecordKind.LINE: 50}
    assert found.damage.clean
    assert thin_segment(path, lambda seen: None) == NOTHING
    assert list(tmp_path.glob("*.thin")) == []


def test_a_repaired_copy_has_the_images(tmp_path: Path) -> None:
    taken = record(tmp_path / "run", began=1_000)
    (path,) = segments_in(tmp_path / "run", IMAGES)
    path.write_bytes(path.read_bytes()[:-5000])
    before = merged(tmp_path / "run")
    repair(tmp_path / "run", tmp_path / "copy")
    assert merged(tmp_path / "copy") == before
    assert len(before) > len(taken) - 30


def test_a_full_queue_loses_images_and_counts_them(tmp_path: Path) -> None:
    config = RecordingConfig(queue_bytes=1024 * 1024)
    big = RecordedImage("left", 0, 0, bytes(600_000))
    with RecordingWriter(tmp_path, header(1), config, stem=IMAGES) as writer:
        taken = [writer.write_image(big) for _ in range(40)]
        writer.sync()
    assert writer.status.lost == taken.count(False) > 0
    assert describe_images(tmp_path) == taken.count(True)


def describe_images(directory: Path) -> int:
    return sum(1 for _ in RecordingReader(directory, stem=IMAGES).items())


@pytest.mark.parametrize("message", [b"", b"\0" * 7])
def test_a_message_too_short_is_no_image(message: bytes) -> None:
    assert RecordedImage.unpacked("left", 0, message) is None
