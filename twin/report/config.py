"""Settings of the report: when a sensor is called healthy, and how track geometry is judged."""

from pydantic import Field

from twin.core.settings import Settings
from twin.geometry.curves import CurveConfig
from twin.geometry.quantities.config import QuantityConfig
from twin.geometry.quantities.exceedances import ExceedanceConfig
from twin.geometry.quantities.line_table import LineTable
from twin.geometry.repeatability import RepeatabilityLimits


class Origin(Settings):
    """Where on the earth the line starts: coordinates of exports are counted from it."""

    latitude_deg: float = Field(ge=-85, le=85, description="of the line at s = 0, WGS 84, north positive [deg]")
    longitude_deg: float = Field(ge=-180, le=180, description="of the line at s = 0, WGS 84, east positive [deg]")
    azimuth_deg: float = Field(
        ge=-360,
        le=360,
        description="direction of the line at s = 0 towards growing kilometres, from north to east [deg]",
    )


class LongWaves(Settings):
    """Wavelengths at which the errors of the path are largest: they share what is stated of it among the bands.

    Fitted so that bands of D1 hold on simulated runs: the heights' errors lie at longer waves than the lateral ones'.
    """

    lateral: float = Field(250.0, ge=75, le=5000, description="of the lateral path and the roll [m]")
    vertical: float = Field(290.0, ge=75, le=5000, description="of the heights [m]")


class TrackReportConfig(Settings):
    """How track geometry is computed, judged and compared with other runs."""

    line: LineTable = Field(LineTable(), description="line speeds, on which limits depend, and places not judged")
    quantities: QuantityConfig = Field(QuantityConfig(), description="bases, windows and weights of the quantities")
    exceedances: ExceedanceConfig = Field(
        ExceedanceConfig(), description="when crossings of a limit are one exceedance"
    )
    curves: CurveConfig = Field(CurveConfig(), description="what counts as a curve in the list of curves")
    repeatability: RepeatabilityLimits = Field(
        RepeatabilityLimits(), description="largest differences of two runs over the same rails"
    )
    long_wave: LongWaves = Field(LongWaves(), description="beyond which navigation holds the path to the design")
    origin: Origin | None = Field(None, description="place of the line on the earth, for exports to maps")


class ReportConfig(Settings):
    """Limits behind the verdicts of the health panel, each pair (worth a look, not to be trusted); track geometry."""

    missing_warn: float = Field(
        default=0.001,
        ge=0,
        le=1,
        description="share of missing samples worth a look, 0 to 1; a clean serial line loses none",
    )
    missing_bad: float = Field(
        default=0.02,
        ge=0,
        le=1,
        description="share of missing samples that spoils results, 0 to 1; gaps then reach into D1",
    )
    faults_warn: float = Field(
        default=0.001, ge=0, le=1, description="share of faulty samples or packets worth a look, 0 to 1"
    )
    faults_bad: float = Field(
        default=0.05, ge=0, le=1, description="share of faulty samples or packets that spoils results, 0 to 1"
    )
    clock_sd_warn_us: float = Field(
        default=100.0, gt=0, le=1e6, description="clock uncertainty worth a look [us]; 100 us is 5 mm at 50 m/s"
    )
    clock_sd_bad_us: float = Field(
        default=1000.0,
        gt=0,
        le=1e6,
        description="clock uncertainty that spoils results [us]; 1 ms is 50 mm at 50 m/s",
    )
    nis_low: float = Field(
        default=0.8, gt=0, lt=1, description="smallest mean nis per degree of freedom of a well tuned filter"
    )
    nis_high: float = Field(
        default=1.25, gt=1, le=10, description="largest mean nis per degree of freedom of a well tuned filter"
    )
    nis_bad: float = Field(
        default=3.0, gt=1, le=100, description="mean nis, or its inverse, at which the stated variances are wrong"
    )
    outside_low: float = Field(
        default=0.03,
        ge=0,
        lt=0.05,
        description="smallest share of innovations outside their 95 % bounds, 0 to 0.05",
    )
    outside_high: float = Field(
        default=0.07,
        gt=0.05,
        le=1,
        description="largest share of innovations outside their 95 % bounds, 0.05 to 1",
    )
    geometry: TrackReportConfig = Field(TrackReportConfig(), description="how track geometry is judged and compared")
