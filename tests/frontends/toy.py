"""A frontend as another package would bring it: all that it takes to add a format, in one module.

A model is lines of text: ``input NAME DIM...``, ``OPERATOR OUTPUT INPUT...`` and ``output NAME``.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from attrs import frozen

from shapeinfer.diagnostics import codes
from shapeinfer.diagnostics.diagnostic import Diagnostic
from shapeinfer.diagnostics.errors import ModelError
from shapeinfer.dims import symbol
from shapeinfer.facts import DType, tensor
from shapeinfer.frontends.formats import Format, Inferred, Reading
from shapeinfer.graph import Call, Graph, Node

MAGIC = b"TOY\n"


@frozen
class Line:
    """Where a node came from."""

    name: str
    line: int


@frozen(eq=False)
class ToyModel:
    """The lines of a model."""

    model: bytes

    def graph(self) -> Graph:
        graph = Graph("toy", [], {}, {}, [], {}, {"": 20}, format="toy")
        inputs, nodes, outputs = {}, [], []
        for number, line in enumerate(self.model.decode().splitlines()[1:], 2):
            kind, name, *rest = line.split()
            if kind == "input":
                inputs[name] = tensor(DType.FLOAT, tuple(int(d) if d.isdigit() else symbol(d) for d in rest))
            elif kind == "output":
                outputs.append(name)
            else:
                nodes.append(Node(Call(kind, opset=20), tuple(rest), (name,), Line(name, number)))
        graph.inputs, graph.nodes, graph.outputs = inputs, nodes, outputs
        return graph

    def annotated(self, graph: Graph, inferred: Inferred) -> bytes:
        types = inferred.scopes[graph]
        lines = self.model.decode().splitlines()
        for node in graph.nodes:
            assert node.line is not None
            lines[node.line - 1] += f" # {types[node.outputs[0]]}"
        return "\n".join([*lines, ""]).encode()


class ToyFrontend:
    """What reads and writes such models."""

    def load(self, model: str | os.PathLike[str] | bytes, _reading: Reading) -> ToyModel:
        data = model if isinstance(model, bytes) else Path(model).read_bytes()
        if not data.startswith(MAGIC):
            raise ModelError([Diagnostic(codes.NOT_A_MODEL, codes.NOT_A_MODEL.severity, "not a toy model")])
        return ToyModel(data)

    @contextlib.contextmanager
    def write(self, model: bytes, _source: str | None) -> Iterator[list[bytes]]:
        yield [model]

    def unreachable_files(self, _model: bytes, _source: str | None, _out: str) -> str:
        return ""


TOY = Format(
    name="toy",
    title="a toy model",
    suffixes=(".toy",),
    sniff=lambda data: data.startswith(MAGIC),
    frontend=ToyFrontend(),
)
