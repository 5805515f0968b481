"""A made-up run for the tests of the report: plausible numbers on a design track, no estimator involved."""

from dataclasses import dataclass

import numpy as np
from scipy.signal import lfilter

from twin.core.arrays import Array, IntArray
from twin.core.estimate import Form, GridBlock, Health, OperatorEvent, Result, StateLayout
from twin.core.places import Direction, KilometrePost, Places
from twin.core.quality import Quality
from twin.core.track import DesignTrack, HorizontalElement
from twin.report.data import RunData, RunLabel

STEP = 0.25
SECOND = 1_000_000_000
UNITS = {
    "speed": "m/s",
    "curvature": "1/m",
    "curvature_design": "1/m",
    "cant_angle": "rad",
    "cant_angle_design": "rad",
    "roll": "rad",
    "pitch": "rad",
    "r_y": "m",
    "r_z": "m",
    "sd_r_y": "m",
    "sd_r_z": "m",
    "sd_roll": "rad",
    "s_sd": "m",
}
LAYOUT = StateLayout(tuple(UNITS), tuple(UNITS.values()))
LABEL = RunLabel(
    name="Demo run 7",
    vehicle="reference vehicle, bogie 1",
    date="2026-03-14 09:26",
    notes={"Wheel radius": "460.0 mm", "IMU": "tactical"},
)
PLACES = Places(
    line="6100",
    track="2",
    posts=(
        KilometrePost(s=0.0, km=41.8),
        KilometrePost(s=998.0, km=42.8),
        KilometrePost(s=1950.0, km=43.75),
        KilometrePost(s=1950.0, km=44.0),
        KilometrePost(s=2952.0, km=45.0),
    ),
)


@dataclass(frozen=True)
class Flaws:
    """Stretches with something wrong [m], as shares of the length."""

    bridged: tuple[float, float] = (0.62, 0.635)
    slipping: tuple[float, float] = (0.3, 0.33)
    standstill: tuple[float, float] = (0.0, 0.004)


def design(length: float) -> DesignTrack:
    """The made-up line."""
    return DesignTrack.from_elements(elements_of(length), [])


def elements_of(length: float) -> list[HorizontalElement]:
    """Curves of R 600 m to the left and R 800 m to the right with clothoids, over and over."""
    elements: list[HorizontalElement] = []
    while sum(element.length for element in elements) < length:
        elements.append(HorizontalElement(length=250))
        for curvature, cant, arc in ((1 / 600, 0.1, 300.0), (-1 / 800, -0.07, 220.0)):
            elements.append(HorizontalElement(length=100, curvature_end=curvature, cant_end=cant))
            elements.append(
                HorizontalElement(
                    length=arc, curvature_start=curvature, curvature_end=curvature, cant_start=cant, cant_end=cant
                )
            )
            elements.append(HorizontalElement(length=100, curvature_start=curvature, cant_start=cant))
    return elements


def irregularity(rng: np.random.Generator, n: int, *, sd: float, wavelength: float) -> Array:
    """Coloured noise with a standard deviation, shorter than a wavelength [m] suppressed."""
    a = np.exp(-2 * np.pi * STEP / wavelength)
    noise = lfilter([1 - a], [1, -a], lfilter([1 - a], [1, -a], rng.standard_normal(n + 2000)))
    return np.asarray(sd * noise[2000:] / noise.std())


def columns(index: IntArray, rng: np.random.Generator, form: Form) -> Array:
    """Values (points, columns) at ascending grid indices."""
    n, track = index.size, design(index.size * STEP)
    s = (index - index[0]) * STEP
    blur = {Form.CAUSAL: 3.0, Form.LAGGED: 1.2, Form.SMOOTHED: 1.0}[form]
    truth = np.random.default_rng(5)
    ends = np.minimum(s, s[-1] - s)
    design_curvature, design_cant = track.curvature(s), track.cant_angle(s)
    lateral = irregularity(truth, n, sd=2.2e-3, wavelength=12) + irregularity(truth, n, sd=0.7e-3, wavelength=2)
    vertical = irregularity(truth, n, sd=2.8e-3, wavelength=14) + irregularity(truth, n, sd=0.9e-3, wavelength=2)
    sd = 0.25e-3 * blur * (1 + 2 * np.exp(-ends / 40))
    roll = irregularity(truth, n, sd=0.8e-3, wavelength=6) - 30 * design_cant * design_curvature
    return np.column_stack(
        (
            np.minimum(20.0, np.sqrt(1 + 0.9 * ends)) + irregularity(rng, n, sd=0.05, wavelength=60),
            design_curvature + irregularity(rng, n, sd=2.5e-5, wavelength=8),
            design_curvature,
            design_cant + irregularity(rng, n, sd=0.5e-3, wavelength=8),
            design_cant,
            roll,
            irregularity(truth, n, sd=0.6e-3, wavelength=10),
            lateral + irregularity(rng, n, sd=0.25e-3 * blur, wavelength=25),
            vertical + irregularity(rng, n, sd=0.25e-3 * blur, wavelength=25),
            sd,
            1.1 * sd,
            np.full(n, 0.2e-3 * blur),
            0.3 + 0.2 * np.abs(np.sin(s / 400)),
        )
    )


def grid(length: float, form: Form, direction: Direction, seed: int = 1, flaws: Flaws | None = None) -> GridBlock:
    """One form of the whole run as a single block, in the order the train passed the points."""
    n = max(1, round(length / STEP))
    index = np.arange(n)
    values = columns(index, np.random.default_rng((seed, list(Form).index(form))), form)
    quality = np.zeros(n, dtype=np.uint8)
    for name, (a, b) in vars(flaws or Flaws()).items():
        quality[round(a * n) : round(b * n)] |= int(Quality[name.upper()])
    if direction is Direction.DECREASING:
        index, values, quality = index[::-1], values[::-1], quality[::-1]
    t_ns = np.cumsum(STEP / values[:, 0] * 1e9).astype(np.int64)
    return GridBlock("navigation", form, STEP, index, t_ns, LAYOUT, values, quality)


def cut(block: GridBlock, points: int) -> list[GridBlock]:
    """The block in pieces of some points, as a stage gives it."""
    return [
        GridBlock(
            block.name,
            block.form,
            block.step,
            block.index[i : i + points],
            block.t_ns[i : i + points],
            block.layout,
            block.values[i : i + points],
            block.quality[i : i + points],
        )
        for i in range(0, block.index.size, points)
    ]


def health(seconds: int, seed: int = 2) -> list[Health]:
    """A clean IMU, an encoder with a gap, bad packets from an axle box, and the filter's statistics."""
    rng = np.random.default_rng(seed)
    records: list[Health] = []
    for second in range(seconds):
        t_ns = (second + 1) * SECOND
        lost = 60 if 0.3 * seconds < second < 0.34 * seconds else 0
        clock = 2.0 + 40 * np.exp(-second / 2)
        records += [
            Health(
                t_ns,
                "imu",
                {"samples": 500, "missing": 0},
                {"rate_hz": rng.normal(500, 0.2), "clock_sd_us": clock},
            ),
            Health(
                t_ns,
                "encoder",
                {"samples": 200 - lost, "missing": lost, "duplicate": int(second % 40 == 9)},
                {"rate_hz": 200.0 - lost, "clock_sd_us": 1.5 * clock},
            ),
            Health(
                t_ns,
                "axle_box",
                {"samples": 10000, "missing": 400, "bad_crc": 12, "late": 3},
                {"rate_hz": rng.normal(9600, 30), "clock_sd_us": 140.0},
            ),
            Health(
                t_ns,
                "trajectory",
                {"fused_a_y": 500, "fused_w_z": 500},
                {
                    "nis_a_y": rng.normal(1.02, 0.07),
                    "outside_a_y": rng.normal(0.051, 0.005),
                    "nis_w_z": rng.normal(1.4, 0.1),
                    "outside_w_z": rng.normal(0.088, 0.006),
                },
            ),
        ]
    return records


def results(length: float, direction: Direction, forms: tuple[Form, ...] = tuple(Form)) -> list[Result]:
    """Everything a run writes, in pieces."""
    blocks = {form: grid(length, form, direction) for form in forms}
    duration = max(int(block.t_ns[-1]) for block in blocks.values())
    events = [
        OperatorEvent(duration // 7, "note", "rough ride"),
        OperatorEvent(duration // 2, "place", "Overbridge 17", s=0.48 * length),
        OperatorEvent(2 * duration // 3, "note", "wet rail, <sanding> & braking"),
    ]
    pieces = [piece for block in blocks.values() for piece in cut(block, 1777)]
    return [*pieces, *health(min(600, duration // SECOND)), *events]


def made_run(length: float = 3000.0, direction: Direction = Direction.INCREASING) -> RunData:
    """A run as the report gets it."""
    return RunData.build(results(length, direction), label=LABEL, places=PLACES, direction=direction)
