"""Health records: once per second of data time, what came and how well it agreed."""

from collections.abc import Sequence

import numpy as np
import pytest

from twin.core.blocks import Epoch, SampleBlock
from twin.core.estimate import Fusion, Health
from twin.core.quality import Quality
from twin.pipeline.health import SECOND, HealthMonitor
from twin.report.config import ReportConfig
from twin.report.health import judge_measurements, judge_sources

RATES = {"imu": 500.0, "encoder": 200.0}
LENGTH = SECOND // 5


def epoch(index: int, *, imu: Sequence[int] = (), counts: dict[str, int] | None = None, heard: bool = True) -> Epoch:
    """A fifth of a second; imu: flags of its first samples; heard: whether the encoder has ever spoken."""
    flags = np.zeros(100, np.uint8)
    flags[: len(imu)] = imu
    samples = {"imu": SampleBlock("imu", index * LENGTH, 2e6, np.zeros((100, 7)), flags)}
    if heard:
        samples["encoder"] = SampleBlock("encoder", index * LENGTH, 5e6, np.zeros((40, 1)), np.zeros(40, np.uint8))
    return Epoch(index, index * LENGTH, (index + 1) * LENGTH, samples, {"imu": counts or {}}, {"imu": index * 1e-7})


def fusion(name: str, innovation: Sequence[float], *, accepted: bool = True, virtual: bool = False) -> Fusion:
    """Innovations of unit variance."""
    n = len(innovation)
    return Fusion(name, np.arange(n), np.array(innovation), np.ones(n), np.full(n, accepted), 9.0, virtual)


def records(*items: Epoch | Fusion) -> list[Health]:
    monitor = HealthMonitor(RATES)
    return [*(record for item in items for record in monitor.process(item)), *monitor.flush()]


def test_records_end_at_whole_seconds_of_data_time() -> None:
    found = records(*(epoch(i) for i in range(7, 22)))
    assert [record.t_ns for record in found if record.source == "imu"] == [
        2 * SECOND,
        3 * SECOND,
        4 * SECOND,
        22 * LENGTH,
    ]
    assert all(record.measures["rate_hz"] == RATES[record.source] for record in found)


def test_samples_are_counted_by_their_flags_and_their_arrival() -> None:
    flags = [Quality.MISSING, Quality.MISSING, Quality.SATURATED, Quality.STUCK | Quality.IMPLAUSIBLE]
    arrival = {"missing": 2, "late": 3, "duplicate": 4, "reordered": 5, "future": 6, "unsynchronised": 7}
    imu, encoder = records(epoch(0, imu=flags, counts=arrival), epoch(1))
    assert imu.counts == {
        "samples": 198,
        **arrival,
        "overlapping": 0,
        "flooding": 0,
        "saturated": 1,
        "implausible": 1,
        "stuck": 1,
    }
    assert encoder.counts["samples"] == 80
    assert sum(encoder.counts.values()) == 80


def test_a_source_never_heard_is_missing() -> None:
    _, encoder = records(*(epoch(i, heard=False) for i in range(5)))
    assert encoder.counts["missing"] == 200
    assert encoder.measures["rate_hz"] == 0
    (judged,) = (each for each in judge_sources([encoder], ReportConfig()) if each.source == "encoder")
    assert judged.verdict.word == "bad"


def test_the_worst_clock_of_the_second_is_shown() -> None:
    imu, encoder = records(*(epoch(i) for i in range(5)))
    assert imu.measures["clock_sd_us"] == pytest.approx(0.4)
    assert "clock_sd_us" not in encoder.measures


def test_measurements_are_gathered_by_estimator() -> None:
    nis = np.random.default_rng(1).standard_normal(5000)
    found = records(
        epoch(0),
        fusion("trajectory.lateral.accel", nis[:100].tolist()),
        fusion("trajectory.lateral.accel", nis[100:].tolist()),
        fusion("trajectory.lateral.virtual", [9.0], virtual=True),
        fusion("odometer.speed", [0.5, 0.5]),
        fusion("odometer.speed", [30.0], accepted=False),
        fusion("odometer.speed", [np.nan], accepted=False),
    )
    by_name = {record.source: record for record in found}
    trajectory, odometer = by_name["trajectory"], by_name["odometer"]
    assert set(by_name) == {"imu", "encoder", "trajectory", "odometer"}
    assert trajectory.measures["nis_lateral_accel"] == np.mean(nis**2)
    assert trajectory.measures["outside_lateral_accel"] == pytest.approx(0.05, abs=0.01)
    assert trajectory.counts == {"fused_lateral_accel": 5000, "rejected_lateral_accel": 0}
    assert odometer.counts == {"fused_speed": 2, "rejected_speed": 1}
    assert odometer.measures["nis_speed"] == 0.25


def test_the_report_tells_sensors_from_estimators() -> None:
    found = records(epoch(0), fusion("odometer.speed", [0.5, -1.2]), fusion("attitude.a_x", [1.0], accepted=False))
    assert [each.source for each in judge_sources(found, ReportConfig())] == ["encoder", "imu"]
    assert [each.name for each in judge_measurements(found, ReportConfig())] == ["odometer · speed"]


def test_nothing_in_gives_nothing_out() -> None:
    assert records() == []
