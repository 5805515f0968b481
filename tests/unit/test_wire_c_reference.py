"""The C reference codec and the Python codec are one: same bytes, same packets, same counts."""

import shutil
import subprocess
from dataclasses import astuple, fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from firmware_interface import Deframer, Message, Packet, PacketKind, encode, pack
from firmware_interface.generate import HEADER_FILE, README_FILE, render_header, with_table
from firmware_interface.layout import LAYOUTS
from tests.unit.wire_messages import extreme_messages, messages, packets, repeatable

FOLDER = HEADER_FILE.parent
STRICT = ["-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-O1", "-g"]
SANITIZERS = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
EMPTY = {PacketKind.IDENTIFY, PacketKind.START, PacketKind.STOP}
batches = settings(repeatable, max_examples=15, suppress_health_check=[HealthCheck.too_slow])


class Reference:
    """The compiled filter c/vectors_main.c."""

    def __init__(self, program: Path) -> None:
        self._program = program

    def run(self, mode: str, data: bytes) -> bytes:
        """Whole input to whole output; a complaint of a sanitizer fails the test."""
        done = subprocess.run([self._program, mode], input=data, capture_output=True, timeout=60, check=False)
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout

    def lines(self, mode: str, lines: list[str]) -> list[str]:
        """One line in, one line out."""
        return self.run(mode, "".join(f"{line}\n" for line in lines).encode()).decode().splitlines()


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> Reference:
    """Compiled with every warning an error, and with sanitizers where the compiler has them."""
    if shutil.which("gcc") is None:
        pytest.skip("no gcc on this machine: the C reference codec is not compared")
    program = tmp_path_factory.mktemp("c") / "vectors"
    sources = [FOLDER / "railtwin_wire.c", FOLDER / "vectors_main.c"]
    with_sanitizers = ["gcc", *STRICT, *SANITIZERS, *sources, "-o", program]
    if subprocess.run(with_sanitizers, capture_output=True, check=False).returncode != 0:
        plain = subprocess.run(["gcc", *STRICT, *sources, "-o", program], capture_output=True, check=False)
        assert plain.returncode == 0, plain.stderr.decode()
    return Reference(program)


def line_of(packet: Packet) -> str:
    """A packet as the filter reads and writes it."""
    return f"{packet.kind:d} {packet.sequence} {packet.ticks} {packet.payload.hex() or '-'}"


def values_of(message: Message) -> list[int]:
    """All values of a message in the order of the schema, as signed 64-bit numbers."""
    values: list[int] = []
    for field in fields(message):
        value: Any = getattr(message, field.name)
        if isinstance(value, str):
            values += value.encode("latin-1").ljust(16, b"\0")
        else:
            values += np.ravel(np.asarray(value, dtype=object)).tolist()
    return [value - 2**64 if value >= 2**63 else value for value in values]


def decoded_by_python(data: bytes) -> list[str]:
    """What the filter would write about these bytes, if it is right."""
    deframer = Deframer()
    lines = [line_of(packet) for packet in deframer.feed(data)]
    return [*lines, " ".join(["counts", *map(str, astuple(deframer.counts))])]


def test_the_committed_header_is_the_one_of_the_schema():
    assert HEADER_FILE.read_text(encoding="utf-8") == render_header(), "run python -m firmware_interface.generate"


def test_the_table_in_the_readme_is_the_one_of_the_schema():
    readme = README_FILE.read_text(encoding="utf-8")
    assert readme == with_table(readme), "run python -m firmware_interface.generate"


@batches
@given(st.lists(packets(), min_size=1, max_size=20))
def test_both_encode_to_the_same_bytes(reference, sent):
    data = b"".join(map(encode, sent))
    assert reference.run("encode", "".join(f"{line_of(packet)}\n" for packet in sent).encode()) == data


@batches
@given(st.lists(packets() | st.binary(max_size=60), min_size=1, max_size=20))
def test_both_decode_the_same_packets_and_count_the_same_faults(reference, pieces):
    data = b"".join(encode(piece) if isinstance(piece, Packet) else piece for piece in pieces)
    assert reference.run("decode", data).decode().splitlines() == decoded_by_python(data)


def test_runs_without_zero_of_every_length_encode_to_the_same_bytes(reference):
    def packet(length: int, ending: bytes) -> Packet:
        return Packet(PacketKind.IMU, 0x0101, 0x0101010101010101, b"\xff" * length + ending)

    sent = [
        packet(n, ending) for n in [*range(225, 265), *range(480, 515)] for ending in (b"", b"\0", b"\0\0", b"\0\1")
    ]
    sent += [packet(n, b"") for n in (0, 4_045, 4_046, 4_047, 4_048, 4_049, 4_061, 4_062)]
    sent += [Packet(PacketKind.IMU, 0, 0, bytes(n)) for n in (0, 1, 254, 255, 4_062)]
    data = b"".join(map(encode, sent))
    assert reference.run("encode", "".join(f"{line_of(p)}\n" for p in sent).encode()) == data


def test_both_agree_on_a_damaged_stream(reference):
    rng = np.random.default_rng(21)
    sent = [Packet(PacketKind.ENCODER, i % 65_536, i, rng.bytes(5)) for i in range(3_000)]
    data = np.frombuffer(b"".join(map(encode, sent)), np.uint8).copy()
    hit = rng.random(data.size) < 2e-3
    data[hit] = rng.integers(0, 256, int(hit.sum()))
    noisy = data.tobytes() + b"\x55" * 9_000 + b"\0" + encode(sent[0]) + b"\x33" * 4_096
    lines = decoded_by_python(noisy)
    assert 2_500 < len(lines) < 3_000
    assert reference.run("decode", noisy).decode().splitlines() == lines


def test_both_drop_a_frame_cut_short_by_any_length(reference):
    frame = encode(Packet(PacketKind.ENCODER, 0x0101, 0x0101010101010101, b"\7\7\7\7\0"))
    # after its whole twin: a decoder that looks beyond the end finds the very bytes that are missing
    data = b"".join(frame + frame[:length] + b"\0" for length in range(1, len(frame) - 1))
    lines = decoded_by_python(data)
    assert len(lines) == len(frame) - 2 + 1
    assert reference.run("decode", data).decode().splitlines() == lines


@batches
@given(st.lists(messages(tuple(set(PacketKind) - EMPTY)), min_size=1, max_size=20))
def test_generated_structures_pack_and_unpack_as_python_does(reference, sent):
    check_structures(reference, sent)


def test_extreme_structures_pack_and_unpack_as_python_does(reference):
    check_structures(reference, [message for message in extreme_messages() if message.kind not in EMPTY])


def check_structures(reference: Reference, sent: list[Message]) -> None:
    """Values to payload and payload to values, both against Python."""
    values = [" ".join(map(str, values_of(message))) for message in sent]
    payloads = [pack(message).hex() for message in sent]
    packed = reference.lines("pack", [f"{m.kind:d} {text}" for m, text in zip(sent, values, strict=True)])
    assert packed == payloads
    unpacked = reference.lines("unpack", [f"{m.kind:d} {text}" for m, text in zip(sent, payloads, strict=True)])
    assert unpacked == values


@batches
@given(st.lists(st.tuples(st.sampled_from(list(PacketKind)), st.binary(max_size=40)), min_size=1, max_size=50))
def test_both_refuse_the_same_payloads(reference, pairs):
    wanted = [(kind, payload) for kind, payload in pairs if kind not in EMPTY]
    answers = reference.lines("unpack", [f"{kind:d} {payload.hex() or '-'}" for kind, payload in wanted])
    assert [answer != "refused" for answer in answers] == [LAYOUTS[kind].fits(data) for kind, data in wanted]


def test_c_refuses_blocks_beyond_their_limits(reference):
    lines = ["3 1000 0 5", "3 1000 5 0", "4 1000 255 2027", "5 1000 1 2028", "6 0 508"]
    assert reference.lines("pack", lines) == ["refused"] * len(lines)
