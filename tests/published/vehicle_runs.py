"""Published runs again: the S-curve of [Fal Table 8] and the track of [Ros 5].

`python tests/published/vehicle_runs.py` writes falomi_s_curve.png and ros_track.png beside itself, and prints what
happened; vehicle_runs.md says what the papers' figures show.
"""

from itertools import pairwise
from pathlib import Path

import matplotlib as mpl
import numpy as np

from twin.contact.creep import Friction
from twin.core.arrays import Array
from twin.core.track import DesignTrack, HorizontalElement
from twin.vehicle.library import vehicle
from twin.vehicle.running import Rails, Record, RoughRails, Running, RunSettings, WheelRailSettings, rails_between, run

mpl.use("Agg")
from matplotlib import pyplot as plt

HERE = Path(__file__).parent
FALOMI_SPEED = 40 / 3.6
FALOMI_FRICTION = 0.4
ROS_SPEED = 23.7
ROS_STRAIGHT, ROS_CURVE, ROS_SHIFT = 50.0, 276.5, 50.0
"""Before the curve, along it, and how far the second straight lies aside [m]; 276.5 m of arc are 270 m along x."""
ROS_PIECES = 40
"""Straight pieces of the curve's sine of curvature."""
ROS_WAVE, ROS_AMPLITUDE = 10.0, 0.010
ROS_MISALIGNED = 5e-3
SHOWN_FROM = 0.3
"""Time from which on a run is drawn [s]: wheels set down beside the middle of sloping rails knock on them first."""


def falomi_track() -> DesignTrack:
    """50 m straight, 30 m to the right at 190 m radius, 4 m straight, 30 m to the left, 100 m straight, no transitions.

    Jumps of curvature are spread over a metre, a tenth of a second.
    """
    pieces = ((50.0, 0.0), (30.0, -1 / 190), (4.0, 0.0), (30.0, 1 / 190), (100.0, 0.0))
    elements = [HorizontalElement(length=n, curvature_start=k, curvature_end=k) for n, k in pieces]
    return DesignTrack.from_elements(elements, [], rounding=1.0)


def falomi_run(*, contact: str = "elastic") -> Record:
    """The Manchester vehicle, read as the wagon of [Fal 6], over the S-curve."""
    design = falomi_track()
    rails = rails_between(design, None, first=-30.0, last=design.length + 30.0)
    wheel_rail = WheelRailSettings(wheel="S1002", rail="60E1-UIC", friction=Friction(mu=FALOMI_FRICTION))
    settings = RunSettings.model_validate({"contact": contact, "wheel_rail": wheel_rail})
    running = Running(vehicle("manchester"), rails, speed=FALOMI_SPEED, s=15.0, settings=settings)
    return run(running, (design.length - 30.0) / FALOMI_SPEED)


def ros_track() -> tuple[DesignTrack, Rails]:
    """Two straights 50 m apart, joined by a sine of curvature; level waves of 10 mm, a quarter wave apart on the rails.

    The paper calls its curve symmetric and smooth and does not say more. Of four clothoids of this length the sharpest
    place has R 196 m, where the locomotive overturns at 23.7 m/s; the sine has R 243 m.
    """
    s = np.linspace(0.0, ROS_CURVE, ROS_PIECES + 1)
    k = 2 * np.pi * ROS_SHIFT / ROS_CURVE**2 * np.sin(2 * np.pi * s / ROS_CURVE)
    curve = [
        HorizontalElement(length=ROS_CURVE / ROS_PIECES, curvature_start=float(a), curvature_end=float(b))
        for a, b in pairwise(k)
    ]
    design = DesignTrack.from_elements(
        [HorizontalElement(length=ROS_STRAIGHT), *curve, HorizontalElement(length=250.0)], []
    )
    step = 0.1
    s = np.arange(-40.0, design.length + 40.0, step)
    phase = 2 * np.pi * s / ROS_WAVE
    zero = np.zeros_like(s)
    places = np.stack((zero, ROS_AMPLITUDE * np.sin(phase), zero, ROS_AMPLITUDE * np.cos(phase)), axis=1)
    return design, rails_between(design, RoughRails(float(s[0]), step, places), first=-40.0, last=design.length + 40.0)


def ros_run(*, speed: float = ROS_SPEED) -> Record:
    """The FEVE 3000 locomotive on knives at 1 ms, as [Ros] has it, 5 mm off the middle at the start."""
    design, rails = ros_track()
    settings = RunSettings(contact="knife", driven=True)
    running = Running(vehicle("feve3000"), rails, speed=speed, s=0.0, settings=settings)
    layout = running.model.layout
    for name in layout.frames:
        running.model.q[layout.index(f"{name}.r_y")] += ROS_MISALIGNED
    return run(running, (design.length - 60.0) / speed)


def s_of(record: Record) -> Array:
    """Arc length of the leading wheelset [m]."""
    return record["wheelset 1.s"]


def draw(record: Record, title: str, path: Path) -> None:
    """Strips over the arc length of the leading wheelset, from where the start has been forgotten."""
    record = record.rows(slice(int(np.searchsorted(record.t, SHOWN_FROM)), None))
    s = s_of(record)
    figure, axes = plt.subplots(5, 1, figsize=(10, 11.5), sharex=True, constrained_layout=True)
    body = max(record.layout.frames, key=lambda name: "body" in name)
    axes[0].plot(s, 1e3 * record[f"{body}.r_y"], color="black", label="body")
    for name in (name for name in record.layout.frames if name.startswith("wheelset")):
        axes[1].plot(s, 1e3 * record[f"{name}.r_y"], label=name, linewidth=1)
        axes[2].plot(s, 1e3 * record[f"{name}.yaw"], label=name, linewidth=1)
    for wheel, label in enumerate(("leading left wheel", "leading right wheel")):
        axes[3].plot(s, 1e-3 * _smooth(record.wheel("Q")[:, wheel]), label=label)
        axes[4].plot(s, 1e-3 * _smooth(record.wheel("Y")[:, wheel]), label=label)
    labels = ("body, lateral [mm]", "wheelsets, lateral [mm]", "yaw [mrad]", "Q [kN]", "Y [kN]")
    for axis, label in zip(axes, labels, strict=True):
        axis.set_ylabel(label)
        axis.grid(alpha=0.3)
        axis.legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), fontsize=8, ncols=4, frameon=False)
    axes[-1].set_xlabel("arc length of the leading wheelset [m]; forces are means over 50 ms")
    figure.suptitle(title)
    figure.savefig(path, dpi=90)
    plt.close(figure)


def _smooth(values: Array) -> Array:
    """Mean over 50 ms: force below 20 Hz."""
    return np.convolve(np.pad(values, (25, 24), mode="edge"), np.ones(50) / 50, mode="valid")


def main() -> None:
    """Both runs."""
    for record, title, name in (
        (falomi_run(), "S-curve of [Fal Table 8]: R 190 m, 40 km/h, S1002 on UIC60 at 1/40, mu 0.4", "falomi_s_curve"),
        (ros_run(), "Track of [Ros 5]: metre-gauge locomotive at 23.7 m/s, 10 mm level waves of 10 m", "ros_track"),
    ):
        draw(record, title, HERE / f"{name}.png")
        y = 1e3 * np.abs(record["wheelset 1.r_y"]).max()
        print(f"{name}: {s_of(record)[-1]:.0f} m, {record.stopped or 'run through'}; wheelset 1 up to {y:.1f} mm aside")


if __name__ == "__main__":
    main()
