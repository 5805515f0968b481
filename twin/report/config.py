"""Settings of the report: when a sensor is called healthy."""

from pydantic import Field

from twin.core.settings import Settings


class ReportConfig(Settings):
    """Limits behind the verdicts of the health panel. Each pair is (worth a look, not to be trusted)."""

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
