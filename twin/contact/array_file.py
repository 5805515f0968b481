"""Plain arrays on disk with a card that says what they are: one .npz, in which nothing is code.

A file of another kind or version, or with arrays that do not fit its card, is refused with the reason and what to do.
"""

import json
from pathlib import Path
from typing import Any, TypeVar
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from twin.core.arrays import frozen
from twin.core.errors import CalibrationError, ConfigError
from twin.core.settings import Settings

VERSION = 1
"""Of the files this program writes and reads."""

Card = TypeVar("Card", bound=Settings)


def save_arrays(file: Path, card: Settings, arrays: dict[str, NDArray[Any]]) -> None:
    """Write arrays and their card; an existing file is replaced in one step."""
    written = np.frombuffer(card.model_dump_json(indent=1).encode(), dtype=np.uint8)
    everything: dict[str, Any] = {"card": written, **arrays}
    beside = file.with_name(file.name + ".part")
    with beside.open("wb") as stream:
        np.savez_compressed(stream, **everything)
    beside.replace(file)


class ArrayFile:
    """A file that was read, and the words for what it should hold and how to make it again."""

    def __init__(self, file: Path, *, what: str, remedy: str) -> None:
        self.file, self.what, self.remedy = file, what, remedy
        try:
            with np.load(file, allow_pickle=False) as stored:
                self._arrays: dict[str, Any] = {name: stored[name] for name in stored.files}
        except FileNotFoundError:
            raise CalibrationError(f"{file}: no such file; {remedy}") from None
        except (OSError, ValueError, BadZipFile, AttributeError, EOFError) as error:
            raise CalibrationError(f"{file}: no file of {what}, or damaged ({error}); {remedy}") from None

    def card(self, kind: type[Card]) -> Card:
        """The card, checked; it says which version the file is of."""
        try:
            data = json.loads(bytes(self._arrays["card"]).decode())
            version = data["version"]
        except (KeyError, TypeError, ValueError):
            raise CalibrationError(f"{self.file}: has no card, so it holds no {self.what}") from None
        if version != VERSION:
            raise self.refuse(f"is of version {version}, this program reads {VERSION}")
        try:
            return kind.load(data, where=str(self.file))
        except ConfigError as error:
            first = str(error).partition(";")[0]
            raise CalibrationError(f"{first}; the card is damaged or of another kind; {self.remedy}") from None

    def array(self, name: str, shape: tuple[int, ...], kind: type[Any] = np.float64) -> NDArray[Any]:
        """One array of the shape and kind its card asks for, finite."""
        values = self._arrays.get(name)
        if values is None or values.shape != shape or values.dtype != kind or not np.all(np.isfinite(values)):
            raise self.refuse(f"'{name}' must hold finite numbers of shape {shape}, as its card says")
        return frozen(np.ascontiguousarray(values))

    def refuse(self, reason: str) -> CalibrationError:
        """The error of a file that is not what it should be."""
        return CalibrationError(f"{self.file}: {reason}; {self.remedy}")
