"""Elements of an XML file with the line each stands in; nothing but elements, attributes and text is read.

A document type is refused before it is read: with it come entities, and with these files that grow in memory or
reach for others. Size and depth are bounded.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from xml.parsers import expat

from twin.core.errors import ConfigError

LARGEST = 64 * 1024 * 1024
"""Largest file [bytes]: fifty times a line of 100 km."""
DEEPEST = 64
"""Most elements inside each other; LandXML has about ten."""


@dataclass(slots=True)
class Element:
    """One element; its name without namespace."""

    name: str
    attributes: dict[str, str]
    line: int
    children: list["Element"] = field(default_factory=list)
    text: str = ""

    def all(self, name: str) -> Iterator["Element"]:
        """Its children of a name."""
        return (child for child in self.children if child.name == name)

    def first(self, name: str) -> "Element | None":
        """Its first child of a name."""
        return next(self.all(name), None)

    def within(self, name: str) -> Iterator["Element"]:
        """All elements of a name below it, in order."""
        for child in self.children:
            if child.name == name:
                yield child
            yield from child.within(name)


class _Builder:
    """Collects the elements an expat parser reports."""

    def __init__(self, path: Path, parser: expat.XMLParserType) -> None:
        self._path, self._parser = path, parser
        self._open: list[Element] = [Element("", {}, 0)]
        parser.buffer_text = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._text
        parser.StartDoctypeDeclHandler = self._doctype

    @property
    def root(self) -> Element:
        return self._open[0].children[0]

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        line = self._parser.CurrentLineNumber
        if len(self._open) > DEEPEST:
            raise ConfigError(f"{self._path}, line {line}: more than {DEEPEST} elements inside each other")
        element = Element(name.rpartition(" ")[2].rpartition(":")[2], attributes, line)
        self._open[-1].children.append(element)
        self._open.append(element)

    def _end(self, _name: str) -> None:
        self._open.pop()

    def _text(self, text: str) -> None:
        self._open[-1].text += text

    def _doctype(self, *_declaration: object) -> None:
        line = self._parser.CurrentLineNumber
        raise ConfigError(f"{self._path}, line {line}: has a DOCTYPE, which is not read: remove the declaration")


def read_xml(path: Path) -> Element:
    """The outermost element of a file, or ConfigError with file and line."""
    try:
        size = path.stat().st_size
        if size > LARGEST:
            raise ConfigError(f"{path}: {size / 1e6:.0f} MB are more than the {LARGEST / 1e6:.0f} MB read")
        data = path.read_bytes()
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read ({error.strerror})") from None
    parser = expat.ParserCreate()
    builder = _Builder(path, parser)
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        raise ConfigError(f"{path}, line {error.lineno}: is not XML ({expat.errors.messages[error.code]})") from None
    return builder.root
