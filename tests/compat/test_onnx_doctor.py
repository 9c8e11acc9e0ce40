"""onnx-doctor tells what we find, at the nodes where it is."""

from __future__ import annotations

import onnx
import onnx_ir as ir
import pytest

from tests.command import BAD
from tests.models import parsed

onnx_doctor = pytest.importorskip("onnx_doctor", reason="the extra onnx-doctor is not installed")


def diagnosed(model: onnx.ModelProto) -> list[tuple[str, str, str]]:
    from shapeinfer.compat.onnx_doctor import ShapesProvider

    found = onnx_doctor.diagnose(ir.from_proto(model), [ShapesProvider()])
    return [(m.severity, m.error_code, m.location) for m in found]


def test_a_fault_is_at_its_node() -> None:
    assert diagnosed(onnx.parser.parse_model(BAD)) == [("error", "not-broadcastable", "graph:node[1](Add)")]


def test_a_fault_in_a_body_is_there() -> None:
    model = parsed("""g (float[N, 3] x, float[4] z, bool c) => (float[A, B] y) {
        y = If(c) <then_branch = t () => (float[] r) { r = Add(x, z) },
                   else_branch = f () => (float[] e) { e = Neg(x) }>
    }""")
    assert ("warning", "not-broadcastable", "graph:node[0](If):then_branch:node[0](Add)") in diagnosed(model)


def test_a_fault_of_the_model_is_the_model_s() -> None:
    model = parsed("g (float[N] x, float[M] z) => (float[N] y) { y = Neg(x) }")
    assert diagnosed(model) == [("info", "unused-input", "model")]


def test_what_is_found_in_a_function_is_reported_of_the_model() -> None:
    model = parsed("""<ir_version: 10, opset_import: ["" : 20, "my" : 1]>
    g (float[N, 3] x, float[4] z) => (float[A, B] y) { y = my.f(x, z) }
    <domain: "my", opset_import: ["" : 20]> f (a, b) => (c) { c = Add(a, b) }""")
    assert ("error", "not-broadcastable", "model") in diagnosed(model)
