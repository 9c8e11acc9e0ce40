"""Nodes and graphs in the text of a model. A broken statement is reported, and the next one is read."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

import onnx

from shapeinfer.budget import look
from shapeinfer.frontends.onnxtext.attributes import read_attributes
from shapeinfer.frontends.onnxtext.cursor import Cursor, Unexpected, after_blanks
from shapeinfer.frontends.onnxtext.landmarks import NAMES, QUOTED
from shapeinfer.frontends.onnxtext.tree import Fault, GraphText, ModelText, Name, NodeText, Placed
from shapeinfer.frontends.onnxtext.untouched import Untouched, untouched
from shapeinfer.frontends.onnxtext.values import read_values

GRAPH_LEVELS = 3
"""A graph inside another takes so many levels of messages."""
_NEXT = re.compile(
    rf"""[^<>(){{}}\#"=]*(?:{QUOTED}[^<>(){{}}\#"=]*)*=
    [^<>(){{}}\#"=]*(?:<[^<>{{}}\#"]*(?:{QUOTED}[^<>{{}}\#"]*)*>\s*)?
    \([^<>(){{}}\#"=]*(?:{QUOTED}[^<>(){{}}\#"=]*)*\)
    (?:\s*<[^<>{{}}\#"]*(?:{QUOTED}[^<>{{}}\#"]*)*>)?""",
    re.VERBOSE | re.ASCII,
)
"""A whole node without subgraphs, tensors and comments in it, if it is one and no attributes follow."""

_OUTPUTS = re.compile(rf"[ \t]*(?:\[[^\]\n]*\][ \t]*)?({NAMES})?")


def read_graph(cursor: Cursor, proto: onnx.GraphProto) -> GraphText:
    """Read a graph into a proto: its name, inputs, outputs, types, initializers and nodes. Raises Unexpected."""
    graph = _read_graph(cursor, proto, read_nodes)
    fill_in(proto, graph.nodes)
    return graph


def read_main_graph(cursor: Cursor, proto: onnx.GraphProto, earlier: ModelText | None) -> GraphText:
    """Read the graph of a model as ``read_graph`` does, but its nodes, which are many and seldom needed, into no proto.

    Of an ``earlier`` text the statements that are untouched are not read again.
    """

    def read_changed(cursor: Cursor) -> tuple[Placed[NodeText], ...]:
        known, kept = cursor.known, cursor.kept
        left = untouched(cursor.text, cursor.skip(), earlier)
        cursor.known, cursor.kept = left.others, {}
        nodes = read_nodes(cursor, left)
        cursor.known, cursor.kept = known, kept
        return nodes

    return _read_graph(cursor, proto, read_changed)


def _read_graph(
    cursor: Cursor, proto: onnx.GraphProto, read_nodes: Callable[[Cursor], tuple[Placed[NodeText], ...]]
) -> GraphText:
    cursor.enter(GRAPH_LEVELS)
    name = cursor.name("the name of a graph")
    proto.name = name.text
    inputs = read_values(cursor, "(", ")", "inputs", proto.input, proto.initializer) if cursor.peek() == "(" else ()
    cursor.expect("=>", "between a graph's inputs and outputs")
    if cursor.peek() != "(":
        cursor.fail("expected ( before the outputs")
    outputs = read_values(cursor, "(", ")", "outputs", proto.output, None)
    has_values = cursor.peek() == "<"
    values = read_values(cursor, "<", ">", "values", proto.value_info, proto.initializer) if has_values else ()
    opens = cursor.skip()
    nodes = read_nodes(cursor)
    cursor.depth -= GRAPH_LEVELS
    return GraphText(name, inputs, outputs, values, nodes, opens - cursor.base, cursor.at - cursor.base)


def fill_in(proto: onnx.GraphProto | onnx.FunctionProto, nodes: Iterable[Placed[NodeText]]) -> None:
    """Put nodes into the proto of their graph; those that are broken are left out."""
    proto.node.extend(n.what.proto for n in nodes if n.what.proto is not None)


def read_nodes(cursor: Cursor, left: Untouched | None = None) -> tuple[Placed[NodeText], ...]:
    """Read ``{ ... }``. Raises Unexpected where none opens; what is wrong inside is reported and skipped.

    What is ``left`` of an earlier text is not read again.
    """
    opened = cursor.skip()
    cursor.expect("{", "before the nodes")
    base = cursor.base
    nodes: list[Placed[NodeText]] = []
    if left is not None and left.before:
        nodes += left.before
        cursor.at = left.resume
    text, known, kept = cursor.text, cursor.known, cursor.kept
    match = _NEXT.match
    while True:
        look()
        cursor.skip()
        rest = None if left is None else left.rest(cursor.at)
        if left is not None and rest is not None:
            cursor.at = left.end
            return (*nodes, *rest)
        whole = match(text, cursor.at)
        if whole and text.startswith("<", after_blanks(text, whole.end())):
            whole = None
        key = whole[0] if whole else ""
        node = known.get(key)
        # Each is taken once: a statement that stands twice is two nodes.
        if isinstance(node, NodeText) and key not in kept and whole is not None:
            kept[key] = node
            at, cursor.at = whole.span()
            nodes.append(Placed(at - base, node))
            continue
        mark = cursor.peek()
        at = cursor.at
        if mark == "}":
            cursor.at += 1
            return tuple(nodes)
        if not mark:
            message = "the list of nodes that opens here is never closed"
            _add_fault(cursor, Fault(opened, opened + 1, message, "close it with }"))
            cursor.ended = True
            return tuple(nodes)
        node = _statement(cursor)
        if whole and whole.span() == (at, cursor.at) and node.proto is not None:
            kept[key] = node
        nodes.append(Placed(at - base, node))


def _statement(cursor: Cursor) -> NodeText:
    """Read a node; a broken one is reported, and the cursor put at the next."""
    start, reported = cursor.at, len(cursor.faults)
    if start in cursor.nested:
        node, cursor.at, faults = cursor.nested[start]
        assert isinstance(node, NodeText)
        for fault in faults:
            _add_fault(cursor, fault)
        return node
    node = _new_statement(cursor)
    if cursor.depth > GRAPH_LEVELS:
        cursor.nested[start] = node, cursor.at, cursor.faults[reported:]
    elif node.proto is not None:
        cursor.nested.clear()
    return node


def _new_statement(cursor: Cursor) -> NodeText:
    base, depth, start = cursor.base, cursor.depth, cursor.at
    reported = len(cursor.faults)
    cursor.base = start
    try:
        return _node(cursor)
    except Unexpected as found:
        del cursor.faults[reported:]
        cursor.depth = depth
        cursor.at = cursor.landmarks().next_statement(start)
        cursor.ended = False
        _add_fault(cursor, _within(cursor.text, found.fault, start, cursor.at))
        return _broken(cursor, start)
    finally:
        cursor.base = base


def _add_fault(cursor: Cursor, fault: Fault) -> None:
    if not cursor.ended:
        cursor.faults.append(fault)


def _within(text: str, fault: Fault, start: int, end: int) -> Fault:
    """The fault; one that was noticed only in the next statement is looked for in this one alone."""
    if fault.start < end or "{" in text[start:end]:
        return fault
    alone = Cursor(text[start:end].rstrip())
    try:
        _node(alone)
    except Unexpected as found:
        own = found.fault
        last = start + len(alone.text)
        message = own.message.replace("the text ends here", "the statement ends here")
        return Fault(min(start + own.start, last - 1), last, message, own.fix)
    return fault


def _broken(cursor: Cursor, start: int) -> NodeText:
    found = _OUTPUTS.match(cursor.text, start)
    outputs: list[Name] = []
    if found is not None and found[1]:
        inner = Cursor(found[1])
        inner.base = start - found.start(1)
        outputs = _names(inner)
    return NodeText(None, tuple(outputs), None, (), (), None, cursor.at - start)


def _node(cursor: Cursor) -> NodeText:
    proto = onnx.NodeProto()
    label = None
    if cursor.takes("["):
        if cursor.peek() != "]":
            label = cursor.name("the node's name")
        proto.name = label.text if label else ""
        cursor.expect("]", "after the node's name")
    outputs = _names(cursor)
    cursor.expect("=", "after the outputs of a node", "a node is written y = Operator (x)")
    operator = _operator(cursor, proto)
    attributes = read_attributes(cursor, read_graph)
    cursor.expect("(", f"before the inputs of {proto.op_type}")
    inputs = _names(cursor)
    cursor.expect(")", f"to end the inputs of {proto.op_type}", "separate inputs by commas")
    end = cursor.at
    if not attributes and cursor.peek() == "<":
        attributes = read_attributes(cursor, read_graph)
    else:
        cursor.at = end
    proto.output.extend(n.text for n in outputs)
    proto.input.extend(n.text for n in inputs)
    proto.attribute.extend(a.proto for a in attributes)
    return NodeText(label, tuple(outputs), operator, attributes, tuple(inputs), proto, cursor.at - cursor.base)


def _operator(cursor: Cursor, proto: onnx.NodeProto) -> Name:
    first = cursor.identifier("the name of an operator")
    parts, end = [first.text], first.end
    while cursor.takes("."):
        part = cursor.identifier("the name of an operator")
        parts.append(part.text)
        end = part.end
    *domain, proto.op_type = parts
    proto.domain = ".".join(domain)
    if cursor.takes(":"):
        proto.overload = cursor.identifier("the name of an overload").text
    return Name(".".join(parts), first.start, end)


def _names(cursor: Cursor) -> list[Name]:
    """Read names; one that is left out is empty, and a comma at the end stands for nothing."""
    found: list[Name] = []
    while True:
        mark = cursor.peek()
        if mark == '"' or cursor.word():
            found.append(cursor.name("a name"))
        elif mark == ",":
            here = cursor.at - cursor.base
            found.append(Name("", here, here))
        else:
            return found
        if not cursor.takes(","):
            return found
