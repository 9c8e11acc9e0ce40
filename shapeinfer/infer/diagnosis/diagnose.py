"""Turn a rule's finding, which names ports, into a diagnostic, which names nodes and values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from attrs import evolve

from shapeinfer.diagnostics.codes import MISSING_INPUT
from shapeinfer.diagnostics.detail import Detail
from shapeinfer.diagnostics.diagnostic import Diagnostic, NodeRef, Operand
from shapeinfer.diagnostics.finding import Claim, Finding, Port
from shapeinfer.dims import Dim, Size
from shapeinfer.facts import Fact, Tensor
from shapeinfer.graph import Node
from shapeinfer.ops.registry import find_rule
from shapeinfer.ops.signature import Signature, signature

MOST_LISTED = 64
"""A longer list is no part of a diagnostic."""


class Trace(Protocol):
    """Returns where the size of an axis, or an entry, comes from; empty where that is unknown."""

    def __call__(self, name: str, axis: int | None, entry: int | None = None) -> str:
        """Return a phrase such as ``3: axis 1 of input x``."""


def node_ref(node: Node, index: int, path: tuple[str, ...]) -> NodeRef:
    """Return the place of a node."""
    output = next(filter(None, node.outputs), "")
    return NodeRef(index, node.name, node.call.op_type, node.call.domain, path, output, node.line)


def diagnose(
    fault: Finding | Claim,
    node: Node,
    place: NodeRef,
    facts: Sequence[Fact | None],
    trace: Trace | None = None,
    notes: Sequence[str] = (),
) -> Diagnostic:
    """Return the diagnostic of a finding, or of a claim that turned out false, at a node."""
    declared = signature(node.call.domain, node.call.op_type, node.call.opset)
    operands = [_operand(port, index, node, declared, facts[index], trace) for port, index in input_ports(fault, node)]
    if fault.code is MISSING_INPUT:
        operands = [*_absent(fault, node, declared), *operands]
    first = operands[0] if operands else None
    own = fault.notes if isinstance(fault, Finding) else ()
    return Diagnostic(
        fault.code,
        fault.severity if isinstance(fault, Finding) else fault.code.severity,
        fault.message,
        place,
        first.port if first else None,
        first.axis if first else None,
        tuple(dict.fromkeys(operands)),
        (*own, *notes),
        detail=_with_value(fault.detail, node),
    )


def _absent(fault: Finding | Claim, node: Node, declared: Signature | None) -> list[Operand]:
    """Return the operands that a fault is about and the node does not have."""
    indices = [_input_index(declared, port) for port in fault.ports]
    absent = [i for i in indices if i is not None and not any(node.inputs[i : i + 1])]
    return [Operand(_formal_name(declared, i), "", "") for i in absent]


def _with_value(detail: Detail, node: Node) -> Detail:
    """Add what an attribute holds, if that is a number, text or a short list of them."""
    held = node.call.attributes.values.get(detail.attribute) if detail.attribute and detail.given is None else None
    listed = held if isinstance(held, tuple) else (held,)
    is_plain = len(listed) <= MOST_LISTED and all(isinstance(v, (int, float, str)) for v in listed)
    return evolve(detail, given=held) if is_plain else detail


def compared(name: str, declared: Fact, inferred: Fact, axis: int | None) -> tuple[Operand, ...]:
    """Return the two types of one value as the operands of what is wrong with them, ``declared`` and ``inferred``."""
    sides = {"declared": declared, "inferred": inferred}.items()
    lengths = {port: _length(Port(port, axis=axis), fact)[1] for port, fact in sides}
    return tuple(Operand(port, name, fact.text, axis, dim=lengths[port]) for port, fact in sides)


def input_ports(fault: Finding | Claim, node: Node) -> list[tuple[Port, int]]:
    """Return the ports that a fault is about, each with its index among the node's inputs."""
    declared = signature(node.call.domain, node.call.op_type, node.call.opset)
    found = [(port, _input_index(declared, port)) for port in fault.ports]
    return [(port, i) for port, i in found if i is not None and i < len(node.inputs) and node.inputs[i]]


def _operand(
    port: Port, index: int, node: Node, declared: Signature | None, fact: Fact | None, trace: Trace | None
) -> Operand:
    name = node.inputs[index]
    axis, dim = _length(port, fact)
    origin = trace(name, axis, port.entry) if trace is not None else ""
    return Operand(_formal_name(declared, index), name, _shown(fact, axis), axis, origin, port.entry, dim)


def _length(port: Port, fact: Fact | None) -> tuple[int | None, Size | None]:
    """Return the axis that a port means, counted from the front, and the length there or that of its entry."""
    if not isinstance(fact, Tensor):
        return port.axis, None
    if port.entry is not None:
        held = fact.value[port.entry] if fact.value is not None and port.entry < len(fact.value) else None
        return None, held if isinstance(held, (int, Dim)) else None
    if port.axis is None or fact.shape is None:
        return port.axis, None
    axis = port.axis + len(fact.shape) if port.axis < 0 else port.axis
    return axis, fact.shape[axis] if 0 <= axis < len(fact.shape) else None


def _shown(fact: Fact | None, axis: int | None) -> str:
    """The text of an operand's fact; where no axis is meant, its entries are."""
    if isinstance(fact, Tensor) and axis is None:
        return fact.spelled
    return fact.text if fact else "?"


def _formal_name(declared: Signature | None, index: int) -> str:
    if declared is None or not declared.inputs:
        return f"input {index}"
    formal = declared.input(index)
    return f"{formal.name} {index - len(declared.inputs) + 1}" if formal.kind == "variadic" else formal.name


def _input_index(declared: Signature | None, port: Port) -> int | None:
    """The index among the node's inputs that a rule's port stands for."""
    if port.name == "operand":
        return port.index
    rule = declared and find_rule(declared.domain, declared.name, declared.since)
    if not rule or port.name not in rule.parameters:
        return None
    return rule.parameters.index(port.name) + (port.index or 0)
