"""Rewrite a model as far as its shapes allow it, until nothing is left to rewrite."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING

import onnx
from attrs import evolve

from shapeinfer.api import spending_on
from shapeinfer.api.options import DEFAULTS, Keywords, Options, options_from
from shapeinfer.budget import spending
from shapeinfer.diagnostics import codes
from shapeinfer.diagnostics.codes import Severity
from shapeinfer.diagnostics.errors import ShapeInferError, error_for
from shapeinfer.dims import AnyOf, AtMost, Condition, Equal, Size, has_fresh_symbol
from shapeinfer.facts import UNKNOWN, Fact, Tensor, resized, tensor
from shapeinfer.frontends.formats import ModelLike, load_onnx
from shapeinfer.frontends.onnx.model import graph_of
from shapeinfer.frontends.onnx.names import as_text
from shapeinfer.frontends.onnx.write import annotate, give_sizes
from shapeinfer.graph import UNNAMED, Declaration, Graph, Node
from shapeinfer.infer.constraints.redeclared import has_names, redeclared
from shapeinfer.infer.result import Result, infer_graph
from shapeinfer.rewrite import functions
from shapeinfer.rewrite.choice import MAX_GROWTH, Choice
from shapeinfer.rewrite.constant_nodes import Allowance, constant_nodes
from shapeinfer.rewrite.edits import Draft
from shapeinfer.rewrite.folded import UNUSED, Folded, Rewrite
from shapeinfer.rewrite.names import Names, bodies_of, nested, step
from shapeinfer.rewrite.rules.constant_folding import constant_folding
from shapeinfer.rewrite.rules.known_branch import taken_branch
from shapeinfer.rewrite.site import Places, Site
from shapeinfer.rewrite.unused import annotated_names, names_in_training, remove_unused

if TYPE_CHECKING:
    from typing_extensions import Unpack


def fold(
    model: ModelLike,
    *,
    options: Options | None = None,
    weights: bool = True,
    only: Collection[str] | None = None,
    skip: Collection[str] = (),
    approximate: bool = False,
    max_growth: float = MAX_GROWTH,
    infer: bool = False,
    **keywords: Unpack[Keywords],
) -> Folded:
    """Return a copy of an ONNX model without what is not needed once its shapes are known.

    Shape computations become constants, and nodes go that copy what they read, or that no output needs; what is done
    is listed in ``shapeinfer.rewrite.folded.REWRITES``. Each rewrite is proved: for all inputs that meet the contract,
    and the options, which are those of ``check``, each node that remains computes the same values bit for bit, and
    so do the outputs, under the same names. That is where a runtime computes each operator in one way from its inputs:
    one that packs constant weights for another kernel, or rounds only at the ends of chains of half precision, as
    onnxruntime does, may give other last bits.

    Types are written as inferred, and sizes from the options into the inputs' too; an author's name stays
    where it is right, and what only data decides of an output as it is declared. What a model declares of other values
    than inputs is not relied on. Its functions are folded for whatever they are called with, unless they read
    attributes of their caller. Folding the result again changes nothing.

    The limits apply to each inference: one is made after every round of rewrites.

    ``only`` and ``skip`` choose rewrites by name. ``approximate`` adds those that may change last bits. What is
    computed from constants may make the file larger by ``max_growth``, a share of the bytes of its constants. With
    ``infer`` the types of all values are written, else those of values that have one.

    Without ``weights`` those of a large file are left out of the copy, for who writes them from the file itself, and
    nothing is computed from them. Raises ValueError for a name of no rewrite, ModelError for what is no ONNX model, the
    ShapeInferError of the fault for one with errors.
    """
    chosen = options_from(options, keywords)
    choice = Choice.of(only, skip, approximate=approximate, max_growth=max_growth)
    with spending_on(chosen.budget, model):
        source = _redeclared(load_onnx(model, weights=weights), chosen)
    folded = _folded(source, chosen, choice)
    folded = evolve(folded, rewrites=(*folded.rewrites, *_fold_functions(folded.model, chosen, choice)))
    _retype(folded.model, chosen, adds=infer)
    return folded


def _folded(source: onnx.ModelProto, options: Options, choice: Choice) -> Folded:
    """Fold a model; where that loses output types, again with every node kept that checks its inputs."""
    freely = _Fold(source, options, choice)
    folded = freely.run()
    if freely.keeps_types:
        return folded
    folded = _Fold(source, options, choice, keep_checks=True).run()
    if not folded.rewrites:
        return folded
    rest = _folded(folded.model, options, choice)
    return evolve(folded, model=rest.model, after=rest.after, rewrites=(*folded.rewrites, *rest.rewrites))


def _fold_functions(model: onnx.ModelProto, options: Options, choice: Choice) -> Iterator[Rewrite]:
    """Fold the bodies of a model's own functions, whatever they are called with."""
    limits = evolve(DEFAULTS, max_seconds=options.max_seconds, max_memory=options.max_memory)
    for function, body in functions.bodies(model):
        try:
            folded = _folded(body, limits, choice)
        except ShapeInferError:
            continue  # a fault that no call shows
        if folded.rewrites:
            functions.put_back(function, folded.model)
            name = as_text(function.name)
            yield from (evolve(r, graph=(name, *r.graph)) for r in folded.rewrites)


def _redeclared(source: onnx.ModelProto, options: Options) -> onnx.ModelProto:
    """Return a model with the inputs that the caller declares anew."""
    if not any(map(has_names, options.shapes.values())):
        return source
    graph = graph_of(source, default_inputs=options.default_inputs)
    anew = redeclared(graph, options.shapes)
    out = onnx.ModelProto()
    out.CopyFrom(source)
    give_sizes(out, graph.inputs, anew.inputs)
    return out


class _Fold:
    """Folds a copy of one model."""

    def __init__(self, source: onnx.ModelProto, options: Options, choice: Choice, *, keep_checks: bool = False) -> None:
        self.model = onnx.ModelProto()
        self.model.CopyFrom(source)
        self.options = options
        self.choice = choice
        self.allowance = Allowance.of(self.model, choice.max_growth)
        self.keep_checks = keep_checks
        """Whether nodes stay that require anything of the inputs, be it only that a dim is not 0."""
        self.read_elsewhere = names_in_training(self.model)
        graphs = (self.model.graph, *nested(self.model.graph))
        self.kept = self.read_elsewhere.union(*(annotated_names(g) for g in graphs))
        self.names = Names(self.model, self.read_elsewhere)
        self.keeps_types = True
        """Whether an inference finds the outputs' types as before, without the nodes that went."""
        self.rewrites: list[Rewrite] = []

    def run(self) -> Folded:
        """Rewrite until nothing changes."""
        before = self._count()
        self._remove_unused()
        first = last = self._inferred()
        while self._rewrite(last):
            self._remove_unused()
            last = self._inferred()
        self.keeps_types = _outputs(first) == _outputs(last)
        after = self._count()
        found = evolve(first, graph=first.graph.without_nodes(), scopes={})
        return Folded(self.model, before, after, tuple(self.rewrites), first.diagnostics, found)

    def _count(self) -> int:
        return sum(len(g.node) for g in (self.model.graph, *nested(self.model.graph)))

    def _remove_unused(self) -> None:
        if not self.model.graph.output or UNUSED not in self.choice.names:
            return
        for r in remove_unused(self.model.graph, self.read_elsewhere):
            self.rewrites.append(Rewrite(UNUSED, r.op_type, as_text(r.name), r.output, r.graph))

    def _inferred(self) -> Result:
        graph = graph_of(self.model, default_inputs=self.options.default_inputs)
        with _doubting(graph), spending(self.options.budget):
            result = infer_graph(graph, self.options.constraints)
        wrong = [d for d in result.diagnostics if d.severity is Severity.ERROR or d.code is codes.USED_BEFORE_MADE]
        if wrong:
            raise error_for([evolve(d, severity=Severity.ERROR) for d in wrong])
        return result

    def _rewrite(self, result: Result) -> bool:
        """Rewrite what one inference allows; return whether anything changed."""
        drafts: list[Draft] = []
        checking = _checking(result, self.keep_checks)
        self._visit(Site(self.model.graph, result.graph, result, checking, self.kept, self.names), drafts)
        for draft in drafts:
            draft.apply()
        return not all(draft.is_empty for draft in drafts)

    def _visit(self, site: Site, drafts: list[Draft]) -> None:
        """Find the edits of a graph; in ``drafts`` those of the graphs inside it come before them."""
        draft = Draft(site, self.model.ir_version)
        if constant_folding in self.choice.rules:
            constant_nodes(site, self.allowance, approximate=self.choice.approximate)
        for index, node in enumerate(site.nodes):
            taken = taken_branch(site, index)
            for attribute, body in bodies_of(site.proto.node[index]):
                inner = (node.graphs or {}).get(attribute)
                runs = taken is None or taken.attribute == attribute
                if runs and inner is not None and inner in site.result.scopes:
                    inside = site.inside(body, inner, step(site.proto.node[index], index, attribute))
                    self._visit(inside, drafts)
            if not site.checks(index):
                self._edit(draft, index)
        drafts.append(draft)

    def _edit(self, draft: Draft, index: int) -> None:
        site = draft.site
        for rule in self.choice.rules_for(site.op(index)):
            edit = rule.find(site, index)
            if edit is not None and draft.take(index, edit):
                proto = site.proto.node[index]
                output = next(filter(None, proto.output), "")
                self.rewrites.append(Rewrite(rule.name, proto.op_type, as_text(proto.name), output, site.path))
                return


def _retype(model: onnx.ModelProto, options: Options, *, adds: bool) -> None:
    """Let the types in a folded model say what is inferred, for other tools believe them.

    A false one that did no harm may now be that of a value which is read in the place of others.
    """
    graph = graph_of(model, default_inputs=options.default_inputs)
    with _doubting(graph, names=True), spending(options.budget):
        result = infer_graph(graph, options.constraints)
    annotate(model, graph, result.given_scopes(), result.stands_for, sized=options.constraints.has_sizes, adds=adds)


@contextlib.contextmanager
def _doubting(graph: Graph, *, names: bool = False) -> Iterator[None]:
    """Forget for a while what a model declares of other values than its inputs, which no runtime holds it to.

    With ``names`` the dims of outputs stay that are no numbers: what their author calls those lengths.
    """
    held: list[tuple[Graph, Mapping[str, Declaration], Mapping[str, Fact]]] = []
    pending: list[tuple[Graph, Node | None]] = [(graph, None)]
    while pending:
        here, holder = pending.pop()
        held.append((here, here.declared, here.inputs))
        outputs = {n: d for n, d in here.declared.items() if names and d.output}
        here.declared = {n: evolve(d, fact=resized(d.fact, _named)) for n, d in outputs.items()}
        if holder is not None:
            # The runtime makes the number of a Loop's pass and its condition as the body declares them.
            steering = 2 if holder.call.op_type == "Loop" else 0
            here.inputs = {
                name: tensor(f.dtype, None) if isinstance(f, Tensor) and i >= steering else f
                for i, (name, f) in enumerate(here.inputs.items())
            }
        pending += [(inner, node) for node in here.nodes for inner in (node.graphs or {}).values()]
    try:
        yield
    finally:
        for here, declared, inputs in held:
            here.declared, here.inputs = declared, inputs


def _named(size: Size) -> Size:
    return UNNAMED if isinstance(size, int) else size


def _checking(result: Result, all_of_them: bool) -> Places:
    """Return the nodes that compare dims, or ``all_of_them`` that require anything of the inputs."""
    claims = (a for a in result.pending if all_of_them or not _is_of_ends(a.condition))
    return frozenset((tuple(a.node.graph), a.node.index) for a in claims if a.node is not None)


def _is_of_ends(condition: Condition) -> bool:
    """Whether a condition but keeps a length from being 0, or too great: such a check may go with its node."""
    if isinstance(condition, AnyOf):
        return all(_is_of_ends(p) or (isinstance(p, Equal) and 0 in (p.a, p.b)) for p in condition.parts)
    return isinstance(condition, AtMost)


def _outputs(result: Result) -> list[Fact]:
    """Return what is known of the outputs, with one name for all lengths that only data decides."""

    def unnamed(size: Size) -> Size:
        return UNNAMED if has_fresh_symbol(size) else size

    scope = result.scopes[result.graph]
    return [resized(scope.get(name) or UNKNOWN, unnamed) for name in result.graph.outputs]
