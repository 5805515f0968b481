"""What is simulated: one record, and the two standard lines."""

from pydantic import Field

from twin.core.places import Direction
from twin.core.settings import Settings
from twin.core.track import DesignTrack, HorizontalElement, VerticalElement
from twin.core.vehicle import Mounting
from twin.simulation.carriage import TrueVehicle
from twin.simulation.dynamic.config import Dynamics, ImagingConfig, WheelSensorConfig
from twin.simulation.encoder import EncoderConfig, Slide
from twin.simulation.irregularity import Defect, DefectShape, IrregularityConfig
from twin.simulation.motion import Leg, MotionConfig, constant
from twin.simulation.sensors import GRADES, ImuErrors, ImuGrade, VibrationConfig
from twin.simulation.short_wave import CorrugationPatch, RoughnessConfig, ShortWaveConfig
from twin.simulation.survey import EXACT, Survey, SurveyConfig

Elements = tuple[tuple[HorizontalElement, ...], tuple[VerticalElement, ...]]


def _curve(*, curvature: float, cant: float, arc: float, transition: float) -> list[HorizontalElement]:
    """Clothoid, arc, clothoid; curvature [1/m] and cant [m] of the arc, lengths [m]."""
    return [
        HorizontalElement(length=transition, curvature_end=curvature, cant_end=cant),
        HorizontalElement(
            length=arc, curvature_start=curvature, curvature_end=curvature, cant_start=cant, cant_end=cant
        ),
        HorizontalElement(length=transition, curvature_start=curvature, cant_start=cant),
    ]


def _grades(*pieces: tuple[float, float, float]) -> tuple[VerticalElement, ...]:
    return tuple(VerticalElement(length=n, gradient_start=a, gradient_end=b) for n, a, b in pieces)


def demo_design() -> Elements:
    """3 km: a left curve of 600 m radius, a right one of 800 m, an S-curve, a 10 per mille ramp."""
    horizontal = [
        HorizontalElement(length=450),
        *_curve(curvature=1 / 600, cant=0.1, arc=250, transition=100),
        HorizontalElement(length=300),
        *_curve(curvature=-1 / 800, cant=-0.08, arc=250, transition=100),
        HorizontalElement(length=250),
        *_curve(curvature=1 / 700, cant=0.09, arc=150, transition=100),
        *_curve(curvature=-1 / 700, cant=-0.09, arc=150, transition=100),
        HorizontalElement(length=400),
    ]
    vertical = _grades(
        (600, 0, 0),
        (100, 0, 0.01),
        (500, 0.01, 0.01),
        (200, 0.01, -0.005),
        (600, -0.005, -0.005),
        (100, -0.005, 0),
        (900, 0, 0),
    )
    return tuple(horizontal), vertical


def curve_design() -> Elements:
    """3 km for accuracy runs: curves of 600 m radius, 100 mm cant, left and right in turn, 150 m tangents."""
    horizontal = [HorizontalElement(length=450)]
    for sign in (1, -1, 1, -1, 1):
        horizontal += _curve(curvature=sign / 600, cant=sign * 0.1, arc=150, transition=100)
        horizontal.append(HorizontalElement(length=150))
    horizontal.append(HorizontalElement(length=50))
    return tuple(horizontal), ()


class Scenario(Settings):
    """One simulated run: the line, its rails, the vehicle, the timetable and the sensors."""

    horizontal: tuple[HorizontalElement, ...] = Field(
        default_factory=lambda: demo_design()[0], description="design in plan, along increasing kilometres"
    )
    vertical: tuple[VerticalElement, ...] = Field(
        default_factory=lambda: demo_design()[1], description="design in elevation; empty: level"
    )
    direction: Direction = Field(Direction.INCREASING, description="running direction against the kilometres")
    irregularity: IrregularityConfig = Field(IrregularityConfig(), description="the rails off their design")
    motion: MotionConfig = Field(constant(speed=20.0, length=2950.0), description="the timetable")
    vehicle: TrueVehicle = Field(TrueVehicle(), description="the vehicle as it is, not as estimators are told")
    mounting: Mounting = Field(Mounting(), description="where the IMU sits on the body")
    imu_grade: ImuGrade = Field(ImuGrade.TACTICAL, description="error model of the IMU")
    imu_errors: ImuErrors | None = Field(None, description="replaces the error model of the grade")
    imu_rate: float = Field(500.0, ge=100, le=2000, description="IMU samples per second [Hz]")
    vibration: VibrationConfig = Field(VibrationConfig(), description="of the structure around the IMU")
    encoder: EncoderConfig = Field(EncoderConfig(), description="the wheel encoder")
    slides: tuple[Slide, ...] = Field((), description="episodes of slip or slide")
    latitude: float | None = Field(
        None, ge=-1.571, le=1.571, description="[rad]; switches the rotation of the Earth on"
    )
    heading: float = Field(0.0, description="of the line's start, counter-clockwise from east [rad]")
    dynamics: Dynamics | None = Field(
        None, description="makes the truth by a nonlinear vehicle in contact with its rails, not by kinematics alone"
    )
    survey: SurveyConfig | None = Field(
        None, description="errors of what estimators are told; left out: none for kinematics, its defaults for dynamics"
    )
    seed: int = Field(1, ge=0, description="of everything but the track: sensors, suspension, wander")

    @property
    def surveyed(self) -> Survey:
        """Who tells the estimators about line and train."""
        return Survey(self.survey or (EXACT if self.dynamics is None else SurveyConfig()))

    @property
    def errors(self) -> ImuErrors:
        """Error model of the IMU."""
        return self.imu_errors or GRADES[self.imu_grade]

    def design(self) -> DesignTrack:
        """The design track in running direction."""
        track = DesignTrack.from_elements(list(self.horizontal), list(self.vertical))
        return track if self.direction is Direction.INCREASING else track.reversed()


def curve_scenario(*, speed: float = 20.0, grade: ImuGrade = ImuGrade.TACTICAL, seed: int = 1) -> Scenario:
    """The accuracy run: curve_design at one speed [m/s]; the seed also names the track."""
    horizontal, vertical = curve_design()
    return Scenario(
        horizontal=horizontal,
        vertical=vertical,
        irregularity=IrregularityConfig(seed=seed),
        motion=constant(speed=speed, length=2950.0),
        imu_grade=grade,
        seed=seed,
    )


def demo_scenario(*, seed: int = 1) -> Scenario:
    """The demonstration run: 20 m/s, a stop at a platform, a slide while braking, a slower stretch."""
    legs = (
        Leg(speed=20, distance=1400),
        Leg(speed=0, duration=10),
        Leg(speed=22, distance=700),
        Leg(speed=12, duration=10),
    )
    return Scenario(motion=MotionConfig(legs=legs), slides=(Slide(s=1500, duration=3.0, ratio=-0.15),), seed=seed)


def dynamics_scenario(*, seed: int = 1) -> Scenario:
    """A short run by the nonlinear vehicle: a curve, a dip, a patch of corrugation, a few metres of images."""
    patch = CorrugationPatch(from_s=300.0, to_s=360.0, wavelength=0.06, depth=60e-6)
    waves = ShortWaveConfig(rails=RoughnessConfig(corrugation=(patch,)))
    dip = Defect(shape=DefectShape.DIP, s=420.0, size=6e-3, length=8.0)
    legs = (Leg(speed=20, distance=700), Leg(speed=10, distance=300))
    return Scenario(
        irregularity=IrregularityConfig(defects=(dip,), seed=seed),
        motion=MotionConfig(legs=legs, standstill=10),
        dynamics=Dynamics(wheels=WheelSensorConfig(short_waves=waves), cameras=ImagingConfig(from_s=600.0, to_s=605.0)),
        survey=SurveyConfig(),
        seed=seed,
    )
