"""Bytes of real frames to calibrated, flagged blocks."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
import pytest

from firmware_interface import (
    Acknowledge,
    AxleBoxBlock,
    BridgeBlock,
    Chunk,
    EncoderSample,
    Identity,
    ImuSample,
    LaserDistanceBlock,
    Message,
    Packet,
    PacketKind,
    ProfilePoints,
    SyncResponse,
    encode,
    to_packet,
)
from sensors.config import DeviceConfig
from sensors.decode import DeviceDecoder
from sensors.imu import ImuCalibration
from sensors.plausibility import Limits, Plausibility
from twin.core.arrays import Array, FlagArray, IntArray
from twin.core.blocks import RawBlock
from twin.core.errors import ConfigError
from twin.core.quality import Quality

PERIOD = 2_000
"""Of the inertial sensor [ticks of 1 us]."""
HOST_NS = 5_000_000_000_000
"""Host time at tick zero."""
UNSURE = int(Quality.CLOCK_UNSURE)
IMU = DeviceConfig(name="imu0", kind="imu")


def imu_sample(i: int, *, accel: tuple[int, int, int] = (0, 0, 980_665), gyro: int = 0) -> ImuSample:
    """A living sensor at rest: the last digits never repeat for long."""
    return ImuSample(accel=(accel[0] + i % 7, accel[1], accel[2]), gyro=(gyro, i % 5, 0), temperature=2_000)


def numbered(messages: Iterable[Message], *, period: int = PERIOD, first: int = 0, tick: int = 0) -> list[Packet]:
    return [
        to_packet(message, sequence=(first + i) % 65536, ticks=tick + i * period) for i, message in enumerate(messages)
    ]


def wire(packets: Iterable[Packet]) -> bytes:
    return b"".join(encode(packet) for packet in packets)


def chunk(packets: Sequence[Packet], *, name: str = "imu0", delay_ns: int = 1_000_000) -> Chunk:
    """All packets in one read, a moment after the last was sent."""
    return Chunk(name, HOST_NS + max(packet.ticks for packet in packets) * 1000 + delay_ns, wire(packets))


def sync(tick: int, *, sequence: int) -> Packet:
    """An answer to a request sent 100 us before this tick."""
    response = SyncResponse(id=0, t_host_ns=HOST_NS + (tick - 100) * 1000, ticks_received=tick - 20)
    return to_packet(response, sequence=sequence, ticks=tick)


def joined(blocks: Sequence[RawBlock]) -> tuple[IntArray, Array, FlagArray]:
    return (
        np.concatenate([block.ticks for block in blocks]),
        np.concatenate([block.values for block in blocks]),
        np.concatenate([block.quality for block in blocks]),
    )


def decode(config: DeviceConfig, packets: Sequence[Packet]) -> tuple[Array, FlagArray, DeviceDecoder]:
    """Values and quality, without the flag of a clock that never was synchronised."""
    decoder = DeviceDecoder(config)
    _, values, quality = joined(decoder.process(chunk(packets, name=config.name)))
    return values, quality & ~np.uint8(UNSURE), decoder


def test_imu_counts_become_si_units() -> None:
    sample = ImuSample(accel=(100_000, -200_000, 980_665), gyro=(1_000_000, -2_000_000, 3), temperature=-1_050)
    values, quality, _ = decode(IMU, numbered([sample]))
    np.testing.assert_allclose(values, [[1.0, -2.0, 9.80665, 0.1, -0.2, 3e-7, 262.65]], rtol=1e-12)
    assert quality.tolist() == [0]


def test_imu_calibration_removes_bias_scale_and_misalignment() -> None:
    rng = np.random.default_rng(1)
    truth = np.array([0.4, -0.3, 9.7])
    mixing = np.eye(3) + rng.normal(0, 0.01, (3, 3))
    bias = np.array([0.02, -0.03, 0.05])
    counts = np.rint((mixing @ truth + bias) / 1e-5).astype(int)
    matrix = np.linalg.inv(mixing)
    calibration = ImuCalibration.model_validate({"accel_bias": tuple(bias), "accel_matrix": matrix.tolist()})
    config = DeviceConfig(name="imu0", kind="imu", imu=calibration)
    sample = ImuSample(accel=(int(counts[0]), int(counts[1]), int(counts[2])), gyro=(0, 0, 0), temperature=0)
    values, _, _ = decode(config, numbered([sample]))
    np.testing.assert_allclose(values[0, :3], truth, atol=2e-5)


@pytest.mark.parametrize(
    "wrong",
    [
        {"accel_lsb": math.nan},
        {"gyro_bias": (0.0, math.inf, 0.0)},
        {"accel_matrix": ((1.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0))},
        {"accel_matrix": ((math.nan, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))},
        {"accel_lsb": 1e-9},  # 16 g would not fit the wire
        {"sd_gyro_bias": (-1.0, 0.0, 0.0)},
    ],
)
def test_a_calibration_that_cannot_be_is_refused_before_the_first_sample(wrong: dict[str, object]) -> None:
    with pytest.raises(ConfigError, match=r"train\.toml"):
        ImuCalibration.load(wrong, where="train.toml")


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"kind": "imu", "rate": 1.0}, "10 to 4000 Hz"),
        ({"kind": "imu", "encoder": {}}, "no section 'encoder'"),
        ({"kind": "encoder", "limits": {"low": [0, 0], "high": [1, 1]}}, "1 channels"),
        ({"kind": "imo"}, "'kind' = 'imo'"),
        ({"kind": "bridge", "bridge": {"scale": [1e-7, 0.0]}}, "must not be zero"),
        ({"kind": "imu", "imu": {"accel_lbs": 1e-5}}, "did you mean 'accel_lsb'"),
    ],
)
def test_a_wrong_device_section_names_its_remedy(wrong: dict[str, object], says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        DeviceConfig.load({"name": "one", **wrong}, where="train.toml, device 1")


@pytest.mark.parametrize("kind", ["imu", "encoder", "axle_box", "bridge", "laser_distance", "profile"])
def test_a_device_section_survives_writing_and_reading(kind: str) -> None:
    config = DeviceConfig.load({"name": "one", "kind": kind}, where="test")
    assert DeviceConfig.load(config.model_dump(mode="json", exclude_none=True), where="test") == config
    assert config.packet_kind.name.lower() == kind


def test_counts_at_the_end_of_the_range_are_saturated() -> None:
    end = math.floor(156.9 / 1e-5)
    samples = [imu_sample(0, accel=(0, a, 0)) for a in (end, -end, end - 1)]
    _, quality, decoder = decode(IMU, numbered(samples))
    assert [bool(q & Quality.SATURATED) for q in quality] == [True, True, False]
    assert decoder.health()["saturated"] == 2


def test_a_spike_is_implausible_and_only_the_spike() -> None:
    samples = [imu_sample(i, gyro=40_000_000 if i == 5 else 0) for i in range(10)]  # 4 rad/s
    _, quality, decoder = decode(IMU, numbered(samples))
    assert np.flatnonzero(quality == Quality.IMPLAUSIBLE).tolist() == [5]
    assert decoder.health()["implausible"] == 1


def test_a_stuck_sensor_is_flagged_after_a_quarter_second_and_good_when_it_moves() -> None:
    frozen = imu_sample(0)
    samples = [imu_sample(i) if i < 100 or i >= 400 else frozen for i in range(450)]
    _, quality, decoder = decode(IMU, numbered(samples))
    stuck = np.flatnonzero(quality & Quality.STUCK)
    assert (stuck[0], stuck[-1]) == (100 + 126, 399)  # 125 periods are 0.25 s, not more
    assert stuck.size == decoder.health()["stuck"] == 174


def test_a_changing_temperature_does_not_revive_a_stuck_sensor() -> None:
    samples = [replace(imu_sample(0), temperature=2_000 + i % 3) for i in range(200)]
    _, quality, _ = decode(IMU, numbered(samples))
    assert quality[-1] & Quality.STUCK


def test_values_that_are_no_numbers_are_implausible() -> None:
    plausibility = Plausibility(Limits(low=(-1.0,), high=(1.0,)), tick_hz=1e6)
    values = np.array([[math.nan], [math.inf], [-math.inf], [0.5], [1.0]])
    quality = plausibility.flag(np.arange(5), values, np.zeros(5, dtype=np.uint8))
    assert quality.tolist() == [Quality.IMPLAUSIBLE] * 3 + [0, 0]


ENCODER = DeviceConfig(name="wheel", kind="encoder")


def turning(counts: Iterable[int], *, status: int = 0) -> list[EncoderSample]:
    return [EncoderSample(count=(c + 2**31) % 2**32 - 2**31, status=status) for c in counts]


def test_the_wheel_angle_goes_on_over_the_wrap_of_the_counter_in_both_directions() -> None:
    counts = 2**31 - 500 + np.concatenate([np.arange(0, 1000, 10), np.arange(1000, 0, -10)])
    values, quality, _ = decode(ENCODER, numbered(turning(counts.tolist()), period=5_000))
    np.testing.assert_allclose(values[:, 0], (counts - counts[0]) * 2 * np.pi / 2048, atol=1e-9)
    assert not quality.any()


def test_direction_reverses_the_angle() -> None:
    config = DeviceConfig.load({"name": "wheel", "kind": "encoder", "encoder": {"direction": -1}}, where="test")
    values, _, _ = decode(config, numbered(turning([0, 512]), period=5_000))
    assert values[-1, 0] == pytest.approx(-np.pi / 2)


def test_a_count_the_wheel_cannot_reach_is_implausible_and_changes_nothing_after_it() -> None:
    counts = list(range(0, 1000, 10))
    counts[50] += 100_000
    values, quality, _ = decode(ENCODER, numbered(turning(counts), period=5_000))
    assert np.flatnonzero(quality).tolist() == [50]
    assert values[-1, 0] == pytest.approx(990 * 2 * np.pi / 2048)


def test_an_encoder_that_begins_anew_is_believed_after_five_samples_and_the_angle_goes_on() -> None:
    counts = list(range(1_000_000, 1_000_500, 10)) + list(range(0, 500, 10))
    values, quality, _ = decode(ENCODER, numbered(turning(counts), period=5_000))
    assert np.flatnonzero(quality).tolist() == [50, 51, 52, 53]
    good = values[quality == 0, 0] * 2048 / (2 * np.pi)
    assert np.abs(np.diff(good)).max() < 11
    assert good[-1] == pytest.approx(490 + 450)


def test_a_fault_the_encoder_reports_is_flagged() -> None:
    samples = turning([0, 10]) + turning([20], status=3) + turning([30])
    _, quality, _ = decode(ENCODER, numbered(samples, period=5_000))
    assert quality.tolist() == [0, 0, Quality.IMPLAUSIBLE, 0]


@pytest.mark.parametrize(
    ("kind", "message", "channels"),
    [("axle_box", AxleBoxBlock, 2), ("bridge", BridgeBlock, 8), ("laser_distance", LaserDistanceBlock, 3)],
)
def test_blocks_give_equally_spaced_calibrated_samples(
    kind: str, message: type[AxleBoxBlock | BridgeBlock | LaserDistanceBlock], channels: int
) -> None:
    config = DeviceConfig.load({"name": "block", "kind": kind}, where="test")
    rng = np.random.default_rng(2)
    counts = rng.integers(-30_000, 30_000, (2, 50, channels)).astype(np.int16)
    counts[1, 7, 0] = -32768
    packets = numbered([message.of(period_ns=39_062, counts=part) for part in counts], period=1_953)
    decoder = DeviceDecoder(config)
    ticks, values, quality = joined(decoder.process(chunk(packets, name="block")))
    expected = np.concatenate([start + np.rint(np.arange(50) * 39.062) for start in (0, 1_953)])
    np.testing.assert_array_equal(ticks, expected)
    scale = np.array(config.calibration.model_dump()["scale"])
    offset = np.array(config.calibration.model_dump()["offset"] or [0.0] * channels)
    np.testing.assert_allclose(values, counts.reshape(-1, channels) * scale + offset, rtol=1e-12)
    assert np.flatnonzero(quality & Quality.SATURATED).tolist() == [57]


def test_a_block_with_other_channels_than_configured_is_dropped_and_counted() -> None:
    config = DeviceConfig(name="block", kind="bridge")
    packets = numbered([BridgeBlock.of(period_ns=1_000_000, counts=np.zeros((4, 2), dtype=np.int16))])
    decoder = DeviceDecoder(config)
    assert decoder.process(chunk(packets, name="block")) == []
    assert decoder.health()["bad_shape"] == 1


def test_profiles_are_rows_of_points_filled_up_with_nan() -> None:
    config = DeviceConfig.load({"name": "rail", "kind": "profile", "profile": {"points": 4}}, where="test")
    points = np.array([[1_000, -2_000], [3_000, 4_000]], dtype=np.int32)
    far = np.array([[600_000, 0]], dtype=np.int32)
    sections = [
        ProfilePoints.of(rail=1, yz_um=points),
        ProfilePoints.of(rail=0, yz_um=np.zeros((0, 2), dtype=np.int32)),
        ProfilePoints.of(rail=0, yz_um=far),
        ProfilePoints.of(rail=0, yz_um=np.zeros((5, 2), dtype=np.int32)),
    ]
    values, quality, decoder = decode(config, numbered(sections, period=10_000))
    np.testing.assert_allclose(values[0], [1, 1e-3, -2e-3, 3e-3, 4e-3, np.nan, np.nan, np.nan, np.nan])
    assert quality.tolist() == [0, Quality.IMPLAUSIBLE, Quality.IMPLAUSIBLE]
    assert decoder.health()["bad_shape"] == 1


def test_a_damaged_frame_is_counted_and_its_neighbours_are_decoded() -> None:
    frames = [bytearray(encode(packet)) for packet in numbered(imu_sample(i) for i in range(10))]
    frames[4][12] ^= 0x10
    decoder = DeviceDecoder(IMU)
    blocks = decoder.process(Chunk("imu0", HOST_NS + 10**9, b"".join(frames)))
    assert joined(blocks)[0].tolist() == [i * PERIOD for i in range(10) if i != 4]
    health = decoder.health()
    assert health["bad_crc"] + health["bad_cobs"] == 1
    assert (health["frames"], health["lost"], health["samples"]) == (10, 1, 9)


def test_duplicates_are_dropped_and_stragglers_kept() -> None:
    packets = numbered(imu_sample(i) for i in range(10))
    order = [0, 1, 2, 2, 3, 5, 4, 6, 3, 7, 9]
    ticks = joined(DeviceDecoder(IMU).process(chunk([packets[i] for i in order])))[0]
    assert (ticks // PERIOD).tolist() == [0, 1, 2, 3, 5, 4, 6, 7, 9]
    decoder = DeviceDecoder(IMU)
    decoder.process(chunk([packets[i] for i in order]))
    health = decoder.health()
    assert (health["duplicated"], health["reordered"], health["lost"]) == (2, 1, 1)
    assert health["clock_steps"] == 0


def test_sequence_numbers_that_come_round_after_a_long_silence_are_no_duplicates() -> None:
    before = numbered(imu_sample(i) for i in range(40))
    after = numbered((imu_sample(i) for i in range(40)), tick=65_536 * PERIOD)
    decoder = DeviceDecoder(IMU)
    blocks = decoder.process(chunk(before)) + decoder.process(chunk(after))
    assert joined(blocks)[0].size == 80
    assert decoder.health()["duplicated"] == 0


def test_samples_have_no_time_before_the_first_sync_and_the_right_one_after_it() -> None:
    packets = numbered(imu_sample(i) for i in range(4))
    decoder = DeviceDecoder(IMU)
    answer = sync(packets[1].ticks + 500, sequence=4)
    stamp = HOST_NS + (answer.ticks + 100) * 1000
    (before,) = decoder.process(Chunk("imu0", stamp, wire([*packets[:2], answer])))
    (after,) = decoder.process(chunk(packets[2:]))
    assert before.clock is None
    assert (before.quality & UNSURE).all()
    assert after.clock is not None
    assert not after.quality.any()
    np.testing.assert_allclose(after.clock.to_ns(after.ticks), HOST_NS + after.ticks * 1000, atol=100_000)


def synced(decoder: DeviceDecoder, seconds: int, *, first_tick: int = 0) -> list[RawBlock]:
    """Ten samples and one answer a second, each read as soon as it was sent."""
    blocks = []
    for second in range(seconds):
        start = first_tick + second * 1_000_000
        packets = [
            *numbered((imu_sample(i) for i in range(10)), period=50_000, first=second * 11, tick=start),
            sync(start + 500_000, sequence=second * 11 + 10),
        ]
        for packet in packets:
            stamp = HOST_NS + (packet.ticks - first_tick + 100) * 1000
            blocks += decoder.process(Chunk("imu0", stamp, wire([packet])))
    return blocks


def test_a_restarted_device_begins_a_new_epoch_and_loses_nothing_but_its_time() -> None:
    decoder = DeviceDecoder(IMU)
    synced(decoder, 5)
    sample = to_packet(imu_sample(0), sequence=0, ticks=100)
    (block,) = decoder.process(Chunk("imu0", HOST_NS + 6_000_000_000, wire([sample])))
    assert block.clock is None
    health = decoder.health()
    assert (health["clock_steps"], health["lost"], health["duplicated"]) == (1, 0, 0)


def test_a_clock_that_jumps_ahead_is_noticed_at_the_first_sample() -> None:
    decoder = DeviceDecoder(IMU)
    blocks = synced(decoder, 5)
    assert blocks[-1].clock is not None
    jumped = to_packet(imu_sample(0), sequence=55, ticks=5_000_000 + 300_000)
    (block,) = decoder.process(Chunk("imu0", HOST_NS + 5_000_100_000, wire([jumped])))
    assert block.clock is None
    assert decoder.health()["clock_steps"] == 1


def test_hostile_ticks_are_counted_and_never_raise() -> None:
    ticks = (0, 2**64 - 1, 2**63, 2**62, 2_000)
    packets = [to_packet(imu_sample(i), sequence=i, ticks=tick) for i, tick in enumerate(ticks)]
    decoder = DeviceDecoder(IMU)
    blocks = decoder.process(Chunk("imu0", HOST_NS, wire(packets)))
    assert joined(blocks)[0].tolist() == [0, 2_000]
    assert decoder.health()["bad_ticks"] == 3


def test_bytes_the_host_sent_give_nothing() -> None:
    packets = numbered(imu_sample(i) for i in range(3))
    decoder = DeviceDecoder(IMU)
    assert decoder.process(replace(chunk(packets), sent=True)) == []
    assert decoder.health()["frames"] == 0


def test_measurements_of_another_kind_and_a_foreign_identity_are_reported_with_a_remedy() -> None:
    wrong = Identity(serial="W-7", device_kind=PacketKind.ENCODER, tick_hz=10**6, rate_mhz=200_000, firmware=3)
    right = Identity(serial="I-1", device_kind=PacketKind.IMU, tick_hz=10**6, rate_mhz=500_000, firmware=3)
    decoder = DeviceDecoder(IMU)
    decoder.process(chunk(numbered([wrong, *turning([1, 2]), Acknowledge(command=20, status=0)])))
    health = decoder.health()
    assert (health["wrong_identity"], health["unexpected"], health["samples"]) == (1, 2, 0)
    assert decoder.identity == wrong
    assert "measures encoder, not imu" in str(decoder.identity_problem)
    decoder.process(chunk(numbered([right], first=4, tick=10_000)))
    assert decoder.identity_problem is None


@pytest.mark.parametrize(
    ("identity", "says"),
    [({"tick_hz": 10**7}, "'tick_hz' = 10000000"), ({"rate_mhz": 250_000}, "'rate' = 250")],
)
def test_an_identity_with_another_rate_says_which_key_to_set(identity: dict[str, int], says: str) -> None:
    usual = Identity(serial="I-1", device_kind=PacketKind.IMU, tick_hz=10**6, rate_mhz=500_000, firmware=3)
    decoder = DeviceDecoder(IMU)
    decoder.process(chunk(numbered([replace(usual, **identity)])))
    assert says in str(decoder.identity_problem)
