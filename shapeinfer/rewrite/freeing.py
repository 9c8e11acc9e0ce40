"""Find which static input dims of a graph can be free together, and what blocks the others."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from attrs import evolve, frozen

from shapeinfer.api.options import Options
from shapeinfer.budget import spending
from shapeinfer.diagnostics import codes
from shapeinfer.diagnostics.codes import Severity
from shapeinfer.diagnostics.diagnostic import Diagnostic, NodeRef
from shapeinfer.diagnostics.errors import error_for
from shapeinfer.diagnostics.finding import Claim
from shapeinfer.dims import (
    AnyOf,
    Condition,
    Dim,
    Size,
    follows,
    has_fresh_symbol,
    simplest,
    substitute,
    symbol,
    text_of,
)
from shapeinfer.facts import Tensor
from shapeinfer.graph import Graph
from shapeinfer.infer.constraints.redeclared import redeclared
from shapeinfer.infer.general import judged, pins
from shapeinfer.infer.result import Result, infer_graph

MOST_ROUNDS = 32
"""All dims are freed together so often, each time without those that were found to be blocked."""

MOST_RETRIED = 24
"""So many dims that were blocked together with others are tried once more alone."""

_TRIED = (*range(2, 10), 16, 32, 64, 128, 256, 512)
"""A dim is free if it can have one of these sizes, or a multiple of its own, while all others keep theirs.

Only sizes of at least twice and at most half its own count: a division that rounds down lets a few others pass.
"""

_ODD = re.compile(r"\W+")


@frozen(order=True)
class Axis:
    """An axis of an input: the input's place among the inputs, its name, and the axis."""

    place: int
    input: str
    axis: int


@frozen
class Block:
    """Why a dim stays."""

    message: str
    node: NodeRef | None
    is_final: bool = False
    """Whether it stays whatever becomes of others."""
    tied: tuple[Axis, ...] = ()
    """The axes that were found to have this one dim."""


Sizes = Mapping[Axis, Size]
Blocks = dict[Axis, Block]


class Unproved(Exception):
    """Something forbids that these dims are free, and no single dim explains it."""

    def __init__(self, block: Block) -> None:
        super().__init__(block.message)
        self.block = block


class Search:
    """Finds which static dims of a graph can be free together."""

    def __init__(self, graph: Graph, options: Options) -> None:
        self.graph = graph
        self.options = options
        self.static: dict[Axis, int] = {
            Axis(place, name, axis): size
            for place, (name, fact) in enumerate(graph.inputs.items())
            if isinstance(fact, Tensor) and name not in graph.initializers and name not in options.shapes
            for axis, size in enumerate(fact.shape or ())
            if isinstance(size, int)
        }
        self.before = self.full({})
        errors = [d for d in self.before.diagnostics if d.severity is Severity.ERROR]
        if errors:
            raise error_for(errors)
        # in general a model of small sizes only has errors, which are warnings of all that it is judged by
        self.known = {_key(d) for found in (self.before, self._in_general({})) for d in _findings(found)}
        self.required = [r.asked for r in self.before.contract.all_sizes]
        self.symbols = self._symbols()
        self.size_of: dict[Dim, int] = {s: self.static[axis] for axis, s in self.symbols.items()}

    def _symbols(self) -> dict[Axis, Dim]:
        """Return a symbol for each static axis, named after the input and the axis."""
        taken = {s.name for fact in self.graph.inputs.values() for s in fact.symbols}
        out: dict[Axis, Dim] = {}
        for a in self.static:
            made = symbol(_unused(f"{_ODD.sub('_', a.input)}_{a.axis}", taken))
            assert isinstance(made, Dim), "it has more than one size"
            taken.add(made.name)
            out[a] = made
        return out

    def full(self, sizes: Sizes) -> Result:
        """Infer the graph with these dims of its inputs, for all sizes."""
        with spending(self.options.budget):
            result = infer_graph(self._graph(sizes), self.options.constraints)
            return judged(result)

    def _graph(self, sizes: Sizes) -> Graph:
        shapes: dict[str, list[Size]] = {}
        for axis, size in sizes.items():
            declared = self.graph.inputs[axis.input].shape or ()
            shapes.setdefault(axis.input, list(declared))[axis.axis] = size
        return redeclared(self.graph, shapes)

    def run(self) -> tuple[dict[Axis, Size], Blocks]:
        """Return the dims of the static axes, and why those stay that do."""
        try:
            sizes, blocks = self._settled(dict(self.symbols))
        except Unproved as why:
            sizes, blocks = {}, dict.fromkeys(self.symbols, why.block)
        retried = {b.tied or (axis,): None for axis, b in sorted(blocks.items()) if not b.is_final}
        for axes in list(retried)[:MOST_RETRIED]:
            anew = dict.fromkeys(axes, self.symbols[axes[0]])
            try:
                found, why_not = self._settled({**free(sizes), **anew})
            except Unproved as why:
                blocks.update(dict.fromkeys(axes, why.block))
                continue
            if free(found).keys() >= {*free(sizes), *axes}:
                sizes = found
                blocks = {axis: block for axis, block in blocks.items() if axis not in axes}
            else:
                blocks.update((axis, why_not[axis]) for axis in axes if axis in why_not)
        return {**self.static, **free(sizes)}, blocks

    def _settled(self, sizes: dict[Axis, Size]) -> tuple[dict[Axis, Size], Blocks]:
        """Return dims that are proved to be free together: without those that are not, and with ties made one name.

        Raises Unproved where no dim explains what forbids it.
        """
        blocks: Blocks = {}
        for _ in range(MOST_ROUNDS):
            if not free(sizes):
                return sizes, blocks
            general = self._in_general(sizes)
            changed = self._pinned(general) or self._faults(general)
            if not changed:
                changed = self._objections(self.full(sizes))
            if not changed:
                return sizes, blocks
            sizes = self._without(sizes, changed, blocks)
        raise Unproved(Block("too many dims depend on each other", None))

    def _in_general(self, sizes: Sizes) -> Result:
        with spending(self.options.budget):
            return infer_graph(self._graph(sizes), evolve(self.options.constraints, in_general=True))

    def _without(
        self, sizes: Mapping[Axis, Size], changed: Mapping[Dim, Size | Block], blocks: Blocks
    ) -> dict[Axis, Size]:
        """Return dims with ties made one name, and those that are blocked put back to their numbers."""
        ties = {s: to for s, to in changed.items() if not isinstance(to, Block)}
        out: dict[Axis, Size] = {}
        for axis, size in sizes.items():
            out[axis] = substitute(size, ties)
            why = next((changed[s] for s in _symbols_of(size) if isinstance(changed.get(s), Block)), None)
            if isinstance(why, Block):
                tied = tuple(sorted(a for a, other in sizes.items() if other is size))
                blocks[axis], out[axis] = evolve(why, tied=tied), self.static[axis]
        return out

    def _pinned(self, general: Result) -> dict[Dim, Size | Block]:
        """Return what free dims must be: the size of others, or a number, which blocks them."""
        out: dict[Dim, Size | Block] = {}
        for pin in pins(general):
            message = "" if pin.claim is None else pin.claim.message
            size = self.size_of.get(pin.dim)
            either = "" if size is None or size == pin.size else f"{size} or "
            block = Block(f"must be {either}{text_of(pin.size)}: {message}", pin.node, is_final=size == pin.size)
            if isinstance(pin.size, int) or has_fresh_symbol(pin.size):
                if pin.dim in self.size_of:
                    out[pin.dim] = block
                continue
            if any(s in out for s in (pin.dim, *pin.size.symbols)):
                continue  # the next round sees it without what this one changes
            out.update(self._tied(pin.dim, pin.size, block))
        return out

    def _tied(self, dim: Dim, size: Dim, block: Block) -> dict[Dim, Size | Block]:
        """Return the tie of two dims; where their numbers differ, the one that is broadcast stays as it is."""
        if dim not in self.size_of:  # the model's own name, which stays, for a dim that was static
            if not size.is_symbol or size not in self.size_of:
                return {}
            known = self.before.known.get(dim, self.size_of[size])
            return {size: dim} if known == self.size_of[size] else {size: block}
        if size in self.size_of and self._mine((dim, size))[0] is dim:
            dim, size = size, dim  # the name of the first input stays
        there = substitute(size, self.size_of)
        if not isinstance(there, int) or there == self.size_of[dim]:
            return {dim: size}
        if self.size_of[dim] == 1 or size not in self.size_of:
            return {dim: block}
        return {size: block}

    def _faults(self, general: Result) -> dict[Dim, Size | Block]:
        """Return the dims of errors that the static model does not have. Raises Unproved where they have none."""
        for d in _findings(general):
            if d.severity is Severity.ERROR and _key(d) not in self.known:
                return self._blocked_by(d, general)
        return {}

    def _blocked_by(self, d: Diagnostic, result: Result) -> dict[Dim, Size | Block]:
        block = Block(d.message, d.node, is_final=d.code is codes.BUDGET_EXCEEDED)
        narrowed = {size for o in d.operands if isinstance(o.dim, Dim) for size in _symbols_of(o.dim)}
        named = {s for size in narrowed for s in _symbols_of(substitute(size, result.narrowed))}
        found = self._mine(named) or self._mine(self._read_by(d.node, result))
        if not found:
            raise Unproved(block)
        return dict.fromkeys(found, block)

    def _mine(self, symbols: Iterable[Dim]) -> list[Dim]:
        wanted = set(symbols)
        return [s for s in self.size_of if s in wanted]

    def _read_by(self, node: NodeRef | None, result: Result) -> set[Dim]:
        """Return the symbols in the types of what a node reads."""
        for scope in result.inferred.values():
            if node is not None and scope.path == node.graph and 0 <= node.index < len(scope.graph.nodes):
                facts = [scope.fact(name) for name in scope.graph.nodes[node.index].inputs if name]
                symbols = {s for fact in facts for s in fact.symbols}
                return {t for s in symbols for t in _symbols_of(substitute(s, result.narrowed))}
        return set()

    def _objections(self, full: Result) -> dict[Dim, Size | Block]:
        """Return the dims whose freedom an inference for all sizes does not prove."""
        for d in _findings(full):
            if d.code is codes.UNKNOWN_OPERATOR and (reached := self._mine(self._read_by(d.node, full))):
                return dict.fromkeys(reached, Block(f"{d.message}, so it may need this size", d.node))
            is_new = d.severity is not Severity.NOTE and _key(d) not in self.known
            if is_new or d.code is codes.BUDGET_EXCEEDED:
                return self._blocked_by(d, full)
        inside = [(simplest(p.condition), p.node, p.claim) for p in full.speculative]
        of_data = [(r.asked, r.node, r.claim) for r in full.at_run_time]
        for condition, node, claim in (*of_data, *inside):
            if _is_of_data(condition) and (named := self._mine(_sources(condition.symbols, full))):
                message = f"requires {condition.text}, which inference cannot decide: {claim.message}"
                return dict.fromkeys(named, Block(message, node))
        conditions = [(r.asked, _required(r.asked, r.node, r.claim)) for r in full.contract.all_sizes]
        for condition, block in conditions:
            if not self._allows(condition, {}) and (named := self._mine(condition.symbols)):
                return dict.fromkeys(named, block)
        conditions += [
            (condition, _required(condition, node, claim))
            for condition, node, claim in inside
            if not _is_of_data(condition) and self._allows(condition, {})
        ]
        for dim in self._mine(s for c, _ in conditions for s in c.symbols):
            bearing = [(c, block) for c, block in conditions if dim in c.symbols]
            held = [[self._allows(self._as_before(c), {dim: n}) for c, _ in bearing] for n in self._others(dim)]
            if not any(map(all, held)):
                counts = [sum(column) for column in zip(*held)]
                return {dim: bearing[counts.index(min(counts))][1]}
        return {}

    def _others(self, dim: Dim) -> list[int]:
        size = self.size_of[dim]
        return [
            n for n in (2 * size, 3 * size, 4 * size, size // 2, *_TRIED) if n > 1 and (n >= 2 * size or 2 * n <= size)
        ]

    def _as_before(self, condition: Condition) -> Condition:
        """Return a condition in the way in which it holds for the sizes of before.

        Where ``x//8 == 4 or x//8 == 1`` held since the quotient was 4, a size that is broadcast instead does not count.
        """
        ways = condition.parts if isinstance(condition, AnyOf) else ()
        kept = tuple(part for part in ways if self._allows(part, {}))
        return simplest(AnyOf(kept)) if kept else condition

    def _allows(self, condition: Condition, sizes: Mapping[Dim, int]) -> bool:
        """Whether a condition holds for sizes while all other dims have those of before."""
        there: dict[Dim, Size] = {**self.size_of, **sizes}
        now = simplest(condition.substitute(there))
        return now.answer().is_yes or follows(self.required, now)


def _required(condition: Condition, node: NodeRef | None, claim: Claim) -> Block:
    return Block(f"requires {condition.text}: {claim.message}", node)


def _is_of_data(condition: Condition) -> bool:
    """Whether a condition speaks of what only data decides."""
    return any(s.is_fresh for s in condition.symbols)


def _sources(symbols: Iterable[Dim], result: Result) -> set[Dim]:
    """Return symbols and those of what the nodes read that made them."""
    read: dict[Dim, set[Dim]] = {}
    for scope in result.inferred.values():
        for node in scope.graph.nodes:
            facts = [scope.fact(name) for name in node.inputs if name and scope.defines(name)]
            before = {s for fact in facts for s in fact.symbols}
            after = {s for name in node.outputs if name in scope for s in scope.fact(name).symbols}
            for s in after - before:
                read.setdefault(s, set()).update(before)
    found: set[Dim] = set()
    pending = list(symbols)
    while pending:
        s = pending.pop()
        if s not in found:
            found.add(s)
            pending += [*read.get(s, ()), *_symbols_of(substitute(s, result.narrowed))]
    return found


def free(sizes: Sizes) -> dict[Axis, Size]:
    """Return those of the dims that are no numbers."""
    return {axis: size for axis, size in sizes.items() if isinstance(size, Dim)}


def _symbols_of(size: Size) -> frozenset[Dim]:
    return size.symbols if isinstance(size, Dim) else frozenset()


def _findings(result: Result) -> Iterator[Diagnostic]:
    """Yield all that was found, at each node, and what the model asks to suppress."""
    for d in (*result.diagnostics, *result.suppressed):
        yield d
        yield from d.related


def _key(diagnostic: Diagnostic) -> tuple[str, NodeRef | None, str | None]:
    return diagnostic.code.name, diagnostic.node, diagnostic.value


def _unused(name: str, taken: Iterable[str]) -> str:
    while name in taken:
        name += "_"
    return name
