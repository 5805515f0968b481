"""The same mathematics in plain numpy, written to be read: what the fast forms are tested against."""
