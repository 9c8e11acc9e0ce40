"""What changed between two models, by meaning."""

from __future__ import annotations

import pickle
from pathlib import Path

import onnx
import pytest

import shapeinfer
from shapeinfer import Difference, check
from shapeinfer.compare.difference import Kind
from tests.ir import Layer, layer, net, parameter, result
from tests.models import parsed


def diff(old: str, new: str) -> Difference:
    return shapeinfer.diff(*(check(parsed(f"main {text}")) for text in (old, new)))


def changes_of(difference: Difference) -> list[str]:
    return [f"{'!' if c.breaking else ''}{c.kind} {c.about}: {c.message}" for c in difference.changes]


def even(name: str, more: str = "") -> str:
    """A model that takes an even number of rows only."""
    return f"(float[{name}, 6] x) => (y) {{ s = Constant <value = int64[2] {{-1, 4}}> () y = Reshape (x, s) {more} }}"


ANY = "(float[N, 6] x) => (y) { y = Relu (x) }"


class TestNoChange:
    @pytest.mark.parametrize(
        ("old", "new"),
        [
            ("(float[N, M] x) => (y) { y = Relu (x) }", "(float[A, B] x) => (y) { y = Relu (x) }"),
            ("(float[N, M] x) => (y) { y = Relu (x) }", "(float[M, N] x) => (y) { y = Relu (x) }"),
            (
                "(float[N] x, float[N] z) => (y) { y = Add (x, z) }",
                "(float[K] x, float[K] z) => (y) { y = Add (x, z) }",
            ),
            ("(float[N] x) => (float[L] y) { y = NonZero (x) }", "(float[N] x) => (float[K] y) { y = NonZero (x) }"),
            (even("N"), even("M")),
            ("(float[N, N] x) => (y) { y = Relu (x) }", "(float[N, N] x) => (y) { y = Neg (x) }"),
        ],
    )
    def test_names_and_nodes_do_not_count(self, old: str, new: str) -> None:
        assert diff(old, new) == Difference()

    def test_a_condition_said_otherwise_is_the_same(self) -> None:
        old = "(float[N] x, float[4] w) => (y) { y = Concat <axis = 0> (x, w) z = Conv (x, w) }"
        assert diff(old, old).changes == ()

    def test_values_are_counted_not_listed(self) -> None:
        found = diff(ANY, "(float[N, 6] x) => (y) { t = Relu (x) y = Relu (t) }")
        assert found == Difference(new=("t",))


class TestInputs:
    @pytest.mark.parametrize(
        ("old", "new", "change"),
        [
            ("float[N] x", "float[4] x", "!narrower input x: axis 0 was N, is 4"),
            ("float[4] x", "float[N] x", "wider input x: axis 0 was 4, is N"),
            ("float[4] x", "float[5] x", "!changed input x: axis 0 was 4, is 5"),
            ("float[N] x", "int32[N] x", "!changed input x: was f32[N], is i32[N]"),
            ("float[N] x", "float[N, M] x", "!changed input x: was f32[N], is f32[N, M]"),
            ("float x", "float[N] x", "!changed input x: was f32[], is f32[N]"),
            ("float[A, B] x", "float[S, S] x", "!narrower input x: axis 1 was B, is S: B == A is required"),
            ("float[S, S] x", "float[A, B] x", "wider input x: axis 1 was S, is B"),
            ("float[N] x", "float[N] x, float[M] z", "!narrower input z: is new: f32[M]"),
            ("float[N] x, float[M] z", "float[N] x", "!changed input z: is gone; it was f32[M]"),
            ("float[N] x, float[M] z", "float[M] z, float[N] x", "changed inputs: their order was x, z, is z, x"),
            ("seq(float[N]) x", "seq(float[M]) x", ""),
            ("seq(float[N]) x", "seq(int32[N]) x", "!changed input x: was seq(f32[N]), is seq(i32[N])"),
            ("seq(float[N]) x", "float[N] x", "!changed input x: was seq(f32[N]), is f32[N]"),
        ],
    )
    def test_what_a_model_takes(self, old: str, new: str, change: str) -> None:
        made = "=> (y) { y = Constant <value_int = 1> () }"
        assert changes_of(diff(f"({old}) {made}", f"({new}) {made}")) == ([change] if change else [])

    def test_a_formula_of_what_is_new_may_still_be_what_it_was(self) -> None:
        body = "=> (y) { y = Constant <value_int = 1> () }"
        old, new = parsed(f"main (float[S] m) {body}"), parsed(f"main (float[S] m, float[P] p) {body}")
        new.graph.input[0].type.tensor_type.shape.dim[0].dim_param = "P + 3"
        changes = shapeinfer.diff(old, new).changes
        assert [c.kind for c in changes if c.about == "input m" and c.breaking] == []


class TestTheContract:
    def test_a_condition_that_was_not_there_is_narrower_with_sizes_that_ran(self) -> None:
        found = diff(ANY, even("K"))
        assert (
            changes_of(found)[0]
            == "!narrower contract: N % 2 == 0 is now required by Reshape (node 1); the old model runs for N = 1"
        )

    def test_one_that_is_gone_is_wider_with_sizes_that_run(self) -> None:
        found = diff(even("K"), ANY)
        assert "wider contract: N % 2 == 0 is no longer required; the new model runs for N = 1" in changes_of(found)

    def test_a_stronger_one_is_narrower(self) -> None:
        eight = "s = Constant <value = int64[2] {-1, 8}> ()"
        found = diff(even("N"), even("N").replace("s = Constant <value = int64[2] {-1, 4}> ()", eight))
        assert (
            changes_of(found)[0]
            == "!narrower contract: N % 4 == 0 is now required by Reshape (node 1); the old model runs for N = 2"
        )

    def test_one_of_an_axis_that_is_a_number_now_is_no_change_of_its_own(self) -> None:
        found = diff(even("N"), even("4"))
        assert [c.about for c in found.breaking] == ["input x"]

    def test_of_what_is_new_it_breaks_nobody_by_itself(self) -> None:
        body = "{ y = Relu (x) s = Constant <value = int64[2] {-1, 4}> () t = Reshape (z, s) }"
        found = diff(ANY, f"(float[N, 6] x, float[M, 6] z) => (y) {body}")
        assert [c.about for c in found.breaking] == ["input z"]
        assert "changed contract: M % 2 == 0 is required by Reshape (node 2) (of a new input)" in changes_of(found)


COLUMNS = (1, 2, 3, 5, 8, 9, 16, 24, 36)


@pytest.mark.parametrize("old", COLUMNS)
def test_narrower_and_wider_are_what_trying_all_sizes_says(old: int) -> None:
    def reshape(columns: int) -> str:
        return f"(float[N, 6] x) => (y) {{ s = Constant <value = int64[2] {{-1, {columns}}}> () y = Reshape (x, s) }}"

    def runs(columns: int) -> set[int]:
        return {n for n in range(1, 100) if 6 * n % columns == 0}

    for new in COLUMNS:
        kinds = {c.kind for c in diff(reshape(old), reshape(new)).changes if c.about == "contract"}
        assert (Kind.NARROWER in kinds) is not (runs(old) <= runs(new))
        assert (Kind.WIDER in kinds) is not (runs(new) <= runs(old))


class TestOutputs:
    @pytest.mark.parametrize(
        ("old", "new", "change"),
        [
            (
                "y = Relu (x)",
                "y = Concat <axis = 0> (x, x)",
                "!changed output y: axis 0 was N, is 2*N, which differs for",
            ),
            ("y = Relu (x)", "y = Cast <to = 7> (x)", "!changed output y: was f32[N, 4], is i64[N, 4]"),
            (
                "y = Relu (x)",
                "y = Flatten <axis = 0> (x)",
                "!changed output y: axis 0 was N, is 1, which differs for N = 0; ax",
            ),
            ("y = Relu (x)", "y = ReduceSum <keepdims = 0> (x)", "!changed output y: was f32[N, 4], is f32[]"),
            ("y = Relu (x)", "y = my.F (x)", "!changed output y: was f32[N, 4], is ?"),
            ("y = my.F (x)", "y = Relu (x)", "changed output y: was ?, is f32[N, 4]"),
            (
                "y = Relu (x)",
                "y = Compress <axis = 0> (x, b)",
                "!changed output y: axis 0 was N, is Compress_0, which is ",
            ),
            ("y = Compress <axis = 0> (x, b)", "y = Relu (x)", "changed output y: axis 0 was Compress_0, is N"),
            ("y = Compress <axis = 0> (x, b)", "n = NonZero (x) y = Compress <axis = 0> (x, b)", ""),
        ],
    )
    def test_what_a_model_gives(self, old: str, new: str, change: str) -> None:
        head = "(float[N, 4] x, bool[N] b) => (y) "
        found = [text for text in changes_of(diff(f"{head}{{ {old} }}", f"{head}{{ {new} }}")) if "output" in text]
        assert [text[: len(change)] for text in found] == ([change] if change else [])

    @pytest.mark.parametrize(
        ("old", "new", "changes"),
        [
            ("y", "y, z", ["wider output z: is new"]),
            ("y, z", "y", ["!changed output z: is gone"]),
            ("y, z", "z, y", ["!changed outputs: their order was y, z, is z, y"]),
            ("y", "z, y", ["wider output z: is new", "!changed outputs: their order was y, is z, y"]),
        ],
    )
    def test_their_names_and_order(self, old: str, new: str, changes: list[str]) -> None:
        body = "{ y = Relu (x) z = Relu (x) }"
        assert changes_of(diff(f"(float[N] x) => ({old}) {body}", f"(float[N] x) => ({new}) {body}")) == changes

    def test_a_length_that_is_equal_wherever_both_run_is_the_same(self) -> None:
        old = "(float[N, 6] x, float[M, 6] z) => (y) { y = Relu (x) t = Concat <axis = 1> (x, z) }"
        new = "(float[N, 6] x, float[M, 6] z) => (y) { y = Relu (z) t = Concat <axis = 1> (x, z) }"
        assert diff(old, new).breaking == ()


def test_values_between_break_nobody() -> None:
    head = "(float[N] x) => (y) "
    found = diff(f"{head}{{ t = Relu (x) y = Relu (x) }}", f"{head}{{ t = Concat <axis = 0> (x, x) y = Relu (x) }}")
    assert changes_of(found) == ["changed value t: axis 0 was N, is 2*N, which differs for N = 1"]


def test_errors_that_are_new_break_and_those_that_are_gone_do_not() -> None:
    good = "(float[N, 64] x, float[64] w) => (y) { y = Add (x, w) }"
    bad = good.replace("float[64] w", "float[3] w")
    assert [c.about for c in diff(good, bad).breaking if c.about == "errors"] == ["errors"]
    assert diff(bad, bad) == Difference()
    assert [c.kind for c in diff(bad, good).changes if c.about == "errors"] == [Kind.WIDER]


def test_the_text_has_what_breaks_first() -> None:
    found = diff("(float[4] x) => (y) { y = Relu (x) }", "(float[N] x) => (y, z) { y = my.F (x) z = Relu (x) }")
    assert found.text.splitlines() == [
        "output y  was f32[4], is ?",
        "input x   axis 0 was 4, is N",
        "output z  is new",
    ]


def test_reports_that_came_from_another_process_compare_too() -> None:
    old, new = (check(parsed(f"main {text}")) for text in (ANY, even("N")))
    came = pickle.loads(pickle.dumps((old, new)))
    assert shapeinfer.diff(*came) == shapeinfer.diff(old, new)


def test_models_may_be_given_as_they_are(tmp_path: Path) -> None:
    onnx.save(parsed(f"main {ANY}"), tmp_path / "old.onnx")
    assert shapeinfer.diff(tmp_path / "old.onnx", parsed(f"main {ANY}")) == Difference()


def test_a_model_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="cannot compare: error"):
        shapeinfer.diff(tmp_path / "none.onnx", parsed(f"main {ANY}"))


def test_each_example_is_as_it_was(example: Path) -> None:
    assert shapeinfer.diff(example, example) == Difference()


class TestAnIRWithItsModel:
    """OpenVINO keeps the names of the tensors that an ONNX model had."""

    ONNX = "g (float[N, 8] x) => (float[N, 8] y) { y = Relu (x) }"

    def against(self, *layers: Layer) -> Difference:
        return shapeinfer.diff(parsed(self.ONNX), net(*layers))

    def test_the_same_interface_is_no_change(self) -> None:
        relu = layer("r", "ReLU", "p", out="FP32 -1,8", names="y")
        found = self.against(parameter("p", names="x"), relu, result("r"))
        assert found.changes == ()

    def test_another_length_is_one(self) -> None:
        found = self.against(
            parameter("p", "?,9", names="x"), layer("r", "ReLU", "p", out="FP32 -1,9", names="y"), result("r")
        )
        assert [(c.about, c.breaking) for c in found.changes] == [("input x", True), ("output y", True)]

    def test_what_lost_its_name_is_gone(self) -> None:
        found = self.against(parameter("p", names="x"), layer("r", "ReLU", "p", out="FP32 -1,8"), result("r"))
        assert [c.about for c in found.changes if c.breaking] == ["output y"]
