"""Result files: same results, same bytes; readable here and by the stock tools; damage is left out."""

import random
from pathlib import Path

import numpy as np
import pytest
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.message import Message
from mcap.reader import make_reader

from recordings import Archived, ResultReader, ResultWriter
from recordings.result_codec import decode, encode
from recordings.results import FLUSH_NS, PART_BYTES, topic_of
from twin.core.errors import RecordingError
from twin.core.estimate import Estimate, Form, Fusion, GridBlock, Health, OperatorEvent, StateLayout

METADATA = {"version": "0.1", "recording": "run"}
LAYOUT = StateLayout(("roll", "yaw"), ("rad", "rad"))


def estimate(start_ns: int, samples: int, rng: np.random.Generator) -> Estimate:
    return Estimate(
        name="trajectory",
        form=Form.CAUSAL,
        layout=LAYOUT,
        t_ns=start_ns + 2_000_000 * np.arange(samples),
        x=rng.normal(size=(samples, 2)),
        var=rng.random((samples, 2)),
        quality=rng.integers(0, 255, samples, dtype=np.uint8),
    )


def every_kind(rng: np.random.Generator) -> list[Archived]:
    points = np.arange(40)
    grid = GridBlock(
        name="track",
        form=Form.SMOOTHED,
        step=0.25,
        index=points - 7,
        t_ns=points * 10,
        layout=LAYOUT,
        values=rng.normal(size=(40, 2)),
        quality=np.zeros(40, np.uint8),
    )
    fusion = Fusion(
        name="odometer",
        t_ns=points * 10,
        innovation=rng.normal(size=40),
        variance=rng.random(40),
        accepted=rng.random(40) > 0.5,
        gate=6.63,
        virtual=True,
    )
    return [
        estimate(0, 100, rng),
        grid,
        fusion,
        Health(5, "imu", {"missing": 3, "late": -1}, {"nis": 1.02, "rate": float("nan")}),
        Health(6, "", {}, {}),
        OperatorEvent(7, "note", "Weiche, Gleis 3 — größer", 12.5),
        OperatorEvent(8, "stop", "", None),
        estimate(20, 0, rng),
    ]


def assert_same(a: Archived, b: Archived) -> None:
    assert type(a) is type(b)
    for name in a.__dataclass_fields__:
        left, right = getattr(a, name), getattr(b, name)
        if isinstance(left, np.ndarray):
            assert left.dtype == right.dtype
            np.testing.assert_array_equal(left, right)
        else:
            np.testing.assert_equal(left, right)


def written(path: Path, results: list[Archived]) -> bytes:
    with ResultWriter(path, METADATA) as writer:
        for result in results:
            writer.write(result)
    return path.read_bytes()


def test_every_kind_of_result_comes_back_as_it_was(tmp_path: Path) -> None:
    results = every_kind(np.random.default_rng(1))
    written(tmp_path / "results.mcap", results)
    reader = ResultReader(tmp_path / "results.mcap")
    for sent, got in zip(results, reader, strict=True):
        assert_same(sent, got)
    assert reader.metadata == METADATA
    assert reader.damage.clean


def test_equal_results_give_equal_bytes(tmp_path: Path) -> None:
    first = written(tmp_path / "a.mcap", every_kind(np.random.default_rng(1)))
    assert first == written(tmp_path / "b.mcap", every_kind(np.random.default_rng(1)))
    assert first != written(tmp_path / "c.mcap", every_kind(np.random.default_rng(2)))


def stock_class(data: bytes, name: str) -> type[Message]:
    """The message class a viewer builds from the schema stored in the file."""
    pool = descriptor_pool.DescriptorPool()
    for file in descriptor_pb2.FileDescriptorSet.FromString(data).file:
        pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName(name))


def test_stock_reader_and_stock_protobuf_decode_every_field(tmp_path: Path) -> None:
    results = every_kind(np.random.default_rng(1))
    written(tmp_path / "results.mcap", results)
    with (tmp_path / "results.mcap").open("rb") as stream:
        decoded = {}
        for schema, channel, message in make_reader(stream, validate_crcs=True).iter_messages(log_time_order=False):
            assert schema is not None
            assert (schema.encoding, channel.message_encoding) == ("protobuf", "protobuf")
            decoded[message.sequence] = stock_class(schema.data, schema.name).FromString(message.data)
            assert channel.topic == topic_of(results[message.sequence])
    assert len(decoded) == len(results)
    first, grid, fusion, health, _, event, silent, _ = (decoded[i] for i in range(len(results)))
    np.testing.assert_array_equal(first.x, results[0].x.ravel())
    np.testing.assert_array_equal(first.t_ns, results[0].t_ns)
    assert list(first.states) == ["roll", "yaw"]
    assert first.quality == results[0].quality.tobytes()
    assert (grid.step, list(grid.index)) == (0.25, results[1].index.tolist())
    assert list(fusion.accepted) == results[2].accepted.tolist()
    assert fusion.virtual
    assert dict(health.counts) == {"missing": 3, "late": -1}
    assert health.measures["nis"] == 1.02
    assert (event.text, event.s, silent.HasField("s")) == ("Weiche, Gleis 3 — größer", 12.5, False)


def test_what_stock_protobuf_encodes_is_decoded(tmp_path: Path) -> None:
    results = every_kind(np.random.default_rng(1))
    written(tmp_path / "results.mcap", results)
    with (tmp_path / "results.mcap").open("rb") as stream:
        for schema, _, message in make_reader(stream).iter_messages():
            assert schema is not None
            if schema.name == "railtwin.Fusion":
                again = stock_class(schema.data, schema.name).FromString(message.data).SerializeToString()
                assert_same(decode("Fusion", again), results[2])


def test_long_estimate_is_cut_into_parts_that_join_to_the_whole(tmp_path: Path) -> None:
    whole = estimate(0, 50_000, np.random.default_rng(3))
    written(tmp_path / "results.mcap", [whole])
    parts = [part for part in ResultReader(tmp_path / "results.mcap") if isinstance(part, Estimate)]
    assert all(len(encode(part)) <= PART_BYTES for part in parts)
    np.testing.assert_array_equal(np.concatenate([part.x for part in parts]), whole.x)
    np.testing.assert_array_equal(np.concatenate([part.t_ns for part in parts]), whole.t_ns)


def test_results_older_than_the_flush_interval_survive_a_crash(tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    writer = ResultWriter(tmp_path / "results.mcap", METADATA)
    for i in range(21):
        writer.write(estimate(i * FLUSH_NS // 10, 5, rng))
    crashed = ResultReader(tmp_path / "results.mcap")
    assert len(list(crashed)) >= 20
    writer.close()


def test_damaged_results_are_left_out_and_counted(tmp_path: Path) -> None:
    rng, dice = np.random.default_rng(5), random.Random(5)
    results = [estimate(i * 1_000_000_000, 500, rng) for i in range(100)]
    sound = {encode(result) for result in results}
    data = bytearray(written(tmp_path / "results.mcap", results))
    for _ in range(10):
        data[dice.randrange(200_000, len(data))] ^= 0x55
    (tmp_path / "results.mcap").write_bytes(data)
    reader = ResultReader(tmp_path / "results.mcap")
    read = list(reader)
    assert 0 < len(read) < len(results)
    assert all(encode(result) in sound for result in read)
    assert reader.damage.missing == len(results) - len(read)


def test_other_files_are_refused(tmp_path: Path) -> None:
    (tmp_path / "x.mcap").write_bytes(b"no results")
    with pytest.raises(RecordingError, match="not a result file"):
        ResultReader(tmp_path / "x.mcap")


def test_mutated_messages_decode_or_raise_value_error() -> None:
    dice = random.Random(6)
    messages = [(type(result).__name__, encode(result)) for result in every_kind(np.random.default_rng(1))]
    decoded = refused = 0
    for _ in range(3000):
        kind, data = dice.choice(messages)
        mutated = bytearray(data[: dice.randrange(len(data) + 1)])
        for _ in range(dice.randrange(4)):
            if mutated:
                mutated[dice.randrange(min(len(mutated), 64))] = dice.randrange(256)
        try:
            assert type(decode(kind, bytes(mutated))).__name__ == kind
            decoded += 1
        except ValueError:
            refused += 1
    assert decoded > 10  # most are cut short
    assert refused > 100
