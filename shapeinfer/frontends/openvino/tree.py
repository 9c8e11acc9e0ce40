"""The elements of an XML document with the lines they stand on; one that declares types or entities is refused."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NoReturn
from xml.parsers import expat

from attrs import define, field

from shapeinfer.budget import look

_CUT = frozenset(
    {
        expat.errors.codes[expat.errors.XML_ERROR_NO_ELEMENTS],
        expat.errors.codes[expat.errors.XML_ERROR_UNCLOSED_TOKEN],
        expat.errors.codes[expat.errors.XML_ERROR_PARTIAL_CHAR],
        expat.errors.codes[expat.errors.XML_ERROR_UNCLOSED_CDATA_SECTION],
    }
)


class XmlError(ValueError):
    """The document cannot be read; with ``cut`` it seems to end in the middle."""

    def __init__(self, message: str, line: int, *, cut: bool = False) -> None:
        super().__init__(message)
        self.line = line
        self.cut = cut


@define(eq=False)
class Element:
    """One element: its attributes, elements and text inside, its line, and the bytes from its start to its end tag."""

    tag: str
    attributes: dict[str, str]
    line: int
    start: int
    end: int = 0
    children: list[Element] = field(factory=list)
    _text: list[str] = field(factory=list)

    @property
    def text(self) -> str:
        return "".join(self._text)

    def all(self, tag: str) -> Iterator[Element]:
        """Iterate over the children of a tag."""
        return (child for child in self.children if child.tag == tag)

    def first(self, tag: str) -> Element | None:
        """Return the first child of a tag, None if there is none."""
        return next(self.all(tag), None)

    def below(self, *path: str) -> list[Element]:
        """Return the elements at the end of a path of tags."""
        found = [self]
        for tag in path:
            found = [child for parent in found for child in parent.all(tag)]
        return found


def parse(data: bytes) -> Element:
    """Return the root element of a document. Raises XmlError."""
    parser = expat.ParserCreate()
    parser.buffer_text = True
    top = Element("", {}, 0, 0)
    stack = [top]

    def start(tag: str, attributes: dict[str, str]) -> None:
        look()
        element = Element(tag, attributes, parser.CurrentLineNumber, parser.CurrentByteIndex)
        stack[-1].children.append(element)
        stack.append(element)

    def end(_tag: str) -> None:
        stack.pop().end = parser.CurrentByteIndex

    def text(found: str) -> None:
        look()
        if not found.isspace():
            stack[-1]._text.append(found)

    def refuse(*_what: Any) -> NoReturn:
        message = "it declares a document type or an entity, which no IR does and no reader should follow"
        raise XmlError(message, parser.CurrentLineNumber)

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = text
    parser.StartDoctypeDeclHandler = refuse
    parser.EntityDeclHandler = refuse
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        raise XmlError(expat.errors.messages[error.code], error.lineno, cut=error.code in _CUT) from error
    finally:
        # They know the parser that knows them, so neither would be freed before the collector comes.
        parser.StartElementHandler = parser.EndElementHandler = parser.CharacterDataHandler = None
        parser.StartDoctypeDeclHandler = parser.EntityDeclHandler = None
    return top.children[0]
