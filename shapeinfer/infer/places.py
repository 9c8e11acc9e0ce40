"""Turn a rule's finding, which speaks of ports, into a diagnostic, which speaks of nodes and values."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from shapeinfer.diagnostics.diagnostic import Diagnostic, NodeRef, Operand
from shapeinfer.diagnostics.finding import Claim, Finding, Port
from shapeinfer.facts import Fact, Tensor
from shapeinfer.graph import Node
from shapeinfer.ops.registry import find_rule
from shapeinfer.ops.signature import Signature, signature

Trace = Callable[[str, int], str]
"""Says where an axis of a value came from; empty where it is not known."""


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
    )


def input_ports(fault: Finding | Claim, node: Node) -> list[tuple[Port, int]]:
    """Return the ports that a fault speaks of, each with its index among the node's inputs."""
    declared = signature(node.call.domain, node.call.op_type, node.call.opset)
    found = [(port, _input_index(declared, port)) for port in fault.ports]
    return [(port, i) for port, i in found if i is not None and i < len(node.inputs) and node.inputs[i]]


def _operand(
    port: Port, index: int, node: Node, declared: Signature | None, fact: Fact | None, trace: Trace | None
) -> Operand:
    name = node.inputs[index]
    axis = port.axis
    if axis is not None and axis < 0 and isinstance(fact, Tensor) and fact.shape is not None:
        axis += len(fact.shape)
    origin = trace(name, axis) if trace is not None and axis is not None else ""
    return Operand(_formal_name(declared, index), name, _shown(fact, axis), axis, origin)


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
