"""`railtwin calibrate mounting`: where cameras sit on their body, from a straight stretch of track."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from twin.cli.console import terminal
from twin.core.errors import CalibrationError

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from rich.table import Table

    from calibration.mounting import Camera, Mounted, Reference, StraightRun
    from twin.cli.config import RunConfig
    from twin.core.estimate import GridBlock

MM = 1e-3
KNOWN = "What was measured by hand over the stretch"

Gauge = Annotated[
    float | None, typer.Option("--gauge", metavar="MM", help="Mean gauge, such as 1436.2.", rich_help_panel=KNOWN)
]
CrossLevel = Annotated[
    float | None,
    typer.Option(
        "--cross-level",
        metavar="MM",
        help="Mean height of the left rail above the right one, towards higher kilometres.",
        rich_help_panel=KNOWN,
    ),
]
Sd = Annotated[
    float, typer.Option("--sd", metavar="MM", min=0.01, help="Standard deviation of both means.", rich_help_panel=KNOWN)
]
Start = Annotated[float | None, typer.Option("--from", metavar="KM", help="Kilometre where the stretch begins.")]
End = Annotated[float | None, typer.Option("--to", metavar="KM", help="Kilometre where it ends.")]


def mounting(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="Folder of a replayed run.", show_default=False)],
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="FILE", help="Calibration to write, TOML; its picture stands beside.")
    ],
    run_back: Annotated[
        Path | None, typer.Argument(metavar="RUN_BACK", help="The same track the other way.", show_default=False)
    ] = None,
    start: Start = None,
    end: End = None,
    gauge: Gauge = None,
    cross_level: CrossLevel = None,
    sd: Sd = 0.3,
    force: Annotated[bool, typer.Option("--force", help="Replace the files if they exist.")] = False,
) -> None:
    """Find roll, lateral place and height of the cameras on a straight, level stretch of track.

    How to take the data: choose 100 m or more of straight track without cant or points. Run over it at a steady speed,
    at best in both directions with the vehicle turned by the run alone. Measure gauge and cross level by hand every
    few metres and give the means. Two directions tell the roll without any measurement; gauge needs one. Replay the
    runs first.

    Example: railtwin calibrate mounting runs/out runs/back --from 12.2 --to 12.6 --gauge 1435.8 -o mounting.toml
    """
    from calibration.mounting import Reference, calibrate_mounting
    from twin.cli.calibrating import picture_of, refuse_existing, save, save_picture, today

    refuse_existing(out, picture_of(out), force=force)
    paths = [run] if run_back is None else [run, run_back]
    seen = [_stretch(path, start, end) for path in paths]
    config = seen[0][1]
    known = Reference(
        gauge=None if gauge is None else gauge * MM - config.geometry.fusion.gauge,
        cross_level=None if cross_level is None else cross_level * MM,
        sd_gauge=sd * MM,
        sd_cross_level=sd * MM,
    )
    runs = [each for each, _ in seen]
    found = calibrate_mounting(runs, cameras_of(config), known)
    source = " and ".join(path.resolve().name for path in paths)
    save(out, found.calibration(date=today(), source=source), force=force)
    save_picture(out, figure_of(found, runs, known, config, title=f"Cameras on a straight stretch in {source}"))
    terminal().show(_table(found))
    terminal().show(_means(found))
    terminal().show(f"{out}: written, from {runs[0].s.size * 0.25:.0f} m of track")


def cameras_of(config: "RunConfig") -> "list[Camera]":
    """Devices that see rails, left first, with the arms from their origins to the rails."""
    import numpy as np

    from calibration.mounting import Camera

    half = config.geometry.fusion.gauge / 2
    cameras = [
        Camera(
            device.name,
            np.array([device.profile.roll, device.profile.y, device.profile.z]),
            np.array([[side * half - device.mounting.y, -device.mounting.z] for side in (1.0, -1.0)]),
        )
        for device in config.device
        if device.profile is not None
    ]
    if not 1 <= len(cameras) <= 2:
        raise CalibrationError(f"{len(cameras)} devices of kind profile see the rails: there must be one or two")
    return cameras


def _stretch(path: Path, start: float | None, end: float | None) -> "tuple[StraightRun, RunConfig]":
    """The rails of a run between two kilometres, in the best form there is."""
    import numpy as np

    from calibration.mounting import SEEN, StraightRun
    from twin.cli.run_directory import RunDirectory, results_config, results_in

    directory = RunDirectory(path)
    blocks = _best([each for each in results_in(directory) if getattr(each, "name", "") == "geometry"], path)
    config = results_config(directory.results)
    s = np.concatenate([block.s for block in blocks])
    rails = np.concatenate([np.stack([block[name] for name in SEEN], axis=1) for block in blocks])
    km = config.places.kilometre(s)
    inside = (km >= (-np.inf if start is None else start)) & (km <= (np.inf if end is None else end))
    order = np.argsort(s[inside])
    stretch = StraightRun(config.run.direction, s[inside][order], rails[inside][order])
    _straight(stretch, config)
    return stretch, config


def _best(results: "list[object]", path: Path) -> "list[GridBlock]":
    """Blocks of the form that has seen most of the future."""
    from twin.core.estimate import Form, GridBlock

    blocks = [each for each in results if isinstance(each, GridBlock)]
    for form in (Form.SMOOTHED, Form.LAGGED, Form.CAUSAL):
        if chosen := [block for block in blocks if block.form is form]:
            return chosen
    raise CalibrationError(f"{path}: its results hold no rails: were there devices of kind profile? Replay it first")


def _straight(stretch: "StraightRun", config: "RunConfig") -> None:
    """Raise CalibrationError where the design curves or is canted."""
    import numpy as np

    from calibration.mounting import MountingConfig

    limits = MountingConfig()
    pose = config.track.design().pose(stretch.s)
    if stretch.s.size and np.abs(pose.rho_h).max() > limits.straight:
        raise CalibrationError("the stretch is not straight by the design: choose a tangent with --from and --to")
    if stretch.s.size and np.abs(pose.roll).max() > limits.level:
        raise CalibrationError("the stretch has cant by the design: choose a level one with --from and --to")


def figure_of(
    found: "Mounted", runs: "list[StraightRun]", known: "Reference", config: "RunConfig", *, title: str
) -> "Figure":
    """Gauge and cross level before and after."""
    from twin.report.calibration_mounting import StretchSeen, mounting_figure

    seen = [
        StretchSeen(
            name=f"towards {run.direction.value} km",
            km=config.places.kilometre(run.s),
            gauge=run.rails[:, 0] - run.rails[:, 3],
            cross_level=run.rails[:, 1] - run.rails[:, 4],
            gauge_after=float(found.gauge[i, 1] - found.gauge[i, 0]),
            cross_level_after=float(found.cross_level[i, 1] - found.cross_level[i, 0]),
        )
        for i, run in enumerate(runs)
    ]
    return mounting_figure(seen, references=(known.gauge, known.cross_level), title=title)


def _table(found: "Mounted") -> "Table":
    from rich.table import Table

    table = Table("camera", "roll [mrad]", "y [mm]", "z [mm]")
    for camera, correction, sd in zip(found.cameras, found.corrections, found.sd, strict=True):
        values = camera.values + correction
        table.add_row(camera.device, *(f"{v / MM:.2f} ± {s / MM:.2f}" for v, s in zip(values, sd, strict=True)))
    return table


def _means(found: "Mounted") -> "Table":
    from rich.table import Table

    table = Table("mean over the stretch [mm]", "gauge before", "after", "cross level before", "after")
    for i, (gauge, level) in enumerate(zip(found.gauge, found.cross_level, strict=True)):
        table.add_row(("run", "run back")[i], *(f"{value / MM:.2f}" for value in (*gauge, *level)))
    return table
