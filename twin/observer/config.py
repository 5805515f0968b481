"""Every variance and threshold of the observers, with unit, range and reason."""

from pydantic import Field

from twin.core.arrays import G
from twin.core.settings import Settings


class TrackPrior(Settings):
    """Spectra of the irregularities, as the published ones are written: what the observers expect of a track."""

    A_a: float = Field(2.119e-7, gt=0, lt=1e-4, description="of the alignment [m rad]; German low 2.1e-7, high 6.1e-7")
    A_v: float = Field(4.032e-7, gt=0, lt=1e-4, description="of the longitudinal level [m rad]; low 4.0e-7")
    omega_c: float = Field(0.8246, gt=0, lt=10, description="upper corner wave number [rad/m]")
    omega_r: float = Field(0.0206, gt=0, lt=1, description="lower corner wave number [rad/m]")
    omega_s: float = Field(0.4380, gt=0, lt=10, description="corner of the cross level [rad/m]")
    half_base: float = Field(0.75, gt=0, lt=2, description="half the base of the cross level [m]")
    cut: float = Field(0.7, gt=0.2, le=5, description="shortest wavelength that is followed [m]")


class SevenConfig(Settings):
    """The observer of seven states."""

    prior: TrackPrior = Field(TrackPrior(), description="what is expected of the track")
    gravity: float = Field(G, gt=9.7, lt=9.9, description="local gravity [m/s^2]")
    cutoff: float = Field(150.0, gt=25, le=1000, description="longest wavelength the virtual sensor leaves [m]")
    accel_sd: float = Field(0.05, gt=0, lt=10, description="accelerometers per sample, vibration included [m/s^2]")
    gyro_sd: float = Field(2e-3, gt=0, lt=1, description="gyro per sample, vibration included [rad/s]")
    model_y: float = Field(0.05, ge=0, lt=10, description="what the model lacks of y'' [m/s^2/sqrt(Hz)]")
    model_psi: float = Field(0.01, ge=0, lt=10, description="what the model lacks of psi'' [rad/s^2/sqrt(Hz)]")
    model_frame: float = Field(0.05, ge=0, lt=10, description="what the model lacks of y_f'' [m/s^2/sqrt(Hz)]")
    gate: float = Field(30.0, gt=4, description="normalised innovation squared beyond which a sample is rejected")
    slowest: float = Field(3.0, ge=1, le=20, description="below this creep is no speed over speed [m/s]")
    fastest: float = Field(100.0, gt=20, le=200, description="greatest speed of the schedule [m/s]")
    speed_step: float = Field(0.01, gt=1e-3, le=0.1, description="between the speeds of the schedule, relative")
