"""The compiled equations of motion called from compiled code: no Python between two steps.

CasADi's C functions are all of one form, int f(const double** arg, double** res, long long* iw, double* w, int mem).
Their arguments are addresses, so one call by address serves every vehicle, and kernels that use it can be cached.
"""

import ctypes
from collections.abc import Callable
from typing import Any, NamedTuple, cast

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

from twin.core.arrays import IntArray
from twin.vehicle.symbolic.export import Buffered


class Native(NamedTuple):
    """A C function and its buffers, as addresses; 0 for a function that is not there."""

    function: int
    arguments: int
    results: int
    integers: int
    work: int


class NativeCall:
    """A buffered function of a compiled library as addresses; keeps what lies behind them."""

    def __init__(self, buffered: Buffered) -> None:
        if buffered.library is None:
            self.native = Native(0, 0, 0, 0, 0)
            return
        self._library = ctypes.CDLL(str(buffered.library))
        function = buffered.function
        self._function = getattr(self._library, function.name())
        self._inputs = _addresses(list(buffered.inputs.values()), function.sz_arg())
        self._outputs = _addresses(list(buffered.outputs.values()), function.sz_res())
        self._integers = np.zeros(max(1, function.sz_iw()), dtype=np.int64)
        self._work = np.zeros(max(1, function.sz_w()))
        self.native = Native(
            int(ctypes.cast(self._function, ctypes.c_void_p).value or 0),
            self._inputs.ctypes.data,
            self._outputs.ctypes.data,
            self._integers.ctypes.data,
            self._work.ctypes.data,
        )


def _addresses(arrays: list[Any], room: int) -> IntArray:
    found = np.zeros(max(room, len(arrays), 1), dtype=np.int64)
    found[: len(arrays)] = [array.ctypes.data for array in arrays]
    return found


@intrinsic
def _call(typing_context: Any, native: Any) -> Any:

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        word, result = ir.IntType(64), ir.IntType(32)
        parts = [builder.extract_value(arguments[0], i) for i in range(5)]
        form = ir.FunctionType(result, [word, word, word, word, result])
        function = builder.inttoptr(parts[0], form.as_pointer())
        return builder.call(function, [*parts[1:], ir.Constant(result, 0)])

    return types.int32(native), generate


call_native = cast(Callable[[Native], int], _call)
"""Call the function, in compiled code: what it returns, 0 if all is well."""
