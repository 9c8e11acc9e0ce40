"""Targets of Reshape and Expand that are computed become constants where 0, -1 and 1 say the same."""

from __future__ import annotations

import numpy as np
import onnx
import pytest

from tests.models import parsed
from tests.rewrite.runs import ops, refolded

SIZES = {"N": 3, "S": 5}, {"N": 1, "S": 1}, {"N": 0, "S": 2}, {"N": 2, "S": 0}, {"N": 0, "S": 0}


def entry(axis: int, name: str, of: str = "x") -> str:
    return f"{name} = Shape<start={axis}, end={axis + 1}>({of})"


def target(folded: onnx.ModelProto, op: str = "Reshape") -> list[int] | None:
    """The constant target of the one node of an operator, None where it is computed."""
    (node,) = (n for n in folded.graph.node if n.op_type == op)
    found = {t.name: onnx.numpy_helper.to_array(t) for t in folded.graph.initializer}
    return found[node.input[1]].tolist() if node.input[1] in found else None


CASES = {
    "lengths that stay are copied": ("N, S, 12", "ns, ss, c2, c6", [0, 0, 2, 6]),
    "a length of which there is but one is inferred": ("N, S, 12", "nss, c12", [-1, 12]),
    "what is copied may be empty": ("N, S, 2, 6", "ns, ss, c12", [0, 0, 12]),
    "beside what may be empty nothing is inferred": ("N, S, 12", "ns, s12", None),
    "two lengths of which neither stays are computed": ("N, 12, S", "ss, ns, c12", None),
    "a length moved to where it is copied is not that length": ("N, S, 2", "c2, nss", [2, -1]),
    "numbers alone": ("4, 6", "c12, c2", [12, 2]),
}


@pytest.mark.parametrize(("shape", "to", "expected"), CASES.values(), ids=CASES)
def test_a_target_is_written_with_what_stands_for_lengths(shape: str, to: str, expected: list[int] | None) -> None:
    names = ["A", "B", "C", "D"][: len(to.split(","))]
    text = f"""g (float[{shape}] x, float[N, S] k) => (float[{", ".join(names)}] y)
    <int64[1] c2 = {{2}}, int64[1] c6 = {{6}}, int64[1] c12 = {{12}}> {{
        {entry(0, "ns", "k")} {entry(1, "ss", "k")} nss = Mul(ns, ss) s12 = Mul(ss, c12)
        t = Concat<axis=0>({to}) y = Reshape(x, t)
    }}"""
    assert target(refolded(parsed(text), *[s for s in SIZES if 0 not in s.values()])) == expected


def test_empty_tensors_are_reshaped_as_before() -> None:
    """Nothing can be inferred beside an empty axis, but it can be copied."""
    model = parsed(f"""g (float[N, S, 2, 6] x) => (float[A, B, C] y) <int64[1] c = {{12}}> {{
        {entry(0, "n")} {entry(1, "s")} t = Concat<axis=0>(n, s, c) y = Reshape(x, t)
    }}""")
    assert target(refolded(model, *SIZES)) == [0, 0, 12]


def test_zeros_that_meant_empty_come_to_mean_copied() -> None:
    model = parsed(f"""g (float[N, S, 12] x) => (float[A, B, C, D] y) <int64[1] three = {{3}}, int64[1] four = {{4}}> {{
        {entry(0, "n")} {entry(1, "s")} t = Concat<axis=0>(n, s, three, four) y = Reshape<allowzero=1>(x, t)
    }}""")
    folded = refolded(model, *SIZES)
    assert target(folded) == [0, 0, 3, 4]
    assert list(folded.graph.node[0].attribute) == []


def test_a_target_that_is_a_constant_is_left_alone() -> None:
    model = parsed("g (float[N, 4] x) => (float[A, B] y) <int64[2] t = {-1, 2}> { y = Reshape(x, t) }")
    assert refolded(model, *SIZES) == model


def test_one_target_serves_all_reshapes_that_have_it() -> None:
    body = " ".join(
        f"{entry(0, f'n{i}')} {entry(1, f's{i}')} t{i} = Concat<axis=0>(n{i}, s{i}, w) y{i} = Reshape(x, t{i})"
        for i in range(3)
    )
    model = parsed(
        f"g (float[N, S, 3, 4] x) => (float[A, B, C] y0, float[A, B, C] y1, float[A, B, C] y2) "
        f"<int64[1] w = {{12}}> {{ {body} }}"
    )
    folded = refolded(model, *SIZES)
    assert ops(folded.graph) == ["Reshape"] * 3
    assert len(folded.graph.initializer) == 1


def test_a_reshape_reads_what_was_only_reshaped_before() -> None:
    model = parsed("""g (float[N, S, 12] x) => (float[A, B, C, D] y) <int64[1] one = {1}, int64[4] t = {0, -1, 3, 4}> {
        a = Neg(x) b = Unsqueeze(a, one) c = Squeeze(b, one) d = Unsqueeze(c, one) e = Squeeze(d, one) y = Reshape(e, t)
    }""")
    assert ops(refolded(model, {"N": 2, "S": 3}).graph) == ["Neg", "Reshape"]


def test_before_version_5_the_target_is_an_attribute() -> None:
    model = parsed("""<ir_version: 7, opset_import: ["" : 4]> g (float[N, 4] x) => (float[A, B] y) {
        a = Neg(x) y = Reshape<shape=[-1, 2]>(a)
    }""")
    assert ops(refolded(model).graph) == ["Neg", "Reshape"]


def test_in_old_files_constants_are_nodes() -> None:
    """Before IR version 4 an initializer was an input, too."""
    model = parsed("""<ir_version: 3, opset_import: ["" : 9]> g (float[N, S, 3, 4] x) => (float[A, B, C] y) {
        s = Shape(x) b = Slice<starts=[0], ends=[2]>(s) w = Constant<value = int64[1] {12}>()
        t = Concat<axis=0>(b, w) y = Reshape(x, t)
    }""")
    folded = refolded(model, *SIZES)
    assert ops(folded.graph) == ["Constant", "Reshape"]
    assert len(folded.graph.initializer) == 0


def test_in_old_files_weights_are_inputs_and_constants_all_the_same() -> None:
    model = parsed("""<ir_version: 3, opset_import: ["" : 9]> g (float[N, 4] x, int64[2] t) => (float[A, B] y) {
        y = Reshape(x, t)
    }""")
    model.graph.initializer.append(onnx.numpy_helper.from_array(np.array([-1, 2]), "t"))
    assert refolded(model) == model


EXPANDS = {
    "what is long already stays": ("N, 1, 4", "n, three, four", [1, 3, 1]),
    "axes in front": ("4", "three, four", [3, 1]),
    "an axis of unknown length made of one": ("1, 4", "n, four", None),
}


@pytest.mark.parametrize(("shape", "to", "expected"), EXPANDS.values(), ids=EXPANDS)
def test_an_expand_says_one_for_what_stays(shape: str, to: str, expected: list[int] | None) -> None:
    dims = ", ".join("ABC"[: len(to.split(","))])
    model = parsed(f"""g (float[{shape}] x, float[N] k) => (float[{dims}] y)
    <int64[1] three = {{3}}, int64[1] four = {{4}}> {{ n = Shape(k) t = Concat<axis=0>({to}) y = Expand(x, t) }}""")
    assert target(refolded(model, *SIZES), "Expand") == expected


def test_weights_are_as_they_were() -> None:
    weight = onnx.numpy_helper.from_array(np.ones((12, 2), np.float32), "w")
    text = """g (float[N, S, 12] x) => (float[A, B] y) <int64[1] c = {12}> {
        n = Shape<start=0, end=1>(x) s = Shape<start=1, end=2>(x) p = Mul(n, s) t = Concat<axis=0>(p, c)
        h = Reshape(x, t) y = MatMul(h, w)
    }"""
    given = parsed(text)
    given.graph.initializer.append(weight)
    folded = refolded(given, *SIZES[:2])
    assert [t.name for t in folded.graph.initializer] == ["w", "h_reshape"]
    assert folded.graph.initializer[0] == weight
