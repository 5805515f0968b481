"""Quantities of EN 13848 from the rails of one run: bands, twist, chords, deviations, exceedances."""
