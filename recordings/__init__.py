"""Containers of raw packets and results: writer, tolerant reader, repair, replay source."""

from recordings.config import RecordingConfig
from recordings.damage import DamageReport, LostPart
from recordings.header import ClockPair, RecordingHeader
from recordings.image import RecordedImage, has_images, in_order
from recordings.info import RecordingInfo, describe
from recordings.reader import RecordingReader, open_recording, replay
from recordings.repair import RepairReport, repair
from recordings.result_codec import Archived
from recordings.results import ResultReader, ResultWriter
from recordings.writer import RecordingWriter, WriterStatus

__all__ = [
    "Archived",
    "ClockPair",
    "DamageReport",
    "LostPart",
    "RecordedImage",
    "RecordingConfig",
    "RecordingHeader",
    "RecordingInfo",
    "RecordingReader",
    "RecordingWriter",
    "RepairReport",
    "ResultReader",
    "ResultWriter",
    "WriterStatus",
    "describe",
    "has_images",
    "in_order",
    "open_recording",
    "repair",
    "replay",
]
