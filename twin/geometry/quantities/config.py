"""Settings of the quantities: bases, chords, windows, weights."""

from typing import Self

from pydantic import Field, model_validator

from twin.core.settings import Settings
from twin.geometry.rails import STEP


class Chord(Settings):
    """A string between two points of a rail, and the place between them where the offset is read."""

    behind: float = Field(gt=0, le=50, description="from the reading to the end at the lower kilometre [m]")
    ahead: float = Field(gt=0, le=50, description="from the reading to the end at the higher kilometre [m]")

    @property
    def name(self) -> str:
        """In words: its length, and its parts where they differ."""
        length = f"{self.behind + self.ahead:g} m chord"
        return length if self.behind == self.ahead else f"{length} {self.behind:g}/{self.ahead:g}"

    @model_validator(mode="after")
    def _on_grid(self) -> Self:
        for name in ("behind", "ahead"):
            length = getattr(self, name)
            if abs(length / STEP - round(length / STEP)) > 1e-9:
                raise ValueError(f"{name} = {length:g} m must be a multiple of the grid's {STEP:g} m")
        return self


class CombinedWeights(Settings):
    """Weights of the combined standard deviation: sqrt(sum of weight * variance)."""

    level: float = Field(1.0, ge=0, le=10, description="of longitudinal level D1, mean variance of the rails")
    alignment: float = Field(1.0, ge=0, le=10, description="of alignment D1, mean variance of the rails")
    gauge: float = Field(1.0, ge=0, le=10, description="of gauge in the waves of D1")
    cross_level: float = Field(1.0, ge=0, le=10, description="of cross level in the waves of D1")


class QuantityConfig(Settings):
    """How the quantities of EN 13848 are computed from the rails."""

    cant_base: float = Field(1.5, ge=0.5, le=2.0, description="distance of the rail heads' middles [m]")
    gauge_window: float = Field(100.0, ge=10, le=500, description="length of the mean gauge [m]")
    cant_window: float = Field(20.0, ge=1, le=200, description="length over which cross level is averaged to cant [m]")
    curvature_base: float = Field(
        20.0, ge=2, le=100, description="chord over which curvature is taken [m]; shorter ones show the rails' waves"
    )
    twist_bases: tuple[float, ...] = Field((3.0, 5.0, 9.0), description="bases of twist [m], multiples of 0.5 m")
    chords: tuple[Chord, ...] = Field(
        (Chord(behind=5, ahead=5), Chord(behind=10, ahead=10), Chord(behind=4, ahead=6)),
        description="chords shown beside the bands",
    )
    longest_bridge: float = Field(
        1.0, ge=0, le=3, description="gaps up to this are bridged [m]; a third of D1's shortest wave"
    )
    edge_wavelengths: float = Field(
        2.0,
        ge=0.5,
        le=5,
        description="not valid beside ends and gaps, in longest waves of the band; at 2 the unknown beyond the end "
        "still moves D1 by 3 % of its standard deviation, D2 by 10 %, D3 by 13 %",
    )
    deviation_window: float = Field(200.0, ge=20, le=1000, description="length of standard deviations [m]")
    deviation_share: float = Field(
        0.75, gt=0, le=1, description="share of valid points a window needs, 0 to 1; fewer say little of its length"
    )
    low_speed: float = Field(3.0, ge=0, le=30, description="slower than this nothing is judged [m/s]")
    weights: CombinedWeights = Field(default_factory=CombinedWeights, description="of the combined deviation CoSD")

    @model_validator(mode="after")
    def _bases_on_grid(self) -> Self:
        for base in self.twist_bases:
            if not 0.5 <= base <= 25 or abs(base / (2 * STEP) - round(base / (2 * STEP))) > 1e-9:
                raise ValueError(f"twist_bases: {base:g} m must be a multiple of {2 * STEP:g} m between 0.5 and 25 m")
        return self
