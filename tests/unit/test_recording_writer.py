"""The writer: what it is given is durable in order, bounded in memory, and survives a failing disk."""

import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest
from mcap.reader import make_reader

from firmware_interface.chunk import Chunk
from recordings import ClockPair, RecordingConfig, RecordingHeader, RecordingReader, RecordingWriter, replay
from recordings.backlog import Backlog
from recordings.segments import segments_in
from twin.core.errors import RecordingError
from twin.core.estimate import OperatorEvent

HEADER = RecordingHeader(
    config_toml='[run]\nname = "größer"\n',
    calibrations={"imu": "scale = 1.0\n", "bridge/left": "gain = 2.0\n"},
    version="0.1.0",
    started="2026-01-01T00:00:00+00:00",
    clock=ClockPair(monotonic_ns=0, wall_ns=1_700_000_000_000_000_000),
    devices=("imu", "encoder"),
)


def stream(count: int, *, period_ns: int = 10_000_000) -> list[Chunk]:
    """Reads of two devices, in both directions."""
    return [
        Chunk(
            device="encoder" if i % 3 == 0 else "imu",
            t_host_ns=i * period_ns,
            data=i.to_bytes(4, "little") * 20,
            sent=i % 7 == 0,
        )
        for i in range(count)
    ]


def record(directory: Path, chunks: list[Chunk], config: RecordingConfig | None = None) -> None:
    with RecordingWriter(directory, HEADER, config) as writer:
        for chunk in chunks:
            writer.write_when_room(chunk)


@pytest.mark.parametrize("compression", ["none", "lz4", "zstd"])
def test_what_was_recorded_is_replayed(tmp_path: Path, compression: str) -> None:
    chunks = stream(2000)
    record(tmp_path, chunks, RecordingConfig.model_validate({"compression": compression}))
    assert list(replay(tmp_path)) == chunks


def test_events_and_clocks_travel_with_the_bytes(tmp_path: Path) -> None:
    event, pair = OperatorEvent(5, "note", "bridge", 12.5), ClockPair(monotonic_ns=6, wall_ns=7)
    with RecordingWriter(tmp_path, HEADER) as writer:
        assert writer.write(Chunk("imu", 4, b"x"))
        assert writer.write_event(event)
        assert writer.write_clock(pair)
    reader = RecordingReader(tmp_path)
    assert list(reader.events()) == [event]
    assert list(reader.clocks()) == [pair]
    assert list(reader.chunks()) == [Chunk("imu", 4, b"x")]


def test_every_segment_alone_carries_the_whole_header(tmp_path: Path) -> None:
    record(tmp_path, stream(1000), RecordingConfig(segment_s=2))
    paths = segments_in(tmp_path)
    assert [path.name for path in paths] == [f"run-{i:03d}.mcap" for i in range(5)]
    assert all(RecordingReader(path).header == HEADER for path in paths)
    assert [chunk for path in paths for chunk in replay(path)] == stream(1000)


def test_stock_reader_reads_our_files_with_checksums(tmp_path: Path) -> None:
    chunks = stream(500)
    record(tmp_path, chunks)
    with (tmp_path / "run-000.mcap").open("rb") as file:
        reader = make_reader(file, validate_crcs=True)
        messages = [(channel.topic, message) for _, channel, message in reader.iter_messages(log_time_order=False)]
        attachments = {attachment.name for attachment in reader.iter_attachments()}
    assert [message.data for _, message in messages] == [chunk.data for chunk in chunks]
    assert [message.log_time for _, message in messages] == [chunk.t_host_ns for chunk in chunks]
    assert {topic for topic, _ in messages} == {"/raw/imu", "/raw/encoder", "/sent/imu", "/sent/encoder"}
    assert {"header.json", "config.toml", "calibration/imu"} <= attachments


def test_time_range_gives_exactly_the_messages_in_it(tmp_path: Path) -> None:
    chunks = stream(2000)
    record(tmp_path, chunks, RecordingConfig(segment_s=3))
    start, end = 7_005_000_000, 13_000_000_000
    reader = RecordingReader(tmp_path)
    assert list(reader.chunks(start_ns=start, end_ns=end)) == [c for c in chunks if start <= c.t_host_ns < end]
    assert reader.damage.clean


def test_synced_messages_are_readable_while_the_run_goes_on(tmp_path: Path) -> None:
    chunks = stream(100)
    with RecordingWriter(tmp_path, HEADER) as writer:
        for chunk in chunks:
            writer.write(chunk)
        assert writer.sync()
        assert writer.committed == len(chunks)
        assert list(replay(tmp_path)) == chunks


def test_restart_continues_beside_what_is_there(tmp_path: Path) -> None:
    record(tmp_path, stream(100))
    before = (tmp_path / "run-000.mcap").read_bytes()
    record(tmp_path, stream(50))
    assert (tmp_path / "run-000.mcap").read_bytes() == before
    reader = RecordingReader(tmp_path)
    assert reader.sessions == 2
    assert list(reader.chunks()) == stream(100) + stream(50)
    assert list(reader.chunks(session=1)) == stream(50)
    assert reader.damage.clean


def test_full_disk_stops_before_the_first_sample_and_says_so(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match=r"cannot record here.*choose another directory"):
        RecordingWriter(tmp_path, HEADER, RecordingConfig(reserve_bytes=2**60))
    assert segments_in(tmp_path) == []


def test_unknown_device_is_a_mistake_of_the_caller(tmp_path: Path) -> None:
    with RecordingWriter(tmp_path, HEADER) as writer, pytest.raises(ValueError, match="'radar' is not in the header"):
        writer.write(Chunk("radar", 0, b""))


def test_disk_that_vanishes_and_returns_loses_nothing(tmp_path: Path) -> None:
    """The directory is moved away, so that the next segment cannot be opened, and moved back."""
    place, aside = tmp_path / "run", tmp_path / "aside"
    chunks = stream(600)
    with RecordingWriter(place, HEADER, RecordingConfig(segment_s=1, sync_s=0.02, retry_s=0.05)) as writer:
        for chunk in chunks[:300]:
            writer.write(chunk)
        assert writer.sync()
        place.rename(aside)
        for chunk in chunks[300:]:
            writer.write(chunk)
        deadline = time.monotonic() + 20
        while writer.status.failing is None and time.monotonic() < deadline:
            time.sleep(0.01)
        assert writer.status.failing == "No such file or directory"
        aside.rename(place)
        assert writer.sync()
        assert writer.status.failing is None
        assert writer.status.lost == 0
    assert list(replay(place)) == chunks


def test_disk_that_refuses_in_the_middle_of_a_write_loses_nothing(tmp_path: Path) -> None:
    """A limit on the file size cuts a write short, as a full disk does; the rest goes to new segments."""
    script = """
        import resource, sys
        from pathlib import Path
        from firmware_interface.chunk import Chunk
        from recordings import RecordingConfig, RecordingHeader, RecordingWriter
        resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, 60_000))
        config = RecordingConfig(sync_s=0.01, retry_s=0.05)
        with RecordingWriter(Path(sys.argv[1]), RecordingHeader(devices=("imu",)), config) as writer:
            for i in range(200):
                writer.write(Chunk("imu", i, bytes([i]) * 1000))
                if i % 10 == 9:
                    assert writer.sync()
        assert writer.status.failures >= 3, writer.status
        assert (writer.status.lost, writer.status.queued) == (0, 0), writer.status
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script), str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    reader = RecordingReader(tmp_path)
    assert [(chunk.t_host_ns, chunk.data) for chunk in reader.chunks()] == [(i, bytes([i]) * 1000) for i in range(200)]
    assert reader.damage.missing == 0


def test_disk_that_never_returns_is_counted_and_the_run_ends(tmp_path: Path) -> None:
    place = tmp_path / "run"
    with RecordingWriter(place, HEADER, RecordingConfig(segment_s=1, sync_s=0.01, retry_s=0.05)) as writer:
        writer.write(Chunk("imu", 0, b"first"))
        assert writer.sync()
        place.rename(tmp_path / "aside")
        for i in range(10):
            writer.write(Chunk("imu", (2 + i) * 1_000_000_000, b"late"))
    assert (writer.status.lost, writer.status.lost_bytes) == (10, 40)
    assert [chunk.data for chunk in replay(tmp_path / "aside")] == [b"first"]


class TestBacklog:
    """A queue whose items leave only when they are durable."""

    def queue(self, *, queue_bytes: int = 1000) -> Backlog:
        self.now = 0.0
        return Backlog(queue_s=5.0, queue_bytes=queue_bytes, seconds=lambda: self.now)

    def test_five_seconds_of_stall_fit_and_the_next_message_is_counted(self) -> None:
        backlog = self.queue()
        for i in range(50):
            self.now = i / 10
            assert backlog.offer(1, i, b"x")
        self.now = 5.01
        assert not backlog.offer(1, 50, b"xyz")
        assert (backlog.lost, backlog.lost_bytes, backlog.offered) == (1, 3, 51)

    def test_memory_is_bounded(self) -> None:
        backlog = self.queue()
        taken = sum(backlog.offer(1, i, b"x" * 100) for i in range(100))
        assert (taken, backlog.lost) == (10, 90)

    def test_lost_message_uses_up_its_number(self) -> None:
        backlog = self.queue(queue_bytes=2)
        assert [backlog.offer(1, i, b"xx") for i in range(2)] == [True, False]
        backlog.release(1)
        assert backlog.offer(1, 2, b"xx")
        assert [item.sequence for item in backlog.waiting()] == [2]

    def test_released_items_leave_and_the_rest_stays(self) -> None:
        backlog = self.queue()
        for i in range(5):
            backlog.offer(1, i, b"x")
        backlog.release(3)
        assert [item.sequence for item in backlog.waiting()] == [3, 4]
        assert backlog.committed == 3
