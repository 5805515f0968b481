"""A measured figure of the contact model, and the time of a compiled loop."""

import time
from collections.abc import Callable
from pathlib import Path

from tests.benchmarks.figure import Figure

REFERENCE = Path(__file__).parents[3] / "shared" / "reference" / "contact"
"""Numbers of independent programs; not part of the project, so it may be absent."""
REPEATS = 7


def contact_figure(name: str, value: float, unit: str) -> Figure:
    """One figure; the name goes on after "contact."."""
    return {"name": f"contact.{name}", "value": float(value), "unit": unit}


def microseconds(loop: Callable[[], object], calls: int) -> float:
    """Best time of one call [us], of several runs over so many."""
    loop()  # compiles or loads the kernel, outside the timing
    best = float("inf")
    for _ in range(REPEATS):
        begin = time.perf_counter()
        loop()
        best = min(best, time.perf_counter() - begin)
    return 1e6 * best / calls
