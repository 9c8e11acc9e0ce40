"""An operator's declared signature: arity, element types and attributes of one version.

ONNX's own come from ``onnx.defs``; others are declared in one line of text with ``declare``.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import re
from collections.abc import Mapping
from typing import Any, Literal

import onnx.defs
from attrs import field, frozen

from shapeinfer.facts import DType
from shapeinfer.facts.openvino import ELEMENT_TYPES
from shapeinfer.graph import AttributeType
from shapeinfer.ops.registry import Rule, find_rule, load
from shapeinfer.remembered import forgotten_by, note_text

Kind = Literal["single", "optional", "variadic"]


@frozen(repr=False)
class Formal:
    """One formal input or output.

    ``type`` is a type variable, a type string such as ``tensor(int64)``, or empty where any type will do.
    """

    name: str
    type: str
    kind: Kind = "single"
    homogeneous: bool = True


@frozen(repr=False)
class FormalAttribute:
    """One attribute; one that is neither required nor has a default may be absent."""

    name: str
    type: AttributeType
    required: bool = False
    default: object = None


@frozen(eq=False, repr=False)
class Signature:
    """The signature of one operator version."""

    domain: str
    name: str
    since: int
    inputs: tuple[Formal, ...]
    outputs: tuple[Formal, ...]
    attributes: Mapping[str, FormalAttribute]
    variables: Mapping[str, frozenset[str]]
    min_input: int
    max_input: int
    min_output: int
    max_output: int
    deprecated: bool = False
    open: bool = False
    """Whether it takes attributes that it does not list, as operators do that only a rule describes."""
    schema: Any = field(default=None, repr=False)

    def allowed(self, formal: Formal) -> frozenset[str]:
        """The type strings that a formal parameter takes."""
        found = self.variables.get(formal.type)
        return frozenset({formal.type}) if found is None else found

    def input(self, index: int) -> Formal:
        """The formal that the actual input of this index belongs to."""
        return self.inputs[min(index, len(self.inputs) - 1)]

    def output(self, index: int) -> Formal:
        return self.outputs[min(index, len(self.outputs) - 1)]


_KINDS: dict[Any, Kind] = {
    onnx.defs.OpSchema.FormalParameterOption.Single: "single",
    onnx.defs.OpSchema.FormalParameterOption.Optional: "optional",
    onnx.defs.OpSchema.FormalParameterOption.Variadic: "variadic",
}
_declared: dict[tuple[str, str], list[Signature]] = {}
MAX_ARITY = 2**31 - 1
STANDARD = ("", "ai.onnx.ml")
"""Domains whose operators and versions onnx defines."""


def _of_schema(schema: Any) -> Signature:
    variables = {t.type_param_str: frozenset(t.allowed_type_strs) for t in schema.type_constraints}

    def formal(p: Any) -> Formal:
        return Formal(p.name, p.type_str, _KINDS[p.option], p.is_homogeneous)

    return Signature(
        schema.domain,
        schema.name,
        schema.since_version,
        tuple(formal(p) for p in schema.inputs),
        tuple(formal(p) for p in schema.outputs),
        {
            name: FormalAttribute(
                name,
                AttributeType(int(a.type.value if hasattr(a.type, "value") else a.type)),
                a.required,
                _default(a.default_value),
            )
            for name, a in schema.attributes.items()
        },
        variables,
        schema.min_input,
        schema.max_input,
        schema.min_output,
        schema.max_output,
        schema.deprecated,
        schema=schema,
    )


def _default(proto: Any) -> object:
    value = onnx.helper.get_attribute_value(proto) if proto.type else None
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, list):
        return tuple(v.decode() if isinstance(v, bytes) else v for v in value)
    return value


NEWEST = 2**31 - 1
"""The greatest version that onnx takes; a model may name any of 64 bits."""
KEPT = 4096
"""The size of the caches: more than there are operators, fewer than the names in a hostile model."""


@functools.lru_cache(maxsize=KEPT)
def signature(domain: str, name: str, version: int) -> Signature | None:
    """Return the signature in force at an imported opset version, None if there is none."""
    note_text(domain, name)
    load(domain, name)  # declarations are in the modules of the rules
    found = [s for s in list(_declared.get((domain, name), ())) if s.since <= version]
    with contextlib.suppress(onnx.defs.SchemaError):
        found.append(_of_schema(onnx.defs.get_schema(name, min(max(version, 0), NEWEST), domain)))
    if found:
        return max(found, key=lambda s: s.since)
    # An operator that something describes, only not in this version, is not there; another has but its rule.
    described = (domain, name) in _declared or (domain, name) in _schemas()
    rule = None if described else find_rule(domain, name, version)
    return None if rule is None else _of_rule(rule)


def _of_rule(rule: Rule) -> Signature:
    """Return the signature of an operator that nothing but its rule describes: any types, any attributes."""
    inputs = tuple(Formal(p, "", "optional") for p in rule.parameters)
    if rule.variadic:
        inputs = (*inputs[:-1], Formal(rule.parameters[-1], "", "variadic"))
    most = MAX_ARITY if rule.variadic else len(inputs)
    outputs = (Formal("output", "", "variadic", homogeneous=False),)
    return Signature(rule.domain, rule.name, rule.since, inputs, outputs, {}, {}, 0, most, 0, MAX_ARITY, open=True)


@functools.lru_cache(maxsize=KEPT)
def first_version(domain: str, name: str) -> int | None:
    """Return the opset version that brought an operator, None if no version has it."""
    note_text(domain, name)
    load(domain)
    own = _declared.get((domain, name))
    if own:
        return min(s.since for s in own)
    found = [s.since_version for s in _schemas().get((domain, name), ())]
    return min(found) if found else None


def operator_names(domain: str) -> set[str]:
    """Return the names of all operators of a domain, in any version."""
    return {name for of, name in (*_schemas(), *_declared) if of == domain}


@functools.lru_cache(maxsize=1)
def _schemas() -> dict[tuple[str, str], list[Any]]:
    table: dict[tuple[str, str], list[Any]] = {}
    for schema in onnx.defs.get_all_schemas_with_history():
        table.setdefault((schema.domain, schema.name), []).append(schema)
    return table


@functools.lru_cache(maxsize=KEPT)
def latest_version(domain: str) -> int:
    """Return the newest opset version of a domain that is known, 0 if none is."""
    note_text(domain)
    if not domain:
        return int(onnx.defs.onnx_opset_version())
    load(domain)
    found = [s.since for (d, _), group in list(_declared.items()) if d == domain for s in group]
    found += [s.since_version for (d, _), group in _schemas().items() if d == domain for s in group]
    return max(found, default=0)


_DECLARATION = re.compile(
    r"\s*(?P<name>\w+)\s*\((?P<inputs>[^;)]*)(?:;(?P<attributes>.*))?\)\s*->\s*(?P<outputs>.*)", re.DOTALL
)
_FORMAL = re.compile(r"\s*(?P<name>\w+)(?P<mark>\??|\*\??!?)\s*:\s*(?P<type>\w+)\s*")
_ATTRIBUTE = re.compile(
    r"\s*(?P<name>[\w.-]+)(?P<mark>\??)\s*:\s*(?P<type>\w+)\s*(?:=\s*(?P<default>.*\S))?\s*", re.DOTALL
)
_MARKS: dict[str, Kind] = {"": "single", "?": "optional", "*": "variadic", "*?": "variadic"}


def declare(text: str, *, domain: str, since: int = 1, **variables: str) -> Signature:
    """Declare an operator that ``onnx.defs`` does not know, in one line.

    ``declare("BiasGelu(A: T, B: T) -> C: T", domain="com.microsoft", T="float float16")``. ``name?`` marks an
    optional input or output, ``name*`` a variadic one of at least one (``name*?`` of any number), ``name*!`` one
    whose types may differ; attributes follow a semicolon: ``; axis: int = -1, mode?: string, num_heads: int``,
    where ``?`` marks one without default that may be absent; a dot or dash in its name is an underscore in that
    of the rule's parameter. A type is a variable, whose element types are listed
    by keyword, or an element type of ONNX. Raises ValueError if the text cannot be read.
    """
    declaration = read(text, domain, since, variables)
    add(declaration)
    return declaration


def read(text: str, domain: str, since: int, variables: Mapping[str, str]) -> Signature:
    """Return the signature that the text of a declaration describes, as ``declare`` registers it."""
    parts = _DECLARATION.fullmatch(text.strip())
    if parts is None:
        raise ValueError(f"not a declaration: {text!r}")
    types = {
        name: frozenset(t if "(" in t else f"tensor({t})" for t in allowed.split())
        for name, allowed in variables.items()
    }

    def formals(listed: str) -> tuple[Formal, ...]:
        found = [_FORMAL.fullmatch(item) for item in listed.split(",") if item.strip()]
        if None in found:
            raise ValueError(f"not a parameter list: {listed!r} in {text!r}")
        return tuple(
            Formal(
                m["name"],
                m["type"] if m["type"] in types else f"tensor({DType[m['type'].upper()].onnx})",
                _MARKS[m["mark"].rstrip("!")],
                not m["mark"].endswith("!"),
            )
            for m in found
            if m is not None
        )

    attributes = {}
    for item in _split(parts["attributes"] or ""):
        m = _ATTRIBUTE.fullmatch(item)
        if m is None:
            raise ValueError(f"not an attribute: {item!r} in {text!r}")
        default = None if m["default"] is None else _default_of(m["default"])
        kind = AttributeType[m["type"].upper()]
        if kind is AttributeType.ELEMENT_TYPE and default is not None:
            default = ELEMENT_TYPES[default]
        attributes[m["name"]] = FormalAttribute(m["name"], kind, default is None and not m["mark"], default)
    inputs, outputs = formals(parts["inputs"]), formals(parts["outputs"])
    return Signature(
        domain,
        parts["name"],
        since,
        inputs,
        outputs,
        attributes,
        types,
        *_arity(inputs, "*?" in parts["inputs"]),
        *_arity(outputs, "*?" in parts["outputs"]),
    )


def add(declaration: Signature) -> None:
    """Register a declaration that was made otherwise than from text."""
    key = declaration.domain, declaration.name
    _declared[key] = [*(s for s in _declared.get(key, ()) if s.since != declaration.since), declaration]
    clear_caches()


@forgotten_by
def clear_caches() -> None:
    """Forget what was looked up, after rules or declarations were added."""
    signature.cache_clear()
    first_version.cache_clear()
    latest_version.cache_clear()


@functools.lru_cache(maxsize=256)
def _default_of(text: str) -> Any:
    """Return the value of a default: Python compiles each text, and a hundred of the texts are the same few."""
    return ast.literal_eval(text)


def _split(listed: str) -> list[str]:
    """Split at commas outside brackets and quotes."""
    return [item for item in re.split(r",(?![^(\[]*[)\]])", listed) if item.strip()]


def _arity(formals: tuple[Formal, ...], may_be_empty: bool) -> tuple[int, int]:
    least = max((i + 1 for i, f in enumerate(formals) if f.kind != "optional"), default=0)
    most = MAX_ARITY if formals and formals[-1].kind == "variadic" else len(formals)
    return least - may_be_empty, most


def declared() -> list[Signature]:
    """Return every signature that ``declare`` registered, for tests and listings."""
    load()
    return [s for group in list(_declared.values()) for s in group]
