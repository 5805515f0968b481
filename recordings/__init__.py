"""Containers of raw packets and results: writer, tolerant reader, repair, replay source."""
