"""What is known to be wrong with a sample. Zero is good; flags add up."""

from enum import IntFlag


class Quality(IntFlag):
    """Flags of one sample, stored as uint8."""

    GOOD = 0
    MISSING = 1
    """No sample arrived; the value is NaN."""
    SATURATED = 2
    """At the end of the sensor's range."""
    IMPLAUSIBLE = 4
    """Outside the plausibility limits, or not finite."""
    STUCK = 8
    """The same value for longer than a live sensor can give."""
    CLOCK_UNSURE = 16
    """The device clock is not yet, or no longer, synchronised to the stated precision."""
    BRIDGED = 32
    """Estimated across missing or rejected measurements."""
    SLIPPING = 64
    """The wheel slips or slides; distance comes from the inertial sensor."""
    STANDSTILL = 128
    """The vehicle stands; not a fault."""


UNUSABLE = Quality.MISSING | Quality.SATURATED | Quality.IMPLAUSIBLE | Quality.STUCK
"""A measurement with one of these flags is not fused."""
