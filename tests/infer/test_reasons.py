"""Each condition comes with the way of its lengths from the inputs, and with what happens where it fails."""

from __future__ import annotations

from shapeinfer.infer.explain.reasons import Reasons, reasons
from tests.models import checked

SKIP = """g (float[N, 3, H, W] x) => (float[] y) {
    half = MaxPool <kernel_shape = [2, 2], strides = [2, 2]> (x)
    s = Constant <value_floats = [1.0, 1.0, 2.0, 2.0]> ()
    up = Resize <mode = "nearest"> (half, , s)
    y = Concat <axis = 1> (x, up)
}"""


def legible(text: str, condition: str) -> Reasons:
    report = checked(text)
    assert report.result is not None
    (requirement,) = (r for r in report.contract.all_sizes if r.condition == condition)
    return reasons(report.result, requirement)


def test_the_way_of_each_length_that_a_node_compares() -> None:
    assert legible(SKIP, "H % 2 == 0").chains == (
        "axis 2 of inputs 0: axis 2 of input x",
        "axis 2 of inputs 1: Resize (node 2) <- MaxPool (node 0) <- axis 2 of input x",
    )


def test_the_way_of_a_bias_is_that_of_the_columns_it_is_added_to() -> None:
    text = """g (float[M, K] a, float[K, N] b, float[C] c) => (float[] y) {
        t = Transpose(b)
        y = Gemm <transB = 1> (a, t, c)
    }"""
    assert legible(text, "C == N or C == 1").chains == (
        "axis 0 of C: axis 0 of input c",
        "axis 0 of B: Transpose (node 0) <- axis 1 of input b",
    )


def test_the_way_of_a_length_that_is_an_entry() -> None:
    text = "g (float[N] x) => (float[] y) <int64[1] to = {5}> { y = Expand(x, to) }"
    assert legible(text, "N == 1 or N == 5").chains == (
        "axis 0 of input: axis 0 of input x",
        "entry 0 of shape: entry 0 of initializer to",
    )


def test_what_happens_where_it_fails() -> None:
    there = legible(SKIP.replace("[2, 2]>", "[2, 2], pads = [0, 0, 1, 1]>"), "H % 2 == 0").consequence
    assert there is not None
    assert there.node is not None
    assert there.node.op_type == "Concat"
    assert there.message == "axis 2 of inputs 0 is 1 but axis 2 of inputs 1 is 2"


def test_another_node_may_fail_before() -> None:
    there = legible(SKIP, "H % 2 == 0").consequence
    assert there is not None
    assert there.node is not None
    assert there.node.op_type == "MaxPool", "of height 1, which is odd, the window of 2 is too large"


def test_a_long_way_is_shortened() -> None:
    relus = "".join(f"r{i + 1} = Relu(r{i})\n" for i in range(20))
    text = f"g (float[N] r0, float[M, 2] b) => (float[] y) {{ {relus} y = MatMul(r20, b) }}"
    chain, _ = legible(text, "M == N").chains
    way = chain.split(" <- ")
    assert way[:3] == ["axis 0 of A: Relu (node 19)", "Relu (node 18)", "Relu (node 17)"]
    assert way[3:] == ["15 more nodes", "Relu (node 1)", "Relu (node 0)", "axis 0 of input r0"]


def test_what_only_data_decides_is_named_as_a_condition_at_run_time() -> None:
    report = checked("""g (float[N] x, float[7, 2] w) => (float[] y) {
        n = NonZero(x) f = Cast <to = 1> (n) y = MatMul(f, w)
    }""")
    assert report.result is not None
    (requirement,) = report.result.at_run_time
    assert requirement.condition == "NonZero_0 == 7"
    assert requirement.node is not None
    assert requirement.node.op_type == "MatMul"
    assert report.contract == ()
