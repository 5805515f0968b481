"""`railtwin calibrate contact-network`: networks that give the contact points of one wheel on one rail."""

from math import radians
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from twin.cli.console import terminal
from twin.cli.contact_options import (
    MM,
    Cant,
    FlangeBack,
    Gauge,
    Rail,
    RailReading,
    Wheel,
    WheelReading,
    WheelsetOnTrack,
)

if TYPE_CHECKING:
    from rich.table import Table

    from twin.contact.network_file import NetworkCard

RANGES, TRAINING = "Poses", "Training"

Yaw = Annotated[float, typer.Option("--yaw-deg", help="Largest yaw, either side.", rich_help_panel=RANGES)]
Roll = Annotated[float, typer.Option("--roll-deg", help="Largest roll, either side.", rich_help_panel=RANGES)]
Lateral = Annotated[
    float, typer.Option("--lateral", metavar="MM", help="Largest displacement, either side.", rich_help_panel=RANGES)
]
Hidden = Annotated[int, typer.Option("--hidden", help="Neurons of each network.", rich_help_panel=TRAINING)]
Epochs = Annotated[int, typer.Option("--epochs", help="Most epochs of a network.", rich_help_panel=TRAINING)]
Starts = Annotated[int, typer.Option("--starts", help="Trainings; the best is kept.", rich_help_panel=TRAINING)]
Poses = Annotated[int, typer.Option("--poses", help="Poses of the survey by DIFF.", rich_help_panel=TRAINING)]
Seed = Annotated[int, typer.Option("--seed", min=0, help="Equal seeds give equal networks.", rich_help_panel=TRAINING)]


def contact_network(
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="File to write, .npz.")],
    wheel: Wheel = "S1002",
    rail: Rail = "60E1-EN",
    cant: Cant = "1/40",
    gauge: Gauge = 1435.0,
    flange_back: FlangeBack = 1360.0,
    radius: Annotated[
        float, typer.Option("--radius", metavar="MM", min=150.0, max=1000.0, help="Of the wheel at the taping line.")
    ] = 460.0,
    wheel_reading: WheelReading = "",
    rail_reading: RailReading = "",
    yaw_deg: Yaw = 1.0,
    roll_deg: Roll = 0.75,
    lateral: Lateral = 10.0,
    hidden: Hidden = 32,
    epochs: Epochs = 350,
    starts: Starts = 2,
    poses: Poses = 400_000,
    seed: Seed = 0,
    force: Annotated[bool, typer.Option("--force", help="Replace the file if it exists.")] = False,
) -> None:
    """Train networks that say where a wheel touches its rail, for the profiles named; takes two to three minutes.

    They answer as the DIFF search does, in a fraction of a microsecond, for poses within the ranges and for no other.
    The mirrored wheel on the mirrored rail is served as well.
    """
    from calibration.contact_network import NetworkConfig, train_network
    from twin.cli.calibrating import refuse_existing
    from twin.contact.network_file import save_network

    refuse_existing(out, force=force)
    asked = {"yaw": radians(yaw_deg), "roll": radians(roll_deg), "G_y": lateral * MM}
    sizes = {"hidden": hidden, "epochs": epochs, "starts": starts, "poses": poses, "least": max(poses // 200, 50)}
    config = NetworkConfig.load(asked | sizes, where="options")
    shapes = WheelsetOnTrack(wheel, wheel, rail, cant, gauge, flange_back, radius, radius, wheel_reading, rail_reading)
    on = shapes.on_rails().left
    with terminal().progress("train") as progress:
        network, card = train_network(on, name=shapes.title, config=config, seed=seed, progress=progress)
    save_network(out, network, card)
    terminal().show(_networks(card))
    terminal().show(_worth(card))
    terminal().show(f"{out}: written, for {card.pair}")


def _networks(card: "NetworkCard") -> "Table":
    from rich.table import Table

    table = Table("network", title="Trained on DIFF")
    for title in ("neurons", "training", "validation", "test", "available", "epochs", "error"):
        table.add_column(title, justify="right")
    each = card.classifier
    sizes = (each.hidden, each.training, each.validation, each.test, sum(card.survey), each.epochs)
    table.add_row("number of points", *map(str, sizes), f"{100 * each.error:.2f} %")
    for one in card.locators:
        sizes = (one.hidden, one.training, one.validation, one.test, one.available, one.epochs)
        name = f"{one.points} point" + ("" if one.points == 1 else "s")
        table.add_row(name, *map(str, sizes), f"{100 * one.error:.2f} %")
    return table


def _worth(card: "NetworkCard") -> "Table":
    from rich.table import Table

    table = Table("what it is worth", "", title=f"On {card.judged} other poses")
    table.add_row(
        "points 2 mm or more from DIFF's, missed or too many [Fal eq. 61]", f"{100 * card.disagreement:.2f} %"
    )
    table.add_row("95 % of the points are nearer, where the number is right", f"{card.position_95 / MM:.2f} mm")
    table.add_row("E_NN at 1 mm [Fal eq. 59]", f"{100 * card.error:.2f} %")
    table.add_row("wrong numbers of points [Fal eq. 56]", f"{100 * card.classifier.error:.2f} %")
    table.add_row("the same at best for lines in (roll, G_y)", f"{100 * card.classifier.error_without_yaw:.2f} %")
    table.add_row("poses it knows, left wheel", str(card.ranges))
    return table
