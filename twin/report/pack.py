"""Columns packed into text for the page: small enough to mail, exact to a stated resolution.

A column becomes whole multiples of its resolution, then their differences, split into four planes of bytes
(lowest first), deflated, in base64. Neighbours are alike, so that the high planes nearly vanish: 50 km of results
take a few megabytes instead of 17. The page reverses it (page/decode.js).
"""

import base64
import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from twin.core.arrays import Array

UNKNOWN = -(2**31)
"""Stands for a value that is not finite."""
LARGEST = 2**31 - 1
"""Beyond this many times the resolution a value is cut off, far outside any chart."""


def pack(values: Array, *, resolution: float) -> str:
    """Text of a column. resolution: the smallest difference that is kept, in the unit of the column."""
    finite = np.isfinite(values)
    steps = np.clip(np.rint(np.where(finite, values, 0.0) / resolution), -LARGEST, LARGEST)
    whole = np.where(finite, steps, UNKNOWN).astype(np.int64)
    difference = np.diff(whole, prepend=0).astype(np.uint32)  # modulo 2^32: the sum comes out right again
    planes = difference.astype("<u4").view(np.uint8).reshape(-1, 4).T
    return _text(planes)


def unpack(text: str, *, resolution: float) -> Array:
    """What the page makes of the text: the reference for it."""
    planes = np.frombuffer(zlib.decompress(base64.b64decode(text)), dtype=np.uint8).reshape(4, -1)
    difference = np.ascontiguousarray(planes.T).view("<u4")[:, 0]
    whole = np.cumsum(difference, dtype=np.uint32).astype(np.int32)
    return np.where(whole == UNKNOWN, np.nan, whole * resolution)


def _text(planes: NDArray[Any]) -> str:
    return base64.b64encode(zlib.compress(np.ascontiguousarray(planes).tobytes(), 6)).decode("ascii")
