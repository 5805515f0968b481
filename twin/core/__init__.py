"""The vocabulary: types every other package speaks in. No mathematics beyond their own invariants."""
