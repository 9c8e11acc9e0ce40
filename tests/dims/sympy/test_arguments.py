"""Expressions of sympy's are accepted wherever sizes are, relationals wherever conditions are."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import sympy

from shapeinfer import (
    Options,
    Report,
    Session,
    SparseTensor,
    Tensor,
    broadcast_shapes,
    broadcast_to,
    check,
    infer_op,
    symbol,
)
from shapeinfer.dims import AtMost, Divides
from shapeinfer.dims import symbol as dim_symbol
from tests.models import parsed

n, m = sympy.symbols("n m")
ROOT = Path(__file__).parents[3]
ODD = "a b"
MODEL = parsed("""g (float[N, H, K] x, float[N, H, K] z) => (y) <int64[3] to = {0, -1, 4}> {
    w = Add(x, z) y = Reshape(w, to) }""")


@pytest.fixture(scope="module")
def report() -> Report:
    return check(MODEL)


class TestShapes:
    def test_of_tensors(self) -> None:
        assert Tensor("f32", [n, 3, n * (n + 1) / 2, sympy.Integer(4)]).text == "f32[n, 3, (n**2 + n)//2, 4]"
        assert Tensor("f32", [n, 2 * n]) is Tensor("f32", ["n", "2*n"])
        assert SparseTensor("f32", [n]).text == "sparse f32[n]"
        assert infer_op("Concat", [Tensor("f32", [n]), Tensor("f32", [m])], {"axis": 0})[0].text == "f32[m + n]"

    def test_of_broadcasting(self) -> None:
        assert broadcast_shapes([n, 1], [3]) == (symbol("n"), 3)
        assert [str(size) for size in broadcast_shapes([n], [m])] == ["broadcast(m, n)"]
        assert broadcast_to([1, n], [4, n]) == (4, symbol("n"))

    @pytest.mark.parametrize(
        ("dim", "says"),
        [
            (n / 2, r"axis 1 of the tensor is n/2, which is not a dim: n/2 is not an integer for all values"),
            (sympy.Integer(-3), "axis 1 of the tensor is -3; a dim cannot be negative"),
            (sympy.Float(2), r"axis 1 of the tensor is 2\.0+, which is not a dim: 2\.0+ is a float"),
            (sympy.Eq(n, 2), r"axis 1 of the tensor is Eq\(n, 2\), which is not a dim"),
        ],
        ids=str,
    )
    def test_what_is_no_dim_is_refused_with_its_place(self, dim: Any, says: str) -> None:
        with pytest.raises(ValueError, match=says):
            Tensor("f32", [1, dim])


class TestSymbol:
    def test_a_symbol_of_sympy_names_it(self) -> None:
        assert symbol(n) is symbol("n")
        assert symbol(n, 2, 8) is symbol("n", 2, 8)
        assert symbol(sympy.Symbol("p", positive=True), high=9) is symbol("p", 1, 9)
        assert symbol(sympy.Symbol("e", even=True), 3, 9) is dim_symbol("e", 4, 8, 2)

    @pytest.mark.parametrize(
        ("passed", "says"),
        [
            (n + 1, "n \\+ 1 is not a symbol"),
            (sympy.Integer(3), "3 is not a symbol"),
            (sympy.Symbol("x", negative=True), "the symbol x is assumed to be negative or 0"),
        ],
        ids=str,
    )
    def test_anything_else_is_refused(self, passed: Any, says: str) -> None:
        with pytest.raises(ValueError, match=says):
            symbol(passed)


class TestWhatADimDoesByItself:
    def test_symbols_of_sympy_name_those_that_get_values(self) -> None:
        size = symbol("n") + 1
        assert size.evaluate({n: sympy.Integer(3)}) == 4
        assert str(size.subs({n: m + 1})) == "m + 2"
        with pytest.raises(ValueError, match="no symbol"):
            size.evaluate({n + 1: 3})

    def test_relations_to_expressions(self) -> None:
        size = symbol("n")
        assert size.equals(m + 1).text == "n == m + 1"
        assert size.divisible_by(2 * m).text == "n % (2*m) == 0"


N, H, K = sympy.symbols("N H K")


class TestOptions:
    def test_sizes(self) -> None:
        for bind in ({N: 2, H: sympy.Integer(8)}, {symbol("N"): 2, "H": 8}, {"N": 2, "H": 8}):
            assert check(MODEL, bind=bind).values["y"].text == "f32[2, 2*K, 4]"
        formula = parsed("g (float[N] x) => (y) { y = Relu(x) }")
        formula.graph.input[0].type.tensor_type.shape.dim[0].dim_param = "2*M + 1"
        assert check(formula, bind={2 * sympy.Symbol("M") + 1: 7}).values["y"].text == "f32[7]"

    def test_shapes(self) -> None:
        given = {"x": [N, 2 * H, 4], "z": ["N", "2*H", 4]}
        assert check(MODEL, shapes=given).values["y"].text == "f32[N, 2*H, 4]"
        assert check(MODEL, shapes={"x": [sympy.Integer(2), 8, 3]}).values["y"].text == "f32[2, 6, 4]"

    def test_ranges(self) -> None:
        for ranges in ({N: (2, sympy.Integer(8))}, {symbol("N"): (2, 8)}):
            assert check(MODEL, ranges=ranges).bounds("N") == (2, 8)

    def test_assumptions(self) -> None:
        multiple = Divides(8, symbol("H"))
        for assume in (
            ["H % 8 == 0"],
            [sympy.Eq(sympy.Mod(H, 8), 0)],
            sympy.Eq(sympy.Mod(H, 8), 0),
            multiple,
            [multiple],
        ):
            assert check(MODEL, assume=assume).divisible("H", 4).is_yes
        both = check(MODEL, assume=[sympy.And(H >= 4, sympy.Or(N <= 2, sympy.Eq(N, 4))), sympy.true])
        assert [both.bounds("H"), both.bounds("N"), both.ok] == [(4, None), (1, 4), True]
        assert [d.code.name for d in check(MODEL, assume=sympy.false).errors] == ["assumption-false"]

    def test_names_that_are_no_identifiers(self) -> None:
        model = parsed("g (float[N] x) => (y) { y = Relu(x) }")
        model.graph.input[0].type.tensor_type.shape.dim[0].dim_param = ODD
        odd = sympy.Symbol(ODD)
        assert check(model, bind={odd: 4}).values["y"].text == "f32[4]"
        assert check(model, assume=[odd <= 8]).bounds(odd) == (0, 8)

    def test_they_are_text_then(self) -> None:
        options = Options(bind={N: sympy.Integer(2)}, ranges={H: (1, 2)}, assume=AtMost(1, symbol("K")))
        assert options == Options(bind={"N": 2}, ranges={"H": (1, 2)}, assume=["K >= 1"])

    def test_what_is_none_is_refused(self) -> None:
        for given, says in (
            ({"bind": {N / 2: 3}}, "a key of bind is N/2, which is not a dim"),
            ({"ranges": {sympy.sin(N): (1, 2)}}, r"a key of ranges is sin\(N\), which is not a dim"),
            ({"shapes": {"x": [1, N / 2, 3]}}, "axis 1 of x is N/2, which is not a dim"),
            ({"assume": [N + 1]}, r"N \+ 1 is not a condition"),
            ({"assume": 3}, "3 is not a condition"),
        ):
            with pytest.raises(ValueError, match=says):
                check(MODEL, **given)

    def test_a_session_takes_them(self) -> None:
        assert Session(MODEL, bind={N: 2}).report.values["w"].text == "f32[2, H, K]"


class TestQuestions:
    def test_sizes(self, report: Report) -> None:
        assert report.same_dim("y[1]", sympy.floor(H * K / 4)).is_yes
        assert report.same_dim(N, "x[0]").is_yes
        assert report.divisible(4 * N, sympy.Integer(4)).is_yes
        assert report.bounds(N + 3) == (4, None)
        assert report.bytes("x", bind={N: 1, "H": 4, K: 2}) == 32

    def test_a_symbol_stands_for_the_dim_of_its_name(self) -> None:
        ranged = check(MODEL, ranges={"N": (2, 8)})
        assert ranged.bounds(N) == ranged.bounds(sympy.Symbol("N", positive=True)) == (2, 8)
        dim: Any = (ranged.shape("x") or ())[0]
        assert ranged.bounds(dim.expr + 1) == ranged.bounds(dim + 1) == (3, 9)

    def test_a_name_that_no_dim_has_is_reported(self, report: Report) -> None:
        with pytest.raises(ValueError, match="the model has no dim M"):
            report.bounds(sympy.Symbol("M"))
        with pytest.raises(ValueError, match="the dim is N/2, which is not a dim"):
            report.bounds(N / 2)

    def test_the_contract(self, report: Report) -> None:
        assert report.contract.holds({N: 1, H: sympy.Integer(4), K: 2})
        assert report.contract.holds({"N": 1, "H": 4, "K": 2})
        (needed,) = report.contract
        assert needed.expr == sympy.sympify(needed)
        assert {s.name for s in needed.expr.free_symbols} == {"H", "K"}
        assert needed.expr.subs(dict.fromkeys(needed.expr.free_symbols, 2)) == sympy.true


WITHOUT_SYMPY = """
import sys
import shapeinfer
report = shapeinfer.check("examples/models/unet.onnx", bind={"batch": 1}, assume=["height % 8 == 0"])
assert any(isinstance(size, shapeinfer.Dim) and not size.is_symbol for size in report.shape("up"))
for name in ("patches", "resnet"):
    other = shapeinfer.check(f"examples/models/{name}.onnx", shapes={}, ranges={})
    str(other.contract.text), other.contract.small_sizes, other.to_dict()
report.same_dim("up[2]", "2*height"), report.bounds("up[2]"), repr(report.values)
shapeinfer.broadcast_shapes(["n", 2], [shapeinfer.symbol("m"), 1])
assert not [name for name in sys.modules if name.split(".")[0] in ("sympy", "mpmath")]
dim = report.shape("up")[2]
assert dim._repr_latex_() and "sympy" in sys.modules
assert shapeinfer.Dim.from_sympy(dim.expr) is dim
"""


def run(code: str) -> str:
    path = os.pathsep.join(p for p in sys.path if p)
    environment = os.environ | {"PYTHONPATH": path, "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, encoding="utf-8", env=environment, cwd=ROOT, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_model_with_formulas_is_checked_without_sympy() -> None:
    run(WITHOUT_SYMPY)


SHOWN = """
import shapeinfer
report = shapeinfer.check("examples/models/patches.onnx")
print(report.to_dict(), report.contract.text)
"""


def test_an_answer_does_not_depend_on_whether_sympy_is_loaded() -> None:
    assert run(SHOWN) == run("import sympy" + SHOWN)
