"""Array types. Data that travel between stages are read-only."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
IntArray = NDArray[np.int64]
FlagArray = NDArray[np.uint8]
BoolArray = NDArray[np.bool_]

G = 9.80665
"""Standard gravity [m/s^2]: the default where no local value is configured."""


def frozen(values: NDArray[Any]) -> NDArray[Any]:
    """A read-only view: the owner may still write, those who receive it may not."""
    view = values.view()
    view.flags.writeable = False
    return view
