"""The vehicle as an observer: track irregularities and its own condition from inertial sensors alone."""
