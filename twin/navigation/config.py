"""Every threshold and variance of the navigation, with unit, range and reason."""

from pydantic import Field

from twin.core.arrays import G
from twin.core.settings import Settings


class Noise(Settings):
    """A standard deviation that grows with speed: sd^2 = rest^2 + (moving V / 20 m/s)^2."""

    rest: float = Field(
        gt=0, description="at standstill, beyond the sensor's own noise; in the unit of the measurement"
    )
    moving: float = Field(ge=0, description="added at 20 m/s: structure vibration grows with speed")


class SpikeConfig(Settings):
    """Samples that no body can follow: taken out before any filter sees them."""

    accel: Noise = Field(
        Noise(rest=0.1, moving=0.6), description="usual spread of an accelerometer around its mean in an epoch [m/s^2]"
    )
    gyro: Noise = Field(Noise(rest=0.005, moving=0.012), description="the same of a gyro [rad/s]")
    limit: float = Field(
        10.0, gt=4, description="a sample so many times the usual or the present spread away is a spike, not motion"
    )


class OdometerConfig(Settings):
    """Speed and distance from the encoder, bridged by the longitudinal accelerometer."""

    window: int = Field(10, ge=2, le=200, description="encoder samples per speed measurement; 10 at 200 Hz are 50 ms")
    counts_per_turn: float = Field(2048, gt=0, description="encoder resolution: sets the noise of a speed measurement")
    sd_speed: float = Field(
        0.001,
        gt=0,
        lt=1,
        description="speed noise beyond the encoder's resolution [m/s]: wheel unroundness, creep",
    )
    jerk: float = Field(0.05, gt=0, le=10, description="density of the longitudinal white jerk [m/s^3/sqrt(Hz)]")
    accel: Noise = Field(
        Noise(rest=0.004, moving=0.44),
        description="longitudinal accelerometer per sample [m/s^2], vibration included",
    )
    bias_walk: float = Field(
        2e-3, gt=0, lt=1, description="walk of accelerometer bias and pitch against the gradient [m/s^2/sqrt(s)]"
    )
    gate: float = Field(30.0, gt=4, description="normalised innovation squared beyond which a wheel slips")
    return_after: float = Field(0.4, gt=0, le=5, description="agreement that ends a slip [s]")
    longest_slip: float = Field(
        20.0, gt=1, le=120, description="after this the encoder is believed again [s]; dead reckoning has drifted"
    )
    stand_time: float = Field(1.0, ge=0.2, le=10, description="a wheel still for so long may stand [s]")
    stand_rate: float = Field(
        0.02, gt=0, le=1, description="largest angular rate deviation of a standing vehicle [rad/s]"
    )


class PositionConfig(Settings):
    """Matching the measured heading to the design geometry."""

    match: bool = Field(True, description="correct position and wheel radius by the design curvature")
    sd_scale: float = Field(
        0.01, gt=0, lt=0.2, description="wheel radius error before the run, relative; 2 % is a worn wheel"
    )
    scale_walk: float = Field(1e-6, ge=0, lt=1e-2, description="walk of the relative radius [1/sqrt(m)]: creep")
    sd_heading: float = Field(
        6e-4, gt=0, lt=0.1, description="yaw of the body against the design [rad]: alignment, chord, own yaw"
    )
    heading_length: float = Field(12.0, gt=0, description="correlation length of that yaw [m]")
    sd_offset: float = Field(0.01, gt=0, lt=1, description="lateral offset of the body from the design [m]")
    offset_length: float = Field(60.0, gt=0, description="correlation length of that offset [m]")
    distance_noise: float = Field(
        0.005, gt=0, lt=1, description="distance noise beside the scale [m/sqrt(m)]: creep and resolution"
    )
    slip_noise: float = Field(0.5, gt=0, lt=10, description="distance noise while the wheel slips [m/sqrt(s)]")
    sd_gyro_bias: float = Field(4e-3, gt=0, lt=0.1, description="vertical gyro bias before the run [rad/s]")


class AttitudeConfig(Settings):
    """Absolute roll and pitch."""

    sd_start: float = Field(0.05, gt=0, lt=0.5, description="roll and pitch before the first sample [rad]")
    accel_x: Noise = Field(
        Noise(rest=0.004, moving=0.44),
        description="longitudinal accelerometer per sample against the speed's slope [m/s^2]",
    )
    slope_density: float = Field(
        3.5e-4,
        gt=0,
        lt=0.1,
        description="slope of the body's path as white noise in distance [sqrt(m)]; so are the German spectra",
    )
    sd_rest_velocity: float = Field(1e-3, gt=0, lt=0.1, description="lateral velocity at standstill [m/s/sqrt(Hz)]")
    gate: float = Field(25.0, gt=4, description="normalised innovation squared beyond which a measurement is rejected")


class AxisConfig(Settings):
    """Noise of one axis of the trajectory filter, tuned by `railtwin calibrate navigation`."""

    accel: Noise = Field(
        Noise(rest=0.005, moving=0.38), description="acceleration across the track from structure vibration [m/s^2]"
    )
    accel_track: float = Field(
        0.29, ge=0, description="acceleration the irregular track gives at 20 m/s [m/s^2], grows as V^2"
    )
    own_rate: float = Field(
        2e-3,
        gt=0,
        description="rate of the body's own rotation at 20 m/s [rad/s/sqrt(Hz)], grows as sqrt(V): chord, suspension",
    )
    own_wavelength: float = Field(
        8.0,
        gt=1,
        le=100,
        description="wavelength about which that rotation peaks [m]; 2 pi half wheelbases for the chord",
    )
    long_wave: float = Field(
        3.5e-3,
        ge=0,
        lt=1,
        description="usual size of the path's waves beyond the cut-off [m]: they are taken away, so they are uncertain",
    )


class TrajectoryConfig(Settings):
    """Lateral and vertical path of the inertial sensor against the design line."""

    lateral: AxisConfig = Field(AxisConfig(own_rate=4e-3, own_wavelength=12.0), description="lateral axis")
    vertical: AxisConfig = Field(
        AxisConfig(
            accel=Noise(rest=0.005, moving=0.42),
            accel_track=0.46,
            own_rate=7.5e-3,
            own_wavelength=4.0,
            long_wave=4.1e-3,
        ),
        description="vertical axis",
    )
    cutoff: float = Field(
        250.0,
        ge=75,
        le=5000,
        description="wavelength beyond which the virtual sensors hold the path to the design [m]",
    )
    speed_minimum: float = Field(0.5, gt=0, le=5, description="below this the rows divided by V are left out [m/s]")
    rate_interval: float = Field(
        0.05, gt=0, le=1, description="the gyro is compared with the slope of the path this often [s]"
    )
    gate: float = Field(100.0, gt=9, description="normalised innovation squared beyond which a measurement is rejected")


class LagConfig(Settings):
    """How far behind the train the smoothed live results are; the delays add up."""

    position: float = Field(150.0, ge=0, description="of the position [m]")
    attitude: float = Field(100.0, ge=0, description="of the attitude [m]")
    trajectory: float = Field(300.0, ge=0, description="of the trajectory [m]")
    longest: float = Field(60.0, gt=1, description="each delay ends after this time at the latest [s]: bounds memory")
    stride: float = Field(2.0, gt=0, description="smoothed results come in batches of this length [s]")


class NavigationConfig(Settings):
    """The navigation of one vehicle."""

    imu: str = Field("imu", description="name of the inertial device that is navigated")
    encoder: str = Field("encoder", description="name of the encoder device")
    gravity: float = Field(G, ge=9.7, le=9.9, description="local gravity [m/s^2]")
    latitude_deg: float | None = Field(
        None,
        ge=-90,
        le=90,
        description="corrects the earth's rotation [deg]; 0.3 mrad of roll at 20 m/s and 45 deg",
    )
    accel_noise: float = Field(
        5e-4,
        gt=0,
        lt=0.1,
        description="accelerometer noise density [m/s^2/sqrt(Hz)], from the data sheet or Allan deviation",
    )
    gyro_noise: float = Field(3e-5, gt=0, lt=0.1, description="gyro noise density [rad/s/sqrt(Hz)], likewise")
    gyro_bias: float = Field(1e-4, gt=0, lt=0.1, description="gyro bias before the run [rad/s]")
    gyro_bias_walk: float = Field(1e-6, gt=0, lt=1e-2, description="gyro bias walk [rad/s/sqrt(s)]")
    accel_bias: float = Field(
        2e-3, gt=0, lt=1, description="accelerometer bias that calibration leaves [m/s^2]; 0.2 mrad of roll, in its sd"
    )
    accel_bias_walk: float = Field(2e-5, gt=0, lt=1, description="accelerometer bias walk [m/s^2/sqrt(s)]")
    spikes: SpikeConfig = Field(SpikeConfig(), description="what is no motion")
    odometer: OdometerConfig = Field(OdometerConfig(), description="speed and distance")
    position: PositionConfig = Field(PositionConfig(), description="position along the track")
    attitude: AttitudeConfig = Field(AttitudeConfig(), description="roll and pitch")
    trajectory: TrajectoryConfig = Field(TrajectoryConfig(), description="path against the design")
    lag: LagConfig = Field(LagConfig(), description="delay of smoothed live results")
