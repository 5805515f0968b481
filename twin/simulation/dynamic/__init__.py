"""Truth by dynamics: the nonlinear vehicle of twin.vehicle.running on a simulated track, and its sensors."""
