"""Rail heads in the light of a laser: the line in an image, its place in space, the head that fits it."""

from twin.geometry.laser.line import Centres, ExtractionSettings, LaserLine, LineExtractor
from twin.geometry.laser.measured import Wear
from twin.geometry.laser.plane import LaserPlaneCalibration, PlaneMap, plane_map
from twin.geometry.laser.registration import HeadFix, Registration, RegistrationSettings
from twin.geometry.laser.ridges import Image
from twin.geometry.laser.section import HeadSection, SectionSettings, head_section, section_of
from twin.geometry.laser.sight import CameraSight, ScannerSight
from twin.geometry.laser.strip import Strip, StripSettings
from twin.geometry.laser.verdict import FAULTS, PLACE_FAULTS, Verdict
from twin.geometry.laser.wear_model import WearSettings

__all__ = [
    "FAULTS",
    "PLACE_FAULTS",
    "CameraSight",
    "Centres",
    "ExtractionSettings",
    "HeadFix",
    "HeadSection",
    "Image",
    "LaserLine",
    "LaserPlaneCalibration",
    "LineExtractor",
    "PlaneMap",
    "Registration",
    "RegistrationSettings",
    "ScannerSight",
    "SectionSettings",
    "Strip",
    "StripSettings",
    "Verdict",
    "Wear",
    "WearSettings",
    "head_section",
    "plane_map",
    "section_of",
]
