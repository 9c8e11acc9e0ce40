"""Each rewrite: where it applies, where it does not, and outputs that keep every bit at all sizes."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import onnx
import pytest

from shapeinfer import fold, infer_shapes
from shapeinfer.rewrite.folded import REWRITES
from shapeinfer.rewrite.rule import Rule
from shapeinfer.rewrite.rules import BY_NAME, RULES
from tests.models import parsed
from tests.rewrite.runs import fed, is_near, ops, refolded, run

SIZES = {"N": 3, "M": 5}, {"N": 1, "M": 1}, {"N": 0, "M": 2}
FOLDER = Path(__file__).parents[2] / "shapeinfer" / "rewrite" / "rules"

# Rewrite -> bodies of a graph of x: float[N, 4, 6], m: float[M, 6] and ids: int64[N], and the operators that are left.
APPLIES: dict[str, list[tuple[str, list[str]]]] = {
    "constant-folding": [
        ("w = Constant<value = float[6] {1,2,3,4,5,6}>() v = Sqrt(w) u = Neg(v) h = Mul(x, u)", ["Mul"]),
        ("c = Constant<value_ints=[6, 4]>() e = ConstantOfShape(c) t = Transpose(e) s = Exp(t) h = Mul(x, s)", []),
        (
            "w = Constant<value = float[1,6] {1,2,3,4,5,6}>() v = ReduceSum<keepdims=0>(w, zero) h = Mul(x, v)",
            ["Mul"],
        ),
    ],
    "neutral-operand": [
        ("o = Constant<value = float[6] {1,1,1,1,1,1}>() h = Mul(o, x)", []),
        ("o = Constant<value_float = 1.0>() h = Div(x, o)", []),
        ("o = Constant<value_float = 0.0>() h = Sub(x, o)", []),
        ("o = Constant<value = float {-0.0}>() h = Add(x, o)", []),
        ("s = Shape(x) o = ConstantOfShape<value = float[1] {1}>(s) h = Mul(x, o)", []),
        ("b = IsNaN(x) o = Constant<value = bool[1] {1}>() c = And(b, o) h = Where(c, m0, x)", ["IsNaN", "Where"]),
        ("b = Constant<value = bool[1] {1}>() n = Neg(x) h = Where(b, n, m0)", ["Neg"]),
    ],
    "add-zero": [
        ("o = Constant<value = float[6] {0,0,0,0,0,0}>() a = Add(x, o) h = Exp(a)", ["Exp"]),
        (
            (
                "o = Constant<value_float=0.0>() p = Constant<value_float=2.0>() a = Add(o, x) b = Mul(a, a) c = Neg(b)"
                " h = Add(c, p)"
            ),
            ["Mul", "Neg", "Add"],
        ),
        ("o = Constant<value_float=0.0>() a = Add(o, x) b = Add(a, o) h = Add(b, o)", ["Add"]),
    ],
    "zero-state": [
        (
            (
                "w = ConstantOfShape<value = float[1] {0.5}>(shape_w)"
                " r = ConstantOfShape<value = float[1] {0.25}>(shape_r)"
                " n = Shape<start=1, end=2>(x) one_ = Constant<value_ints=[1]>() k2 = Constant<value_ints=[2]>()"
                " s = Concat<axis=0>(one_, n, k2) z = ConstantOfShape(s)"
                " h, i, j = LSTM<hidden_size=2>(x, w, r, , , z, z)"
            ),
            ["LSTM"],
        ),
    ],
    "duplicate": [
        ("a = Exp(x) b = Exp(x) h = Mul(a, b)", ["Exp", "Mul"]),
        (
            "k = Constant<value_float=2.0>() l = Constant<value_float=2.0>() a = Mul(x, k) b = Mul(x, l) h = Add(a, b)",
            ["Mul", "Add"],
        ),
        (
            (
                "a, b = Split<axis=2, num_outputs=2>(x) c, d = Split<axis=2, num_outputs=2>(x)"
                " e = Add(a, d) f = Sub(b, c)"
                " h = Mul(e, f)"
            ),
            ["Split", "Add", "Sub", "Mul"],
        ),
    ],
    "shape-parts": [
        (
            (
                "n = Shape<start=0, end=1>(ids) k = Constant<value_ints=[-1, -1]>() c = Concat<axis=0>(n, k)"
                " e = Constant<value_ints=[-1]>() q = Equal(c, e) o = Constant<value_ints=[1, 1, 1]>()"
                " w = Where(q, o, c)"
                " v = Constant<value = float[1,1,6] {1,2,3,4,5,6}>() g = Expand(v, w) h = Concat<axis=1>(g, x)"
            ),
            ["Shape", "Concat", "Expand", "Concat"],
        ),
    ],
    "broadcast-by-reader": [
        ("e = Unsqueeze(m0, zero) s = Shape(x) g = Expand(e, s) k = IsNaN(x) h = Where(k, g, x)", ["IsNaN", "Where"]),
        (
            "k = Slice(x, zero, one, two) s = Shape(x) g = Expand(k, s) i = Neg(g) h = Sub(i, x)",
            ["Slice", "Neg", "Sub"],
        ),
        (
            (
                "n = Shape<start=0, end=1>(x) u = Squeeze(n) o = Constant<value_int=0>() p = Constant<value_int=1>()"
                " r = Range(o, u, p) t = Constant<value_ints=[1, 2]>() v = Unsqueeze(r, t) ge = GreaterOrEqual(v, o)"
                " b = IsNaN(x) f = Slice(b, zero, one, zero) a = And(ge, f) h = Where(a, m0, x)"
            ),
            ["IsNaN", "Slice", "Where"],
        ),
    ],
    "transpose-of-merged": [
        (
            (
                "a = Neg(x) s = Constant<value_ints=[-1, 4, 2, 3]>() b = Reshape(a, s)"
                " t = Constant<value_ints=[-1, 2, 3]>()"
                " c = Reshape(b, t) d = Transpose<perm=[0, 2, 1]>(c) u = Constant<value_ints=[-1, 4, 3, 2]>()"
                " h = Reshape(d, u)"
            ),
            ["Neg", "Reshape", "Transpose"],
        ),
    ],
    "shape-around": [
        (
            "f = Flatten<axis=2>(x) a = Exp(f) b = Mul(a, a) c = Neg(b) s = Shape(x) h = Reshape(c, s)",
            ["Exp", "Mul", "Neg"],
        ),
        (
            (
                "f = Transpose<perm=[2, 0, 1]>(x) a = Abs(f) k = Constant<value_float=0.5>() b = Mul(a, k)"
                " c = Add(b, f)"
                " h = Transpose<perm=[1, 2, 0]>(c)"
            ),
            ["Abs", "Mul", "Add"],
        ),
    ],
    "moved-twice": [
        ("a = Unsqueeze(x, zero) b = Unsqueeze(a, zero) h = Exp(b)", ["Unsqueeze", "Exp"]),
        (
            "a = Unsqueeze(x, one) k = Constant<value_ints=[0, -1]>() b = Unsqueeze(a, k) h = Exp(b)",
            ["Unsqueeze", "Exp"],
        ),
        (
            "n = Slice(x, zero, one, one) p = Slice(n, zero, one, two) a = Squeeze(p, two) h = Squeeze(a, one)",
            ["Slice", "Slice", "Squeeze"],
        ),
    ],
    "gather-one": [
        ("k = Constant<value_int=2>() a = Gather<axis=1>(x, k) h = Unsqueeze(a, one)", ["Gather"]),
        ("k = Constant<value_int=-1>() a = Gather<axis=-2>(x, k) h = Unsqueeze(a, one)", ["Gather"]),
    ],
    "gather-all": [
        (
            (
                "r = Shape<start=0, end=1>(m) s = Squeeze(r) o0 = Constant<value_int=0>() o1 = Constant<value_int=1>()"
                " i = Range(o0, s, o1) six = Constant<value_int=6>() j = Range(o0, six, o1)"
                " a3 = Constant<value_ints=[1, 2]>() b3 = Constant<value_ints=[0, 1]>() i3 = Unsqueeze(i, a3)"
                " j3 = Unsqueeze(j, b3) k = Max(i3, j3) t = Shape(k) ie = Expand(i3, t) je = Expand(j3, t)"
                " last = Constant<value_ints=[-1]>() iu = Unsqueeze(ie, last) ju = Unsqueeze(je, last)"
                " c = Concat<axis=-1>(iu, ju) h = GatherND(m, c)"
            ),
            ["Unsqueeze"],
        ),
    ],
    "pad-into-window": [
        (
            (
                "p = Constant<value_ints=[0, 0, 1, 0, 0, 2]>() a = Pad(x, p)"
                " w = Constant<value = float[1,4,3] {1,2,3,4,5,6,7,8,9,1,2,3}>() h = Conv<pads=[0, 1]>(a, w)"
            ),
            ["Conv"],
        ),
    ],
}
STAYS: dict[str, list[tuple[str, list[str]]]] = {
    "constant-folding": [("k = RandomNormal<shape=[6]>() z = Sub(k, k) h = Mul(x, z)", ["RandomNormal", "Sub", "Mul"])],
    "neutral-operand": [
        ("o = Constant<value = float[2,1,1,1] {1,1}>() h = Mul(x, o)", ["Mul"]),
        ("o = Constant<value_float=1.0>() h = Div(o, x)", ["Div"]),
        ("o = Constant<value = float {-0.0}>() h = Sub(x, o)", ["Sub"]),
        (
            (
                "k = Constant<value_ints=[2]>() q = ReduceMean(x, k) r = Sqrt(q) d = Div(x, r)"
                " o = Constant<value = float[6] {1,1,1,1,1,1}>() h = Mul(d, o)"
            ),
            ["ReduceMean", "Sqrt", "Div", "Mul"],
        ),
    ],
    "add-zero": [
        ("o = Constant<value_float=0.0>() h = Add(x, o)", ["Add"]),
        ("o = Constant<value_float=0.0>() a = Add(x, o) h = Reciprocal(a)", ["Add", "Reciprocal"]),
        (
            "o = Constant<value_float=0.0>() a = Add(x, o) p = Constant<value_float=-1.0>() h = Pow(a, p)",
            ["Add", "Pow"],
        ),
        ("o = Constant<value = float[2,1,1,1] {0,0}>() a = Add(x, o) h = Exp(a)", ["Add", "Exp"]),
    ],
    "duplicate": [
        (
            "a = RandomNormalLike(x) b = RandomNormalLike(x) c = Sub(a, b) d = Sub(c, c) h = Mul(x, d)",
            ["RandomNormalLike", "RandomNormalLike", "Sub", "Sub", "Mul"],
        ),
    ],
    "broadcast-by-reader": [
        ("k = Slice(x, zero, one, one) s = Shape(x) g = Expand(k, s) h = Exp(g)", ["Slice", "Expand", "Exp"]),
        (
            "k = Slice(x, zero, one, one) s = Shape(x) g = Expand(k, s) f = Slice(x, one, two, one) h = Add(g, f)",
            ["Slice", "Expand", "Slice", "Add"],
        ),
        (
            "k = Slice(x, zero, one, one) s = Shape(x) g = Expand(k, s) h = Add(g, g)",
            ["Slice", "Expand", "Add"],
        ),
    ],
    "transpose-of-merged": [
        (
            (
                "s = Constant<value_ints=[-1, 8, 3]>() b = Reshape(x, s) d = Transpose<perm=[0, 2, 1]>(b)"
                " u = Constant<value_ints=[-1, 6, 4]>() h = Reshape(d, u)"
            ),
            ["Reshape", "Transpose", "Reshape"],
        ),
    ],
    "shape-around": [
        (
            (
                "f = Flatten<axis=2>(x) k = Constant<value = float[6] {1,2,3,4,5,6}>() b = Mul(f, k) s = Shape(x)"
                " h = Reshape(b, s)"
            ),
            ["Flatten", "Mul", "Reshape"],
        ),
        (
            "f = Transpose<perm=[2, 0, 1]>(x) a = Abs(f) g = Softmax(a) h = Transpose<perm=[1, 2, 0]>(g)",
            ["Transpose", "Abs", "Softmax", "Transpose"],
        ),
    ],
    "gather-all": [
        ("i = Constant<value = int64[2,1,2] {0,0,1,1}>() h = GatherND(x, i)", ["GatherND"]),
    ],
    "pad-into-window": [
        (
            (
                "p = Constant<value_ints=[0, 0, 1, 0, 0, 2]>() v = Constant<value_float=1.0>() a = Pad(x, p, v)"
                " w = Constant<value = float[1,4,3] {1,2,3,4,5,6,7,8,9,1,2,3}>() h = Conv(a, w)"
            ),
            ["Pad", "Conv"],
        ),
        (
            (
                "p = Constant<value_ints=[0, 1, 1, 0, 0, 2]>() a = Pad(x, p)"
                " w = Constant<value = float[1,5,3] {1,2,3,4,5,6,7,8,9,1,2,3,4,5,6}>() h = Conv(a, w)"
            ),
            ["Pad", "Conv"],
        ),
    ],
}


def model(body: str) -> onnx.ModelProto:
    return parsed(f"""g (float[N, 4, 6] x, float[M, 6] m, int64[N] ids) => (float[A, B, C] y)
    <int64[1] zero = {{0}}, int64[1] one = {{1}}, int64[1] two = {{2}}, float m0 = {{0}},
     int64[3] shape_w = {{1, 8, 6}}, int64[3] shape_r = {{1, 8, 2}}> {{ {body} y = Relu(h) }}""")


def found(model: onnx.ModelProto) -> list[str]:
    return [op for op in ops(model.graph) if op != "Constant"]


CASES = [(rule, *case) for table in (APPLIES, STAYS) for rule, cases in table.items() for case in cases]


@pytest.mark.parametrize(("rule", "body", "left"), CASES)
def test_what_is_left_computes_the_same_bit_for_bit(rule: str, body: str, left: list[str]) -> None:
    made = infer_shapes(model(body))
    folded = refolded(
        made, *[size for size in SIZES if size["N"] > 1 or ("Reshape" not in body and "GatherND(x" not in body)]
    )
    assert sorted(op for op in ops(folded.graph) if op != "Constant") == sorted([*left, "Relu"])
    named = fold(made).counts
    assert (rule in named) == (body in [body for body, _ in APPLIES.get(rule, ())])


def near(body: str, *, approximate: bool) -> list[str]:
    """The operators left of a graph whose outputs are the same but for last bits."""
    made = infer_shapes(model(body))
    folded = fold(made, approximate=approximate).model
    for size in SIZES[:2]:
        before, after = (run(m, fed(made, size)) for m in (made, folded))
        assert not isinstance(before, str)
        assert is_near(before, after)
    return [op for op in ops(folded.graph) if op != "Constant"]


MATMUL_ADD = """k = Constant<value = float[6, 2] {1,2,3,4,5,6,7,8,9,1,2,3}>() p = MatMul(m, k)
    b = Constant<value = float[2] {1,2}>() q = Add(b, p) h = Unsqueeze(q, zero)"""
CONV_NORM = """w = Constant<value = float[2,4,1] {1,2,3,4,5,6,7,8}>() c = Conv(x, w)
    s = Constant<value = float[2] {1,2}>() t = Constant<value = float[2] {3,4}>()
    h = BatchNormalization(c, s, t, t, s)"""


@pytest.mark.parametrize(
    ("body", "before", "after"),
    [
        (MATMUL_ADD, ["MatMul", "Add", "Unsqueeze", "Relu"], ["Gemm", "Unsqueeze", "Relu"]),
        (CONV_NORM, ["Conv", "BatchNormalization", "Relu"], ["Conv", "Relu"]),
    ],
)
def test_what_may_change_last_bits_is_done_where_it_is_asked_for(
    body: str, before: list[str], after: list[str]
) -> None:
    assert near(body, approximate=False) == before
    assert near(body, approximate=True) == after


class TestGrowth:
    TABLE = "k = Constant<value_ints=[64, 1024, 1]>() e = ConstantOfShape<value = float[1] {2}>(k) s = Exp(e)"

    def test_what_is_cheaper_to_compute_than_to_store_is_computed(self) -> None:
        made = infer_shapes(model(f"{self.TABLE} h = Gather(s, ids)"))
        assert "ConstantOfShape" in ops(fold(made).model.graph)
        assert "ConstantOfShape" not in ops(fold(made, max_growth=1e9).model.graph)

    def test_what_is_large_between_may_become_small(self) -> None:
        body = f"{self.TABLE} t = Constant<value_ints=[0, 1]>() r = ReduceMax<keepdims=0>(s, t) h = Mul(x, r)"
        assert ops(fold(infer_shapes(model(body))).model.graph) == ["Mul", "Relu"]

    def test_weights_that_are_stored_as_small_integers_stay_so(self) -> None:
        numbers = ", ".join("1" * 1200)
        body = f"""q = Constant<value = int8[200, 6] {{{numbers}}}>() w = Cast<to=1>(q) g = Gather(w, ids)
            h = Unsqueeze(g, one)"""
        assert "Cast" in ops(fold(infer_shapes(model(body))).model.graph)


class TestChoice:
    BODY = "a = Identity(x) b = Exp(a) c = Exp(a) h = Mul(b, c)"

    def test_rewrites_are_chosen_by_name(self) -> None:
        made = infer_shapes(model(self.BODY))
        assert set(fold(made, only=["copy"]).counts) == {"copy"}
        assert set(fold(made, skip=["copy"]).counts) == {"duplicate"}

    @pytest.mark.parametrize("wrong", [{"only": ["copi"]}, {"skip": ["copi"]}])
    def test_a_name_of_none_is_refused(self, wrong: Any) -> None:
        with pytest.raises(ValueError, match=r"unknown rewrite 'copi'; did you mean copy\?"):
            fold(model(self.BODY), **wrong)

    def test_a_negative_growth_is_refused(self) -> None:
        with pytest.raises(ValueError, match=r"max_growth is -1; give a share of the model's bytes, such as 0\.03"):
            fold(model(self.BODY), max_growth=-1)


def test_types_of_all_values_are_written_in_the_same_call() -> None:
    folded = fold(model("a = Exp(x) h = Gather(a, ids)"), infer=True, bind={"N": 2, "M": 1}).model
    assert [onnx.helper.printable_value_info(v) for v in folded.graph.value_info] == [
        "%a[FLOAT, 2x4x6]",
        "%h[FLOAT, 2x4x6]",
    ]
    assert onnx.helper.printable_value_info(folded.graph.output[0]) == "%y[FLOAT, 2x4x6]"


class TestPages:
    @pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
    def test_each_says_why_it_is_right(self, rule: Rule) -> None:
        first, _, proof = rule.page.partition("\n\n")
        assert first.endswith(".")
        assert len(proof.split()) > 20
        assert REWRITES[rule.name] == rule.sentence

    def test_each_is_one_small_module(self) -> None:
        modules = [path for path in FOLDER.glob("*.py") if path.stem != "__init__"]
        assert {path.stem for path in modules} == {name.replace("-", "_") for name in BY_NAME}
        assert {path.stem: n for path in modules if (n := lines_of_code(path)) > MOST_LINES} == {}


MOST_LINES = 60


def lines_of_code(path: Path) -> int:
    """Return how many lines of a module are statements: without docstrings, imports and blank lines."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return sum(
        len(ast.unparse(node).splitlines())
        for node in tree.body
        if not isinstance(node, (ast.Import, ast.ImportFrom))
        and not isinstance(getattr(node, "value", None), ast.Constant)
    )
