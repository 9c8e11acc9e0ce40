"""Signature help: the attributes and inputs of an operator, and the one that is being written."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from shapeinfer.editors import operators
from shapeinfer.editors.completion import call_around
from shapeinfer.editors.markdown import code
from shapeinfer.facts import Fact
from shapeinfer.ops.signature import Formal, FormalAttribute, Signature, signature
from shapeinfer.ops.types import readable_type
from shapeinfer.text import FunctionText, Written

_QUOTED = re.compile(r'"(?:[^"\\\n]|\\.)*"?')
_BRACKETS = re.compile(r"\([^()]*\)|\[[^\[\]]*\]|\{[^{}]*\}")
_OPENING = re.compile(r"[\[({]")
_NAME = re.compile(r"[A-Za-z_][\w]*")


class Parameter(NamedTuple):
    """A parameter: its span in the label of the signature, and its documentation in Markdown."""

    start: int
    end: int
    markdown: str


class Help(NamedTuple):
    """A signature, its documentation, its parameters and the number of the one that is being written, if any is."""

    label: str
    markdown: str
    parameters: tuple[Parameter, ...]
    active: int | None


def signature_help(written: Written, at: int) -> Help | None:
    """Return the signature of the operator whose attributes or inputs a place lies in."""
    call = call_around(written.text, at)
    if call is None:
        return None
    given = _top_level(written.text[call.opens + 1 : at])
    found = _declared(written, call.operator)
    if found is not None:
        return _of_operator(written, found, call.mark, given, at)
    for function in written.model.functions:
        if call.operator == ".".join(filter(None, (function.domain, function.name.text))):
            return _of_function(function, call.mark, given)
    return None


def _declared(written: Written, operator: str) -> Signature | None:
    domain, _, name = operator.rpartition(".")
    domain = "" if domain == "ai.onnx" else domain
    version = operators.opsets(written).get(domain)
    return None if version is None else signature(domain, name, version)


def _top_level(given: str) -> str:
    """Return the written part of a call without strings and nested brackets, whose commas separate no arguments."""
    text, before = _QUOTED.sub(lambda found: "_" * len(found[0]), given), ""
    while text != before:
        text, before = _BRACKETS.sub("", text), text
    return _OPENING.split(text)[0]


def _of_operator(written: Written, s: Signature, mark: str, given: str, at: int) -> Help:
    label = _Label()
    label.add(f"{f'{s.domain}.' if s.domain else ''}{s.name}")
    attributes = sorted(s.attributes.values(), key=lambda a: (not a.required, a.name))
    documented = s.schema.attributes if s.schema is not None else {}
    label.list("<", [(_attribute(a), operators.described(documented.get(a.name))) for a in attributes], ">")
    facts = _operands(written, given, at) if mark == "(" else []
    inputs = [(_input(f), "\n\n".join(_types(s, f, facts, i))) for i, f in enumerate(s.inputs)]
    label.list("(", inputs, ")", always=True)
    outputs = ", ".join(_input(f) for f in s.outputs)
    label.add(f" => ({outputs})")
    if mark == "(":
        index = given.count(",")
        last = len(s.inputs) - 1
        variadic = last >= 0 and s.inputs[last].kind == "variadic"
        within = index <= last or variadic
        active = len(attributes) + min(index, last) if within and last >= 0 else None
    else:
        name = _NAME.match(given.rpartition(",")[2].strip())
        active = next((i for i, a in enumerate(attributes) if name and a.name == name[0]), None)
    summary = operators.summary(s.schema) if s.schema is not None else ""
    return Help(label.text, summary, tuple(label.parameters), active)


def _attribute(a: FormalAttribute) -> str:
    default = "" if a.default is None else f" = {_value(a.default)}"
    return f"{a.name}: {a.type.text}{' (required)' if a.required else default}"


def _value(value: object) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(map(_value, value))}]"
    return f'"{value}"' if isinstance(value, str) else f"{value:.6g}" if isinstance(value, float) else str(value)


def _input(f: Formal) -> str:
    mark = {"optional": "?", "variadic": "..."}.get(f.kind, "")
    return f"{f.name}{mark}: {f.type}" if f.type else f"{f.name}{mark}"


def _types(s: Signature, formal: Formal, facts: list[Fact | None], index: int) -> Iterator[str]:
    """Yield the types that an input allows, its documentation, and the type of the given operand."""
    if formal.type:
        yield f"{formal.type}: {', '.join(sorted(map(readable_type, s.allowed(formal))))}"
    documented = s.schema.inputs[index].description if s.schema is not None else ""
    if documented:
        yield operators.shortened(documented, 400)
    fact = facts[index] if index < len(facts) else None
    if fact is not None:
        yield f"here {code(fact.text)}"


def _operands(written: Written, given: str, at: int) -> list[Fact | None]:
    """Return the inferred types of the operands that are written before a place."""
    facts = {name: fact for _, body in written.around(at) for name, fact in written.facts(body).items()}
    return [facts.get(name.strip()) for name in given.split(",")]


def _of_function(function: FunctionText, mark: str, given: str) -> Help:
    label = _Label()
    label.add(".".join(filter(None, (function.domain, function.name.text))))
    label.list("<", [(n.text, "") for n in function.attributes], ">")
    label.list("(", [(n.text, "") for n in function.inputs], ")", always=True)
    label.add(f" => ({', '.join(n.text for n in function.outputs)})")
    index, count = given.count(","), len(function.attributes)
    if mark == "(":
        active = count + index if index < len(function.inputs) else None
    else:
        name = _NAME.match(given.rpartition(",")[2].strip())
        active = next((i for i, n in enumerate(function.attributes) if name and n.text == name[0]), None)
    return Help(label.text, "a function of this model", tuple(label.parameters), active)


class _Label:
    """The text of a signature as it grows, and the parameters in it."""

    def __init__(self) -> None:
        self.text = ""
        self.parameters: list[Parameter] = []

    def add(self, text: str) -> None:
        self.text += text

    def list(self, opening: str, parameters: list[tuple[str, str]], closing: str, *, always: bool = False) -> None:
        """Add a list of parameters with their documentation, an empty one only if it is ``always`` there."""
        if not parameters and not always:
            return
        self.add(f" {opening}")
        for i, (text, markdown) in enumerate(parameters):
            self.add(", " if i else "")
            start = len(self.text)
            self.add(text)
            self.parameters.append(Parameter(start, len(self.text), markdown))
        self.add(closing)
