"""The stage contract in use: synchroniser, distance grid, and the composition of the twin."""
