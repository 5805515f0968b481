"""The one source of the wire: what travels, in which bytes, in which unit and range.

The Python codec (`layout`, `codec`), the C header and the table of the README (`generate`) all derive from the
message classes below. A field is a Python type annotated with its `Wire` form; fields travel in the order written,
little endian, without padding. Numbers are raw: calibration to SI is the decoder's business, not the wire's.
"""

from dataclasses import dataclass
from enum import IntEnum
from typing import Annotated, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray

VERSION = 1
"""First byte of every packet; grows when an existing layout changes (new kinds do not count)."""

MAX_FRAME = 4096
"""Largest packet on the wire, COBS encoded, with its closing delimiter [bytes]."""

MAX_PACKET = 4078
"""Largest packet before COBS [bytes]: COBS adds one byte per 254 begun, the delimiter one more."""

WireType = Literal["char", "u8", "u16", "i16", "u32", "i32", "u64", "i64"]


@dataclass(frozen=True, slots=True)
class Wire:
    """How one field of fixed size travels."""

    type: WireType
    doc: str
    unit: str = ""
    length: int = 1
    """Elements of an array; one for a scalar."""
    limits: tuple[int, int] | None = None
    """Least and greatest meaningful value; None where the type itself is the limit."""


@dataclass(frozen=True, slots=True)
class Rows:
    """What follows the fixed fields: an array whose shape they state, row by row."""

    type: WireType
    shape: tuple[str | int, ...]
    """Names of fixed fields, or constants."""
    doc: str
    unit: str = ""


class PacketKind(IntEnum):
    """Second byte of every packet. Below 16 measurements, from 16 on the conversation."""

    IMU = 1
    ENCODER = 2
    AXLE_BOX = 3
    BRIDGE = 4
    LASER_DISTANCE = 5
    PROFILE = 6
    SYNC_REQUEST = 16
    SYNC_RESPONSE = 17
    IDENTIFY = 18
    IDENTITY = 19
    START = 20
    STOP = 21
    SET_RATE = 22
    ACKNOWLEDGE = 23


@dataclass(frozen=True, slots=True)
class Header:
    """In front of every payload. A CRC-32 over header and payload closes the packet."""

    version: Annotated[int, Wire("u8", "version of this schema", limits=(VERSION, VERSION))]
    kind: Annotated[int, Wire("u8", "kind of the packet: how to read the payload")]
    sequence: Annotated[int, Wire("u16", "counts the packets of the sender, all kinds together; wraps")]
    ticks: Annotated[int, Wire("u64", "device clock: first sample of the payload, or moment of sending", "tick")]


CHECKSUM = Wire("u32", "CRC-32 (IEEE 802.3, as zlib) over header and payload")


@dataclass(frozen=True, slots=True)
class ImuSample:
    """One reading of the inertial sensor."""

    kind: ClassVar = PacketKind.IMU
    accel: Annotated[tuple[int, int, int], Wire("i32", "specific force along x, y, z", "count", length=3)]
    gyro: Annotated[tuple[int, int, int], Wire("i32", "angular rate about x, y, z", "count", length=3)]
    temperature: Annotated[int, Wire("i16", "of the sensor, above 273.15 K", "0.01 K", limits=(-10_000, 20_000))]


@dataclass(frozen=True, slots=True)
class EncoderSample:
    """One reading of the wheel encoder."""

    kind: ClassVar = PacketKind.ENCODER
    count: Annotated[int, Wire("i32", "angle of the wheel since the start of the device; wraps", "count")]
    status: Annotated[int, Wire("u8", "0 healthy, else the device's own fault code")]


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """Equally spaced samples of all channels of one device."""

    period_ns: Annotated[int, Wire("u32", "from one sample to the next", "ns", limits=(1_000, 1_000_000_000))]
    channels: Annotated[int, Wire("u8", "values per sample", limits=(1, 255))]
    samples: Annotated[int, Wire("u16", "samples in this packet", limits=(1, 2_027))]
    counts: Annotated[NDArray[np.int16], Rows("i16", ("samples", "channels"), "samples, oldest first", "count")]

    @classmethod
    def of(cls, *, period_ns: int, counts: NDArray[np.int16]) -> Self:
        """A block from its samples (samples, channels)."""
        samples, channels = counts.shape
        return cls(period_ns=period_ns, channels=channels, samples=samples, counts=counts)


@dataclass(frozen=True, slots=True, eq=False)
class AxleBoxBlock(Block):
    """Accelerations of the axle boxes."""

    kind: ClassVar = PacketKind.AXLE_BOX


@dataclass(frozen=True, slots=True, eq=False)
class BridgeBlock(Block):
    """Strains of the bridges on an instrumented wheelset."""

    kind: ClassVar = PacketKind.BRIDGE


@dataclass(frozen=True, slots=True, eq=False)
class LaserDistanceBlock(Block):
    """Distances measured by lasers."""

    kind: ClassVar = PacketKind.LASER_DISTANCE


@dataclass(frozen=True, slots=True, eq=False)
class ProfilePoints:
    """One cross-section of a rail, in the axes of the sensor; without points when the laser saw nothing."""

    kind: ClassVar = PacketKind.PROFILE
    rail: Annotated[int, Wire("u8", "0 left, 1 right", limits=(0, 1))]
    points: Annotated[int, Wire("u16", "points in this packet", limits=(0, 507))]
    yz_um: Annotated[NDArray[np.int32], Rows("i32", ("points", 2), "y (left) and z (up) of each point", "um")]

    @classmethod
    def of(cls, *, rail: int, yz_um: NDArray[np.int32]) -> Self:
        """A cross-section from its points (points, 2)."""
        return cls(rail=rail, points=yz_um.shape[0], yz_um=yz_um)


@dataclass(frozen=True, slots=True)
class SyncRequest:
    """The host asks for the time of the device."""

    kind: ClassVar = PacketKind.SYNC_REQUEST
    id: Annotated[int, Wire("u32", "number of the request")]
    t_host_ns: Annotated[int, Wire("i64", "host monotonic clock at sending", "ns")]


@dataclass(frozen=True, slots=True)
class SyncResponse:
    """The device answers at once; the ticks of the header are those at sending."""

    kind: ClassVar = PacketKind.SYNC_RESPONSE
    id: Annotated[int, Wire("u32", "number of the request")]
    t_host_ns: Annotated[int, Wire("i64", "of the request, echoed", "ns")]
    ticks_received: Annotated[int, Wire("u64", "device clock when the delimiter of the request arrived", "tick")]


@dataclass(frozen=True, slots=True)
class Identify:
    """The host asks who is there."""

    kind: ClassVar = PacketKind.IDENTIFY


@dataclass(frozen=True, slots=True)
class Identity:
    """The device says who it is; also sent unasked after power-up."""

    kind: ClassVar = PacketKind.IDENTITY
    serial: Annotated[str, Wire("char", "serial number, ASCII, filled up with zero bytes", length=16)]
    device_kind: Annotated[int, Wire("u8", "kind of the packets it measures")]
    tick_hz: Annotated[int, Wire("u32", "nominal rate of its clock", "Hz", limits=(1_000, 1_000_000_000))]
    rate_mhz: Annotated[int, Wire("u32", "sampling rate", "0.001 Hz", limits=(1, 4_294_967_295))]
    firmware: Annotated[int, Wire("u16", "version of the firmware")]


@dataclass(frozen=True, slots=True)
class Start:
    """The host asks for measurements."""

    kind: ClassVar = PacketKind.START


@dataclass(frozen=True, slots=True)
class Stop:
    """The host asks for silence; commands are still answered."""

    kind: ClassVar = PacketKind.STOP


@dataclass(frozen=True, slots=True)
class SetRate:
    """The host asks for another sampling rate."""

    kind: ClassVar = PacketKind.SET_RATE
    rate_mhz: Annotated[int, Wire("u32", "sampling rate", "0.001 Hz", limits=(1, 4_294_967_295))]


@dataclass(frozen=True, slots=True)
class Acknowledge:
    """The device's answer to START, STOP and SET_RATE."""

    kind: ClassVar = PacketKind.ACKNOWLEDGE
    command: Annotated[int, Wire("u8", "kind of the command answered")]
    status: Annotated[int, Wire("u8", "0 done, else the device's own reason for refusing")]


Message = (
    ImuSample
    | EncoderSample
    | AxleBoxBlock
    | BridgeBlock
    | LaserDistanceBlock
    | ProfilePoints
    | SyncRequest
    | SyncResponse
    | Identify
    | Identity
    | Start
    | Stop
    | SetRate
    | Acknowledge
)

HOST_SENDS = frozenset(
    {
        PacketKind.SYNC_REQUEST,
        PacketKind.IDENTIFY,
        PacketKind.START,
        PacketKind.STOP,
        PacketKind.SET_RATE,
    }
)
"""Kinds that travel from host to device; all others travel from device to host."""
