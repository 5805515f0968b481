"""Draw the linear vehicles against the nonlinear one: `python -m tests.published.linear_against_nonlinear PNG`.

Lateral position of the leading wheelset of the Manchester vehicle, elastic contacts, below 20 Hz: cones and S1002 on
straight track with German low irregularities at 40 m/s, the transition to R 3000 m on cones, and R 600 m with
irregularities that begin in the arc, about the steady state there.
"""

import sys

import matplotlib.pyplot as plt
from matplotlib.axes import Axes

from tests.benchmarks.vehicle_linear import SEED, Compared, irregular, sharp_curve, wide_curve

MM = 1e3


def draw(axes: Axes, both: Compared, title: str, first: float, last: float) -> None:
    """Both positions and their difference between two times of a run [s]."""
    t = both.t - both.t[0]
    shown = (t >= first) & (t <= last)
    linear, nonlinear = MM * both.linear[shown, 0], MM * both.nonlinear[shown, 0]
    axes.plot(t[shown], nonlinear, color="black", linewidth=1.6, label="nonlinear")
    axes.plot(t[shown], linear, color="tab:orange", linewidth=1.0, linestyle="--", label="linear")
    axes.plot(t[shown], linear - nonlinear, color="tab:blue", linewidth=0.8, label="difference")
    axes.set_title(title, fontsize=10)
    axes.set_xlabel("time [s]")
    axes.set_ylabel("lateral position [mm]")
    axes.grid(alpha=0.3)


def main(path: str) -> None:
    """Run all four and draw them."""
    figure, axes = plt.subplots(2, 2, figsize=(12, 7), layout="constrained")
    draw(axes[0, 0], irregular("cone-20", 40.0, SEED), "cones 1/20, straight, 40 m/s", 8.0, 16.0)
    draw(axes[0, 1], irregular("S1002", 40.0, SEED), "S1002 on 60E1, straight, 40 m/s", 8.0, 16.0)
    draw(axes[1, 0], wide_curve("cone-20", 3000.0), "cones 1/20, into R 3000 m, smooth, 25 m/s", 0.0, 14.0)
    draw(axes[1, 1], sharp_curve(600.0, 0.1, 20.0, SEED), "S1002 on 60E1, in R 600 m, 20 m/s", 4.0, 16.0)
    lines, labels = axes[0, 0].get_legend_handles_labels()
    figure.legend(lines, labels, loc="outside upper center", ncols=3, frameon=False)
    figure.savefig(path, dpi=110)


if __name__ == "__main__":
    main(sys.argv[1])
