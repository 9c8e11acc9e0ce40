"""Would fit: the edit of one node after which its own rule finds no fault and requires nothing of named dims.

Each edit is tried by inferring the call again. One is offered only where it alone of its kind fits.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations

from attrs import evolve, frozen

from shapeinfer.budget import MAX_EXPRESSION
from shapeinfer.diagnostics import codes
from shapeinfer.diagnostics.codes import Severity
from shapeinfer.diagnostics.diagnostic import Diagnostic
from shapeinfer.diagnostics.fix import Fix, TextEdit
from shapeinfer.facts import DType, Fact, Tensor, dtype_of, tensor
from shapeinfer.graph import Call, Node
from shapeinfer.infer.scope import Scope
from shapeinfer.ops.call import infer_call
from shapeinfer.ops.signature import Signature, signature

MOST_AXES = 6
"""Tensors of more axes are not tried in other orders."""

MOST_TRIED = 64

_PRODUCTS = frozenset({"FusedMatMul", "Gemm", "MatMul", "MatMulInteger", "QLinearMatMul", "TransposeMatMul"})
"""Operators for which the order of an operand's axes is often the mistake; a broadcast takes too many orders."""

_TYPES = (codes.ELEMENT_TYPE_MISMATCH, codes.ELEMENT_TYPE_NOT_ALLOWED)


@frozen(repr=False)
class _Edit:
    """An edit, and the call and the inputs that come of it."""

    fix: Fix
    call: Call
    facts: Sequence[Fact | None]


def would_fit(diagnostic: Diagnostic, scope: Scope, facts: Sequence[Fact | None]) -> Fix | None:
    """Return the one edit that makes a node fit, None where there is none or more than one of the simplest kind.

    ``facts`` are those of the node's inputs, as they were inferred.
    """
    place = diagnostic.node
    assert place is not None, "only a node is edited"
    node = scope.graph.nodes[place.index]
    declared = signature(node.call.domain, node.call.op_type, node.call.opset)
    if declared is None or node.graphs is not None:
        return None
    found = _only(_Trial(diagnostic, node, scope, facts, declared), scope)
    return None if found is None else evolve(found, edit=_text_edit(found, scope))


def _only(trial: _Trial, scope: Scope) -> Fix | None:
    for kind in trial.kinds():
        found = [e.fix for e in _first(kind) if _fits(e)]
        if len(found) > 1:  # rather the weight is at fault than what the model computes
            found = [fix for fix in found if fix.operand in scope.graph.initializers]
            return found[0] if len(found) == 1 else None
        if found:
            return found[0]
    return None


def _text_edit(fix: Fix, scope: Scope) -> TextEdit | None:
    """Return the fix in the text of the model, None where it has none or more nodes of that name."""
    nodes = [n for n in scope.graph.nodes if _name(n) == fix.node]
    return scope.graph.edit(nodes[0], fix) if scope.graph.edit is not None and len(nodes) == 1 else None


def _name(node: Node) -> str:
    return node.name or next(filter(None, node.outputs), "")


def _first(edits: Iterable[_Edit]) -> Iterator[_Edit]:
    for _, edit in zip(range(MOST_TRIED), edits):
        yield edit


def _fits(edit: _Edit) -> bool:
    outcome = infer_call(edit.call, edit.facts, MAX_EXPRESSION)
    return not outcome.claims and not any(f.severity is Severity.ERROR for f in outcome.findings)


class _Trial:
    """The edits that may make one node fit."""

    def __init__(
        self, diagnostic: Diagnostic, node: Node, scope: Scope, facts: Sequence[Fact | None], declared: Signature
    ) -> None:
        self.node = node
        self.scope = scope
        self.facts = facts
        self.declared = declared
        self.is_type = diagnostic.code in _TYPES
        self.are_entries = diagnostic.code is codes.INDEX_OUT_OF_RANGE
        """Whether entries are at fault, which stay as they are in any other shape."""
        self.allowed = diagnostic.detail.allowed
        self.name = _name(node)
        values = {o.value for o in diagnostic.operands}
        self.operands = [i for i, name in enumerate(node.inputs) if name in values and isinstance(facts[i], Tensor)]

    def kinds(self) -> Iterator[Iterable[_Edit]]:
        """Yield the edits of each kind, the simplest kinds first."""
        if self.is_type:
            yield self._casts()
            return
        yield self._flags()
        yield self._groups()
        yield self._axes()
        if self.are_entries:
            return
        if self.node.call.op_type in _PRODUCTS:
            yield self._permutations()
            yield self._transposed()
        yield self._unsqueezed()

    def _with(self, attribute: str, value: object) -> _Edit:
        held = self.node.call.attributes
        kind = self.declared.attributes[attribute].type
        given = evolve(held, values={**held.values, attribute: value}, types={**held.types, attribute: kind})
        fix = Fix(f"{attribute} = {value} would fit", "attribute", self.name, None, attribute, value)
        return _Edit(fix, evolve(self.node.call, attributes=given), self.facts)

    def _given(self, attribute: str) -> object:
        return self.node.call.attributes.values.get(attribute)

    def _flags(self) -> Iterator[_Edit]:
        for name in self.declared.attributes:
            if name.startswith("trans") and self._given(name) in (None, 0, 1):
                yield self._with(name, 0 if self._given(name) else 1)

    def _groups(self) -> Iterator[_Edit]:
        shapes = [f.shape or () if isinstance(f, Tensor) else () for f in self.facts[:2]]
        if "group" in self.declared.attributes and [len(s) > 1 for s in shapes] == [True, True]:
            channels, each = shapes[0][1], shapes[1][1]
            if isinstance(channels, int) and isinstance(each, int) and each and channels % each == 0:
                yield self._with("group", channels // each)

    def _axes(self) -> Iterator[_Edit]:
        first = self.facts[0] if self.facts else None
        if "axis" in self.declared.attributes and isinstance(first, Tensor) and first.shape is not None:
            given = self._given("axis")
            given = self.declared.attributes["axis"].default if given is None else given
            for axis in range(len(first.shape)):
                if not isinstance(given, int) or given % max(len(first.shape), 1) != axis:
                    yield self._with("axis", axis)

    def _permutations(self) -> Iterator[_Edit]:
        """Other orders of a Transpose that computes an operand, each of two axes exchanged."""
        for i in self.operands:
            maker = next((n for n in self.scope.graph.nodes if self.node.inputs[i] in n.outputs), None)
            if maker is None or maker.call.op_type != "Transpose" or not maker.inputs:
                continue
            perm, before = maker.call.attributes.values.get("perm"), self.scope.fact(maker.inputs[0])
            if not isinstance(perm, (tuple, list)) or not isinstance(before, Tensor) or before.shape is None:
                continue
            if len(perm) != len(before.shape) or len(perm) > MOST_AXES or sorted(perm) != list(range(len(perm))):
                continue
            for a, b in combinations(range(len(perm)), 2):
                order = _exchanged(tuple(perm), a, b)
                name = _name(maker)
                text = f'perm = {list(order)} of Transpose "{name}" would fit'
                fix = Fix(text, "attribute", name, None, "perm", order)
                yield self._replacing(i, tuple(before.shape[axis] for axis in order), fix)

    def _transposed(self) -> Iterator[_Edit]:
        for i in self.operands:
            shape = self._shape(i)
            if 1 < len(shape) <= MOST_AXES and shape[-1] is not shape[-2]:
                order = _exchanged(tuple(range(len(shape))), len(shape) - 2, len(shape) - 1)
                text = f"{self._port(i)} transposed (perm = {list(order)}) would fit"
                fix = Fix(text, "transpose", self.name, self.node.inputs[i], None, order)
                yield self._replacing(i, tuple(shape[axis] for axis in order), fix)

    def _unsqueezed(self) -> Iterator[_Edit]:
        """Axes of size 1 behind those of an operand of lower rank."""
        most = max((len(self._shape(i)) for i in self.operands), default=0)
        for i in self.operands:
            rank = len(self._shape(i))
            for count in range(1, most - rank + 1 if rank else 0):
                axes = tuple(range(rank, rank + count))
                text = f"{self._port(i)} with Unsqueeze axes = {list(axes)} would fit"
                fix = Fix(text, "unsqueeze", self.name, self.node.inputs[i], None, axes)
                yield self._replacing(i, (*self._shape(i), *(1,) * count), fix)

    def _casts(self) -> Iterator[_Edit]:
        """An operand cast to the type of another, or to the only type that the operator takes."""
        types = [f.dtype for f in self.facts if isinstance(f, Tensor) and f.dtype is not DType.UNDEFINED]
        for i in self.operands:
            fact = self.facts[i]
            assert isinstance(fact, Tensor), "operands are tensors"
            wanted = dict.fromkeys(map(dtype_of, self.allowed)) if len(self.allowed) == 1 else dict.fromkeys(types)
            for dtype in (t for t in wanted if t is not fact.dtype):
                text = f"{self._port(i)} cast to {dtype.spelled} would fit"
                fix = Fix(text, "cast", self.name, self.node.inputs[i], None, dtype.spelled)
                facts = list(self.facts)
                facts[i] = tensor(dtype, fact.shape)
                yield _Edit(fix, self.node.call, facts)

    def _replacing(self, index: int, shape: Sequence[object], fix: Fix) -> _Edit:
        fact = self.facts[index]
        assert isinstance(fact, Tensor), "operands are tensors"
        facts = list(self.facts)
        facts[index] = tensor(fact.dtype, tuple(shape))  # type: ignore[arg-type]
        return _Edit(fix, self.node.call, facts)

    def _shape(self, index: int) -> tuple[object, ...]:
        fact = self.facts[index]
        return tuple(fact.shape or ()) if isinstance(fact, Tensor) else ()

    def _port(self, index: int) -> str:
        formal = self.declared.input(index)
        return f"{formal.name} {index - len(self.declared.inputs) + 1}" if formal.kind == "variadic" else formal.name


def _exchanged(order: tuple[int, ...], a: int, b: int) -> tuple[int, ...]:
    out = list(order)
    out[a], out[b] = out[b], out[a]
    return tuple(out)
