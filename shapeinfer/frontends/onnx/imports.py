"""Which opset versions a model imports, and which domains it uses without importing them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

import onnx
import onnx.defs

from shapeinfer.diagnostics import codes
from shapeinfer.diagnostics.diagnostic import Diagnostic, NodeRef
from shapeinfer.frontends.onnx.names import as_text, require_text
from shapeinfer.graph import FunctionKey
from shapeinfer.graph.call import spelled_function

_Place = tuple[onnx.NodeProto, int, tuple[str, ...]]


def domain_of(name: str) -> str:
    """Return the domain that a name stands for: ``ai.onnx`` is another name of the default one."""
    return "" if name == "ai.onnx" else name


def key_of(function: onnx.FunctionProto) -> FunctionKey:
    """Return what identifies a function: its domain, its name and its overload."""
    return domain_of(function.domain), function.name, function.overload


def imports(entries: Iterable[onnx.OperatorSetIdProto]) -> dict[str, int]:
    """Return the versions imported, by domain: the newest of each (onnx.proto, "opset_import")."""
    found: dict[str, int] = {}
    for entry in entries:
        domain = domain_of(entry.domain)
        found[domain] = max(entry.version, found.get(domain, entry.version))
    return found


def assumed(domain: str) -> int:
    """Return the version taken for a domain that is not imported."""
    return 1 if domain else onnx.defs.onnx_opset_version()


def not_imported(model: onnx.ModelProto, opsets: Collection[str]) -> list[Diagnostic]:
    """Return one fault for each domain that the model, or one of its functions, uses and does not import."""
    found = _faults(_nodes(model.graph.node, ()), opsets)
    for function in model.functions:
        require_text((*key_of(function), *function.input, *function.output, *function.attribute))
        require_text(a.name for a in function.attribute_proto)
        for node, _, _ in _nodes(function.node, ()):
            require_text((node.op_type, node.domain, node.overload, *node.input, *node.output))
            require_text(n for a in node.attribute for n in (a.name, a.ref_attr_name))
        name = spelled_function(key_of(function))
        own = {*opsets, *imports(function.opset_import)}
        found += _faults(_nodes(function.node, (name,)), own)
    return found


def _faults(places: Iterable[_Place], imported: Collection[str]) -> list[Diagnostic]:
    first: dict[str, Diagnostic] = {}
    for node, index, path in places:
        domain = domain_of(node.domain)
        if domain in imported or domain in first:
            continue
        spelled = domain or "ai.onnx"
        found = f"{node.op_type} is in domain {spelled}, which the model does not import"
        message = f"{found}; opset {assumed(domain)} is assumed"
        output = next(filter(None, node.output), "")
        place = NodeRef(index, as_text(node.name), node.op_type, domain, path, output)
        first[domain] = Diagnostic(codes.MISSING_OPSET_IMPORT, codes.MISSING_OPSET_IMPORT.severity, message, place)
    return list(first.values())


def _nodes(nodes: Iterable[onnx.NodeProto], path: tuple[str, ...]) -> Iterator[_Place]:
    """Walk the nodes of a graph and then those of its subgraphs, each with its place."""
    pending = [(nodes, path)]
    while pending:
        here, path = pending.pop(0)
        for index, node in enumerate(here):
            yield node, index, path
            name = as_text(node.name) or f"{node.op_type}_{index}"
            pending += [(a.g.node, (*path, f"{name}.{a.name}")) for a in node.attribute if a.HasField("g")]
