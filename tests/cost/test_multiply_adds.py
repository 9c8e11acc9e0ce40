"""Multiply-adds against counts by hand; a formula with numbers put in is the count with those numbers."""

from __future__ import annotations

import pytest

from tests.models import checked


def work(model: str) -> str:
    return str(checked(model).cost().multiply_adds)


def one(inputs: str, call: str, outputs: str = "y", opsets: str = '"" : 23, "com.microsoft" : 1') -> str:
    """The multiply-adds of one node."""
    names = ", ".join(f"float[] {o}" for o in outputs.split(", "))
    header = f"<ir_version: 11, opset_import: [{opsets}]>"
    return work(f"{header} g ({inputs}) => ({names}) {{ {outputs} = {call} }}")


@pytest.mark.parametrize(
    ("inputs", "call", "expected"),
    [
        ("float[2, 3] a, float[3, 5] b", "MatMul(a, b)", 2 * 3 * 5),
        ("float[7, 2, 3] a, float[3] b", "MatMul(a, b)", 7 * 2 * 3),
        ("float[3, 2] a, float[5, 3] b, float[5] c", "Gemm<transA = 1, transB = 1>(a, b, c)", 2 * 3 * 5),
        ("float[1, 4, 8, 8] x, float[6, 4, 3, 3] w", "Conv(x, w)", 6 * 6 * 6 * 4 * 9),
        ("float[1, 4, 8, 8] x, float[6, 2, 3, 3] w", "Conv<group = 2, strides = [2, 2]>(x, w)", 6 * 3 * 3 * 2 * 9),
        ("float[1, 4, 8] x, float[4, 6, 3] w", "ConvTranspose<strides = [2]>(x, w)", 8 * 4 * 6 * 3),
        ("float[2, 3, 4] a, float[2, 4, 5] b", 'Einsum<equation = "bij,bjk->bik">(a, b)', 2 * 3 * 4 * 5),
        ("float[2, 3, 4] a, float[4, 5] b", 'Einsum<equation = "...j,jk->...k">(a, b)', 2 * 3 * 4 * 5),
        ("float[3] a, float[4] b, float[5] c", 'Einsum<equation = "i,j,k->ijk">(a, b, c)', 2 * 3 * 4 * 5),
        ("float[3, 4] a", 'Einsum<equation = "ij->ji">(a)', 0),
        ("float[3, 4] a, float[3, 4] b", "Add(a, b)", 0),
    ],
)
def test_a_call_by_hand(inputs: str, call: str, expected: int) -> None:
    assert one(inputs, call) == str(expected)


def test_attention_meets_all_keys_that_were_kept() -> None:
    qkv = "float[2, 4, 3, 8] q, float[2, 4, 5, 8] k, float[2, 4, 5, 6] v"
    assert one(qkv, "Attention(q, k, v)") == str(2 * 4 * 3 * 5 * (8 + 6))
    past = f"{qkv}, float[2, 4, 7, 8] pk, float[2, 4, 7, 6] pv"
    assert one(past, "Attention(q, k, v, , pk, pv)", "y, nk, nv") == str(2 * 4 * 3 * 12 * (8 + 6))


def test_attention_of_onnxruntime() -> None:
    heads = "float[2, 3, 8] q, float[2, 5, 8] k, float[2, 5, 8] v"
    assert one(heads, "com.microsoft.MultiHeadAttention<num_heads = 2>(q, k, v)") == str(2 * 3 * 5 * 16)
    packed = "float[2, 3, 8] x, float[8, 24] w, float[24] b"
    projected = 2 * 3 * 8 * 24
    assert one(packed, "com.microsoft.Attention<num_heads = 2>(x, w, b)") == str(projected + 2 * 3 * 3 * 16)


@pytest.mark.parametrize(("op_type", "gates"), [("RNN", 1), ("GRU", 3), ("LSTM", 4)])
def test_a_recurrence_multiplies_at_each_step(op_type: str, gates: int) -> None:
    hidden, size = 5, 3
    inputs = f"float[7, 2, {size}] x, float[2, {gates * hidden}, {size}] w, float[2, {gates * hidden}, {hidden}] r"
    call = f'{op_type}<hidden_size = {hidden}, direction = "bidirectional">(x, w, r)'
    assert one(inputs, call) == str(7 * 2 * 2 * gates * hidden * (size + hidden))


def test_a_formula_of_the_inputs_dims() -> None:
    assert one("float[N, K] a, float[K, 5] b", "MatMul(a, b)") == "5*K*N"


def test_the_greater_branch_counts() -> None:
    assert (
        work("""g (float[2, 3] a, float[3, 5] b, bool c) => (float[] y) {
        y = If(c) <then_branch = t () => (float[] u) { u = MatMul(a, b) },
                   else_branch = e () => (float[] v) { h = MatMul(a, b) s = MatMul(h, k) v = Identity(s)
                        k = Constant<value = float[5, 1] {1, 1, 1, 1, 1}>() }>
    }""")
        == "40"
    )


def test_a_scan_runs_its_body_for_each_slice() -> None:
    assert (
        work("""g (float[2, 3] s, float[T, 3, 3] x) => (float[] last) {
        last = Scan<num_scan_inputs = 1, body = b (float[2, 3] i, float[3, 3] m) => (float[2, 3] o) {
            o = MatMul(i, m) }>(s, x)
    }""")
        == "18*T"
    )


FUNCTION = """<ir_version: 10, opset_import: ["" : 20, "my" : 1]>
g (float[N, 4] x, float[4, 4] w) => (float[] y) { h = my.twice(x, w) y = my.twice(h, w) }
<domain: "my", opset_import: ["" : 20]>
twice (a, b) => (c) { d = MatMul(a, b) c = MatMul(d, b) }"""


def test_calls_of_functions_count_what_their_bodies_do() -> None:
    assert work(FUNCTION) == "64*N"


@pytest.mark.parametrize(
    ("model", "unknown"),
    [
        ("g (float[2] x) => (float[] y) { y = my.Op(x) }", "the multiply-adds of my::Op are unknown"),
        ("g (float[] a, float[] b) => (float[] y) { y = MatMul(a, b) }", "the multiply-adds of MatMul are unknown"),
    ],
)
def test_what_is_not_known_is_reported(model: str, unknown: str) -> None:
    cost = checked(model).cost()
    assert cost.multiply_adds is None
    assert unknown in cost.unknown
