"""Classes of time steps, with blanks between them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.ops.openvino.spec import agrees_with_openvino, fault, infer

SIZES = [{"N": 0, "T": 1}, {"N": 3, "T": 5}]


def test_the_first_decoder_has_time_first() -> None:
    assert infer("CTCGreedyDecoder", "f32[T, N, 128]", "f32[T, N]", version=1) == "f32[N, T, 1, 1]"
    agrees_with_openvino("CTCGreedyDecoder", "f32[T, N, 128]", "f32[T, N]", version=1, bindings=SIZES)
    assert fault("CTCGreedyDecoder", "f32[20, 8, 128]", "f32[20, 7]", version=1) == "dim-mismatch"


def test_a_decoder_gives_lengths_too() -> None:
    op, inputs = "CTCGreedyDecoderSeqLen", ("f32[N, T, 128]", "i32[N]", "i32[1]{127}")
    given: dict[str, Any] = {"sequence_length_type": "i64", "merge_repeated": False}
    assert infer(op, *inputs, version=6, outputs=2, **given) == ["i32[N, T]", "i64[N]"]
    agrees_with_openvino(op, *inputs, version=6, outputs=2, bindings=SIZES, **given)
    assert fault(op, "f32[N, T, 128]", "i32[N]", "i32[3]", version=6) == "length-mismatch"
    assert fault(op, "f32[N, T, 128]", "i32[N]", version=6, classes_index_type="f32") == "invalid-attribute"


def test_a_loss_for_each_sequence() -> None:
    inputs = ("f32[N, T, 128]", "i32[N]", "i64[N, T]", "i32[N]", "i64[]{127}")
    assert infer("CTCLoss", *inputs, version=4, unique=True) == "f32[N]"
    agrees_with_openvino("CTCLoss", *inputs, version=4, bindings=SIZES, unique=True)


@pytest.mark.parametrize(
    ("index", "instead", "code"),
    [
        (2, "i32[8, 19]", "dim-mismatch"),
        (1, "i32[7]", "dim-mismatch"),
        (0, "f32[8, 20]", "rank-mismatch"),
        (4, "i32[1]", "rank-mismatch"),
    ],
)
def test_what_does_not_fit(index: int, instead: str, code: str) -> None:
    inputs = ["f32[8, 20, 128]", "i32[8]", "i32[8, 20]", "i32[8]", "i32[]"]
    inputs[index] = instead
    assert fault("CTCLoss", *inputs, version=4) == code
