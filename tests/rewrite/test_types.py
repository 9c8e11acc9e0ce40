"""The types that stand in a folded model are those that are inferred, for other tools believe what a file says."""

from __future__ import annotations

import onnx
import pytest

from shapeinfer import check, fold, infer_shapes
from shapeinfer.api import annotated
from shapeinfer.diagnostics.codes import Severity
from tests.infer.running import session
from tests.models import parsed
from tests.rewrite.runs import difference, fed, ops, run


def types(model: onnx.ModelProto) -> dict[str, str]:
    """The types of a graph's values as text, outputs last."""
    graph = model.graph
    return {v.name: onnx.helper.printable_type(v.type) for v in (*graph.input, *graph.value_info, *graph.output)}


class TestWhatIsDeclaredFalsely:
    SLICED = """g (float[N, S, 8] x) => (float[2, 12, 8] y, float[a, b, c] z)
    <int64[1] none = {0}, int64[1] six = {6}, int64[1] twelve = {12}, int64[1] axis = {1}> {
        t = Neg(x) y = Identity(t)
        a = Slice(t, none, six, axis) b = Slice(t, six, twelve, axis) z = Add(a, b)
    }"""

    def test_of_an_output_misleads_no_runtime_that_optimizes(self) -> None:
        """Two slices of what has 12 rows are a Split, which the output's declaration allows once that is read."""
        model = parsed(self.SLICED)
        folded = fold(model).model
        assert ops(folded.graph) == ["Neg", "Slice", "Slice", "Add"]
        assert types(folded)["y"] == "FLOAT, NxSx8"
        feeds = fed(model, {"N": 3, "S": 18})
        optimized = session(folded, optimized=True).run(None, feeds)
        assert difference(run(model, feeds), optimized) is None

    def test_gives_way_to_what_is_inferred_and_a_name_that_is_right_stays(self) -> None:
        model = parsed("""g (float[N, 4] x) => (float[rows, 3] y, float[rows, 8] z, float[N] w, float[M, 4] v) {
            y = Neg(x) z = Concat<axis=1>(y, x) w = Abs(x) v = Concat<axis=0>(x, y)
        }""")
        found = types(fold(model).model)
        assert [found[name] for name in "yzwv"] == ["FLOAT, rowsx4", "FLOAT, rowsx8", "FLOAT, Nx4", "FLOAT, Mx4"]

    def test_a_name_for_two_lengths_gives_way_to_both(self) -> None:
        model = parsed("""g (float[N, 4] x) => (float[rows, 4] y, float[rows, 4] z) {
            y = Neg(x) z = Concat<axis=0>(x, x)
        }""")
        found = types(fold(model).model)
        assert [found[name] for name in "yz"] == ["FLOAT, Nx4", "FLOAT, 2*Nx4"]

    def test_of_other_values_and_of_bodies_likewise(self) -> None:
        model = parsed("""g (float[N] x, bool c) => (float[A] y) <float[7] t, float[5] gone> {
            t = Neg(x)
            y = If(c) <then_branch = yes () => (float[9] r) <float[8] h> { h = Abs(t) r = Exp(h) },
                       else_branch = no () => (float[B] e) { e = Exp(t) }>
        }""")
        folded = fold(model).model
        assert types(folded) == {"x": "FLOAT, N", "c": "BOOL, scalar", "t": "FLOAT, N", "y": "FLOAT, A"}
        body = next(a.g for a in folded.graph.node[1].attribute if a.name == "then_branch")
        assert [onnx.helper.printable_type(v.type) for v in (*body.value_info, *body.output)] == ["FLOAT, N"] * 2

    def test_of_what_became_a_constant_goes(self) -> None:
        model = parsed("g (float[N, 3] x) => (float[A] y) <int64[7] t> { t = Shape<start=1>(x) y = my.F(t) }")
        folded = fold(model).model
        assert ([t.name for t in folded.graph.initializer], list(types(folded))) == (["t"], ["x", "y"])


class TestWhatOnlyTheAuthorKnows:
    COUNTED = "g (float[N] x) => (int64[1, 5] y, int64[1, A] z) { t = NonZero(x) y = Identity(t) z = Neg(t) }"

    def test_stays_where_it_is_declared_of_an_output(self) -> None:
        model = parsed("g (float[N] x) => (int64[1, 5] y) { t = NonZero(x) y = Identity(t) }")
        folded = fold(model).model
        assert ops(folded.graph) == ["NonZero"]
        assert types(folded)["y"] == "INT64, 1x5"

    def test_is_not_read_in_the_place_of_other_values(self) -> None:
        folded = fold(parsed(self.COUNTED)).model
        assert [(n.op_type, *n.input) for n in folded.graph.node] == [
            ("NonZero", "x"),
            ("Identity", "t"),
            ("Neg", "t"),
        ]

    def test_nor_is_a_value_that_is_the_output(self) -> None:
        model = parsed("g (float[N] x) => (int64[1, 5] y, int64[1, A] z) { y = NonZero(x) t = Identity(y) z = Neg(t) }")
        assert ops(fold(model).model.graph) == ["NonZero", "Identity", "Neg"]

    def test_is_dropped_where_no_output_bears_it(self) -> None:
        model = parsed("g (float[N] x) => (int64[1, A] z) <int64[1, 5] t> { t = NonZero(x) z = Neg(t) }")
        assert types(fold(model).model)["t"] == "INT64, 1xA"

    def test_is_kept_of_what_has_no_rule(self) -> None:
        model = parsed("""g (float[N] x) => (float[1, 5] y) <float[2, 6] t, float[2, 7] u, float[] v> {
            t = my.F(x) u = Neg(t) v = Reshape(u, t) y = my.G(v)
        }""")
        assert types(fold(model).model) == types(model)


def test_types_of_values_that_nothing_computes_go_but_those_of_functions() -> None:
    model = parsed("g (float[N] x) => (float[N] y) <float[3] old, float[4] kept> { y = my.F(x) }")
    model.graph.value_info[1].name = "my::F/kept"
    assert list(types(fold(model).model)) == ["x", "my::F/kept", "y"]


SIZED = {
    "names of outputs": """g (float[batch, past] x, float[batch, seq] w) => (float[batch, total] y, float[b, s] z)
    { t = Concat<axis=1>(x, w) y = Neg(t) z = Abs(w) }""",
    "formulas": """g (float[batch, "past + batch"] x, float[past] w) => (float[batch, a] y, float[past] z)
    { y = Neg(x) z = Abs(w) }""",
    "value_info": """g (float[batch, N] x) => (float[batch, N] y) <float[batch, N] x, float[batch, N] t>
    { t = Neg(x) y = Abs(t) }""",
    "a body": """g (float[batch, N] x, bool c) => (float[batch, N] y) {
        y = If(c) <then_branch = yes () => (float[batch, N] r) <float[batch, N] h> { h = Abs(x) r = Exp(h) },
                   else_branch = no () => (float[batch, B] e) { e = Exp(x) }>
    }""",
    "a loop": """g (float[batch, 3] x, int64 n, bool c) => (float[batch, A] y) {
        y = Loop(n, c, x) <body = b (int64 i, bool go, float[batch, 3] s) => (bool go_on, float[batch, 3] t)
        { go_on = Identity(go) t = Neg(s) }>
    }""",
    "a sequence": """g (seq(float[batch, 3]) x, int64 i) => (float[batch, A] y)
    { t = SequenceAt(x, i) y = Neg(t) }""",
    "no shape": "g (float[batch, 3] x) => (float[] y) { y = Neg(x) }",
}


class TestGivenSizes:
    """No name that was given a size stays anywhere, and the model agrees with itself."""

    @pytest.mark.parametrize("text", SIZED.values(), ids=SIZED)
    @pytest.mark.parametrize("way", ["bind", "assume"])
    @pytest.mark.parametrize("folds", [False, True])
    def test_stand_in_all_types(self, text: str, way: str, folds: bool) -> None:
        model = parsed(text)
        if way == "bind":
            written = fold(model, bind={"batch": 2}).model if folds else infer_shapes(model, bind={"batch": 2})
        else:
            written = fold(model, assume=["batch == 2"]).model if folds else annotated(model, assume=["batch == 2"])[0]
        assert b"batch" not in written.SerializeToString()
        assert [d.text for d in check(written).diagnostics if d.severity is not Severity.NOTE] == []
        again = fold(written).model if folds else infer_shapes(written)
        assert again == written

    def test_of_a_whole_input(self) -> None:
        model = parsed("g (float[] x, float[N, M] w) => (float[A, B] y, float[C, D] z) { y = Neg(x) z = Abs(w) }")
        for written in (
            fold(model, shapes={"x": (2, 3), "w": (4, 5)}).model,
            infer_shapes(model, shapes={"x": (2, 3), "w": (4, 5)}),
        ):
            assert types(written) == {"x": "FLOAT, 2x3", "w": "FLOAT, 4x5", "y": "FLOAT, 2x3", "z": "FLOAT, 4x5"}

    def test_what_is_assumed_of_two_stands_in_the_inputs(self) -> None:
        model = parsed("g (float[a] x, float[b] w) => (float[C] y) { t = Concat<axis=0>(x, w) y = Neg(t) }")
        written, _ = annotated(model, assume=["a == b", "b % 8 == 0"])
        assert types(written) == {"x": "FLOAT, a", "w": "FLOAT, a", "t": "FLOAT, 2*a", "y": "FLOAT, C"}
        assert [d.text for d in check(written).diagnostics if d.severity is not Severity.NOTE] == []
