"""``shapeinfer.rules`` is all that rules of others need, and the example in examples/rules uses nothing else."""

from __future__ import annotations

import ast
import re
import textwrap
import types
from pathlib import Path
from typing import Any

import pytest

import shapeinfer
from shapeinfer import DimMismatchError, ShapeInferError, Tensor, infer_op, load_rules, rules, symbol
from tests.models import parsed

ROOT = Path(__file__).parents[2]
PUBLIC = re.compile(r"shapeinfer(\.rules|\.compat(\.\w+)?)?")
N = symbol("N")


@pytest.fixture(autouse=True, scope="module")
def _example() -> None:
    load_rules(ROOT / "examples" / "rules" / "pack.py")


def imported(path: Path) -> list[tuple[str, str]]:
    """The modules of this package that a program imports from, each with the name that it takes."""
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found += [(alias.name, "") for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            found += [(node.module or "", alias.name) for alias in node.names]
    return [(module, name) for module, name in found if module.split(".")[0] == "shapeinfer"]


@pytest.mark.parametrize("path", sorted((ROOT / "examples").rglob("*.py")), ids=lambda path: path.name)
def test_examples_import_nothing_internal(path: Path) -> None:
    for module, name in imported(path):
        assert PUBLIC.fullmatch(module), f"{module} is internal"
        public = {"shapeinfer": shapeinfer.__all__, "shapeinfer.rules": rules.__all__}.get(module)
        assert public is None or not name or name in public, f"{module}.{name} is not exported"


def test_what_is_exported_is_documented() -> None:
    exported = {name: getattr(rules, name) for name in rules.__all__}
    kinds = (type, types.FunctionType, types.ModuleType)
    assert [n for n, found in exported.items() if isinstance(found, kinds) and not (found.__doc__ or "").strip()] == []
    methods = ("axes", "axis", "broadcast", "dims", "equal", "fail", "fresh", "ints", "report", "require")
    assert [name for name in methods if not getattr(rules.Context, name).__doc__] == []


def test_the_names_are_sorted_and_there() -> None:
    assert len(set(rules.__all__)) == len(rules.__all__)
    assert all(hasattr(rules, name) for name in rules.__all__)


def test_the_example_of_the_documentation_runs() -> None:
    assert rules.__doc__ is not None
    (code,) = re.findall(r"^    from shapeinfer.rules import.*?(?=^- )", rules.__doc__, re.MULTILINE | re.DOTALL)
    exec(textwrap.dedent(code), {"__name__": "documentation"})
    found = infer_op("Fold", [Tensor("f32", ["N", "K"])], domain="my")
    assert found[0].text == "f32[N, K//2, 2]"
    assert [(r.condition, r.message) for r in found.conditions] == [("K % 2 == 0", "K is not divisible by 2")]


class TestTheExample:
    def test_shapes(self) -> None:
        assert infer_op("Pack", [Tensor("f32", ["N", "K"])], domain="my")[0].text == "f32[N, (K + 7)//8, 8]"
        assert infer_op("Pack", [Tensor("f32", [4])], {"lanes": 2}, domain="my")[0].text == "f32[2, 2]"

    def test_conditions(self) -> None:
        found = infer_op("PackedMatMul", [Tensor("f32", ["N", "K"]), Tensor("f32", [5, "G", 8])], domain="my")
        assert found[0].text == "f32[N, 5]"
        assert [r.condition for r in found.conditions] == ["K == 8*G"]
        assert [(o.port, o.axis) for o in found.conditions[0].operands] == [("A", 1), ("W", 1)]

    def test_faults(self) -> None:
        a, w = Tensor("f32", ["N", 24]), Tensor("f32", [5, 2, 8])
        with pytest.raises(DimMismatchError, match="the last axis of A is 24, but W has 2 groups of 8"):
            infer_op("PackedMatMul", [a, w], domain="my")
        with pytest.raises(ShapeInferError, match=r"operand A of PackedMatMul .* is float64; it must be one of"):
            infer_op("PackedMatMul", [Tensor("f64", ["N", 16]), w], domain="my")
        with pytest.raises(ShapeInferError, match="W has rank 2; packed weights have rank 3"):
            infer_op("PackedMatMul", [a, a], domain="my")

    def test_contents_become_a_shape(self) -> None:
        model = parsed(
            """<ir_version: 9, opset_import: ["" : 20, "my" : 1]>
            g (float[N, K] x, float[M] flat) => (y) {
                shape = Shape(x)
                packed = my.PackedShape<lanes = 4>(shape)
                y = Reshape(flat, packed)
            }"""
        )
        report = shapeinfer.check(model)
        assert report.ok
        assert report.values["y"].text == "f32[N, (K + 3)//4, 4]"
        assert "PackedShape" not in str(report.contract.text)


class TestRegistration:
    def test_it_counts_for_models_checked_before(self) -> None:
        model = parsed('<ir_version: 9, opset_import: ["" : 20, "late" : 1]> g (float[N] x) => (y) { y = late.Op(x) }')
        assert shapeinfer.check(model).values["y"].text == "?"

        @rules.rule("Op", domain="late")
        def late(ctx: rules.Context, x: Tensor) -> Tensor:
            return x.of(*x.dims, 2)

        assert shapeinfer.check(model).values["y"].text == "f32[N, 2]"
        rules.declare("Op(X: T) -> Y: T", domain="late", T="float16")
        assert [d.code.name for d in shapeinfer.check(model).errors] == ["element-type-not-allowed"]

    def test_a_cell_that_is_run_again_replaces_its_rules(self) -> None:
        def cell(rank: int) -> None:
            @rules.rule("Again", domain="again")
            def again(ctx: rules.Context, x: Tensor) -> Tensor:
                return x.of(*[1] * rank, 2)

            @rules.contents("Again", domain="again")
            def entries(out: Tensor, x: Tensor) -> Any:
                return (rank, rank)

        for rank in (0, 1):
            cell(rank)
            (out,) = infer_op("Again", [Tensor("i64", ["N"])], domain="again")
            assert isinstance(out, Tensor)
            assert (out.rank, out.value) == (rank + 1, (rank, rank))

    def test_two_rules_for_one_operator_are_an_error(self) -> None:
        def other(ctx: rules.Context, x: Tensor) -> Tensor:
            return x

        with pytest.raises(ValueError, match="Pack 1 has two rules"):
            rules.rule("Pack", domain="my")(other)
        with pytest.raises(ValueError, match="the contents of PackedShape 1 are defined twice"):
            rules.contents("PackedShape", domain="my")(other)


def test_shape_arithmetic_takes_the_context() -> None:
    ctx = rules.Context(1)
    assert rules.matmul(ctx, (N, 3), (3, 5)) == (N, 5)
    assert rules.concatenated(ctx, [(N, 3), (2, 3)], 0, ["a", "b"]) == (N + 2, 3)
    assert rules.reshaped(ctx, (N, 6), (-1, 3)) == (2 * N, 3)
    assert rules.window_counts(ctx, rules.WINDOW.of(ctx, (3,), 1), (8,)) == (6,)
    assert ctx.claims == []
    assert ctx.findings == []
