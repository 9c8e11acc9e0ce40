"""Calls of functions, of the model or of the standard: the body is inferred with the facts of the call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from shapeinfer.diagnostics import codes
from shapeinfer.diagnostics.codes import Severity
from shapeinfer.diagnostics.diagnostic import Diagnostic
from shapeinfer.facts import UNKNOWN, Fact
from shapeinfer.graph import Function
from shapeinfer.infer.places import node_ref
from shapeinfer.infer.scope import Scope

if TYPE_CHECKING:
    from shapeinfer.infer.driver import Run


def infer(run: Run, scope: Scope, index: int, facts: Sequence[Fact | None]) -> Sequence[Fact]:
    """Infer a call of a model-local function."""
    node = scope.graph.nodes[index]
    call = node.call
    function = scope.graph.functions[call.domain, call.op_type]
    for attribute in sorted(call.attributes.types.keys() - function.attributes.keys()):
        message = f"function {call.domain}::{call.op_type} has no attribute {attribute}, so nothing reads it"
        place = node_ref(node, index, scope.path)
        run.diagnostics.append(Diagnostic(codes.UNKNOWN_ATTRIBUTE, Severity.WARNING, message, place))
    return enter(run, scope, index, facts, function)


def enter(run: Run, scope: Scope, index: int, facts: Sequence[Fact | None], function: Function) -> Sequence[Fact]:
    """Infer the body of a function with the facts of a call."""
    node = scope.graph.nodes[index]
    name = (node.call.domain, node.call.op_type)
    spoken = "::".join(filter(None, name))
    unknown = [UNKNOWN] * len(node.outputs)
    if name in run.calling:
        run.report(codes.RECURSIVE_FUNCTION, f"function {spoken} calls itself", scope, index)
        return unknown
    if len(facts) > len(function.inputs):
        message = f"function {spoken} takes {len(function.inputs)} inputs, the node has {len(facts)}"
        run.report(codes.TOO_MANY_INPUTS, message, scope, index)
    if len(node.outputs) > len(function.outputs):
        message = f"function {spoken} gives {len(function.outputs)} outputs, the node names {len(node.outputs)}"
        run.report(codes.TOO_MANY_OUTPUTS, message, scope, index)
    missing = [a for a, required in function.attributes.items() if required and a not in node.call.attributes.types]
    for attribute in missing:
        run.report(codes.MISSING_ATTRIBUTE, f"function {spoken} needs the attribute {attribute}", scope, index)
    if missing:
        return unknown
    key = (function, node.call, *facts)
    if key in run.checked:
        return run.checked[key]
    made = run.namer.count
    body = Scope(function.body(node, scope.graph.functions), (*scope.path, spoken))
    for i, formal in enumerate(function.inputs):
        body[formal] = facts[i] if i < len(facts) else None
    run.calling = (*run.calling, name)
    try:
        run.infer(body)
    finally:
        run.calling = run.calling[:-1]
    for output, asked in zip(function.outputs, node.outputs):
        if asked and not body.defines(output):
            run.report(codes.MISSING_OUTPUT, f"function {spoken} makes no {output}, which it gives", scope, index)
    results = [body.fact(name) for name in function.outputs]
    outputs = [*results, *unknown][: len(node.outputs)]
    # New symbols are new at each call; without them, a call of the same facts gives the same.
    if run.namer.count == made:
        run.checked[key] = outputs
    return outputs
