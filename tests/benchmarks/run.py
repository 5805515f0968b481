"""All figures: `python tests/benchmarks/run.py --out build/figures.json [--study] [--only NAME...]`.

Every figure is one JSON line on standard output the moment it is known, and all of them are in the file. A module
that fails is named on standard error; the others still run, and the exit code is 1.
"""

import argparse
import json
import platform
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

Arguments = dict[str, Any]

BENCH: dict[str, Arguments] = {
    "contact_points": {},
    "contact_fastsim": {},
    "contact_loaded": {},
    "contact_tables": {},
    "contact_network": {},
    "contact_conicity": {},
    "vehicle_running": {},
    "vehicle_laws": {},
    "vehicle_linear": {},
    "vehicle_checks": {},
    "vehicle_oracle": {},
    "simulation_speed": {},
    "geometry_laser": {},
    "geometry_rtf": {},
    "geometry_accuracy": {},
    "geometry_report": {},
    "geometry_quantities": {},
    "geometry_matching": {},
    "geometry_exceedances": {"parts": 1},
    "kalman": {},
    "navigation_speed": {},
    "navigation_accuracy": {},
    "position": {},
    "navigation_faults": {},
    "observer_accuracy": {"seeds": (911,)},
    "standstill": {"hours": 1.0},
    "replay_equal": {"cuttings": 20},
    "memory": {},
    "kill9": {"kills": 100},
    "mutated_frames": {"count": 1_000_000},
}
"""Modules in the order they run, with the arguments of their figures(); timings first, while the machine is cool."""
_SEEDS = (301, 302, 303, 304, 305)
STUDY: dict[str, Arguments] = {
    "geometry_accuracy": {
        "seeds": dict.fromkeys(("tactical_20", "tactical_20_back", "tactical_40", "tactical_5", "consumer_20"), _SEEDS),
        "pairs": _SEEDS,
    },
    "geometry_exceedances": {"parts": 5, "table": "build/exceedances.md"},
    "kill9": {"kills": 1000},
    "standstill": {"hours": 8.0},
    "observer_accuracy": {"seeds": (911, 912, 913, 914, 915)},
}
"""What a study does more thoroughly."""


def figures_of(module: str, arguments: Arguments) -> list[dict[str, Any]]:
    """The figures of one module of this folder."""
    measure: Callable[..., list[dict[str, Any]]] = import_module(f"tests.benchmarks.{module}").figures
    return measure(**arguments)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the modules; 0 if none failed."""
    options = _options(arguments)
    print(f"{processor()}, Python {platform.python_version()}", file=sys.stderr)
    found: list[dict[str, Any]] = []
    failed: list[str] = []
    for module in options.only or BENCH:
        began = time.monotonic()
        print(f"{module} ...", file=sys.stderr, flush=True)
        try:
            figures = figures_of(module, BENCH[module] | (STUDY.get(module, {}) if options.study else {}))
        except Exception:
            traceback.print_exc()
            failed.append(module)
            continue
        for each in figures:
            print(json.dumps(each), flush=True)
        found += figures
        options.out.parent.mkdir(parents=True, exist_ok=True)
        options.out.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
        print(f"{module}: {len(figures)} figures in {time.monotonic() - began:.0f} s", file=sys.stderr, flush=True)
    if failed:
        print(f"failed: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measure all figures.")
    parser.add_argument("--out", type=Path, required=True, help="JSON file for the list of all figures")
    parser.add_argument("--study", action="store_true", help="thorough and long")
    parser.add_argument("--only", nargs="+", choices=tuple(BENCH), metavar="NAME", help=f"among {', '.join(BENCH)}")
    return parser.parse_args(arguments)


def processor() -> str:
    """Name of the processor; timings mean nothing without it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return f"{len(names)} x {names[0]}" if names else platform.processor() or platform.machine()


if __name__ == "__main__":
    sys.exit(main())
