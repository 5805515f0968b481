"""The committed table: `python tests/benchmarks/table.py build/figures.json > tests/benchmarks/FIGURES.md`."""

import json
import re
import subprocess
import sys
from pathlib import Path

BOUNDS: tuple[tuple[str, str, float], ...] = (
    (r"replay_bit_equal", "=", 1),
    (r"kill9_committed_lost", "=", 0),
    (r"kill9_data_lost_s", "<=", 1),
    (r"kill9_restart_s", "<=", 2),
    (r"mutated_frames_exceptions", "=", 0),
    (r"mutated_frames_untouched_decoded", ">=", 99.9),
    (r"mutated_frames_resync_packets", "<=", 2),
    (r"navigation_rtf", ">=", 20),
    (r"kalman_over_filterpy", ">=", 15),
    (r"accuracy_tactical_20_smoothed_(lateral|vertical)_D1", "<=", 0.05),
    (r"accuracy_tactical_20_smoothed_(lateral|vertical)_D2", "<=", 0.2),
    (r"accuracy_tactical_20_causal_(lateral|vertical)_D1", "<=", 0.3),
    (r"accuracy_consumer_20_smoothed_(lateral|vertical)_D1", "<=", 0.1),
    (r"accuracy_consumer_20_smoothed_(lateral|vertical)_D2", "<=", 0.5),
    (r"accuracy_tactical_3_smoothed_(lateral|vertical)_D1", "<=", 0.2),
    (r"accuracy_tactical_3_smoothed_(lateral|vertical)_D2", "<=", 1.0),
    (r"accuracy_tactical_20_roll_rms", "<=", 0.3),
    (r"nis_(?!outside)\w+", "0.8 to", 1.25),
    (r"nis_outside_\w+", "3 to", 7),
    (r"position_error_after_curve_m", "<=", 1),
    (r"distance_error_percent", "<=", 0.1),
    (r"standstill_nis_back_s_\w+", "<=", 10),
    (r"fault_nonfinite", "=", 0),
    (r"fault_flag_s", "<=", 0.5),
    (r"fault_recovery_s", "<=", 10),
    (r"memory_growth_mb", "<=", 5),
    (r"contact\.location_error_[xy]_99_um_(diff|dist)", "<=", 2),
    (r"contact\.location_counts_equal_(diff|dist)", ">=", 99.5),
    (r"contact\.location_error_contact_20N_median_um", "<=", 1),
    (r"contact\.location_error_contact_20N_max_um", "<=", 30),
    (r"contact\.nn_vs_diff_40", "<=", 1.0),
    (r"contact\.nn_vs_diff_20", "<=", 1.9),
    (r"contact\.nn_position_95_mm_(40|20)", "<=", 0.5),
    (r"contact\.fastsim_error(_20)?_mean", "<=", 0.0245),
    (r"contact\.fastsim_error(_20)?_max", "<=", 0.115),
    (r"contact\.conicity_error_tables_max", "<=", 0.0007),
    (r"contact\.conicity_error_profiles_rms", "<=", 0.009),
    (r"contact\.conicity_outside_field", "=", 0),
    (r"contact\.conicity_3mm_40", "0.176 to", 0.178),
    (r"contact\.conicity_3mm_20", "0.009 to", 0.01),
    (r"contact\.diff_us", "<=", 12),
    (r"contact\.dist_us", "<=", 15),
    (r"contact\.nn_us", "<=", 1.5),
    (r"contact\.fastsim20_us", "<=", 4),
    (r"contact\.seating_us", "<=", 60),
    (r"contact\.eight_wheels_us", "<=", 150),
    (r"contact\.grid_over_diff", ">=", 250),
    (r"contact\.simplex_over_diff", ">=", 3),
    (r"contact\.nn_over_table", "<=", 2),
    (r"geometry\.tactical_(5|20|40|20_back)_smoothed_(level_D1|gauge)", "<=", 0.25),
    (r"geometry\.tactical_(5|20|40|20_back)_smoothed_(alignment_D1|twist_3m)", "<=", 0.35),
    (r"geometry\.tactical_(5|20|40|20_back)_smoothed_(alignment_D2|cross_level)", "<=", 1.0),
    (r"geometry\.tactical_(5|20|40|20_back)_smoothed_level_D2", "<=", 0.5),
    (r"geometry\.consumer_20_smoothed_(level_D1|gauge)", "<=", 0.5),
    (r"geometry\.consumer_20_smoothed_(alignment_D1|twist_3m)", "<=", 0.7),
    (r"geometry\.consumer_20_smoothed_(alignment_D2|cross_level)", "<=", 2.0),
    (r"geometry\.consumer_20_smoothed_level_D2", "<=", 1.0),
    (r"geometry\.\w+_within_(level|alignment)_D1", "93 to", 97),
    (r"geometry\.repeatability_\w+_beyond", "=", 0),
    (r"geometry\.line_subpixel_clean", "<=", 0.1),
    (r"geometry\.line_subpixel_degraded", "<=", 0.3),
    (r"geometry\.images_per_s", ">=", 250),
    (r"geometry\.images_over_opencv", ">=", 2),
    (r"geometry\.fits_wrong_flagged", ">=", 99.9),
    (r"geometry\.fits_good_flagged", "<=", 2),
    (r"geometry\.exceedances_found", ">=", 99),
    (r"geometry\.exceedances_false_per_10km", "<=", 1),
    (r"geometry\.exceedances_place_(95|max)_m", "<=", 0.5),
    (r"geometry\.matching_(changed_|run_)?(offset_)?(95|max)_m", "<=", 0.25),
    (r"geometry\.independent_\w+_mm", "<=", 0.01),
    (r"geometry\.psd_(integrated|generated)_percent", "<=", 3),
    (r"vehicle\.step_us", "<=", 25),
    (r"vehicle\.step_us_p99", "<=", 60),
    (r"vehicle\.full_rtf", ">=", 1),
    (r"vehicle\.full_halving", "<=", 1),
    (r"vehicle\.klingel_percent", "<=", 2),
    (r"vehicle\.wheel_loads_percent", "<=", 0.1),
    (r"vehicle\.energy_balance_percent", "<=", 0.5),
    (r"vehicle\.convergence_ratio", "1.9 to", 2.1),
    (r"vehicle\.knife_vs_full_um_(40|20)", "<=", 10),
    (r"vehicle\.knife_vs_full_urad_(40|20)", "<=", 30),
    (r"vehicle\.linear_vs_nonlinear_cone_(20|30|40)", "<=", 5),
    (r"vehicle\.linear_vs_nonlinear_s1002_(20|30|40)", "<=", 20),
    (r"vehicle\.linear_vs_nonlinear_(curve|transition)_3000", "<=", 0.3),
    (r"vehicle\.linear_vs_nonlinear_steady_(1500|600|300)_95", "<=", 0.5),
    (r"simulation\.rtf", ">=", 3),
    (r"simulation\.images_per_second", ">=", 60),
    (r"vehicle\.curving_5000_percent", "<=", 5),
    (r"vehicle\.curving_mirror_um", "<=", 0.01),
    (r"vehicle\.curving_balance_percent", "<=", 1),
    (r"vehicle\.critical_speed_percent_\w+", "<=", 3),
    (r"vehicle\.modes(_pitch)?_percent", "<=", 2),
    (r"vehicle\.oracle_(mass|stiffness|damping|response)", "<=", 1e-6),
    (r"geometry\.rtf_images", ">=", 1.5),
    (r"geometry\.rtf_profiles", ">=", 15),
    (r"geometry\.report_s", "<=", 60),
    (r"geometry\.report_mb", "<=", 500),
    (r"geometry\.report_html_mb", "<=", 50),
    (r"geometry\.report_open_s", "<=", 3),
)
"""What each figure is to reach; a name without a dot goes on after "foundation."."""


def bound_of(name: str) -> tuple[str, float] | None:
    """Relation and limit of a figure; None where there is none."""
    short = name.removeprefix("foundation.")
    return next(((relation, limit) for pattern, relation, limit in BOUNDS if re.fullmatch(pattern, short)), None)


def holds(value: float, relation: str, limit: float) -> bool:
    """Whether a value keeps its bound."""
    if relation.endswith(" to"):
        return float(relation.split()[0]) <= value <= limit
    return {"=": value == limit, "<=": value <= limit, ">=": value >= limit}[relation]


def table(figures: list[dict[str, str | float]], *, commit: str) -> str:
    """Markdown, bounded figures first."""
    lines = [
        "# Figures",
        "",
        f"Made at commit {commit} by `make bench` and `python tests/benchmarks/table.py build/figures.json`. Accuracy "
        "is the worst of five seeds to which nothing was fitted (`_mean`: their mean), 95 % of the error, truth of "
        "`twin.simulation`. Speeds are ratios measured side by side in one run.",
        "",
        "| figure | value | unit | bound | |",
        "|---|---:|---|---|---|",
    ]
    rows = []
    for each in figures:
        name, value = str(each["name"]), float(each["value"])
        bound = bound_of(name)
        kept = "" if bound is None else "met" if holds(value, *bound) else "**not met**"
        limit = "" if bound is None else f"{bound[0]} {bound[1]:g}"
        rows.append((bound is None, f"| `{name}` | {value:.4g} | {each['unit']} | {limit} | {kept} |"))
    return "\n".join(lines + [row for _, row in sorted(rows, key=lambda row: row[0])]) + "\n"


if __name__ == "__main__":
    found = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    state = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=True)
    sys.stdout.write(table(found, commit=state.stdout.strip()))
