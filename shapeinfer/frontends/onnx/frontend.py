"""ONNX's binary form as a frontend."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

import onnx
from attrs import frozen

from shapeinfer.diagnostics.printable import printable
from shapeinfer.frontends.formats import ONNX, Inferred, ModelLike, Reading, format_of
from shapeinfer.frontends.onnx.external import external_files
from shapeinfer.frontends.onnx.model import graph_of
from shapeinfer.frontends.onnx.read import load as load_proto
from shapeinfer.frontends.onnx.read import rewritten
from shapeinfer.frontends.onnx.write import annotate, give_sizes
from shapeinfer.graph import Graph

MOST_NAMED = 3
"""A warning names so many files."""


@frozen(eq=False, repr=False)
class OnnxModel:
    """A ModelProto as it was read."""

    model: onnx.ModelProto
    reading: Reading

    def graph(self) -> Graph:
        """Return its main graph. Raises ModelError."""
        return graph_of(self.model, thorough=self.reading.thorough, default_inputs=self.reading.default_inputs)

    def annotated(self, graph: Graph, inferred: Inferred) -> onnx.ModelProto:
        """Return a copy with the types of all values filled in."""
        return annotated(self.model, graph, inferred)


def annotated(model: onnx.ModelProto, graph: Graph, inferred: Inferred) -> onnx.ModelProto:
    """Return a copy of a model, whose graph is ``graph``, with the types of all values filled in."""
    out = onnx.ModelProto()
    out.CopyFrom(model)
    give_sizes(out, inferred.declared, graph.inputs)
    annotate(out, graph, inferred.scopes, inferred.stands_for, inferred.output_dims, sized=inferred.sized)
    return out


def load(model: ModelLike, reading: Reading) -> OnnxModel:
    """Read a model. Raises ModelError."""
    return OnnxModel(load_proto(model, weights=reading.weights), reading)


@contextlib.contextmanager
def write(model: onnx.ModelProto, source: str | None) -> Iterator[Iterable[bytes | memoryview]]:
    """Give the bytes of a model, with the weights that were left out of it when it was read from ``source``.

    Raises ValueError for a model that does not fit into one file.
    """
    if source is not None and format_of(source).name == ONNX:
        with rewritten(source, model) as pieces:
            yield pieces
        return
    try:
        data: bytes = model.SerializeToString()
    except Exception as error:
        raise ValueError(f"the model does not fit into one file ({error})") from error
    yield (data,)


def unreachable_files(model: onnx.ModelProto, source: str | None, out: str) -> str:
    """Return a warning where weights are in files of their own that are not beside ``out``, empty where they are."""
    weights = external_files(model)
    here = Path.cwd() if source is None else Path(os.path.realpath(source)).parent
    if not weights or here == Path(os.path.realpath(out)).parent:
        return ""
    names = ", ".join(printable(name) or "''" for name in weights[:MOST_NAMED])
    names += ", ..." if len(weights) > MOST_NAMED else ""
    return f"{printable(out)} reads its weights from files beside it ({names}); copy them there too"
