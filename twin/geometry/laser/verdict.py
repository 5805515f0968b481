"""What is wrong with a fit. Zero is good; reasons add up."""

from enum import IntFlag


class Verdict(IntFlag):
    """Reasons not to believe a fit, or a part of it."""

    GOOD = 0
    FEW_POINTS = 1
    """Too little of the head is seen."""
    POOR_FIT = 2
    """Too many points are off the head, or all of them are by more than their noise."""
    AMBIGUOUS = 4
    """Another place fits as well."""
    TOP_MISSING = 8
    """The running surface is not seen where the head is highest."""
    GAUGE_MISSING = 16
    """The gauge face is not seen where the gauge is measured."""
    FIELD_MISSING = 32
    """Too little of the field side is seen: the roll is not known."""
    SATURATED = 64
    """Most of the line is white: its middle may be elsewhere."""
    UNSURE = 128
    """The running surface or the gauge point is known too loosely."""
    IMPLAUSIBLE = 256
    """A head so worn, so grown or so inclined does not exist."""
    HEIGHT_UNSURE = 512
    """Vertical wear and the height of the unworn head are not told apart: no unworn part shows the height."""

    ROLL_UNSURE = 1024
    """The field side has not the section's shape, by dirt or damage: roll and place follow it, and so does the wear."""
    DIRT = 2048
    """Running surface or gauge point are not steel, by the head's shape or by their brightness."""


FAULTS = Verdict(511 | 2048)
"""Reasons that forbid the use of running surface and gauge point; the others leave them as they are."""
PLACE_FAULTS = FAULTS | Verdict.ROLL_UNSURE
"""Reasons that forbid the use of the unworn head's lateral place, of the roll and of the wear."""
