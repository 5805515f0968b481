"""Expressions made runnable: C compiled once and kept on disk, or CasADi's own virtual machine without a compiler."""

import os
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from warnings import warn

import casadi as ca
import numpy as np

COMPILERS = ("cc", "gcc", "clang")
FLAGS = ("-O2", "-fPIC", "-shared", "-fno-math-errno")
COMPILE_SECONDS = 300
"""A compiler that takes longer is given up, and the virtual machine used."""


class SlowerWithoutCompiler(UserWarning):
    """Functions run on CasADi's virtual machine: the same numbers, some thirty times slower."""


@dataclass(frozen=True, slots=True)
class Cost:
    """Size of a function, as [Ros Table 2] lists it.

    The paper does not define its columns. Here an atom is an expression computed once and read twice or more, and
    operations are all those carried out: sums, products, roots, sines.
    """

    atoms: int
    operations: int


def cost(function: ca.Function) -> Cost:
    """Count the instructions of a function of SX."""
    reads = [0] * function.n_instructions()
    writer: dict[int, int] = {}
    operations = 0
    for place in range(function.n_instructions()):
        code = function.instruction_id(place)
        computes = code not in (ca.OP_INPUT, ca.OP_CONST, ca.OP_OUTPUT)
        if computes:
            operations += 1
        if computes or code == ca.OP_OUTPUT:
            for slot in function.instruction_input(place):
                reads[writer[slot]] += 1
        if code != ca.OP_OUTPUT:
            writer[function.instruction_output(place)[0]] = place
            if not computes:
                reads[place] = -function.n_instructions()  # an input or a constant is no atom
    return Cost(sum(count > 1 for count in reads), operations)


def code_directory() -> Path:
    """Where compiled functions are kept."""
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "railtwin" / "vehicles"


def found_compiler() -> str | None:
    """Path of a C compiler: the one named in CC, else the first of the usual ones; None where there is none."""
    names = (os.environ.get("CC", ""), *COMPILERS)
    return next((path for name in names if (path := shutil.which(name))), None)


def buffered(function: ca.Function, *, compiler: str | None, directory: Path) -> "Buffered":
    """The function as machine code, compiled unless the directory holds the same source compiled before.

    Without a compiler, or where it fails: the function itself, and a warning that says so.
    """
    if compiler is None:
        _warn_slower("no C compiler found (CC, cc, gcc, clang)")
        return Buffered(function)
    generator = ca.CodeGenerator(f"{function.name()}.c")
    generator.add(function)
    text = generator.dump()
    key = sha256(" ".join((compiler, *FLAGS, text)).encode()).hexdigest()[:20]
    library = directory / f"{function.name()}-{key}.so"
    if not library.exists():
        try:
            _compile(text, library, compiler)
        except (OSError, subprocess.SubprocessError) as error:
            _warn_slower(f"{compiler} failed ({error})")
            return Buffered(function)
    return Buffered(ca.external(function.name(), str(library)), library)


def _compile(text: str, library: Path, compiler: str) -> None:
    library.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=library.parent) as folder:
        source, built = Path(folder, "source.c"), Path(folder, library.name)
        source.write_text(text)
        command = [compiler, *FLAGS, str(source), "-o", str(built), "-lm"]
        subprocess.run(command, check=True, capture_output=True, timeout=COMPILE_SECONDS)
        built.replace(library)  # at once: another process sees the whole file or none


def _warn_slower(reason: str) -> None:
    warn(f"{reason}: the vehicle runs on CasADi's virtual machine, slower", SlowerWithoutCompiler, stacklevel=3)


class Buffered:
    """A function called without copies: write its inputs, call, read its outputs.

    A plain call of a CasADi function converts every argument, which costs far more than the function.
    """

    def __init__(self, function: ca.Function, library: Path | None = None) -> None:
        """library: the file a compiled function was loaded from."""
        self.function, self.library = function, library
        self.inputs = {name: np.zeros(function.nnz_in(i)) for i, name in enumerate(function.name_in())}
        self.outputs = {name: np.zeros(function.nnz_out(i)) for i, name in enumerate(function.name_out())}
        buffer: Any
        buffer, call = function.buffer()
        for i, values in enumerate(self.inputs.values()):
            buffer.set_arg(i, values.data)
        for i, values in enumerate(self.outputs.values()):
            buffer.set_res(i, values.data)
        self._buffer = buffer  # the call writes through it: it must live as long
        self.call: Callable[[], None] = call
        """Evaluate: reads the arrays of inputs, writes those of outputs."""
