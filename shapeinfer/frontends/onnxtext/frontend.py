"""ONNX's text syntax as a frontend."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator

import onnx
from attrs import frozen

from shapeinfer.frontends.formats import Inferred, Reading
from shapeinfer.frontends.onnx.frontend import annotated, unreachable_files
from shapeinfer.frontends.onnxtext.load import graph_of, parse, to_model
from shapeinfer.frontends.onnxtext.tree import ModelText
from shapeinfer.frontends.onnxtext.write import text_of
from shapeinfer.graph import Graph

__all__ = ["TextModel", "load", "unreachable_files", "write"]


@frozen(eq=False, repr=False)
class TextModel:
    """The text of a model as it was read."""

    text: ModelText
    path: str | None
    reading: Reading

    @property
    def model(self) -> onnx.ModelProto:
        """The model that it stands for. Raises ModelError, with all that is wrong with the text."""
        return to_model(self.text, self.path)

    def graph(self) -> Graph:
        """Return its main graph, as far as the text could be read. Raises ModelError where there is none."""
        return graph_of(self.text, default_inputs=self.reading.default_inputs)

    def annotated(self, graph: Graph, inferred: Inferred) -> onnx.ModelProto:
        """Return the model with the types of all values filled in."""
        return annotated(self.model, graph, inferred)


def load(model: str | os.PathLike[str] | bytes, reading: Reading) -> TextModel:
    """Read a text. Raises ModelError for what is none, and if it is to be written again for all that is wrong."""
    found = TextModel(parse(model), None if isinstance(model, bytes) else os.fspath(model), reading)
    if reading.whole:
        _ = found.model  # which raises what is wrong with the text
    return found


@contextlib.contextmanager
def write(model: onnx.ModelProto, _source: str | None) -> Iterator[Iterable[bytes | memoryview]]:
    """Give a model as text. Raises ValueError for one whose data the syntax cannot hold."""
    yield (text_of(model).encode("utf-8", "surrogateescape"),)
