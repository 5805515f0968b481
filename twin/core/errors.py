"""Errors of our own. Bad data never raises: it is flagged, counted and reported."""


class RailTwinError(Exception):
    """Anything RailTwin tells a person about: what is wrong, where, and what to do."""


class ConfigError(RailTwinError):
    """A wrong configuration: stops before the first sample."""


class RecordingError(RailTwinError):
    """A recording that cannot be used at all (a damaged one can, and says what is lost)."""


class CalibrationError(RailTwinError):
    """Data unfit for the calibration asked of them."""


class DeviceError(RailTwinError):
    """A device that cannot be opened, identified or commanded."""
