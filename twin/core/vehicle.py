"""The vehicle as the estimators know it."""

from pydantic import Field

from twin.core.settings import Settings


class VehicleParameters(Settings):
    """What the twin is told about the vehicle that carries the sensors."""

    name: str = Field("reference vehicle", description="label in reports")
    wheel_radius: float = Field(0.46, gt=0.1, lt=1.0, description="nominal rolling radius of the encoder's wheel [m]")


class Mounting(Settings):
    """Where a sensor sits on its body: origin midway between the wheelsets, at the height of the rails."""

    x: float = Field(0.0, ge=-30, le=30, description="forward of the middle of the body [m]")
    y: float = Field(0.0, ge=-2, le=2, description="left of the centre line [m]")
    z: float = Field(0.6, ge=-1, le=5, description="above the plane of the rails [m]")
