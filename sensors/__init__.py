"""Packets to RawBlock: decoders, device clocks, ports, and the device emulator."""
