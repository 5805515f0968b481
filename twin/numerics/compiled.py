"""The one door to the compiler: typed, cached on disk."""

from collections.abc import Callable
from typing import TypeVar, cast

from numba import njit

F = TypeVar("F", bound=Callable[..., object])


def compiled(function: F) -> F:
    """Compile a function of arrays and scalars at its first call; later processes load it from the cache."""
    return cast(F, njit(cache=True, error_model="numpy")(function))
