"""Rewrite a model as far as its shapes allow it, until nothing is left to rewrite."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import onnx
from attrs import evolve, field, frozen

from shapeinfer.diagnostics import codes
from shapeinfer.diagnostics.codes import Severity
from shapeinfer.diagnostics.diagnostic import Diagnostic
from shapeinfer.diagnostics.errors import ModelError, error_for
from shapeinfer.frontends.formats import is_ir
from shapeinfer.frontends.onnx import graph_of, load
from shapeinfer.frontends.onnx.read import ModelLike
from shapeinfer.frontends.onnx.types import type_proto
from shapeinfer.graph import Graph
from shapeinfer.infer.budget import Budget
from shapeinfer.infer.contract import Contract
from shapeinfer.infer.given import Given
from shapeinfer.infer.result import Result, infer_graph
from shapeinfer.ops.call import MAX_SIZE
from shapeinfer.rewrite.branches import known_branch
from shapeinfer.rewrite.constants import Seen, computed_before, known_value, shape_of_input
from shapeinfer.rewrite.copies import copy, undone
from shapeinfer.rewrite.edits import Draft, Edit, node_count
from shapeinfer.rewrite.names import Names, bodies_of, nested, step
from shapeinfer.rewrite.site import Site
from shapeinfer.rewrite.targets import expand_target, reshape_target
from shapeinfer.rewrite.unused import annotated_names, remove_unused, spoken_of

FAMILIES: tuple[tuple[str, Callable[[Site, int], Edit | None]], ...] = (
    ("known-branch", known_branch),
    ("known-value", known_value),
    ("copy", copy),
    ("undone", undone),
    ("shape-of-input", shape_of_input),
    ("reshape-target", reshape_target),
    ("expand-target", expand_target),
)
COMPUTED_BEFORE, UNUSED = "computed-before", "unused"
REWRITES: Mapping[str, str] = {
    "known-branch": "the condition of an If is known: the branch taken stands in its place",
    "known-value": "what comes out is the same for all inputs: a constant",
    "copy": "what comes out is what goes in: those who read it read that",
    "undone": "it turns back what nodes before it did: those who read it read what was there before",
    "shape-of-input": "it computes lengths of an input: the Shape of that input",
    "reshape-target": "the target of a Reshape is computed: a constant with 0 and -1",
    "expand-target": "the target of an Expand is computed: a constant with 1 for what stays",
    COMPUTED_BEFORE: "a node before it computes the same lengths: those who read it read that",
    UNUSED: "nothing reads what the node makes: it is removed",
}
"""What ``fold`` does to a model, by name."""


@frozen
class Rewrite:
    """One rewrite, by its name in ``REWRITES``, and the node that it was made at."""

    rewrite: str
    op_type: str
    name: str
    output: str
    graph: tuple[str, ...] = ()
    """The way to the graph that the node was in; empty for the main graph."""

    def to_dict(self) -> dict[str, Any]:
        return {
            "rewrite": self.rewrite,
            "op_type": self.op_type,
            "name": self.name,
            "output": self.output,
            "graph": list(self.graph),
        }


@frozen
class Folded:
    """A model that was folded, and what was done to it."""

    model: onnx.ModelProto = field(repr=False)
    before: int
    """How many nodes there were, those inside nodes too and those of model-local functions not."""
    after: int
    rewrites: tuple[Rewrite, ...] = field(repr=False)
    contract: Contract = field(repr=False)
    """The conditions on input dims under which the model gives what it gave before."""
    diagnostics: tuple[Diagnostic, ...] = field(default=(), repr=False)
    """What was found in the model before; none of it is an error."""

    @property
    def counts(self) -> dict[str, int]:
        """How often each rewrite was made, in the order of ``REWRITES``; what was not made is left out."""
        counted = Counter(r.rewrite for r in self.rewrites)
        return {name: counted[name] for name in REWRITES if counted[name]}

    def to_dict(self) -> dict[str, Any]:
        """Return all but the model in the form that ``shapeinfer fold --format json`` prints."""
        return {
            "before": self.before,
            "after": self.after,
            "counts": self.counts,
            "rewrites": [r.to_dict() for r in self.rewrites],
            "contract": [r.to_dict() for r in self.contract],
        }


def fold(
    model: ModelLike,
    *,
    bind: Mapping[str, int] | None = None,
    shapes: Mapping[str, Sequence[int]] | None = None,
    ranges: Mapping[str, tuple[int, int | None]] | None = None,
    assume: Sequence[str] = (),
    max_seconds: float | None = None,
    max_expression: int = MAX_SIZE,
    weights: bool = True,
) -> Folded:
    """Return a copy of an ONNX model without what is not needed once shapes are known.

    Shape computations become constants, nodes that copy what they read go, and so do branches never taken, see
    ``REWRITES``. For all inputs that meet the contract, and what the keywords say as in ``check``, the outputs are the
    same bit for bit, with the same names and types; sizes that are given stand in the types of inputs afterwards. What a
    model declares of other values than inputs is not relied on. Functions of the model are left as they are, and weights
    are not read: without ``weights`` a large file's are left out of the copy, for who writes them from the file itself.
    Folding a second time changes nothing.

    Raises ModelError for what is no ONNX model, and the ShapeInferError of the fault for a model that has errors.
    """
    source = _loaded(model, weights)
    out = onnx.ModelProto()
    out.CopyFrom(source)
    given = Given(bind or {}, shapes or {}, ranges or {}, assume)
    return _Fold(out, given, Budget(max_seconds, max_expression)).run()


def _loaded(model: ModelLike, weights: bool) -> onnx.ModelProto:
    if is_ir(model):
        message = "this is an OpenVINO IR; fold rewrites ONNX models alone"
        path = None if isinstance(model, (bytes, onnx.ModelProto)) else os.fspath(model)
        raise ModelError([Diagnostic(codes.NOT_A_MODEL, codes.NOT_A_MODEL.severity, message, path=path)])
    return load(model, weights=weights)


class _Fold:
    """Folds one model in place."""

    def __init__(self, model: onnx.ModelProto, given: Given, budget: Budget) -> None:
        self.model = model
        self.given = given
        self.budget = budget
        self.spoken = spoken_of(model)
        graphs = (model.graph, *nested(model.graph))
        self.kept = self.spoken.union(*(annotated_names(g) for g in graphs))
        self.names = Names(model)
        self.made: list[Rewrite] = []

    def run(self) -> Folded:
        """Rewrite until nothing changes."""
        before = node_count(self.model.graph)
        self._remove_unused()
        first = result = self._inferred()
        while self._rewrite(result):
            self._remove_unused()
            result = self._inferred()
        self._write_sizes(first)
        after = node_count(self.model.graph)
        return Folded(self.model, before, after, tuple(self.made), first.contract, first.diagnostics)

    def _remove_unused(self) -> None:
        for r in remove_unused(self.model.graph, self.spoken):
            self.made.append(Rewrite(UNUSED, r.op_type, r.name, r.output, r.graph))

    def _inferred(self) -> Result:
        graph = graph_of(self.model)
        _doubt(graph)
        result = infer_graph(graph, self.given, budget=self.budget)
        wrong = [d for d in result.diagnostics if d.severity is Severity.ERROR or d.code is codes.USED_BEFORE_MADE]
        if wrong:
            raise error_for([evolve(d, severity=Severity.ERROR) for d in wrong])
        return result

    def _rewrite(self, result: Result) -> bool:
        """Rewrite what one inference allows; tell whether anything changed."""
        drafts: list[Draft] = []
        self._visit(Site(self.model.graph, result.graph, result, kept_names=frozenset(self.kept)), {}, drafts)
        for draft in drafts:
            draft.apply()
        return any(draft.nodes for draft in drafts)

    def _visit(self, site: Site, seen: Seen, drafts: list[Draft]) -> None:
        """Find the edits of a graph and, before them in ``drafts``, those of the graphs inside it."""
        draft = Draft(site, self.names, self.model.ir_version)
        for index, node in enumerate(site.nodes):
            for attribute, body in bodies_of(site.proto.node[index]):
                inner = (node.graphs or {}).get(attribute)
                if inner is not None and inner in site.result.scopes:
                    path = (*site.path, step(site.proto.node[index], index, attribute))
                    hidden = {v.name for v in body.input}.union(*(n.output for n in body.node))
                    known = {key: name for key, name in seen.items() if name not in hidden}
                    self._visit(Site(body, inner, site.result, path, site, site.kept_names), known, drafts)
            if not site.checks(index):
                self._edit(draft, index, seen)
        drafts.append(draft)

    def _edit(self, draft: Draft, index: int, seen: Seen) -> None:
        site = draft.site
        for rewrite, edit in _edits(site, index, seen):
            if edit is not None and draft.take(index, edit):
                proto = site.proto.node[index]
                output = next(filter(None, proto.output), "")
                self.made.append(Rewrite(rewrite, proto.op_type, proto.name, output, site.path))
                return

    def _write_sizes(self, result: Result) -> None:
        """Put the sizes that were given into the types of the inputs, which then say what the model is for."""
        if not (self.given.bind or self.given.shapes):
            return
        for value in self.model.graph.input:
            fact = result.scopes[result.graph].get(value.name)
            if fact is not None and value.name in result.graph.inputs:
                _give_sizes(value.type, type_proto(fact))


def _edits(site: Site, index: int, seen: Seen) -> Iterator[tuple[str, Edit | None]]:
    for rewrite, family in FAMILIES[:4]:
        yield rewrite, family(site, index)
    yield COMPUTED_BEFORE, computed_before(site, index, seen)
    for rewrite, family in FAMILIES[4:]:
        yield rewrite, family(site, index)


def _give_sizes(there: onnx.TypeProto, found: onnx.TypeProto) -> None:
    """Write the numbers of a type into another, whose names and texts stay."""
    if not there.HasField("tensor_type") or not found.HasField("tensor_type"):
        return
    ours, theirs = there.tensor_type, found.tensor_type
    if not ours.HasField("shape") and theirs.HasField("shape"):
        ours.shape.CopyFrom(theirs.shape)
    for mine, size in zip(ours.shape.dim, theirs.shape.dim):
        if size.HasField("dim_value"):
            mine.dim_value = size.dim_value


def _doubt(graph: Graph) -> None:
    """Forget what a model declares of values other than its inputs, which no runtime holds it to."""
    from shapeinfer.facts import Tensor, tensor

    pending = [graph]
    while pending:
        here = pending.pop()
        here.declared = {}
        for node in here.nodes:
            for inner in (node.graphs or {}).values():
                steering = 2 if node.call.op_type == "Loop" else 0
                inner.inputs = {
                    name: tensor(f.dtype, None) if isinstance(f, Tensor) and i >= steering else f
                    for i, (name, f) in enumerate(inner.inputs.items())
                }
                pending.append(inner)
