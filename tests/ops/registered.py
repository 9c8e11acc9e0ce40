"""What the installed onnx and onnxruntime register, beside what is declared here.

``python -m tests.ops.registered`` lists the operators that are not known and those that have other inputs, outputs or
attributes than declared, and exits with 1 if there are any: what to do after a release of either.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import onnx
from onnxruntime.capi.onnxruntime_pybind11_state import get_all_operator_schema

from shapeinfer.ops.coverage import coverage
from shapeinfer.ops.signature import Formal, Signature, declared

REGISTERED = {(s.domain, s.name, s.since_version): s for s in get_all_operator_schema()}
DOMAINS = {domain for domain, _, _ in REGISTERED if domain not in ("", "ai.onnx.ml")}
"""The runtime's own; the others are ONNX's, to which it adds some operators."""
OWN = [s for s in declared() if (s.domain, s.name, s.since) in REGISTERED and not s.deprecated]
Port = tuple[str, str, bool, frozenset[str]]


def theirs(own: Signature) -> Any:
    """Return the schema that the runtime has for a declaration."""
    return REGISTERED[own.domain, own.name, own.since]


def their_ports(schema: Any, formals: Any) -> list[Port]:
    """Return name, kind, homogeneity and types of formal inputs or outputs."""
    allowed = {t.type_param_str: frozenset(t.allowed_type_strs) for t in schema.type_constraints}
    return [
        (
            p.name,
            str(p.option).rpartition(".")[2].lower(),
            p.isHomogeneous,
            allowed.get(p.typeStr, frozenset({p.typeStr})),
        )
        for p in formals
    ]


def our_ports(own: Signature, formals: tuple[Formal, ...]) -> list[Port]:
    """Return the same of a declaration."""
    return [(p.name, p.kind, p.homogeneous, own.allowed(p)) for p in formals]


def has_first_normalization(own: Signature) -> bool:
    """Whether the runtime gives statistics of a type, bfloat16, that its own schema does not list."""
    return own.name in ("LayerNormalization", "SimplifiedLayerNormalization")


def attributes_of(schema: Any) -> dict[str, tuple[str, bool, object]]:
    """Return the type of each attribute, whether it is required, and its default."""
    return {
        name: (str(a.type).rpartition(".")[2], a.required, _default(a)) for name, a in sorted(schema.attributes.items())
    }


def our_attributes(own: Signature) -> dict[str, tuple[str, bool, object]]:
    """Return the same of a declaration."""
    return {name: (a.type.name, a.required, _rounded(a.default)) for name, a in sorted(own.attributes.items())}


def _default(attribute: Any) -> object:
    proto = onnx.AttributeProto()
    proto.ParseFromString(attribute._default_value or b"")
    value = onnx.helper.get_attribute_value(proto) if proto.type else None
    return _rounded(value.decode() if isinstance(value, bytes) else value)


def _rounded(value: object) -> object:
    if isinstance(value, list):
        return tuple(value)
    return float(np.float32(value)) if isinstance(value, float) else value


def unknown() -> list[tuple[str, str, int]]:
    """Return domain, name and version of each operator that is registered and not known here."""
    known = {(c.domain, c.name, c.since) for c in coverage() if c.by != "nothing" or c.deprecated}
    registered = set(REGISTERED) | {
        (s.domain, s.name, s.since_version) for s in onnx.defs.get_all_schemas_with_history()
    }
    return sorted(registered - known)


def differences() -> Iterator[tuple[Signature, str]]:
    """Yield each declaration that is not as registered, and in what it differs."""
    for own in OWN:
        schema = theirs(own)
        if our_ports(own, own.inputs) != their_ports(schema, schema.inputs):
            yield own, "inputs"
        if not has_first_normalization(own) and our_ports(own, own.outputs) != their_ports(schema, schema.outputs):
            yield own, "outputs"
        if our_attributes(own) != attributes_of(schema):
            yield own, "attributes"


def main() -> int:
    """Print what is not known; return 1 if there is any."""
    lines = [f"{domain or 'ai.onnx'} {name} {since} is not known" for domain, name, since in unknown()]
    lines += [f"{own.domain or 'ai.onnx'} {own.name} {own.since} has other {what}" for own, what in differences()]
    print("\n".join(lines) or "every operator of the installed onnx and onnxruntime is known")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
