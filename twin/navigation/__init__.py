"""Attitude, position along the track and trajectory from one inertial sensor and an encoder."""
