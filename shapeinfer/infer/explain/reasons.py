"""Why a model requires a condition: what the node compares, where that came from, and what happens where it fails."""

from __future__ import annotations

from attrs import evolve, frozen

from shapeinfer.diagnostics.codes import Severity
from shapeinfer.diagnostics.diagnostic import Diagnostic
from shapeinfer.infer.constraints.contract import Requirement
from shapeinfer.infer.diagnosis.diagnose import diagnose
from shapeinfer.infer.diagnosis.origins import Origins
from shapeinfer.infer.result import Result, infer_graph
from shapeinfer.infer.scope import Scope


@frozen
class Reasons:
    """For each length compared the way back to the inputs, and the error where the witness is an input."""

    chains: tuple[str, ...] = ()
    consequence: Diagnostic | None = None


def reasons(result: Result, requirement: Requirement) -> Reasons:
    """Return why a model requires a condition; of a node in a subgraph only what happens where it fails."""
    return Reasons(_chains(result, requirement), _consequence(result, requirement))


def _chains(result: Result, requirement: Requirement) -> tuple[str, ...]:
    place = requirement.node
    if place is None or place.graph:
        return ()
    scope = Scope(result.graph)
    scope.update(result.scopes[result.graph])
    node, origins = result.graph.nodes[place.index], Origins(scope)
    diagnostic = diagnose(requirement.claim, node, place, [scope.fact(name) for name in node.inputs])
    axes = [
        f"axis {o.axis} of {o.port}: {' <- '.join(_shortened(_way(origins, o.value, o.axis)))}"
        for o in diagnostic.operands
        if o.axis is not None
    ]
    held = [(o, origins(o.value, None, o.entry)) for o in diagnostic.operands if o.entry is not None]
    return (*axes, *(f"entry {o.entry} of {o.port}: {origin.partition(': ')[2]}" for o, origin in held if origin))


def _way(origins: Origins, value: str, axis: int) -> list[str]:
    """Name the nodes that a size came through, back to where it was computed."""
    steps = list(origins.steps(value, axis))
    last = [steps[-1].named] if steps and steps[-1].sources else []
    return [s.text if s.node is None or not s.sources else s.node.text for s in steps] + last


def _shortened(way: list[str]) -> list[str]:
    return way if len(way) <= 7 else [*way[:3], f"{len(way) - 6} more nodes", *way[-3:]]


def _consequence(result: Result, requirement: Requirement) -> Diagnostic | None:
    """Infer the model anew with the sizes that break the condition, and return what goes wrong first."""
    if requirement.witness is None:
        return None
    given = evolve(result.given, bind={**result.given.bind, **requirement.witness})
    found = infer_graph(result.graph, given).diagnostics
    return next((d for d in found if d.severity is Severity.ERROR), None)
