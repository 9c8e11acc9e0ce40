"""Every model of the lists has the one finding listed with it, and none once its edits are applied."""

from __future__ import annotations

import re
from collections.abc import Iterator

import onnx
import pytest

from shapeinfer.diagnostics.codes import Severity
from shapeinfer.ops.signature import STANDARD
from tests.bad.cases import FOLDER, Bad, read, reported
from tests.each import each

PLAIN = (
    "Acos Acosh Asin Asinh Atan Atanh BitwiseNot Ceil Celu Cos Cosh Elu Erf Exp Floor HardSigmoid HardSwish IsNaN "
    "LeakyRelu Log MeanVarianceNormalization Mish Neg NonZero Not OptionalGetElement OptionalHasElement Reciprocal "
    "Round Selu Shrink Sigmoid Sign Sin Sinh Size Softplus Softsign Sqrt Swish Tan Tanh ThresholdedRelu"
)
"""Operators that require nothing but their numbers of inputs and types, which tests/ops/test_signatures.py tests."""

RULES = FOLDER.parent / "ops"
_FAULT = re.compile(r"\bfault\(\s*\"(\w+)\"")
"""A test of an operator's fault, as in ``fault("Flatten", "f32[2, 3]", axis=3)``."""

THEMES = sorted(path.stem for path in FOLDER.glob("*.txt"))
LISTED = {f"{theme}: {case.title}": case for theme in THEMES for case in read(theme)}
CASES = [pytest.param(case, id=name) for name, case in LISTED.items()]


@pytest.mark.parametrize("case", CASES)
def test_what_is_wrong_is_found_at_its_place_and_nothing_else(case: Bad) -> None:
    assert reported(case.model(), case.severity) == [case.fault]


@each([case for case in LISTED.values() if case.edits], name=lambda case: str(case.title))
def test_nothing_is_found_once_it_is_fixed(case: Bad) -> None:
    assert reported(case.fixed(), case.severity if case.severity is Severity.NOTE else Severity.WARNING) == []


def test_the_lists_are_long_and_name_each_case_once() -> None:
    assert len(LISTED) == sum(len(list(read(theme))) for theme in THEMES) > 300


def test_every_operator_that_requires_more_than_its_types_is_seen_to_fail() -> None:
    listed = {name for theme in THEMES for case in read(theme) for name in operators(case.model().graph)}
    tested = {name for path in RULES.glob("test_*.py") for name in _FAULT.findall(path.read_text(encoding="utf-8"))}
    current = {s.name for s in onnx.defs.get_all_schemas() if s.domain in STANDARD and not s.deprecated}
    plain = set(PLAIN.split())
    assert current <= listed | tested | plain, "add a fault to the operator's test in tests/ops"
    assert not listed & plain


def operators(graph: onnx.GraphProto) -> Iterator[str]:
    for node in graph.node:
        yield node.op_type
        for attribute in node.attribute:
            yield from operators(attribute.g)
