"""Where a fault points: at the operands that the lengths are of, each by the axis or entry that it has there.

``points`` spells operands as ``C[0]=3``, entries as ``shape{1}=5``; the first is what an error is about.
"""

from __future__ import annotations

from typing import Any

import pytest

from shapeinfer import AxisError, BroadcastError, Operand, ShapeInferError, infer_op, symbol
from shapeinfer.diagnostics.ledger import Ledger
from shapeinfer.shapes.elementwise.broadcast import both_ways
from tests.ops.spec import fact
from tests.ops.truth import is_true


def failure(op: str, *inputs: str, domain: str = "", version: int | None = None, **attributes: Any) -> ShapeInferError:
    """Return the error that a call ends in."""
    facts = [fact(i) for i in inputs]
    profile = attributes.pop("profile", "spec")
    with pytest.raises(ShapeInferError) as caught:
        infer_op(op, facts, attributes, domain=domain, version=version, profile=profile)
    is_true(caught.value, facts)
    return caught.value


def points(error: ShapeInferError) -> list[str]:
    return [_spelled(o) for o in error.diagnostic.operands]


def _spelled(operand: Operand) -> str:
    at = "" if operand.axis is None else f"[{operand.axis}]"
    at = at if operand.entry is None else f"{{{operand.entry}}}"
    return f"{operand.port}{at}" + ("" if operand.dim is None else f"={operand.dim}")


class TestBothWays:
    """Shapes that are broadcast against each other."""

    def test_one_number_for_the_axis_where_all_count_it_alike(self) -> None:
        error = failure("Add", "f32[2, 3, 4]", "f32[2, 5, 4]")
        assert error.diagnostic.message == "axis 1 is 3 in A and 5 in B; they must be equal or one of them must be 1"
        assert points(error) == ["A[1]=3", "B[1]=5"]
        assert isinstance(error, BroadcastError)
        assert (error.axis, error.output_axis) == (1, 1)

    def test_each_by_its_own_where_the_ranks_differ(self) -> None:
        error = failure("Add", "f32[2, 3]", "f32[9, 5, 3]")
        assert error.diagnostic.message == (
            "axis 0 of A is 2 and axis 1 of B is 5, both axis 1 of the output; "
            "they must be equal or one of them must be 1"
        )
        assert points(error) == ["A[0]=2", "B[1]=5"]
        assert isinstance(error, BroadcastError)
        assert (error.axis, error.output_axis) == (0, 1)

    def test_an_operand_of_fewer_axes_may_lie_between(self) -> None:
        error = failure("Max", "f32[2]", "f32[1, 1]", "f32[3]")
        assert "axis 0 of data_0 0 is 2 and axis 0 of data_0 2 is 3, both axis 1 of the output" in str(error)

    def test_a_shape_that_entries_hold(self) -> None:
        error = failure("Expand", "f32[3, 4]", "i64[2]{3, 5}")
        assert error.diagnostic.message == (
            "axis 1 of input is 4 and entry 1 of shape is 5; they must be equal or one of them must be 1"
        )
        assert points(error) == ["input[1]=4", "shape{1}=5"]
        longer = failure("Expand", "f32[2, 3]", "i64[3]{9, 5, 3}")
        assert "axis 0 of input is 2 and entry 1 of shape is 5, both axis 1 of the output" in str(longer)
        assert points(longer) == ["input[0]=2", "shape{1}=5"]

    def test_a_length_that_several_operands_make_is_of_all_of_them(self) -> None:
        ledger = Ledger()
        both_ways(ledger, [(symbol("N"),), (symbol("M"),), (3,)], ["a", "b", "c"])
        assert ledger.claims[1].message.startswith("axis 0 is broadcast(M, N) in a with b and 3 in c; they must be")
        assert [port.text for port in ledger.claims[1].ports] == ["a", "c", "b"]


class TestOntoOne:
    """Shapes that are broadcast onto another, which keeps its own."""

    @pytest.mark.parametrize(
        ("call", "attributes", "message", "at"),
        [
            (
                ("f32[3, 5]", "f32[5, 4]", "f32[3]"),
                {},
                "axis 0 of C is 3 but axis 1 of B is 4; it must be 4 or 1 to broadcast C to the product of A and B",
                ["C[0]=3", "B[1]=4"],
            ),
            (("f32[3, 4]", "f32[4, 5]", "f32[2]"), {}, "axis 0 of C is 2 but axis 1 of B is 5", ["C[0]=2", "B[1]=5"]),
            (
                ("f32[3, 4]", "f32[5, 4]", "f32[2]"),
                {"transB": 1},
                "axis 0 of C is 2 but axis 0 of B is 5",
                ["C[0]=2", "B[0]=5"],
            ),
            (
                ("f32[5, 3]", "f32[5, 4]", "f32[5, 1]"),
                {"transA": 1},
                "axis 0 of C is 5 but axis 1 of A is 3",
                ["C[0]=5", "A[1]=3"],
            ),
            (
                ("f32[3, 5]", "f32[5, 4]", "f32[1, 2, 3]"),
                {},
                "C has rank 3, more than the rank 2 of the product of A and B, to which it is broadcast",
                ["C", "A", "B"],
            ),
            (
                ("f32[3, 5]", "f32[5, 4]", "f32[3, 5]"),
                {"version": 6},
                "axis 1 of B is 4 but axis 1 of C is 5",
                ["B[1]=4", "C[1]=5"],
            ),
        ],
    )
    def test_the_addend_of_gemm(
        self, call: tuple[str, ...], attributes: dict[str, Any], message: str, at: list[str]
    ) -> None:
        error = failure("Gemm", *call, **attributes)
        assert error.diagnostic.message.startswith(message)
        assert points(error) == at

    def test_it_cannot_stretch_the_one_that_it_is_broadcast_onto(self) -> None:
        error = failure("PRelu", "f32[1, 4]", "f32[3, 4]")
        assert error.diagnostic.message == (
            "axis 0 of slope is 3 but axis 0 of X is 1; it must be 1 to broadcast slope to X"
        )
        assert points(error) == ["slope[0]=3", "X[0]=1"]
        other = failure("PRelu", "f32[2, 6, 4]", "f32[3, 4]")
        assert other.diagnostic.message.endswith("axis 1 of X is 6; it must be 6 or 1 to broadcast slope to X")
        assert isinstance(other, BroadcastError)
        assert (other.axis, other.output_axis) == (0, 1)

    def test_a_mask_is_of_the_scores_whose_axes_are_of_queries_and_keys(self) -> None:
        call = ("f32[2, 8, 3, 64]", "f32[2, 8, 5, 64]", "f32[2, 8, 5, 32]")
        assert points(failure("Attention", *call, "f32[4, 5]")) == ["attn_mask[0]=4", "Q[2]=3"]
        assert points(failure("Attention", *call, "f32[3, 7]")) == ["attn_mask[1]=7", "K[2]=5"]
        openvino: dict[str, Any] = {"domain": "openvino", "causal": False}
        assert points(failure("ScaledDotProductAttention", *call, "f32[4, 5]", **openvino)) == [
            "attention_mask[0]=4",
            "query[2]=3",
        ]
        scaled = failure("ScaledDotProductAttention", *call, "f32[3, 7]", **openvino)
        assert points(scaled) == ["attention_mask[1]=7", "key[2]=5"]
        assert "it must be 5 or 1 to broadcast attention_mask to the scores" in str(scaled)
        values = failure("ScaledDotProductAttention", *call[:2], "f32[2, 8, 6, 32]", **openvino)
        assert points(values) == ["key[2]=5", "value[2]=6"]


class TestOpenVINO:
    """Broadcast, and ``pdpd``."""

    @pytest.mark.parametrize("version", [1, 3])
    def test_onto_the_target(self, version: int) -> None:
        error = failure("Broadcast", "f32[2, 3]", "i64[2]{1, 3}", domain="openvino", version=version)
        assert error.diagnostic.message == (
            "axis 0 of data is 2 but entry 0 of target_shape is 1; it must be 1 to broadcast data to target_shape"
        )
        assert points(error) == ["data[0]=2", "target_shape{0}=1"]

    @pytest.mark.parametrize(
        ("data", "target", "mapping", "message", "at"),
        [
            (
                "f32[2]",
                "{3, 3}",
                "{2}",
                "entry 0 of axes_mapping is 2, outside [0, 1], the range for the 2 axes of target_shape",
                ["axes_mapping{0}=2", "target_shape"],
            ),
            (
                "f32[2, 3]",
                "{3, 3, 3}",
                "{2, 1}",
                "entry 1 of axes_mapping is 1, below entry 0, which is 2; axes must ascend",
                ["axes_mapping{1}=1"],
            ),
            (
                "f32[2, 2]",
                "{3, 2}",
                "{1, 1}",
                "entries 0 and 1 of axes_mapping are both 1; each axis may be named once",
                ["axes_mapping{1}=1"],
            ),
            (
                "f32[2]",
                "{3, 2}",
                "{0}",
                "axis 0 of data is 2 but entry 0 of target_shape, to which entry 0 of axes_mapping maps it, is 3",
                ["data[0]=2", "target_shape{0}=3", "axes_mapping{0}=0"],
            ),
        ],
    )
    def test_along_the_axes_that_a_mapping_names(
        self, data: str, target: str, mapping: str, message: str, at: list[str]
    ) -> None:
        counted = [f"i64[{text.count(',') + 1}]{text}" for text in (target, mapping)]
        error = failure("Broadcast", data, *counted, domain="openvino", version=1, mode="explicit")
        (fault,) = error.diagnostics
        assert fault.message.startswith(message)
        assert points(error) == at

    def test_an_axis_of_a_mapping_as_data(self) -> None:
        call = ("Broadcast", "f32[2]", "i64[2]{3, 3}", "i64[1]{2}")
        error = failure(*call, domain="openvino", version=3, mode="explicit")
        assert isinstance(error, AxisError)
        assert (error.value, error.range) == (2, range(2))

    @pytest.mark.parametrize("profile", ["spec", "openvino"])
    @pytest.mark.parametrize(
        ("b", "at"),
        [
            ("f32[3, 5]", [["A[2]=4", "B[1]=5"]]),
            ("f32[3, 2]", [["A[2]=4", "B[1]=2"]]),
            ("f32[4, 5]", [["A[1]=3", "B[0]=4"], ["A[2]=4", "B[1]=5"]]),
        ],
    )
    def test_pdpd_shows_each_fault_once(self, profile: str, b: str, at: list[list[str]]) -> None:
        modes: dict[str, Any] = {"auto_broadcast": "pdpd", "auto_broadcast.auto_broadcast_axis": 1}
        error = failure("Add", "f32[2, 3, 4, 5]", b, domain="openvino", version=1, profile=profile, **modes)
        assert [sorted(_spelled(o) for o in d.operands) for d in error.diagnostics] == at

    def test_pdpd_goes_on_with_what_several_operands_make(self) -> None:
        modes: dict[str, Any] = {"auto_broadcast": "pdpd", "auto_broadcast.auto_broadcast_axis": 0}
        call = ("Select", "bool[7]", "f32[1, 2]", "f32[5]")
        error = failure(*call, domain="openvino", version=1, profile="openvino", **modes)
        assert [points(error)[0], len(error.diagnostics)] == ["then[0]=1", 2]

    def test_pdpd_of_a_broadcast(self) -> None:
        call = ("Broadcast", "f32[3, 4]", "i64[3]{2, 3, 5}")
        modes: dict[str, Any] = {"mode": "pdpd", "mode.mode.axis": 1}
        for profile in ("spec", "openvino"):
            error = failure(*call, domain="openvino", version=3, profile=profile, **modes)
            assert points(error) == ["data[1]=4", "target_shape{2}=5"]


@pytest.mark.parametrize(
    ("call", "attributes", "at"),
    [
        # The better known of two lengths is that of the operand which has it.
        (("Sum", "f32[N]", "f32[5]", "f32[6]"), {"version": 6}, ["data_0 1[0]=5", "data_0 2[0]=6"]),
        (
            ("BatchNormalization", "f32[1, N]", "f32[5]", "f32[6]", "f32[5]", "f32[5]"),
            {},
            ["B[0]=6", "scale[0]=5"],
        ),
        (("CausalConvWithState", "f32[1, N, 4]", "f32[5, 1, 2]", "f32[6]"), {}, ["weight[0]=5", "bias[0]=6"]),
        (
            ("Adagrad", "f32[]", "i64[]", "f32[N]", "f32[5]", "f32[6]"),
            {"domain": "ai.onnx.preview.training"},
            ["inputs 1[0]=5", "inputs 2[0]=6"],
        ),
        (("TensorScatter", "f32[N, 2, 3]", "f32[5, 1, 3]", "i64[6]"), {}, ["write_indices[0]=6", "update[0]=5"]),
        (
            ("FeatureVectorizer", "f32[N, 2]", "f32[5, 2]", "f32[6, 2]"),
            {"domain": "ai.onnx.ml", "inputdimensions": [2, 2, 2]},
            ["X 1[0]=5", "X 2[0]=6"],
        ),
        (
            ("QLinearConcat", "f32[]", "u8[]", *("u8[N, 2]", "f32[]", "u8[]"), *("u8[N, 3]", "f32[]", "u8[]")),
            {"axis": 0, "domain": "com.microsoft"},
            ["inputs 0[1]=2", "inputs 3[1]=3"],
        ),
        # A transposed operand is spoken of by its own axes.
        (("FusedMatMul", "f32[4, 2]", "f32[5, 3]"), {"transA": 1, "domain": "com.microsoft"}, ["A[0]=4", "B[0]=5"]),
        # So is one whose channels are its last axis.
        (
            ("NhwcConv", "f32[1, 2, 9, 3]", "f32[8, 3, 3, 3]"),
            {"domain": "com.microsoft"},
            ["X[1]=2"],
        ),
        (("NhwcConv", "f32[1, 9, 9, 4]", "f32[8, 3, 3, 3]"), {"domain": "com.microsoft"}, ["X[3]=4", "W[3]=3"]),
        # What is needed comes from an operand too.
        (("ScatterElements", "f32[4, 5]", "i64[2, 3]", "f32[2, 4]"), {}, ["updates[1]=4", "indices[1]=3"]),
        (("ScatterND", "f32[4, 5]", "i64[2, 1]", "f32[2, 4]"), {}, ["updates[1]=4", "data[1]=5"]),
        (("MatMulInteger", "u8[2, 3]", "u8[3, 4]", "u8[]", "u8[3]"), {}, ["b_zero_point[0]=3", "B[1]=4"]),
        (("STFT", "f32[1, 4, 1]", "i64[]{2}", "f32[8]"), {}, ["signal[1]=4", "window[0]=8"]),
        (("Compress", "f32[3]", "bool[3]"), {"axis": 1}, ["input"]),
    ],
)
def test_a_length_is_of_the_operand_that_has_it(
    call: tuple[str, ...], attributes: dict[str, Any], at: list[str]
) -> None:
    assert points(failure(*call, **attributes)) == at
