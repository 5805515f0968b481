"""Vehicles as data, and the equations of their motion."""
