"""Calls of functions, of the model or of the standard: the body is inferred with the facts of the call."""

from __future__ import annotations

from collections.abc import Sequence

from shapeinfer.diagnostics import codes
from shapeinfer.diagnostics.codes import Severity
from shapeinfer.diagnostics.detail import Detail
from shapeinfer.diagnostics.diagnostic import Diagnostic
from shapeinfer.facts import UNKNOWN, Fact
from shapeinfer.graph import Function
from shapeinfer.graph.order import captured
from shapeinfer.infer.diagnosis.diagnose import node_ref
from shapeinfer.infer.driver import Run
from shapeinfer.infer.scope import Scope


def infer(run: Run, scope: Scope, index: int, facts: Sequence[Fact | None]) -> Sequence[Fact]:
    """Infer a call of a model-local function."""
    node = scope.graph.nodes[index]
    call = node.call
    function = scope.graph.functions[call.function]
    for attribute in sorted(call.attributes.types.keys() - function.attributes.keys()):
        message = f"function {function.spelled} has no attribute {attribute}; it is ignored"
        place = node_ref(node, index, scope.path)
        detail = Detail(attribute, allowed=tuple(function.attributes))
        run.state.diagnostics.append(
            Diagnostic(codes.UNKNOWN_ATTRIBUTE, Severity.WARNING, message, place, detail=detail)
        )
    count = len(function.outputs)
    if len(node.outputs) < count:  # an operator may have optional outputs, a function has none
        message = f"function {function.spelled} has {count} outputs, the node names {len(node.outputs)}"
        run.report(codes.MISSING_NODE_OUTPUT, f'{message}; write "" for those that are not needed', scope, index)
    for attribute, inner in (node.graphs or {}).items():
        if names := captured(inner):
            message = f"{attribute} reads {names[0]}, but function {function.spelled} sees nothing around its call"
            run.report(codes.UNDEFINED_VALUE, message, scope, index)
            return [UNKNOWN] * len(node.outputs)
    return enter(run, scope, index, facts, function)


def enter(run: Run, scope: Scope, index: int, facts: Sequence[Fact | None], function: Function) -> Sequence[Fact]:
    """Infer the body of a function with the facts of a call."""
    node = scope.graph.nodes[index]
    key, name = node.call.function, function.spelled
    unknown = [UNKNOWN] * len(node.outputs)
    if key in run.calling:
        run.report(codes.RECURSIVE_FUNCTION, f"function {name} calls itself", scope, index)
        return unknown
    if len(facts) > len(function.inputs):
        message = f"function {name} takes {len(function.inputs)} inputs, the node has {len(facts)}"
        run.report(codes.TOO_MANY_INPUTS, message, scope, index)
    if len(node.outputs) > len(function.outputs):
        message = f"function {name} has {len(function.outputs)} outputs, the node names {len(node.outputs)}"
        run.report(codes.TOO_MANY_OUTPUTS, message, scope, index)
    missing = [a for a, required in function.attributes.items() if required and a not in node.call.attributes.types]
    for attribute in missing:
        message = f"function {name} requires the attribute {attribute}"
        run.report(codes.MISSING_ATTRIBUTE, message, scope, index, Detail(attribute))
    if missing:
        return unknown
    called = (function, node.call, *facts)
    if called in run.state.results:
        return run.state.results[called]
    fresh = run.namer.count
    body = Scope(function.body(node, scope.graph.functions), (*scope.path, name))
    for i, formal in enumerate(function.inputs):
        body[formal] = facts[i] if i < len(facts) else None
    run.calling = (*run.calling, key)
    try:
        run.infer(body)
    finally:
        run.calling = run.calling[:-1]
    for output, wanted in zip(function.outputs, node.outputs):
        if wanted and not body.defines(output):
            run.report(
                codes.MISSING_OUTPUT, f"output {output} of function {name} is not computed by its body", scope, index
            )
    results = [body.fact(name) for name in function.outputs]
    outputs = [*results, *unknown][: len(node.outputs)]
    # Fresh symbols are fresh at each call; without them, a call of the same facts gives the same.
    if run.namer.count == fresh:
        run.state.results[called] = outputs
    return outputs
