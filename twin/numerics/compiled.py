"""The one door to the compiler: typed, cached on disk."""

import os
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import TypeVar, cast

from numba import config, njit

F = TypeVar("F", bound=Callable[..., object])


def compiled(function: F) -> F:
    """Compile a function of arrays and scalars at its first call; later processes load it from the cache."""
    return cast(F, njit(cache=True, error_model="numpy")(function))


def cache_directory(root: Path) -> Path:
    """Where compiled code is kept: one folder per state of the sources below root.

    The compiler notices a change of the file a kernel is in, but not of the files it calls into: an old kernel with new
    callees would give old numbers. So any change of the mathematics starts a fresh folder.
    """
    sources = sorted(root.rglob("*.py"))
    digest = sha256(b"".join(path.read_bytes() for path in sources if b"@compiled" in path.read_bytes())).hexdigest()
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "railtwin" / f"kernels-{digest[:16]}"


if not vars(config)["CACHE_DIR"]:  # NUMBA_CACHE_DIR goes before
    vars(config)["CACHE_DIR"] = str(cache_directory(Path(__file__).parents[1]))
