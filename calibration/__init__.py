"""Calibration store and procedures. The consumer owns a calibration's type; this package produces it."""
