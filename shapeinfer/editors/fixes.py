"""Quick fixes: nearest names, removal of what is unused or not allowed, missing entries of the header."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple, TypeAlias

import onnx
from onnx.helper import find_min_ir_version_for

from shapeinfer.diagnostics import codes
from shapeinfer.diagnostics.codes import Code
from shapeinfer.diagnostics.nearest import nearest
from shapeinfer.editors import operators
from shapeinfer.editors.problems import Problem, undefined_name
from shapeinfer.editors.spelling import quoted, spelled
from shapeinfer.ops.signature import first_version, latest_version, operator_names
from shapeinfer.text import (
    AttributeText,
    Body,
    FunctionText,
    GraphText,
    Name,
    NodeText,
    Placed,
    Written,
    read_model,
    statement_at,
    values_of,
)

FEW = 3
"""The most nearest names that are offered."""
MOST = 6
"""If an attribute allows at most this many values, all are offered."""
_EXPECTED = re.compile(r"expected (\S+) ")
_MARKS = frozenset("()<>[]{},:=") | {"=>"}


class Edit(NamedTuple):
    """A replacement of the text between two positions."""

    start: int
    end: int
    text: str


class Fix(NamedTuple):
    """An edit and the title that the editor shows for it."""

    title: str
    edit: Edit


class Spot(NamedTuple):
    """The statement that a problem is about: its start, and its graph with the offset of the graph's spans."""

    at: int
    node: NodeText
    base: int
    body: Body


Fixes: TypeAlias = "Callable[[Written, Problem], Iterable[Fix]]"


def fixes(written: Written, problem: Problem) -> list[Fix]:
    """Return the fixes of a problem, the likeliest first."""
    find = _FIXES.get(problem.code)
    return [] if find is None else list(find(written, problem))


def _spot(written: Written, problem: Problem) -> Spot | None:
    for base, body in reversed(written.around(problem.start)):
        placed = statement_at(body, base, problem.start)
        if placed is not None:
            return Spot(base + placed.at, placed.what, base, body)
    return None


def _renamed(at: int, name: Name, near: Iterable[str], write: Callable[[str], str] = str) -> Iterator[Fix]:
    for other in near:
        if other == name.text:
            continue
        edit = Edit(at + name.start, at + name.end, write(other))
        yield Fix(f"Replace {write(name.text)} with {write(other)}", edit)


def _operator(written: Written, problem: Problem) -> Iterator[Fix]:
    spot = _spot(written, problem)
    if spot is not None and spot.node.operator is not None:
        name = spot.node.operator
        domain = name.text.rpartition(".")[0]
        known = {*operators.names(written), *(f"{domain}.{n}" for n in operator_names(domain) if domain)}
        yield from _renamed(spot.at, name, nearest(name.text, sorted(known), FEW))


def _attribute(written: Written, problem: Problem) -> Iterator[Fix]:
    spot, detail = _spot(written, problem), problem.diagnostic.detail
    found = None if spot is None else _attribute_of(spot.node, detail.attribute)
    if spot is None or found is None:
        return
    given = {a.name.text for a in spot.node.attributes}
    near = nearest(found.name.text, [name for name in detail.allowed if name not in given], FEW)
    yield from _renamed(spot.at, found.name, near)
    yield Fix(f"Remove {found.name.text}", _without_attribute(written.text, spot, found))


def _attribute_of(node: NodeText, name: str | None) -> AttributeText | None:
    return next((a for a in node.attributes if a.name.text == name), None)


def _without_attribute(text: str, spot: Spot, found: AttributeText) -> Edit:
    """Remove an attribute with its comma, or with the brackets if it is the only one."""
    index = spot.node.attributes.index(found)
    if index > 0:
        return Edit(spot.at + spot.node.attributes[index - 1].end, spot.at + found.end, "")
    if len(spot.node.attributes) > 1:
        return Edit(spot.at + found.name.start, spot.at + spot.node.attributes[1].name.start, "")
    start, end = text.rfind("<", 0, spot.at + found.name.start), text.find(">", spot.at + found.end) + 1
    start -= len(text[:start]) - len(text[:start].rstrip(" "))
    return Edit(start, end, "")


def _value(written: Written, problem: Problem) -> Iterator[Fix]:
    """Yield fixes that set an attribute to one of the values that its operator allows."""
    spot, detail = _spot(written, problem), problem.diagnostic.detail
    found = None if spot is None else _attribute_of(spot.node, detail.attribute)
    if spot is None or found is None or found.ref is not None:
        return
    kind = found.proto.type
    if kind not in (onnx.AttributeProto.STRING, onnx.AttributeProto.INT):
        return
    given = found.proto.s.decode("utf-8", "replace") if kind == onnx.AttributeProto.STRING else str(found.proto.i)
    near = nearest(given, detail.allowed, FEW)
    for value in dict.fromkeys([*near, *(detail.allowed if len(detail.allowed) <= MOST else ())]):
        text = quoted(value) if kind == onnx.AttributeProto.STRING else value
        yield Fix(f"Set {found.name.text} = {text}", _set(spot, found, text))


def _excluded(written: Written, problem: Problem) -> Iterator[Fix]:
    """Yield fixes that remove one of two attributes that exclude each other."""
    spot, named = _spot(written, problem), re.match(r"(.+) exclude each other", problem.diagnostic.message)
    names = named[1].split(" and ") if named else []
    given = [] if spot is None else [a for name in names if (a := _attribute_of(spot.node, name)) is not None]
    for attribute in given if len(given) > 1 else ():
        assert spot is not None, "its attributes are given"
        yield Fix(f"Remove {attribute.name.text}", _without_attribute(written.text, spot, attribute))


def _attribute_type(written: Written, problem: Problem) -> Iterator[Fix]:
    """Yield a fix that writes a number in the attribute's type, if its value stays the same."""
    spot, detail = _spot(written, problem), problem.diagnostic.detail
    found = None if spot is None else _attribute_of(spot.node, detail.attribute)
    wanted = re.search(r"must be (\w+); it is", problem.diagnostic.message)
    if spot is None or found is None or found.ref is not None or wanted is None:
        return
    text = _number_as(wanted[1], onnx.helper.get_attribute_value(found.proto))
    if text:
        yield Fix(f"Set {found.name.text} = {text}", _set(spot, found, text))


def _number_as(kind: str, value: object) -> str:
    """Return numbers as text of an attribute type, empty if it is no number or the conversion changes its value."""
    is_list = isinstance(value, Iterable) and not isinstance(value, (str, bytes))
    numbers = list(value) if isinstance(value, Iterable) and is_list else [value]
    written: list[str] = []
    for number in numbers:
        if not isinstance(number, (int, float)) or (kind.startswith("int") and number != int(number)):
            return ""
        written.append(str(int(number)) if kind.startswith("int") else repr(float(number)))
    if kind in ("ints", "floats"):
        return f"[{', '.join(written)}]"
    return written[0] if kind in ("int", "float") and len(written) == 1 else ""


def _set(spot: Spot, attribute: AttributeText, value: str) -> Edit:
    return Edit(spot.at + attribute.name.start, spot.at + attribute.end, f"{attribute.name.text} = {value}")


def _inputs(written: Written, problem: Problem) -> Iterator[Fix]:
    """Yield a fix that removes surplus inputs."""
    spot, most = _spot(written, problem), re.search(r"takes (?:at most )?(\d+) inputs", problem.diagnostic.message)
    if spot is None or most is None or int(most[1]) >= len(spot.node.inputs):
        return
    kept, left = spot.node.inputs[: int(most[1])], spot.node.inputs[int(most[1]) :]
    start = kept[-1].end if kept else left[0].start
    names = ", ".join(spelled(n.text) for n in left)
    yield Fix(f"Remove {_shortened(names)}", Edit(spot.at + start, spot.at + left[-1].end, ""))


def _undefined(written: Written, problem: Problem) -> Iterator[Fix]:
    spot = _spot(written, problem)
    if spot is not None:
        for name in spot.node.inputs:
            if undefined_name(problem.diagnostic) == name.text:
                yield from _renamed(spot.at, name, nearest(name.text, _before(written, spot.at), FEW), spelled)
                return


def _before(written: Written, at: int) -> dict[str, None]:
    """Return the values that are defined before a place."""
    names: list[str] = []
    for base, body in reversed(written.around(at)):
        names += [n.text for n in body.inputs] if isinstance(body, FunctionText) else []
        names += [v.what.name.text for what, v in values_of(body) if what == "input" or v.what.tensor is not None]
        names += [o.text for node in body.nodes if base + node.at + node.what.end <= at for o in node.what.outputs]
    return dict.fromkeys(filter(None, names))


def _output(written: Written, problem: Problem) -> Iterator[Fix]:
    """Yield fixes that replace an undefined output or declared value by the nearest defined one."""
    for base, body in reversed(written.around(problem.start)):
        names = body.outputs if isinstance(body, FunctionText) else ()
        placed = [(base, n) for n in names] + [(base + v.at, v.what.name) for _, v in values_of(body)]
        for at, name in placed:
            if at + name.start <= problem.start < at + name.end:
                known = {o.text: None for node in body.nodes for o in node.what.outputs if o.text}
                yield from _renamed(at, name, nearest(name.text, known, FEW), spelled)
                return


def _node(written: Written, problem: Problem) -> Iterator[Fix]:
    spot = _spot(written, problem)
    if spot is not None:
        start, end = _with_line(written.text, spot.at, spot.at + spot.node.end)
        yield Fix(f"Remove {_shortened(written.text[spot.at : spot.at + spot.node.end])}", Edit(start, end, ""))


def _with_line(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the span of a statement with the blanks around it, and with its lines if nothing else is on them."""
    first, last = text.rfind("\n", 0, start) + 1, text.find("\n", end)
    last = len(text) if last < 0 else last + 1
    if not text[first:start].strip() and not text[end:last].strip():
        return first, last
    return start, end + len(text[end:]) - len(text[end:].lstrip(" \t"))


def _shortened(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 60 else f"{line[:57]}..."


def _initializer(written: Written, problem: Problem) -> Iterator[Fix]:
    graph = written.model.graph
    values: tuple[Placed[object], ...] = () if graph is None else graph.values
    for index, placed in enumerate(graph.values if isinstance(graph, GraphText) else ()):
        if placed.what.name.text == problem.diagnostic.value and placed.what.tensor is not None:
            start, end = placed.at, placed.at + placed.what.end
            if index > 0:
                before = graph.values[index - 1] if graph else placed
                start = before.at + before.what.end
            elif len(values) > 1:
                end = values[1].at
            yield Fix(f"Remove {spelled(placed.what.name.text)}", Edit(start, end, ""))
            return


def _import(written: Written, problem: Problem) -> Iterator[Fix]:
    node = problem.diagnostic.node
    if node is not None:
        entry = f"{quoted(node.domain)} : {latest_version(node.domain) or 1}"
        edit = in_header(written, "opset_import", entry)
        yield Fix(f"Import {entry.replace(' : ', ' ')}", edit)


def _newer(written: Written, problem: Problem) -> Iterator[Fix]:
    """Yield a fix that imports the opset that added an operator; imports of functions are not changed."""
    node = problem.diagnostic.node
    since = None if node is None else first_version(node.domain, node.op_type)
    if node is not None and since is not None and not isinstance(_home(written, problem), FunctionText):
        yield from _opset(written, node.domain, since)


def _older(written: Written, problem: Problem) -> Iterator[Fix]:
    """Yield a fix that imports the newest known opset."""
    named = re.search(r"imports opset \d+ of (\S+);.* knows is (\d+)", problem.diagnostic.message)
    if named is not None:
        yield from _opset(written, "" if named[1] == "ai.onnx" else named[1], int(named[2]))


def _opset(written: Written, domain: str, version: int) -> Iterator[Fix]:
    key = re.escape(quoted(domain)) if domain else r'"(?:ai\.onnx)?"'
    found = re.search(rf"(?:\[|,)\s*{key}\s*:\s*(\d+)", written.text[: written.model.header_end or 0])
    if found is not None:
        yield Fix(f"Import opset {version} of {domain or 'ai.onnx'}", Edit(*found.span(1), str(version)))


def _home(written: Written, problem: Problem) -> Body | None:
    return next((body for _, body in written.around(problem.start)), None)


def _version(written: Written, _problem: Problem) -> Iterator[Fix]:
    model = written.model
    try:
        version = find_min_ir_version_for(model.proto.opset_import, True)
    except (ValueError, TypeError):  # of an opset that onnx does not know
        version = onnx.IR_VERSION
    version = min(max(version, 8 if model.functions else 4), onnx.IR_VERSION)
    for entry in model.header:
        if entry.key.text == "ir_version":
            yield Fix(f"Set ir_version: {version}", Edit(entry.key.start, entry.end, f"ir_version: {version}"))
            return
    at = model.header[0].key.start if model.header else _top(written)
    text = f"ir_version: {version}, " if model.header else f"<ir_version: {version}>\n"
    yield Fix(f"Add ir_version: {version}", Edit(at, at, text))


def in_header(written: Written, key: str, entry: str) -> Edit:
    """Return the edit that adds an entry to a list of the model's header; a missing list or header is added too."""
    for known in written.model.header:
        if known.key.text == key:
            at = known.end - 1
            empty = not written.text[known.key.end : at].strip(" \t\r\n:[")
            return Edit(at, at, f"{'' if empty else ', '}{entry}")
    if written.model.header:
        at = written.model.header[-1].end
        return Edit(at, at, f", {key}: [{entry}]")
    at = _top(written)
    return Edit(at, at, f"<{key}: [{entry}]>\n")


def _top(written: Written) -> int:
    return len(written.text) - len(written.text.removeprefix("\ufeff"))


def _syntax(written: Written, problem: Problem) -> Iterator[Fix]:
    """Yield fixes that insert the expected punctuation, or replace what is in its place, if fewer faults remain."""
    expected = _EXPECTED.match(problem.diagnostic.message)
    if expected is None or expected[1] not in _MARKS:
        return
    text, mark, start, end = written.text, expected[1], problem.start, min(problem.end, len(written.text))
    places = dict.fromkeys(len(text[:at].rstrip()) for at in (start, end))
    edits = [Edit(at, at, f" {mark}" if mark in ("(", "=", "=>", "{") else mark) for at in places]
    for edit in (*edits, Edit(start, end, mark)):
        after = read_model(text[: edit.start] + edit.text + text[edit.end :], written.model)
        if len(after.faults) < len(written.model.faults):
            old = text[edit.start : edit.end]
            yield Fix(f"Replace {old} with {mark}" if old else f"Insert {mark}", edit)
            return


_FIXES: dict[Code, Fixes] = {
    codes.SYNTAX_ERROR: _syntax,
    codes.NO_SUCH_OPERATOR: _operator,
    codes.UNKNOWN_OPERATOR: _operator,
    codes.OPERATOR_TOO_NEW: _newer,
    codes.OPSET_TOO_NEW: _older,
    codes.UNKNOWN_ATTRIBUTE: _attribute,
    codes.INVALID_ATTRIBUTE: _value,
    codes.ATTRIBUTE_TYPE: _attribute_type,
    codes.CONFLICTING_ARGUMENTS: _excluded,
    codes.TOO_MANY_INPUTS: _inputs,
    codes.UNDEFINED_VALUE: _undefined,
    codes.MISSING_OUTPUT: _output,
    codes.UNDEFINED_DECLARATION: _output,
    codes.UNUSED_NODE: _node,
    codes.UNUSED_INITIALIZER: _initializer,
    codes.MISSING_OPSET_IMPORT: _import,
    codes.MISSING_IR_VERSION: _version,
    codes.IR_VERSION_TOO_OLD: _version,
    codes.IR_VERSION_TOO_NEW: _version,
}
FIXED = frozenset(_FIXES)
"""The codes whose findings may have fixes."""
