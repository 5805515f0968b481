"""Which inertial sensors are fitted where, and what of the vehicle's motion each of them shows."""

from typing import Literal

from pydantic import Field

from twin.core.settings import Settings
from twin.vehicle.description import Vehicle
from twin.vehicle.linear import Block

Shown = Literal["accel_y", "accel_z", "rate_x", "rate_y", "rate_z"]
BLOCK_OF: dict[Shown, Block] = {
    "accel_y": "lateral",
    "rate_x": "lateral",
    "rate_z": "lateral",
    "accel_z": "vertical",
    "rate_y": "vertical",
}


class Channel(Settings):
    """One channel of one sensor."""

    body: str = Field(description="body it sits on; on a wheelset: on its axle boxes, which do not turn")
    shown: Shown = Field(description="specific force across or up, or rate about an axis")
    at: tuple[float, float, float] = Field((0.0, 0.0, 0.0), description="from the body's centre of mass [m]")
    sd: float = Field(gt=0, description="noise per sample, vibration included [m/s^2] or [rad/s]")

    @property
    def name(self) -> str:
        """As health and tuning name it."""
        return f"{self.body} {self.shown}" + (f" {self.at[0]:+g}" if self.at[0] else "")


class Fitted(Settings):
    """All channels of an installation."""

    channels: tuple[Channel, ...] = Field(min_length=1, description="in the order of the samples' columns")

    def of(self, block: Block) -> list[Channel]:
        """Those that show something of a block."""
        return [each for each in self.channels if BLOCK_OF[each.shown] == block]


def full_set(vehicle: Vehicle, *, accel_sd: float, gyro_sd: float, boxes: bool = True) -> Fitted:
    """Axle boxes of every wheelset if wanted, both frames, both ends of the car body."""
    channels: list[Channel] = []
    for body in vehicle.bodies:
        if body.kind == "wheelset" and boxes:
            shown: tuple[Shown, ...] = ("accel_y", "accel_z", "rate_x", "rate_z")
            channels += [_channel(body.name, each, accel_sd, gyro_sd) for each in shown]
        elif body.kind == "bogie":
            shown = ("accel_y", "accel_z", "rate_x", "rate_y", "rate_z")
            channels += [_channel(body.name, each, accel_sd, gyro_sd) for each in shown]
        elif body.kind == "carbody":
            x = max(abs(each.position[0]) for each in vehicle.bodies if each.kind == "bogie")
            for end in (x, -x):
                channels += [
                    _channel(body.name, each, accel_sd, gyro_sd, (end, 0.0, -0.6)) for each in ("accel_y", "accel_z")
                ]
            channels += [_channel(body.name, each, accel_sd, gyro_sd) for each in ("rate_x", "rate_y", "rate_z")]
    return Fitted(channels=tuple(channels))


def _channel(
    body: str, shown: Shown, accel_sd: float, gyro_sd: float, at: tuple[float, float, float] = (0.0, 0.0, 0.0)
) -> Channel:
    return Channel(body=body, shown=shown, at=at, sd=accel_sd if shown.startswith("accel") else gyro_sd)


def seville_set(vehicle: Vehicle, *, accel_sd: float, gyro_sd: float) -> Fitted:
    """The published one: leading wheelset across and in yaw, its frame across, with the roll rates of both."""
    leading = vehicle.wheelsets[0].name
    frame = next(element.first for element in vehicle.elements if element.second == leading)
    wanted: tuple[tuple[str, Shown], ...] = (
        (leading, "accel_y"), (leading, "rate_z"), (frame, "accel_y"), (leading, "rate_x"), (frame, "rate_x"),
    )  # fmt: skip
    return Fitted(channels=tuple(_channel(body, each, accel_sd, gyro_sd) for body, each in wanted))
