"""Faults of sensors under way: never a non-finite state, flagged at once, valid again soon.

Real parts from the wire on: emulated devices, decoders, synchroniser, navigation. A fault strikes at full speed and
ends as the train enters a curve; the estimates are compared with those of the same run without it.
"""

from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from multiprocessing import get_context

import numpy as np

from sensors.config import DeviceConfig
from sensors.decode import DeviceDecoder
from sensors.emulator import record_chunks
from tests.benchmarks.figure import Figure, figure
from tests.benchmarks.navigated import config_of, joined, setup_of
from tests.benchmarks.sensor_faults import BEGIN, END, FAULTS, START_NS, Fault
from twin.core.arrays import Array, BoolArray
from twin.core.blocks import Epoch, SampleBlock
from twin.core.estimate import Estimate, Form
from twin.core.quality import UNUSABLE, Quality
from twin.navigation.stage import Navigation
from twin.pipeline.synchroniser import Synchroniser, SynchroniserConfig
from twin.simulation import ImuGrade, Leg, MotionConfig, Scenario, SimulatedRun, curve_scenario, simulate

DEVICES = (DeviceConfig(name="imu", kind="imu"), DeviceConfig(name="encoder", kind="encoder"))
SYNCHRONISER = SynchroniserConfig()
FLAGS = np.uint8(UNUSABLE | Quality.BRIDGED | Quality.SLIPPING)
"""Any of these marks an estimate that is not to be relied upon."""
AGREEMENT = {"s": 1.0, "speed": 0.1, "roll": 3e-4, "pitch": 1e-3, "r_y": 3e-4, "r_z": 3e-4}
"""A state is valid within this of the run without the fault, SI: the accuracy asked of it; or within ..."""
SIGMAS = 4.0
"""... so many of its standard deviations, where these are more."""
FLAG_TARGET, RECOVERY_TARGET = 0.5, 10.0
"""[s]"""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a fault did to the estimates."""

    nonfinite: int
    """States and variances that are no numbers; curvature has none at rest."""
    flag_s: float
    """From its beginning to the first flagged sample or rejected measurement [s]."""
    known_s: float
    """The same to the host time at which that was known [s]: epochs wait for a device that may only be late."""
    recovery_s: float
    """From its end to the last estimate that is flagged or wrong [s]."""
    agreement_s: float
    """The same where a wide standard deviation excuses nothing [s]; no more than the rest of the run."""


@dataclass(frozen=True, slots=True)
class Found:
    """The navigation of one run; times since it began [s]."""

    causal: Estimate
    lagged: Estimate
    known: Array
    """(samples,) host time at which each causal sample was known."""
    marks: Array
    """(marks, 2) times of rejected measurements and of samples found unusable, and when that was known."""

    @property
    def t(self) -> Array:
        """(samples,) of the causal estimate."""
        return np.asarray((self.causal.t_ns - START_NS) * 1e-9)


def scenario() -> Scenario:
    """56 s: 5 s of rest, quickly to 20 m/s, 900 m in all with a curve from 450 m on."""
    motion = MotionConfig(legs=(Leg(speed=20, distance=900),), standstill=5.0, acceleration=3.0)
    return curve_scenario(seed=203).model_copy(update={"motion": motion})


@lru_cache
def run() -> SimulatedRun:
    """The run as it was."""
    return simulate(scenario())


def epochs_under(fault: Fault) -> Iterator[tuple[float, Epoch]]:
    """Epochs of the run, each with the host time at which it was complete, since the run began [s]."""
    synchroniser = Synchroniser(SYNCHRONISER, {device.name: device.rate for device in DEVICES})
    decoders = {device.name: DeviceDecoder(device) for device in DEVICES}
    host = 0.0
    for chunk in record_chunks(fault.sensor(run().streams), DEVICES, fault.wire, start_ns=START_NS):
        host = (chunk.t_host_ns - START_NS) * 1e-9
        for block in decoders[chunk.device].process(chunk):
            yield from ((host, epoch) for epoch in synchroniser.process(fault.decoded(block)))
    yield from ((host, epoch) for epoch in synchroniser.flush())


def navigated(fault: Fault) -> Found:
    """Navigate the run under a fault."""
    setup = setup_of(scenario(), config_of(ImuGrade.TACTICAL))
    navigation = Navigation(setup, epoch=SYNCHRONISER.epoch, rate=scenario().imu_rate)
    estimates: dict[Form, list[Estimate]] = {Form.CAUSAL: [], Form.LAGGED: []}
    known: list[Array] = []
    marks: list[tuple[float, float]] = []
    for host, epoch in epochs_under(fault):
        marks += [(t, host) for block in epoch.samples.values() for t in _unusable(block)]
        for result in navigation.process(epoch):
            if isinstance(result, Estimate):
                estimates[result.form].append(result)
                if result.form is Form.CAUSAL:
                    known.append(np.full(len(result), host))
            elif not result.virtual:
                marks += [(t, host) for t in ((result.t_ns[~result.accepted] - START_NS) * 1e-9).tolist()]
    for result in navigation.flush():
        if isinstance(result, Estimate):
            estimates[result.form].append(result)
    causal, lagged = joined(estimates[Form.CAUSAL]), joined(estimates[Form.LAGGED])
    return Found(causal, lagged, np.concatenate(known), np.array(marks).reshape(-1, 2))


def _unusable(block: SampleBlock) -> list[float]:
    """Times of samples that are not fused, since the run began [s]."""
    bad = (block.quality & np.uint8(UNUSABLE)) != 0
    return list(((block.t_ns[bad] - START_NS) * 1e-9).tolist())


@lru_cache
def clean() -> Found:
    """The run without a fault."""
    return navigated(Fault())


def judge(found: Found) -> Outcome:
    """Compare a run under a fault with the one without."""
    flagged = (found.causal.quality & FLAGS) != 0
    marks = np.concatenate((np.stack((found.t[flagged], found.known[flagged]), axis=1), found.marks))
    marks = marks[(marks[:, 0] >= BEGIN) & (marks[:, 0] < END + 1)]
    after = found.t >= END
    invalid, apart = (found.t[after & (flagged | _wrong(found, sigmas))] for sigmas in (SIGMAS, 0.0))
    return Outcome(
        nonfinite=_nonfinite(found.causal) + _nonfinite(found.lagged),
        flag_s=float(marks[:, 0].min(initial=np.inf)) - BEGIN,
        known_s=float(marks[:, 1].min(initial=np.inf)) - BEGIN,
        recovery_s=float(invalid.max(initial=END)) - END,
        agreement_s=float(apart.max(initial=END)) - END,
    )


def _wrong(found: Found, sigmas: float) -> BoolArray:
    """(samples,) whether a state is further from that of the run without the fault than it may be."""
    reference = clean()
    wrong = np.zeros(found.t.size, np.bool_)
    for state, limit in AGREEMENT.items():
        difference = found.causal[state] - np.interp(found.t, reference.t, reference.causal[state])
        wrong |= ~(np.abs(difference) <= np.maximum(limit, sigmas * found.causal.sd(state)))
    return wrong


def _nonfinite(estimate: Estimate) -> int:
    states = [estimate.layout.index(name) for name in estimate.layout.names if name != "curvature"]
    return int(np.count_nonzero(~np.isfinite(estimate.x[:, states]) | ~np.isfinite(estimate.var[:, states])))


def measure(name: str) -> Outcome:
    """The outcome of a fault by its name."""
    return judge(navigated(FAULTS[name]))


def figures() -> list[Figure]:
    """Worst of all faults, and the recovery from each."""
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        outcomes = dict(zip(FAULTS, pool.map(measure, FAULTS), strict=True))
    found = [
        figure("fault_nonfinite", sum(each.nonfinite for each in outcomes.values()), "values"),
        figure("fault_flag_s", max(each.flag_s for each in outcomes.values()), "s"),
        figure("fault_known_s", max(each.known_s for each in outcomes.values()), "s"),
        figure("fault_recovery_s", max(each.recovery_s for each in outcomes.values()), "s"),
        figure("fault_agreement_s", max(each.agreement_s for each in outcomes.values()), "s"),
    ]
    for name, each in outcomes.items():
        found.append(figure(f"fault_flag_s_{name}", each.flag_s, "s"))
        found.append(figure(f"fault_recovery_s_{name}", each.recovery_s, "s"))
        found.append(figure(f"fault_agreement_s_{name}", each.agreement_s, "s"))
    return found
