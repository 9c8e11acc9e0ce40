"""OpenVINO IR as a frontend."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from attrs import frozen

from shapeinfer.diagnostics.printable import printable
from shapeinfer.frontends.formats import Inferred, Reading
from shapeinfer.frontends.openvino.model import graph_of
from shapeinfer.frontends.openvino.read import Document
from shapeinfer.frontends.openvino.read import load as load_document
from shapeinfer.frontends.openvino.write import annotated
from shapeinfer.graph import Graph


@frozen(eq=False, repr=False)
class IrModel:
    """An IR as it was read."""

    document: Document
    reading: Reading

    @property
    def model(self) -> bytes:
        """The bytes of its .xml file."""
        return self.document.data

    def graph(self) -> Graph:
        """Return its main graph."""
        return graph_of(self.document, self.reading.profile, self.reading.shapes)

    def annotated(self, graph: Graph, inferred: Inferred) -> bytes:
        """Return the .xml file with the dims of all ports filled in. Raises ValueError if it is not UTF-8."""
        return annotated(self.document, graph, inferred.scopes)


def load(model: str | os.PathLike[str] | bytes, reading: Reading) -> IrModel:
    """Read an IR. Raises ModelError."""
    return IrModel(load_document(model), reading)


@contextlib.contextmanager
def write(model: bytes, _source: str | None) -> Iterator[Iterable[bytes | memoryview]]:
    """Give the bytes of the .xml file."""
    yield (model,)


def unreachable_files(_model: bytes, source: str | None, out: str) -> str:
    """Return a warning where the .bin of the new file's name is not the source's, empty where it is."""
    if source is None:
        return ""
    theirs, ours = Path(source).with_suffix(".bin"), Path(out).with_suffix(".bin")
    if not theirs.exists() or (ours.exists() and ours.samefile(theirs)):
        return ""
    return f"{printable(out)} reads its constants from {printable(ours.name)}; copy {printable(str(theirs))} to it"
