"""A model under edit whose facts are kept up to date, for optimizers that rewrite it."""

from __future__ import annotations

import contextlib
import errno
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, cast

import onnx
from attrs import evolve

from shapeinfer import regular
from shapeinfer.api import check
from shapeinfer.api.options import Keywords, Options, options_from
from shapeinfer.api.report import Report
from shapeinfer.diagnostics.codes import Severity
from shapeinfer.diagnostics.diagnostic import Diagnostic
from shapeinfer.diagnostics.nearest import did_you_mean
from shapeinfer.facts import Fact, MapType, OptionalType, SequenceType, SparseTensor, Tensor, Type
from shapeinfer.frontends.formats import ModelLike, load_onnx, onnx_format_of
from shapeinfer.frontends.onnx.external import files_beside
from shapeinfer.frontends.onnx.imports import key_of
from shapeinfer.frontends.onnx.model import graph_of, reader_of_nodes
from shapeinfer.frontends.onnx.tensors import tensor_fact
from shapeinfer.frontends.onnx.types import type_proto
from shapeinfer.graph import Graph, Node
from shapeinfer.graph.call import spelled_function
from shapeinfer.infer.constraints.contract import Contract
from shapeinfer.infer.constraints.redeclared import redeclared
from shapeinfer.infer.diagnosis.causes import Causes, grouped
from shapeinfer.infer.incremental import Incremental
from shapeinfer.query import Questions
from shapeinfer.report.save import replace, require_directory

if TYPE_CHECKING:
    from typing_extensions import Unpack

Body: TypeAlias = "onnx.GraphProto | onnx.FunctionProto"
"""A graph of the model: the main one, one among the attributes of a node, or a function."""
_Path: TypeAlias = "tuple[str, ...]"
"""The names by which findings name a graph and those around it."""


class Edited(dict[str, "Fact | None"]):
    """The values of the main graph that an edit changed, with what is known of them now; and what it broke.

    A value is None that no node computes any more. ``diagnostics`` has the errors and warnings at the nodes that the
    edit put there, and elsewhere those that were not there before it, one for each cause. What only the model as a
    whole shows, such as nodes that nothing uses and sizes that an input must have, is in ``Session.report``.
    """

    diagnostics: tuple[Diagnostic, ...]

    def __init__(self, values: Mapping[str, Fact | None] | None = None, diagnostics: Iterable[Diagnostic] = ()) -> None:
        super().__init__(values or {})
        self.diagnostics = tuple(diagnostics)

    @property
    def ok(self) -> bool:
        """Whether the edit brought no error."""
        return not any(d.severity is Severity.ERROR for d in self.diagnostics)


class Session(Questions):
    """An ONNX model that is edited in place, and the questions of a report, answered for what it is now.

    ``edit`` infers what the change reaches and no more. The answers are those of a fresh ``check`` of the model; that
    is what ``report`` and ``contract`` are, computed when first read after an edit. Whatever changes the model
    otherwise than by the session's methods is taken in by ``refresh``.
    """

    __slots__ = (
        "_incremental",
        "_options",
        "_read",
        "_report",
        "_source",
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
        self._source = model if isinstance(model, (str, os.PathLike)) else None
        self.model = load_onnx(model)
        """The model with all edits made so far."""
        graph = self._graph()
        self._incremental = Incremental(graph, self._options.constraints)
        self._take()
        self._read = reader_of_nodes(self.model, graph)

    def _graph(self) -> Graph:
        """Return the main graph of the model as it is now, with its inputs as the options declare them."""
        graph = graph_of(self.model, default_inputs=self._options.default_inputs)
        return redeclared(graph, self._options.shapes)

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
        *,
        graph: Body | None = None,
    ) -> Edited:
        """Put nodes in the place of those from ``start`` up to ``stop``, as a slice is assigned.

        ``graph`` is the one that has the nodes: the main graph by default, a graph among the attributes of a node, such
        as ``node.attribute[0].g``, or a function of the model. Initializers are added to it, or take the place of those
        of their name.

        Returns what is known now of each value of the main graph that the edit changes, None for one that no node
        computes any more, and in ``diagnostics`` what is wrong since. Raises ValueError for a graph that is not in the
        model, for a slice that it does not have and for an initializer of the name of another value, TypeError for what
        is no NodeProto; then nothing is changed.
        """
        body, new, weights = self.model.graph if graph is None else graph, list(nodes), list(initializers)
        path = self._path_of(body)
        if not 0 <= start <= stop <= len(body.node):
            raise ValueError(f"the graph has {len(body.node)} nodes: there are none from {start} to {stop}")
        for node in new:
            if not isinstance(node, onnx.NodeProto):
                raise TypeError(f"{node!r} is not a node; give those that onnx.helper.make_node returns")
        read = self._read(new)
        self._require_free_names(body, start, stop, new, weights)
        if body is self.model.graph and not self._is_read_anew(read):
            return self._replace(start, stop, new, read, weights)
        _write(body, start, stop, new, weights)
        return self._reread((path, range(start, start + len(new))))

    def redeclare(self, name: str, fact: Fact) -> Edited:
        """Declare an input of the model anew, such as ``Tensor("f32", ["batch", 3, 224, 224])``.

        What the model declares of other values stays: ``diagnostics`` tells where that contradicts. A shape that the
        session's options give for the input is dropped. Returns as ``edit`` does. Raises ValueError for a name that is
        no input and for what is no type of one; then nothing is changed.
        """
        declared = {value.name: value for value in self.model.graph.input}
        if name not in declared:
            raise ValueError(f"{name} is not an input of the model{did_you_mean(name, declared)}")
        if not isinstance(fact, (Tensor, SparseTensor, SequenceType, OptionalType, MapType)):
            raise ValueError(f"{name} cannot be {fact!r}; an input has a type such as Tensor('f32', ['N', 3])")
        if isinstance(fact, Tensor) and fact.value is not None:
            raise ValueError(f"{name} cannot have the entries {fact.spelled}; only an initializer has some")
        shapes = {given: shape for given, shape in self._options.shapes.items() if given != name}
        self._options = evolve(self._options, shapes=shapes)
        self._incremental.given = self._options.constraints
        declared[name].type.CopyFrom(type_proto(fact))
        return self._reread()

    def refresh(self) -> Edited:
        """Read the model again after it was changed otherwise, as in its outputs, opsets or list of functions.

        Returns as ``edit`` does. Raises ModelError for what is no model any more.
        """
        return self._reread()

    def save(self, path: str | os.PathLike[str], *, external_data: bool = True) -> None:
        """Write the model as it is now, whole or not at all; with the suffix ``.onnxtxt`` in ONNX's text syntax.

        Weights that are in files of their own beside the model that was read are copied to the new one's directory,
        unless ``external_data`` is false. Of a session that was given a ModelProto they are not known.

        Raises OSError for a file that cannot be written, among them FileExistsError where a file of weights would take
        the place of another one, and ValueError for a model that does not fit into one file, or whose weights are links
        to files elsewhere. Then all files are as they were.
        """
        path = os.fspath(path)
        require_directory(path)
        known = onnx_format_of(self._source or self.model).written_as(path)
        with contextlib.ExitStack() as undo:
            with known.loaded.write(self.model, None) as pieces:
                if external_data and self._source is not None:
                    _copy_weights(files_beside(self.model, Path(self._source).parent), Path(path).parent, undo)
                replace(path, pieces)
            undo.pop_all()

    def _path_of(self, body: Body) -> _Path:
        """Return how findings name a graph of the model. Raises ValueError for one that is not in it."""
        if body is self.model.graph:
            return ()
        found = next((path for path, each in _bodies(self.model) if each is body), None)
        if found is None:
            raise ValueError("the graph is not part of session.model; give one of its graphs or functions")
        return found

    def _require_free_names(
        self,
        body: Body,
        start: int,
        stop: int,
        nodes: Iterable[onnx.NodeProto],
        weights: Sequence[onnx.TensorProto],
    ) -> None:
        """Raise ValueError for an initializer of the name of another value."""
        if not weights:
            return
        if isinstance(body, onnx.FunctionProto):
            raise ValueError("a function has no initializers; use Constant nodes")
        if body is self.model.graph:
            removed = {name for node in body.node[start:stop] for name in node.output}
            taken = self.values.keys() - removed
        else:
            kept = (*body.node[:start], *body.node[stop:])
            taken = {v.name for v in body.input} | {name for node in kept for name in node.output}
        taken |= {name for node in nodes for name in node.output}
        for tensor in weights:
            if tensor.name in taken:
                raise ValueError(f"{tensor.name} cannot be an initializer: it is an input or computed by a node")

    def _is_read_anew(self, nodes: Iterable[Node]) -> bool:
        """Whether more than nodes is to be read, since what is wrong with the file may change with them."""
        graph = self._incremental.graph
        return bool(graph.faults) or any(n.graphs is not None or n.call.domain not in graph.opsets for n in nodes)

    def _replace(
        self,
        start: int,
        stop: int,
        nodes: Sequence[onnx.NodeProto],
        read: Sequence[Node],
        weights: Iterable[onnx.TensorProto],
    ) -> Edited:
        """Replace nodes of the main graph by others, as they were read, and infer what that reaches."""
        facts = {tensor.name: tensor_fact(tensor) for tensor in weights}
        _write(self.model.graph, start, stop, nodes, weights)
        for node, proto in zip(read, self.model.graph.node[start : start + len(nodes)]):
            node.source = proto
        before = self._incremental.result
        changes = self._incremental.replace(start, stop, read, facts)
        self._take()
        if self._incremental.result is before:
            return Edited(changes)  # all that was reached hands on facts and reports nothing
        return Edited(changes, self._findings(before.diagnostics, (), range(start, start + len(nodes))))

    def _reread(self, place: tuple[_Path, range] = ((), range(0))) -> Edited:
        """Read and infer the model anew. ``place`` says where nodes were put."""
        graph = self._graph()
        before = self._incremental.result.diagnostics
        changes = self._incremental.restart(graph)
        self._read = reader_of_nodes(self.model, graph)
        self._take()
        return Edited(changes, self._findings(before, *place))

    def _findings(self, before: Iterable[Diagnostic], path: _Path, indices: range) -> list[Diagnostic]:
        """Return the findings at nodes that were put somewhere, and elsewhere those that were not there before."""
        result = self._incremental.result
        known = Counter(d.fingerprint for d in before)
        found = []
        for d in result.diagnostics:
            was_there = known[d.fingerprint] > 0
            if was_there:
                known[d.fingerprint] -= 1
            if d.severity is not Severity.NOTE and (not was_there or _is_at(d, path, indices)):
                found.append(d)
        return grouped(found, Causes(result.inferred.values()))


def _is_at(diagnostic: Diagnostic, path: _Path, indices: range) -> bool:
    node = diagnostic.node
    if node is None or node.index not in indices:
        return False
    return node.graph[-len(path) :] == path if path else not node.graph


def _bodies(model: onnx.ModelProto) -> Iterator[tuple[_Path, Body]]:
    """Yield the graphs of a model but the main one, each with how findings name it, the call of a function apart."""
    pending: list[tuple[_Path, Body]] = [((), model.graph)]
    pending += [((spelled_function(key_of(function)),), function) for function in model.functions]
    while pending:
        path, body = pending.pop()
        yield path, body
        for index, node in enumerate(body.node):
            for a in node.attribute:
                name = f"{node.name or f'{node.op_type}_{index}'}.{a.name}"
                if a.HasField("g"):
                    pending.append(((*path, name), a.g))
                pending += [((*path, f"{name}[{i}]"), inner) for i, inner in enumerate(a.graphs)]


def _write(
    body: Body, start: int, stop: int, nodes: Sequence[onnx.NodeProto], weights: Iterable[onnx.TensorProto]
) -> None:
    """Make an edit in the model itself."""
    del body.node[start:stop]
    for index, node in enumerate(nodes, start):
        body.node.insert(index, node)
    left = {tensor.name: tensor for tensor in weights}
    if not left or isinstance(body, onnx.FunctionProto):
        return
    for tensor in body.initializer:
        if tensor.name in left:
            tensor.CopyFrom(left.pop(tensor.name))
    body.initializer.extend(left.values())


def _copy_weights(files: Mapping[str, Path], folder: Path, undo: contextlib.ExitStack) -> None:
    """Copy files to a folder, each whole or not at all; ``undo`` removes them again.

    Raises FileExistsError where a file of other contents has the name of one.
    """
    copies = {folder / name: path for name, path in files.items()}
    copies = {to: path for to, path in copies.items() if not (to.exists() and to.samefile(path))}
    for to, path in list(copies.items()):
        if to.exists():
            if not _are_alike(path, to):
                what = "other weights are in this file; save the model to another directory"
                raise FileExistsError(errno.EEXIST, what, str(to))
            del copies[to]
    for to, path in copies.items():
        to.parent.mkdir(parents=True, exist_ok=True)
        with regular.opened(path) as file:
            replace(str(to), iter(lambda file=file: file.read(regular.PIECE), b""))  # type: ignore[misc]
        undo.callback(to.unlink, missing_ok=True)


def _are_alike(a: Path, b: Path) -> bool:
    """Whether two files hold the same bytes."""
    if a.stat().st_size != b.stat().st_size:
        return False
    with regular.opened(a) as one, regular.opened(b) as other:
        while piece := one.read(regular.PIECE):
            if piece != other.read(regular.PIECE):
                return False
    return True
