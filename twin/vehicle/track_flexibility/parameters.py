"""Track parameters as data: rail, support and mesh, and the tracks of the reference receptances.

A track is one rail on its half of the sleepers; the two rails are taken as independent, which holds while the sleepers
neither bend nor roll. The same records serve the vertical and the lateral direction: only the numbers differ.
"""

from typing import Self

from pydantic import Field, model_validator

from twin.core.settings import Settings


class Rail(Settings):
    """A prismatic rail that bends in one plane, as a Timoshenko or an Euler beam.

    Defaults are those of a 60E1 in the vertical plane; in the lateral one it has second_moment 5.127e-6 m^4 and
    shear_coefficient 0.54 (same source as the tracks below).
    """

    E: float = Field(2.1e11, gt=1e10, lt=1e12, description="Young's modulus [Pa]; rail steel has 205-215 GPa")
    G: float = Field(8.1e10, gt=1e9, lt=5e11, description="shear modulus [Pa]; rail steel has 79-82 GPa")
    area: float = Field(7.67e-3, gt=1e-5, lt=5e-2, description="cross-section [m^2]; 1e-5 is a model railway's")
    second_moment: float = Field(
        3.0383e-5, gt=1e-12, lt=1e-3, description="second moment of area in the plane of bending [m^4]"
    )
    mass: float = Field(60.2, gt=0.05, lt=200.0, description="mass [kg/m]; 49-75 for main lines, < 1 for models")
    shear_coefficient: float | None = Field(
        0.4,
        gt=0.05,
        le=1.0,
        description="effective over whole area in shear [-], 0.4 vertically for 60E1; none: an Euler beam, which does "
        "not shear and whose sections have no rotary inertia",
    )
    loss_factor: float = Field(
        0.0, ge=0.0, le=0.5, description="hysteretic loss of E and G [-]; for frequency responses only"
    )

    @property
    def bending_stiffness(self) -> float:
        """E I [N m^2]."""
        return self.E * self.second_moment

    @property
    def shear_stiffness(self) -> float | None:
        """kappa G A [N]; none for an Euler beam."""
        return None if self.shear_coefficient is None else self.shear_coefficient * self.G * self.area

    @property
    def rotary_inertia(self) -> float:
        """rho I [kg m]; zero for an Euler beam."""
        return 0.0 if self.shear_coefficient is None else self.mass * self.second_moment / self.area


class Layer(Settings):
    """Something elastic between two bodies: a pad or the ballast. Per metre of rail, or per sleeper end."""

    stiffness: float = Field(gt=1e3, lt=1e11, description="stiffness [N/m per m, or N/m]; 1e3 serves scaled models")
    damping: float = Field(
        0.0, ge=0.0, lt=1e8, description="viscous damping [N s/m per m, or N s/m]; zero if the loss is hysteretic"
    )
    loss_factor: float = Field(
        0.0,
        ge=0.0,
        le=2.0,
        description="hysteretic loss [-]; for frequency responses only, as no causal system has a constant one",
    )

    def divided_by(self, length: float) -> Self:
        """The same layer spread over a length [m]."""
        return self.model_copy(update={"stiffness": self.stiffness / length, "damping": self.damping / length})


class ContinuousSupport(Settings):
    """Pad, and below it a mass on ballast, all spread evenly along the rail."""

    pad: Layer = Field(description="between rail and mass, or rigid ground where there is no ballast, per metre")
    mass: float = Field(
        0.0, ge=0.0, lt=5e3, description="sleepers or slab under one rail [kg/m]; unused on rigid ground"
    )
    ballast: Layer | None = Field(
        None, description="between mass and rigid ground, per metre; none: the pad lies on it"
    )

    @model_validator(mode="after")
    def _is_whole(self) -> Self:
        if self.ballast is not None and self.mass == 0.0:
            raise ValueError("mass is zero on ballast: give the mass of the sleepers [kg/m], or leave out the ballast")
        return self


class SleeperSupport(Settings):
    """The same at every sleeper end: pad [N/m], half a sleeper [kg], ballast [N/m]."""

    spacing: float = Field(0.6, gt=0.02, lt=2.0, description="from sleeper to sleeper [m]; 0.5-0.7, less for models")
    pad: Layer = Field(description="under the rail, one seat")
    mass: float = Field(0.0, ge=0.0, lt=1e3, description="half a sleeper [kg]; unused on rigid ground")
    ballast: Layer | None = Field(None, description="under half a sleeper; none: the pad lies on rigid ground")

    @model_validator(mode="after")
    def _is_whole(self) -> Self:
        if self.ballast is not None and self.mass == 0.0:
            raise ValueError("mass is zero on ballast: give half the sleeper's mass [kg], or leave out the ballast")
        return self

    def spread(self) -> ContinuousSupport:
        """The even support with the same stiffness and mass per metre: good while waves are long against a bay."""
        return ContinuousSupport(
            pad=self.pad.divided_by(self.spacing),
            mass=self.mass / self.spacing,
            ballast=None if self.ballast is None else self.ballast.divided_by(self.spacing),
        )


class Track(Settings):
    """One rail on its support, with where the numbers come from."""

    name: str = Field(description="unique among tracks")
    source: str = Field(description="where the parameters were published")
    rail: Rail = Field(description="the beam")
    support: ContinuousSupport | SleeperSupport = Field(description="what carries it")

    def spread(self) -> "Track":
        """This track with its sleepers spread evenly: the moving frame knows no fixed places."""
        if isinstance(self.support, ContinuousSupport):
            return self
        return self.model_copy(update={"name": f"{self.name}, spread", "support": self.support.spread()})


class Mesh(Settings):
    """The stretch of track that travels with the vehicle, cut into beam elements, clamped at its ends.

    So that the ends send no echo, a damper that grows with the third power of the distance holds their last parts.
    """

    length: float = Field(
        20.0,
        gt=1.0,
        lt=1e3,
        description="stretch [m], its middle at xi = 0; 20 serves a bogie (echoes below 1e-4 up to 1500 Hz), a vehicle "
        "needs its wheelbase more, sleepers with little damping 145",
    )
    element: float = Field(
        0.15, gt=1e-3, lt=1.0, description="longest element [m]; 0.15 is a quarter of the bending wave at 3 kHz"
    )
    absorbing: float = Field(
        0.3,
        ge=0.0,
        lt=0.5,
        description="share of the stretch at each end that absorbs [-]; wheels belong into the rest",
    )
    absorption: float = Field(
        4.0, ge=0.0, le=50.0, description="damping at the ends over 2 sqrt(stiffness * mass) of rail on pad [-]"
    )

    @model_validator(mode="after")
    def _is_not_too_coarse(self) -> Self:
        if self.element > self.length / 10:
            raise ValueError(f"element must be at most length / 10 = {self.length / 10:g} m, got {self.element:g} m")
        return self


_ROLLAND = (
    "Rolland, TU Berlin (github.com/mantelmax/rolland, commit 10e8e9a), reference of its analytical methods, UIC60"
)
_EULER_60E1 = Rail(shear_coefficient=None)
_LOSSY_60E1 = Rail(loss_factor=0.02)

SLAB_EULER = Track(
    name="slab, Euler rail",
    source=_ROLLAND,
    rail=_EULER_60E1,
    support=ContinuousSupport(pad=Layer(stiffness=300e6, damping=30e3)),
)
BALLAST_EULER = Track(
    name="ballast, Euler rail",
    source=_ROLLAND,
    rail=_EULER_60E1,
    support=ContinuousSupport(
        pad=Layer(stiffness=300e6, damping=30e3), mass=250.0, ballast=Layer(stiffness=100e6, damping=80e3)
    ),
)
SLAB_SEATS = Track(
    name="slab, Timoshenko rail on seats",
    source=_ROLLAND,
    rail=_LOSSY_60E1,
    support=SleeperSupport(pad=Layer(stiffness=300e6, loss_factor=0.25)),
)
BALLAST_SLEEPERS = Track(
    name="ballast, Timoshenko rail on sleepers",
    source=_ROLLAND,
    rail=_LOSSY_60E1,
    support=SleeperSupport(
        pad=Layer(stiffness=300e6, loss_factor=0.25), mass=162.0, ballast=Layer(stiffness=50e6, loss_factor=1.0)
    ),
)
BALLAST = Track(
    name="ballast, Timoshenko rail",
    source=f"{_ROLLAND}; its Euler rail replaced by the Timoshenko rail of the same reference",
    rail=Rail(),
    support=BALLAST_EULER.support,
)
TRACKS = {track.name: track for track in (SLAB_EULER, BALLAST_EULER, SLAB_SEATS, BALLAST_SLEEPERS, BALLAST)}
"""Tracks by name."""
