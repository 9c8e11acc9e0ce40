"""What a call asks of its operands, as text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import onnx
from onnxruntime.capi import onnxruntime_pybind11_state as runtime

from shapeinfer.dims import Dim, Size, symbol
from shapeinfer.frontends.onnx.attributes import read_attributes
from shapeinfer.graph import Call
from shapeinfer.ops.call import Outcome, infer_call
from shapeinfer.ops.signature import latest_version, signature
from tests.ops.spec import agrees_with_a_run, fact


def asks(op: str, *inputs: str, version: int | None = None, domain: str = "", **attributes: Any) -> list[str]:
    """Return each condition that the call needs and that its operands do not decide, with its code."""
    outcome = _outcome(op, inputs, version, domain, attributes)
    assert not outcome.findings, outcome.findings
    return sorted(f"{c.code.name}: {c.condition.text}" for c in outcome.claims)


def foretells_a_run(
    op: str, *inputs: str, bindings: Iterable[Mapping[str, int]], version: int | None = None, **attributes: Any
) -> None:
    """Require, under each binding, that the conditions of the call hold where the runtime runs it, and only there."""
    outcome = _outcome(op, inputs, version, "", attributes)
    assert not outcome.findings, outcome.findings
    ends = set()
    for binding in bindings:
        sizes: dict[Dim, Size] = {symbol(name): number for name, number in binding.items()}
        held = all(c.condition.substitute(sizes).answer().is_yes for c in outcome.claims)
        try:
            agrees_with_a_run(op, *inputs, bindings=[binding], version=version, **attributes)
        except (runtime.Fail, runtime.InvalidArgument, runtime.RuntimeException):
            ran = False
        else:
            ran = True
        assert held is ran, f"{op} {'runs' if ran else 'is refused'} at {dict(binding)}"
        ends.add(ran)
    assert ends == {True, False}, "bindings on one side of the conditions only show nothing"


def _outcome(op: str, inputs: Iterable[str], version: int | None, domain: str, attributes: dict[str, Any]) -> Outcome:
    protos = [onnx.helper.make_attribute(name, value) for name, value in attributes.items()]
    opset = (latest_version(domain) or 1) if version is None else version
    declared = signature(domain, op, opset)
    assert declared is not None, op
    call = Call(op, domain, opset, read_attributes(protos), (True,) * declared.min_output)
    return infer_call(call, [fact(i) for i in inputs])
