"""Check a call against its operator's signature: arity, attributes, element types."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from shapeinfer.diagnostics import codes
from shapeinfer.diagnostics.codes import Severity
from shapeinfer.diagnostics.detail import Detail
from shapeinfer.diagnostics.ledger import Ledger
from shapeinfer.diagnostics.nearest import did_you_mean
from shapeinfer.dims import count_of_elements
from shapeinfer.facts import OPENVINO, Fact, Tensor
from shapeinfer.graph import AttributeType, Call
from shapeinfer.graph.call import spelled_function
from shapeinfer.ops.documented import allowed, needed, parallel
from shapeinfer.ops.signature import (
    STANDARD,
    Formal,
    Signature,
    first_version,
    latest_version,
    operator_names,
    signature,
)
from shapeinfer.ops.types import readable_type, type_string


def _became_input(s: Signature, attribute: str) -> str:
    """Return a phrase that a former attribute is an input now, empty if it is not."""
    index = next((i for i, formal in enumerate(s.inputs) if formal.name == attribute), None)
    if index is None:
        return ""
    since, before = s.since, signature(s.domain, s.name, s.since - 1)
    while before is not None and any(formal.name == attribute for formal in before.inputs):
        since, before = before.since, signature(s.domain, s.name, before.since - 1)
    return f"{attribute} is input {index} since opset {since}"


def unknown_operator(ledger: Ledger, call: Call) -> None:
    """Report why there is no signature: newer than the import, misspelt, or of an unknown domain."""
    domain, op_type, opset = call.domain, call.op_type, call.opset
    spoken = domain or "ai.onnx"
    since = first_version(domain, op_type)
    if call.overload:  # "used only to map this node to a model-local function" (onnx.proto)
        ledger.report(codes.NO_SUCH_OPERATOR, f"the model has no function {spelled_function(call.function)}")
    elif since is not None and since > opset:
        user = "the layer is of" if domain == OPENVINO else "the model imports"
        message = f"{op_type} requires opset {since} of {spoken}; {user} {opset}"
        ledger.report(codes.OPERATOR_TOO_NEW, message)
    elif domain in STANDARD and opset <= latest_version(domain):
        near = did_you_mean(op_type, operator_names(domain))
        ledger.report(codes.NO_SUCH_OPERATOR, f"{spoken} has no operator {op_type} in opset {opset}{near}")
    else:
        ledger.report(codes.UNKNOWN_OPERATOR, f"no rule for {op_type} of domain {spoken}; its outputs are unknown")


def arity(ledger: Ledger, s: Signature, inputs: Sequence[Fact | None], outputs: Sequence[bool]) -> bool:
    """Check the numbers of inputs and outputs and that no required one is left out."""
    if s.deprecated:
        # A definition that was wrong from the start is withdrawn after the fact, and runtimes still run it.
        severity = Severity.WARNING if first_version(s.domain, s.name) == s.since else None
        message = f"{s.name} was removed in opset {s.since} of {s.domain or 'ai.onnx'}"
        ledger.report(codes.DEPRECATED_OPERATOR, message, severity=severity)
    before = len(ledger.findings)
    if len(inputs) > s.max_input:
        ledger.report(codes.TOO_MANY_INPUTS, f"{s.name} takes at most {s.max_input} inputs; the node has {len(inputs)}")
    for i, formal in enumerate(s.inputs[: s.min_input]):
        # An optional input that another follows may be empty, yet has to be there.
        if i >= len(inputs) or (inputs[i] is None and formal.kind != "optional"):
            ledger.report(codes.MISSING_INPUT, f"{s.name} requires input {i} ({formal.name})", f"operand.{i}")
    variadic = bool(s.inputs) and s.inputs[-1].kind == "variadic"
    for i in range(max(s.min_input, len(s.inputs) - 1), len(inputs) if variadic else 0):
        if inputs[i] is None:
            message = f"{s.name} takes any number of inputs, but input {i} has no name"
            ledger.report(codes.MISSING_INPUT, message, f"operand.{i}")
    if len(outputs) > s.max_output:
        message = f"{s.name} has at most {s.max_output} outputs; the node names {len(outputs)}"
        ledger.report(codes.TOO_MANY_OUTPUTS, message)
    if len(outputs) < s.min_output:
        message = f"{s.name} has at least {s.min_output} outputs; the node names {len(outputs)}"
        ledger.report(codes.MISSING_NODE_OUTPUT, message)
    return len(ledger.findings) == before


def attributes(ledger: Ledger, s: Signature, values: Mapping[str, Any], types: Mapping[str, AttributeType]) -> bool:
    """Check that every attribute is the operator's, of its type and documented range, and none required is absent."""
    before = len(ledger.findings)
    for name, kind in types.items():
        formal = s.attributes.get(name)
        if formal is None and s.open:
            continue
        if formal is None:
            message = f"{s.name} {s.since} has no attribute {name}{_instead(s, name)}"
            # OpenVINO reads past an attribute that it does not know.
            severity = Severity.WARNING if s.domain == OPENVINO else None
            ledger.report(
                codes.UNKNOWN_ATTRIBUTE,
                message,
                severity=severity,
                detail=Detail(name, allowed=tuple(sorted(s.attributes))),
            )
        elif kind is not formal.type:
            message = f"attribute {name} of {s.name} must be {formal.type.text}; it is {kind.text}"
            ledger.report(codes.ATTRIBUTE_TYPE, message, detail=Detail(name))
    for name, formal in s.attributes.items():
        if formal.required and name not in types:
            ledger.report(
                codes.MISSING_ATTRIBUTE,
                f"{s.name} requires the attribute {name} ({formal.type.text})",
                detail=Detail(name),
            )
    for name in needed(s.domain, s.name):
        if name in s.attributes and name not in types:
            message = f"{s.name} computes nothing without the attribute {name} ({s.attributes[name].type.text})"
            ledger.report(codes.MISSING_ATTRIBUTE, message, detail=Detail(name))
    sound = all(f.code is codes.UNKNOWN_ATTRIBUTE for f in ledger.findings[before:])
    if values and sound:
        documented(ledger, s, values)
    return sound


def _instead(s: Signature, name: str) -> str:
    """What there is in place of an attribute: an input, the attribute of the nearest name, or those that there are."""
    known = ", ".join(sorted(s.attributes)) or "none"
    became, near = _became_input(s, name), did_you_mean(name, s.attributes)
    if became:
        return f"; {became}"
    return f"{near} It has {known}" if near else f"; it has {known}"


def _parallel(ledger: Ledger, s: Signature, values: Mapping[str, Any], group: Sequence[Sequence[str]]) -> None:
    """Check that attributes which list the same things have as many entries."""
    counts: dict[str, int] = {}
    for ways in group:
        present = [name for name in ways if _count(values.get(name.lstrip("?")))]
        if len(present) > 1:
            ledger.report(codes.CONFLICTING_ARGUMENTS, f"{' and '.join(present)} exclude each other; keep one of them")
        name = (present or ways)[0]
        if present or not name.startswith("?"):
            counts[name.lstrip("?")] = _count(values.get(name.lstrip("?")))
    first, count = next(iter(counts.items()))
    wrong = [(name, other) for name, other in counts.items() if other != count]
    if wrong:
        message = f"{wrong[0][0]} of {s.name} has {wrong[0][1]} entries; it must have {count}, as {first} has"
        ledger.report(codes.LENGTH_MISMATCH, message, detail=Detail(wrong[0][0]))


def _count(listed: Any) -> int:
    """Return the number of entries of an attribute, 0 where it is left out."""
    if isinstance(listed, Tensor):
        return count_of_elements(d for d in listed.shape or (0,) if isinstance(d, int))
    return len(listed or ())


def documented(ledger: Ledger, s: Signature, values: Mapping[str, Any]) -> None:
    """Check that attributes have values that the operator's documentation allows."""
    for group in parallel(s.domain, s.name):
        _parallel(ledger, s, values, group)
    for name, what in allowed(s.domain, s.name, s.since).items():
        if name in values and not what.accepts(values[name]):
            value = values[name]
            if isinstance(value, tuple):
                wrong = [v for v in value if not what.accepts((v,))]
                message = f"{name} of {s.name} has {wrong[0] if wrong else f'{len(value)} entries'}"
            else:
                message = f"{name} of {s.name} is {value}"
            message += f"; it must be {what.expected}"
            ledger.report(
                codes.INVALID_ATTRIBUTE, message, severity=what.severity, detail=Detail(name, allowed=what.listed)
            )


def element_types(ledger: Ledger, s: Signature, inputs: Sequence[Fact | None]) -> tuple[dict[str, str], bool]:
    """Bind the type variables to the inputs' types; return whether all are allowed and consistent."""
    bound: dict[str, str] = {}
    by: dict[str, str] = {}
    agree = True
    for i, fact in enumerate(inputs[: s.max_input]):
        kind = None if fact is None else type_string(fact)
        if kind is None or not s.inputs:
            continue
        formal = s.input(i)
        if not formal.type:
            continue
        port = _port(s, i, formal)
        if kind not in s.allowed(formal):
            allowed = _allowed(s, formal)
            which = f"operand {formal.name} of {s.name} (opset {s.since})"
            expected = f"{'one of ' if len(allowed) > 1 else ''}{', '.join(allowed)}"
            message = f"{which} is {readable_type(kind)}; it must be {expected}"
            detail = Detail(allowed=allowed)
            ledger.report(codes.ELEMENT_TYPE_NOT_ALLOWED, message, f"operand.{i}", detail=detail)
            agree = False
        elif formal.type in s.variables and formal.homogeneous:
            if bound.setdefault(formal.type, kind) != kind:
                message = (
                    f"{by[formal.type]} is {readable_type(bound[formal.type])} and {port} is {readable_type(kind)}; "
                    f"{s.name} requires one type for both ({formal.type})"
                )
                where = f"operand.{by_index(s, by, formal.type)} operand.{i}"
                detail = Detail(allowed=_allowed(s, formal))
                ledger.report(codes.ELEMENT_TYPE_MISMATCH, message, where, detail=detail)
                agree = False
            by.setdefault(formal.type, port)
    return bound, agree


def by_index(s: Signature, by: Mapping[str, str], variable: str) -> int:
    """The index of the input that bound a type variable first."""
    name, _, index = by[variable].partition(" ")
    return next(i for i, f in enumerate(s.inputs) if f.name == name) + int(index or 0)


def _port(s: Signature, i: int, formal: Formal) -> str:
    return f"{formal.name} {i - len(s.inputs) + 1}" if formal.kind == "variadic" else formal.name


def _allowed(s: Signature, formal: Formal) -> tuple[str, ...]:
    return tuple(sorted(readable_type(t) for t in s.allowed(formal)))
