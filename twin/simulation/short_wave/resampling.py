"""From one uniform rate to another, in stretches: both start at the same instant, and cuts change no bit.

Upwards by Lagrange's polynomial through the 16 samples about an instant: exact for polynomials such as distance at a
constant acceleration, and within 0.4 % at half the Nyquist frequency (4e-5 at a third of it), images included.
Downwards by a windowed sinc that holds back what would alias. Rates have a ratio of whole numbers, so the weights are a
table.
"""

from fractions import Fraction

import numpy as np

from twin.core.arrays import Array
from twin.core.errors import ConfigError
from twin.numerics.compiled import compiled

LAGRANGE_HALF = 8
"""Samples on either side of an instant. A stage that resamples upwards is as many samples of its input late."""
SINC_PERIODS = 8.0
"""Half width of the sinc in periods of the slower rate: a narrow enough edge."""
SINC_CUTOFF = 0.4
"""Cutoff over the slower rate: from about 0.3 it falls, at 0.5 (where aliases begin) it is down by 50 dB."""
KAISER_BETA = 6.0
"""Of the window: stop band at -60 dB."""
MOST_PHASES = 4096
"""Rows of the table of weights; rates of another ratio are a mistake."""


class Resampler:
    """Samples (n, channels) at one rate to another. Remembers what instants to come still need."""

    def __init__(self, *, from_rate: float, to_rate: float) -> None:
        ratio = Fraction(from_rate).limit_denominator(10**6) / Fraction(to_rate).limit_denominator(10**6)
        if ratio.denominator > MOST_PHASES:
            raise ConfigError(f"{from_rate:g} Hz and {to_rate:g} Hz have no simple ratio: choose rates that do")
        self._step, self._phases = ratio.numerator, ratio.denominator
        phases = np.arange(self._phases) / self._phases
        self._table = lagrange_weights(phases) if ratio <= 1 else sinc_weights(phases, float(ratio))
        self._half = self._table.shape[1] // 2
        self._held: Array | None = None
        self._oldest = 0
        """Number of the first held sample; those before 0 are made up."""
        self._next = 0

    def process(self, values: Array) -> Array:
        """(m, channels) the samples that (n, channels) complete, continued."""
        held = values if self._held is None else np.concatenate([self._held, values])
        if self._oldest == 0 and self._next == 0:
            if held.shape[0] < 2:
                self._held = held
                return np.empty((0, values.shape[1]))
            # as if it had always moved as at the start: neither a step nor a kink
            back = np.arange(-self._half + 1, 0)[:, None]
            held = np.concatenate([held[0] + back * (held[1] - held[0]), held])
            self._oldest = -self._half + 1
        # sample k stands at the input's sample k * step / phases, and needs half of them beyond it
        newest = self._oldest + held.shape[0] - 1
        end = max(-((self._half - 1 - newest) * self._phases // self._step), self._next)
        numbers = np.arange(self._next, end, dtype=np.int64) * self._step
        at = numbers // self._phases - self._oldest - self._half + 1
        out = _weighted(np.ascontiguousarray(held), at, numbers % self._phases, self._table)
        self._next = end
        spare = max(end * self._step // self._phases - self._half + 1 - self._oldest, 0)
        self._held, self._oldest = held[spare:].copy(), self._oldest + spare
        return out


class Waiting:
    """Samples of several sources at one rate, until all have them."""

    def __init__(self, sources: int) -> None:
        self._held: list[Array | None] = [None] * sources

    def process(self, *values: Array) -> list[Array]:
        """The samples (m, ...) of each source that all have now, given what is new of each (n_i, ...)."""
        whole = [
            new if old is None else np.concatenate([old, new]) for old, new in zip(self._held, values, strict=True)
        ]
        ready = min(part.shape[0] for part in whole)
        self._held = [part[ready:].copy() for part in whole]
        return [part[:ready] for part in whole]


def lagrange_weights(phases: Array) -> Array:
    """(phases, 16) weights of the samples -7 ... 8 for instants (phases,) between samples 0 and 1."""
    places = np.arange(-LAGRANGE_HALF + 1, LAGRANGE_HALF + 1)
    rows = []
    for phase in phases:
        gaps = np.where(places[:, None] == places, 1.0, places[:, None] - places)
        factors = np.where(places[:, None] == places, 1.0, phase - places)
        rows.append((factors / gaps).prod(axis=1))
    return np.array(rows)


def sinc_weights(phases: Array, ratio: float) -> Array:
    """(phases, 2 half) weights of a low-pass for a rate ratio times slower, instants between samples 0 and 1."""
    half = int(np.ceil(SINC_PERIODS * ratio))
    places = phases[:, None] - np.arange(-half + 1, half + 1)
    window = np.i0(KAISER_BETA * np.sqrt(np.clip(1 - (places / half) ** 2, 0.0, 1.0)))
    weights = np.sinc(2 * SINC_CUTOFF * places / ratio) * window
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


@compiled
def _weighted(values: Array, at: Array, phase: Array, table: Array) -> Array:
    """(m, channels) sums of rows of values (n, channels) from at (m,) on, weighted by rows of the table."""
    m, channels, taps = at.size, values.shape[1], table.shape[1]
    out = np.zeros((m, channels))
    for i in range(m):
        for k in range(taps):
            weight = table[phase[i], k]
            for j in range(channels):
                out[i, j] += weight * values[at[i] + k, j]
    return out
