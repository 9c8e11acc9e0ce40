"""What is declared of onnxruntime's operators is what the runtime itself has registered."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from onnxruntime.capi.onnxruntime_pybind11_state import get_all_operator_schema

from shapeinfer.ops.registry import rules
from shapeinfer.ops.signature import Formal, Signature, declared
from tests.each import each

DOMAINS = ("com.microsoft", "com.microsoft.nchwc")
NEWEST = (1, 32)
"""The runtime whose operators are declared; others have fewer, or more, attributes and inputs."""

REGISTERED = {(s.domain, s.name, s.since_version): s for s in get_all_operator_schema()}
OWN = [s for s in declared() if (s.domain, s.name, s.since) in REGISTERED and s.domain in (*DOMAINS, "")]

pytestmark = pytest.mark.skipif(
    tuple(int(n) for n in onnxruntime.__version__.split(".")[:2]) != NEWEST,
    reason="operators are declared as another version of onnxruntime has them",
)


def _theirs(schema: Any, formals: Any) -> list[tuple[str, str, bool, frozenset[str]]]:
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


def _ours(own: Signature, formals: tuple[Formal, ...]) -> list[tuple[str, str, bool, frozenset[str]]]:
    return [(p.name, p.kind, p.homogeneous, own.allowed(p)) for p in formals]


def _name(own: Signature) -> str:
    return own.name


def _is_first_layer_normalization(own: Signature) -> bool:
    # The runtime gives bfloat16 statistics, which its own schema does not list.
    return own.name in ("LayerNormalization", "SimplifiedLayerNormalization")


def test_every_operator_is_declared_and_has_a_rule() -> None:
    names = {(s.domain, s.name) for s in OWN if s.domain in DOMAINS}
    assert {(d, n) for d, n, _ in REGISTERED if d in DOMAINS} == names
    assert names <= {(r.domain, r.name) for r in rules()}


@each(OWN, _name)
def test_inputs_and_outputs(own: Signature) -> None:
    theirs = REGISTERED[own.domain, own.name, own.since]
    assert _ours(own, own.inputs) == _theirs(theirs, theirs.inputs)
    if not _is_first_layer_normalization(own):
        assert _ours(own, own.outputs) == _theirs(theirs, theirs.outputs)
    assert (own.min_input, own.max_input) == (theirs.min_input, theirs.max_input)
    assert (own.min_output, own.max_output) == (theirs.min_output, theirs.max_output)


@each(OWN, _name)
def test_which_of_them_share_a_type(own: Signature) -> None:
    theirs = REGISTERED[own.domain, own.name, own.since]
    ours = [p.type for p in (*own.inputs, *own.outputs)]
    names = [p.typeStr for p in (*theirs.inputs, *theirs.outputs)]
    several = [len(own.allowed(p)) > 1 for p in (*own.inputs, *own.outputs)]
    for i, a in enumerate(ours):
        for j, b in enumerate(ours):
            assert not (several[i] and several[j]) or (a == b) == (names[i] == names[j]), (i, j)


@each(OWN, _name)
def test_attributes(own: Signature) -> None:
    theirs = REGISTERED[own.domain, own.name, own.since].attributes
    assert set(own.attributes) == set(theirs)
    for name, formal in own.attributes.items():
        other = theirs[name]
        assert formal.type.name == str(other.type).rpartition(".")[2]
        assert formal.required == other.required
        default = _default(other)
        if isinstance(default, float):
            assert np.float32(default) == np.float32(formal.default)  # type: ignore[arg-type]
        else:
            assert formal.default == default


def _default(attribute: Any) -> object:
    proto = onnx.AttributeProto()
    proto.ParseFromString(attribute._default_value or b"")
    value = onnx.helper.get_attribute_value(proto) if proto.type else None
    return value.decode() if isinstance(value, bytes) else value
