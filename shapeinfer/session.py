"""A model under edit whose facts are kept up to date, for optimizers that rewrite it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, cast

import onnx

from shapeinfer.api import check
from shapeinfer.api.options import Keywords, Options, options_from
from shapeinfer.api.report import Report
from shapeinfer.facts import Fact, Type
from shapeinfer.frontends.formats import ModelLike, load_onnx
from shapeinfer.frontends.onnx.model import graph_of, reader_of_nodes
from shapeinfer.frontends.onnx.tensors import tensor_fact
from shapeinfer.infer.constraints.contract import Contract
from shapeinfer.infer.constraints.redeclared import redeclared
from shapeinfer.infer.incremental import Incremental
from shapeinfer.query import Questions

if TYPE_CHECKING:
    from typing_extensions import Unpack


class Session(Questions):
    """An ONNX model that is edited in place, and the questions of a report, answered for what it is now.

    ``edit`` infers what the change reaches and no more. The answers are those of a fresh ``check`` of the model; that
    is what ``report`` and ``contract`` are, computed when first read after an edit. Whatever changes the
    model otherwise than by ``edit`` needs a new session.
    """

    __slots__ = (
        "_incremental",
        "_options",
        "_read",
        "_report",
        "graph",
        "model",
        "result",
        "values",
    )

    def __init__(
        self,
        model: ModelLike,
        *,
        options: Options | None = None,
        **keywords: Unpack[Keywords],
    ) -> None:
        """Read and infer a model; a ModelProto is edited in place, and options and keywords are those of ``check``.

        Their limits apply to ``report``. Raises ModelError for what is no ONNX model.
        """
        self._options = options_from(options, keywords)
        self.model = load_onnx(model)
        """The model with all edits made so far."""
        graph = graph_of(self.model, default_inputs=self._options.default_inputs)
        self._incremental = Incremental(redeclared(graph, self._options.shapes), self._options.constraints)
        self._read = reader_of_nodes(self.model, self._incremental.graph)
        self._take()

    def _take(self) -> None:
        self.graph = self._incremental.graph
        self.values = cast("Mapping[str, Type]", self._incremental.values)
        self.result = self._incremental.result
        self._report: Report | None = None

    @property
    def report(self) -> Report:
        """What ``check`` finds in the model as it is now."""
        if self._report is None:
            self._report = check(self.model, options=self._options)
        return self._report

    @property
    def contract(self) -> Contract:
        """The conditions under which the model runs as it is now."""
        return self.report.contract

    def index(self, value: str) -> int:
        """Return the index of the node of the main graph that computes a value.

        Raises ValueError where no node computes it.
        """
        index = self._incremental.index(value)
        if index is None:
            raise ValueError(f"no node of the main graph computes {value}")
        return index

    def edit(
        self,
        start: int,
        stop: int,
        nodes: Iterable[onnx.NodeProto] = (),
        initializers: Iterable[onnx.TensorProto] = (),
    ) -> dict[str, Fact | None]:
        """Put nodes in the place of those from ``start`` up to ``stop`` of the main graph, as a slice is assigned.

        Initializers are added, or take the place of those of their name. Returns what is known now of each value that
        the edit changes, None for one that no node computes any more. What is wrong with a model after an edit is in
        ``report``. Raises ValueError for a slice that the graph does not have and for an initializer of the name of
        another value; then nothing is changed.
        """
        graph, new, weights = self.model.graph, list(nodes), {t.name: t for t in initializers}
        if not 0 <= start <= stop <= len(graph.node):
            raise ValueError(f"the graph has {len(graph.node)} nodes: there are none from {start} to {stop}")
        removed = {name for node in graph.node[start:stop] for name in node.output}
        for name in weights:
            if (name in self.values and name not in removed) or any(name in node.output for node in new):
                raise ValueError(f"{name} cannot be an initializer: it is an input or computed by a node")
        read = self._read(new)
        self._write(start, stop, new, weights)
        for node, proto in zip(read, graph.node[start : start + len(new)]):
            node.source = proto
        facts = {name: tensor_fact(tensor) for name, tensor in weights.items()}
        changes = self._incremental.replace(start, stop, read, facts)
        self._take()
        return changes

    def _write(
        self, start: int, stop: int, nodes: Sequence[onnx.NodeProto], weights: dict[str, onnx.TensorProto]
    ) -> None:
        """Make an edit in the model itself."""
        graph, left = self.model.graph, dict(weights)
        del graph.node[start:stop]
        for index, node in enumerate(nodes, start):
            graph.node.insert(index, node)
        if not left.keys().isdisjoint(self._incremental.initializers):
            for tensor in graph.initializer:
                if tensor.name in left:
                    tensor.CopyFrom(left.pop(tensor.name))
        graph.initializer.extend(left.values())
