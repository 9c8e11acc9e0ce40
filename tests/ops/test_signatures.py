"""What no call of any operator may be: short of inputs, full of them, of a wrong type, with a strange attribute."""

from __future__ import annotations

import functools
from typing import Any

import onnx.defs
import pytest

from shapeinfer import DType, Tensor
from shapeinfer.facts import Fact
from shapeinfer.graph import Attributes, AttributeType, Call
from shapeinfer.ops import call
from shapeinfer.ops.call import infer_call
from shapeinfer.ops.registry import ContentsRule
from shapeinfer.ops.signature import MAX_ARITY, Signature, declared, signature
from shapeinfer.ops.types import fact_of
from tests.each import each


def _signatures() -> list[Signature]:
    schemas: Any = onnx.defs.get_all_schemas_with_history()
    found = [signature(s.domain, s.name, s.since_version) for s in schemas if not s.deprecated]
    return [s for s in (*found, *declared()) if s is not None]


SIGNATURES = _signatures()
every = each(SIGNATURES, lambda s: f"{s.domain}.{s.name}-{s.since}")


def codes(s: Signature, inputs: list[Fact | None], attributes: Attributes | None = None) -> set[str]:
    """The codes of a call with these inputs."""
    outputs = (True,) * max(s.min_output, 1)
    called = Call(s.name, s.domain, s.since, attributes or Attributes(), outputs)
    return {f.code.name for f in infer_call(called, inputs).findings}


def fitting(s: Signature) -> list[Fact | None]:
    """One input of an allowed type for each that is required."""
    kinds = [sorted(s.allowed(s.input(i)))[0] for i in range(s.min_input)]
    return [fact_of(kind) for kind in kinds]


@every
def test_a_required_input_is_missed(declared: Signature) -> None:
    if declared.min_input:
        assert "missing-input" in codes(declared, [])


@every
def test_an_input_too_many_is_found(declared: Signature) -> None:
    if declared.max_input < MAX_ARITY:
        assert "too-many-inputs" in codes(declared, [Tensor("f32", (1,))] * (declared.max_input + 1))


@every
def test_a_type_that_is_not_allowed_is_found(declared: Signature) -> None:
    inputs = fitting(declared)
    for i in range(len(inputs)):
        allowed = declared.allowed(declared.input(i))
        strange = next((d for d in DType if d and f"tensor({d.onnx})" not in allowed), None)
        if strange is not None:
            assert "element-type-not-allowed" in codes(declared, [*inputs[:i], Tensor(strange, None), *inputs[i + 1 :]])


@every
def test_an_attribute_that_it_does_not_have_is_found(declared: Signature) -> None:
    strange = Attributes({"no_such_attribute": 1}, {"no_such_attribute": AttributeType.INT})
    assert ("unknown-attribute" in codes(declared, fitting(declared), strange)) is not declared.open


@every
def test_an_attribute_of_another_type_is_found(declared: Signature) -> None:
    for name, formal in declared.attributes.items():
        other = AttributeType.INT if formal.type is not AttributeType.INT else AttributeType.FLOAT
        assert "attribute-type" in codes(declared, fitting(declared), Attributes({name: 1}, {name: other}))


@every
def test_of_inputs_of_which_nothing_is_known_nothing_false_is_reported(declared: Signature) -> None:
    assert "internal-error" not in codes(declared, [Tensor(DType.UNDEFINED, None)] * declared.min_input)


@pytest.mark.parametrize("rank", [32, 33, 64, 65, 70])
def test_more_axes_than_arrays_have(rank: int) -> None:
    """numpy 1 has 32 axes at most and numpy 2 has 64, onnxruntime has no such limit."""

    def given(kind: str) -> Fact:
        fact = fact_of(kind)
        known = isinstance(fact, Tensor) and (fact.dtype.is_integer or fact.dtype.is_float)
        return Tensor(fact.dtype, (1,) * rank, [1]) if known and isinstance(fact, Tensor) else fact

    ones = Tensor("i64", (rank,), [1] * rank)
    for s in SIGNATURES:
        every = [given(sorted(s.allowed(s.input(i)))[-1]) for i in range(s.min_input)]
        for inputs in (every, [Tensor("i64", (1,), [3]), ones][: s.max_input]):
            assert "internal-error" not in codes(s, [*inputs]), (s.name, s.since, inputs)


def test_entries_that_fail_are_a_fault_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(out: Tensor, x: Tensor) -> None:
        raise LookupError("no\nway")

    monkeypatch.setattr(call, "find_contents", lambda *_: ContentsRule(functools.partial(failing)))
    found = infer_call(Call("Neg", "", 13), [Tensor("f32", (1,), [1.0])]).findings
    assert [f.code.name for f in found] == ["internal-error"]
    assert "the contents of Neg failed with LookupError" in found[0].message
