"""The wire and nothing else: packet layouts, framing, checksum, clock messages."""

from firmware_interface.chunk import Chunk
from firmware_interface.codec import pack, payload_dtype, to_packet, unpack
from firmware_interface.framing import Deframer, FrameCounts, Packet, encode
from firmware_interface.layout import MAX_PAYLOAD
from firmware_interface.schema import (
    HOST_SENDS,
    MAX_FRAME,
    VERSION,
    Acknowledge,
    AxleBoxBlock,
    Block,
    BridgeBlock,
    EncoderSample,
    Identify,
    Identity,
    ImuSample,
    LaserDistanceBlock,
    Message,
    PacketKind,
    ProfilePoints,
    SetRate,
    Start,
    Stop,
    SyncRequest,
    SyncResponse,
)
from firmware_interface.sequence import Arrival, SequenceMonitor

__all__ = [
    "HOST_SENDS",
    "MAX_FRAME",
    "MAX_PAYLOAD",
    "VERSION",
    "Acknowledge",
    "Arrival",
    "AxleBoxBlock",
    "Block",
    "BridgeBlock",
    "Chunk",
    "Deframer",
    "EncoderSample",
    "FrameCounts",
    "Identify",
    "Identity",
    "ImuSample",
    "LaserDistanceBlock",
    "Message",
    "Packet",
    "PacketKind",
    "ProfilePoints",
    "SequenceMonitor",
    "SetRate",
    "Start",
    "Stop",
    "SyncRequest",
    "SyncResponse",
    "encode",
    "pack",
    "payload_dtype",
    "to_packet",
    "unpack",
]
