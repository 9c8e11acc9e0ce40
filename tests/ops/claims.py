"""What a call asks of its operands, as text."""

from __future__ import annotations

from typing import Any

import onnx

from shapeinfer.frontends.onnx.attributes import read_attributes
from shapeinfer.graph import Call
from shapeinfer.ops.call import infer_call
from shapeinfer.ops.signature import latest_version, signature
from tests.ops.spec import fact


def asks(op: str, *inputs: str, version: int | None = None, domain: str = "", **attributes: Any) -> list[str]:
    """Return each condition that the call needs and that its operands do not decide, with its code."""
    protos = [onnx.helper.make_attribute(name, value) for name, value in attributes.items()]
    opset = (latest_version(domain) or 1) if version is None else version
    declared = signature(domain, op, opset)
    assert declared is not None, op
    call = Call(op, domain, opset, read_attributes(protos), (True,) * declared.min_output)
    outcome = infer_call(call, [fact(i) for i in inputs])
    assert not outcome.findings, outcome.findings
    return sorted(f"{c.code.name}: {c.condition.text}" for c in outcome.claims)
