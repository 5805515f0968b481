"""The wire and nothing else: packet layouts, framing, checksum, clock messages."""
