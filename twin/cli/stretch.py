"""A stretch of a run, by time or by kilometre: which of its results are wanted."""

import re
from dataclasses import dataclass, replace

import numpy as np

from twin.core.arrays import Array, BoolArray, IntArray
from twin.core.errors import ConfigError
from twin.core.estimate import GridBlock, Health, OperatorEvent, Result
from twin.core.places import Places

_BOUND = re.compile(r"(-?\d+(?:\.\d*)?)\s*(km|s)?")


@dataclass(frozen=True, slots=True)
class Bound:
    """One end of a stretch."""

    value: float
    """[s] since the recording began, or [km]."""
    is_place: bool

    @classmethod
    def parse(cls, text: str) -> "Bound":
        """12.5, 12.5s: seconds after the start; 14.2km: a kilometre."""
        found = _BOUND.fullmatch(text.strip())
        if found is None:
            raise ConfigError(f"'{text}' is neither a time nor a place: write 12.5 or 12.5s, or 14.2km")
        return cls(float(found[1]), found[2] == "km")


@dataclass(frozen=True, slots=True)
class Stretch:
    """Results between two ends. Records of health have no place: only a time can exclude them."""

    start: Bound | None
    end: Bound | None
    places: Places
    t0_ns: int
    """Host time at which the recording began [ns]."""

    def select(self, result: Result) -> Result | None:
        """The part of a result that lies in the stretch; None if there is none."""
        if isinstance(result, Health | OperatorEvent):
            return result if self._inside(np.array([result.t_ns]), None)[0] else None
        inside = self._inside(result.t_ns, result.s if isinstance(result, GridBlock) else None)
        if not inside.any():
            return None
        t_ns, quality = result.t_ns[inside], result.quality[inside]
        if isinstance(result, GridBlock):
            return replace(result, index=result.index[inside], values=result.values[inside], t_ns=t_ns, quality=quality)
        return replace(result, x=result.x[inside], var=result.var[inside], t_ns=t_ns, quality=quality)

    def _inside(self, t_ns: IntArray, s: Array | None) -> BoolArray:
        inside = np.ones(t_ns.size, dtype=np.bool_)
        for bound, sign in ((self.start, 1), (self.end, -1)):
            if bound is None or (bound.is_place and s is None):
                continue
            at = self.places.kilometre(s) if bound.is_place and s is not None else (t_ns - self.t0_ns) * 1e-9
            inside &= sign * (at - bound.value) >= 0
        return inside
