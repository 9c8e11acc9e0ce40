"""What decides at run time whether a condition must hold: the data that a body is chosen by, or that a size is."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from shapeinfer.diagnostics.diagnostic import NodeRef
from shapeinfer.dims import Condition
from shapeinfer.infer.diagnosis.diagnose import node_ref
from shapeinfer.infer.scope import Scope

_BODIES = {
    "then_branch": "the then branch",
    "else_branch": "the else branch",
    "then_body": "the then branch",
    "else_body": "the else branch",
    "body": "the body",
}


def deciding_data(condition: Condition, place: NodeRef | None, scopes: Collection[Scope]) -> str:
    """Return what a condition at a node depends on, beside the sizes of the inputs; empty where that is not known."""
    body = _body(place, scopes) if place is not None and place.graph else ""
    names = sorted(s.name for s in condition.symbols if s.is_fresh)
    return "; ".join(filter(None, (body, *_computed(names, scopes))))


def _body(place: NodeRef, scopes: Collection[Scope]) -> str:
    """Say which body of which node must run for a node in it to matter."""
    for scope in scopes:
        if scope.path != place.graph[:-1]:
            continue
        for index, node in enumerate(scope.graph.nodes):
            for attribute in node.graphs or ():
                if f"{node.name or f'{node.call.op_type}_{index}'}.{attribute}" != place.graph[-1]:
                    continue
                owner = node_ref(node, index, scope.path)
                chosen = f", which {node.inputs[0]} decides" if node.call.op_type == "If" and node.inputs else ""
                return f"whether {_BODIES.get(attribute, attribute)} of {owner.text} runs{chosen}"
    return ""


def _computed(names: Collection[str], scopes: Collection[Scope]) -> Iterator[str]:
    """Say of each symbol which input holds it, or which node computes it."""
    left = list(names)
    for scope in scopes if left else ():
        for value in () if scope.path else scope.graph.inputs:
            for name in sorted({s.name for s in scope.fact(value).symbols if s.is_fresh and s.name in left}):
                left.remove(name)
                yield f"{name}, which input {value} holds"
        for index, node in enumerate(scope.graph.nodes):
            made = {s.name for out in node.outputs if out in scope for s in scope.fact(out).symbols if s.is_fresh}
            for name in [name for name in left if name in made]:
                left.remove(name)
                yield f"{name}, which {node_ref(node, index, scope.path).text} computes"
