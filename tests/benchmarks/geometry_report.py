"""The report of 50 km: time, memory, size, and how soon a real browser shows it.

A made-up run with its rails and an earlier one to lie in grey, written to the disk and reported by the command in a
process of its own: page, table and A3 sheets. Without chromium the page is not opened, and that figure is left out.
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.benchmarks.figure import Figure
from tests.benchmarks.vehicle_figure import named
from tests.browser import CHROMIUM, Browser
from tests.made_geometry import written_run

OPENINGS = 3
"""Of the page; the middle one counts, as the first also starts the browser's caches."""


def figures(length: float = 50_000.0) -> list[Figure]:
    """Figures of a report of so many metres, alone and with an earlier run."""
    found = []
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as directory:
        base = Path(directory)
        run, before = written_run(base / "run", length), written_run(base / "before", length, seed=2, later=False)
        for name, options in (("report", ()), ("report_previous", ("--previous", str(before.path)))):
            seconds, megabytes = _reported(run.path, options)
            found += [named(f"geometry.{name}_s", seconds, "s"), named(f"geometry.{name}_mb", megabytes, "MB")]
        found.append(named("geometry.report_html_mb", run.report.stat().st_size / 1e6, "MB"))
        found.append(named("geometry.report_pdf_mb", run.report.with_suffix(".pdf").stat().st_size / 1e6, "MB"))
        if CHROMIUM is not None:
            found.append(named("geometry.report_open_s", _opened(run.report, base / "profile"), "s"))
    return found


def _reported(run: Path, options: tuple[str, ...]) -> tuple[float, float]:
    """Time [s] and largest resident memory [MB] of the command."""
    command = [sys.executable, "-c", _MEASURED, "--quiet", "report", str(run), *options]
    began = time.monotonic()
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=os.environ)
    return time.monotonic() - began, float(done.stderr.split()[-1])


def _opened(page: Path, profile: Path) -> float:
    """From asking for the page to all it shows at first being drawn [s]."""
    browser, taken = Browser(profile), []
    try:
        for _ in range(OPENINGS):
            began = time.monotonic()
            browser.open(page, width=1600, height=1000)
            taken.append(time.monotonic() - began)
    finally:
        browser.close()
    return sorted(taken)[len(taken) // 2]


_MEASURED = """
import resource, sys
from twin.cli import main
try:
    main()
finally:
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6, file=sys.stderr)
"""
"""The command, which says at its end what it held; Linux counts in units of 1024 bytes."""
