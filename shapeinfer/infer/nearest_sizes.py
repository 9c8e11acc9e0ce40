"""The sizes that run, nearest to those that a caller gave and that do not."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from attrs import evolve

from shapeinfer.budget import OverBudget
from shapeinfer.diagnostics import codes
from shapeinfer.diagnostics.codes import Severity
from shapeinfer.diagnostics.diagnostic import Diagnostic
from shapeinfer.dims import Dim, satisfying
from shapeinfer.facts import SparseTensor, Tensor
from shapeinfer.graph import Graph
from shapeinfer.infer.constraints.caller import Constraints
from shapeinfer.infer.diagnosis.causes import MOST_RELATED
from shapeinfer.infer.result import Result, infer_graph

MOST_KEPT = 4
"""So many sizes that are at fault are told apart."""

_REFUSED = (codes.BINDING_CONFLICT, codes.UNKNOWN_BINDING)
"""What was given is no size of the model's inputs at all, and the message says what is."""


def with_nearest_sizes(diagnostics: Iterable[Diagnostic], result: Result) -> tuple[Diagnostic, ...]:
    """Return the diagnostics with the nearest sizes that run, if the given ones are the reason of the errors.

    The first error has them, and of each given size that is at fault there is one error.
    """
    found = tuple(diagnostics)
    first = next((i for i, d in enumerate(found) if d.severity is Severity.ERROR), None)
    if first is None or not (result.given.bind or result.given.shapes) or any(d.code in _REFUSED for d in found):
        return found
    errors = [d for d in found if d.severity is Severity.ERROR]
    try:
        given = _sizes(result.graph, result.given)
        sizes = None if given is None else _nearest(result.graph, result.given, given)
        if given is None or not sizes:
            return found
        groups = _by_size(errors, result, given, sizes)
    except OverBudget:
        return found
    text = ", ".join(f"{name} = {size}" for name, size in sizes.items())
    # The sizes are at fault, not the nodes: an edit would only hide it.
    one_each = {id(group[0]): _joined(group) for group in groups}
    head = one_each[id(found[first])]
    one_each[id(found[first])] = evolve(head, notes=(*head.notes, f"nearest sizes that run: {text}"))
    return tuple(one_each.get(id(d), d) for d in found if d.severity is not Severity.ERROR or id(d) in one_each)


def _by_size(
    errors: Sequence[Diagnostic], result: Result, given: Mapping[str, int], nearest: Mapping[str, int]
) -> list[list[Diagnostic]]:
    """Return the errors in groups: those that remain where one given size is kept, and all others are the nearest."""
    wrong = [name for name, size in nearest.items() if given[name] != size]
    if len(wrong) < 2 or len(errors) < 2:
        return [list(errors)]
    kept = []
    for name in wrong[:MOST_KEPT]:
        alone = {**given, **nearest, name: given[name]}
        found = infer_graph(result.graph, evolve(result.given, bind=alone, shapes={}))
        kept.append({(d.code, d.node) for d in found.diagnostics})
    groups: dict[int, list[Diagnostic]] = {}
    for error in errors:
        # what fails only for several of them together is counted to the first
        size = next((i for i, remain in enumerate(kept) if (error.code, error.node) in remain), 0)
        groups.setdefault(size, []).append(error)
    return list(groups.values())


def _joined(errors: Sequence[Diagnostic]) -> Diagnostic:
    """Return errors as one, with the others as related ones."""
    related = [evolve(d, fix=None, related=()) for error in errors for d in (error, *error.related)][1:]
    return evolve(errors[0], fix=None, related=tuple(related[:MOST_RELATED]))


def _nearest(graph: Graph, given: Constraints, sizes: Mapping[str, int]) -> dict[str, int] | None:
    """Return the sizes of the given dims that the contract speaks of; None where the model runs for none or for these.

    They are inferred with, so that they run for all sizes of the other dims that their conditions allow.
    """
    free = infer_graph(graph, evolve(given, bind={}, shapes={}))
    if _fails(free):
        return None
    found = satisfying([r.asked for r in free.contract.all_sizes], sizes) or {}
    nearest = {name: found[name] for name in sizes if name in found}
    if all(sizes[name] == size for name, size in nearest.items()):
        return None
    chosen = infer_graph(graph, evolve(given, bind={**sizes, **nearest}, shapes={}))
    return None if _fails(chosen) else nearest


def _fails(result: Result) -> bool:
    return any(d.severity is Severity.ERROR or d.code is codes.BUDGET_EXCEEDED for d in result.diagnostics)


def _sizes(graph: Graph, given: Constraints) -> Mapping[str, int] | None:
    """Return the sizes given by the names of their dims; None where some are given of a formula, or twice.

    What is refused may be anything, and the model may suppress the message.
    """
    named = {s.name for fact in graph.inputs.values() for s in fact.symbols}
    if not named.issuperset(given.bind) or not all(isinstance(dims, Sequence) for dims in given.shapes.values()):
        return None
    sizes: dict[str, Any] = dict(given.bind)
    for name, dims in given.shapes.items():
        fact = graph.inputs.get(graph.aliases.get(name, name))
        shape = fact.shape if isinstance(fact, (Tensor, SparseTensor)) else None
        if shape is None or len(shape) != len(dims):
            return None
        for size, number in zip(shape, dims):
            if not isinstance(number, int):
                continue  # a name declares the dim anew, and says nothing of its size
            if isinstance(size, Dim) and (not size.is_symbol or sizes.setdefault(size.name, number) != number):
                return None
    return sizes if all(isinstance(size, int) and size >= 0 for size in sizes.values()) else None
