"""Independent random streams by name: a new source never changes the numbers of the others."""

import numpy as np


def generator(seed: int, purpose: str) -> np.random.Generator:
    """The stream of one purpose ("imu noise", "track level") under one seed."""
    return np.random.default_rng([seed, *purpose.encode()])
