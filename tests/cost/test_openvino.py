"""The costs of OpenVINO's operators by hand, and of whole IRs against the ONNX models that they were made of."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from shapeinfer import check, infer_op
from shapeinfer.cost.multiply_adds import multiply_adds
from shapeinfer.dims import evaluate
from shapeinfer.facts import DType, Tensor
from shapeinfer.graph import Call
from shapeinfer.ops.attributes import of_values
from tests.conftest import corpus_root

WINDOW = {"strides": "1,1", "pads_begin": "0,0", "pads_end": "0,0", "dilations": "1,1"}


@pytest.mark.parametrize(
    ("op_type", "shapes", "attributes", "expected"),
    [
        ("MatMul", [(2, 3), (3, 5)], {}, 2 * 3 * 5),
        ("MatMul", [(3, 2), (5, 3)], {"transpose_a": "true", "transpose_b": "1"}, 2 * 3 * 5),
        ("Convolution", [(1, 4, 8, 8), (6, 4, 3, 3)], WINDOW, 6 * 6 * 6 * 4 * 9),
        ("GroupConvolution", [(1, 4, 8, 8), (2, 3, 2, 3, 3)], WINDOW, 6 * 6 * 6 * 2 * 9),
        ("ConvolutionBackpropData", [(1, 4, 8, 8), (4, 6, 3, 3)], WINDOW, 4 * 8 * 8 * 6 * 9),
        ("GroupConvolutionBackpropData", [(1, 4, 8, 8), (2, 2, 3, 3, 3)], WINDOW, 4 * 8 * 8 * 3 * 9),
        ("ScaledDotProductAttention", [(2, 4, 3, 8), (2, 1, 5, 8), (2, 1, 5, 6)], {"causal": "false"}, 120 * (8 + 6)),
        ("Einsum", [(2, 3, 4), (2, 4, 5)], {"equation": "bij,bjk->bik"}, 2 * 3 * 4 * 5),
        ("LSTMCell", [(2, 3), (2, 5), (2, 5), (20, 3), (20, 5), (20,)], {"hidden_size": "5"}, 2 * 20 * (3 + 5)),
        ("Add", [(3, 4), (3, 4)], {}, 0),
        ("Convert", [(3, 4)], {"destination_type": "f16"}, 0),
    ],
)
def test_a_call_by_hand(
    op_type: str, shapes: Sequence[tuple[int, ...]], attributes: Mapping[str, Any], expected: int
) -> None:
    inputs = [Tensor(DType.FLOAT, shape) for shape in shapes]
    count = 2 if op_type == "LSTMCell" else 1
    outputs = infer_op(op_type, inputs, attributes, dialect="openvino", version=15, outputs=count)
    call = Call(op_type, "openvino", 15, of_values(attributes))
    assert multiply_adds(call, inputs, outputs) == expected


ROOT = corpus_root()
MADE = sorted((ROOT.parent / "openvino").glob("*.xml")) if ROOT is not None else []


@pytest.mark.parametrize("made", [pytest.param(p, id=p.stem) for p in MADE] or [None])
def test_an_ir_multiplies_as_often_as_the_model_it_was_made_of(corpus: Path, made: Path) -> None:
    original = corpus / "truth" / f"{made.stem}.onnx"
    wanted = check(original).cost().multiply_adds if original.exists() else None
    if wanted is None:
        pytest.skip("there is no original, or its multiply-adds are not known")
    bindings = json.loads(original.with_name(f"{made.stem}.truth.json").read_text(encoding="utf-8"))["bindings"]
    for binding in bindings[:2]:
        found = check(made, shapes=binding["inputs"]).cost().multiply_adds
        assert found == evaluate(wanted, binding["symbols"])
