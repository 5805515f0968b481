"""The same mathematics in plain numpy, written to be read: each compiled kernel is bound to it by a test."""
