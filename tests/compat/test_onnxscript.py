"""onnxscript's optimizer runs on our facts, and does more with them."""

from __future__ import annotations

import onnx
import onnx_ir as ir
import onnxscript.optimizer
import pytest

from shapeinfer import ShapeInferError
from shapeinfer.compat.onnxscript import optimize
from tests.models import parsed
from tests.rewrite.runs import difference, fed, ops, run

SIZES = {"N": 2, "past": 3, "seq": 1}, {"N": 1, "past": 0, "seq": 2}

MODEL = """g (float[N, past, 4] p, float[N, seq, 4] s) => (float[A, B, C] y) <int64[1] one = {1}> {
    rows = Concat<axis=1>(p, s) again = Concat<axis=1>(p, s) wide = Abs(again)
    k = Shape(wide) same = Reshape(rows, k) y = Neg(same)
}"""


@pytest.fixture
def model() -> onnx.ModelProto:
    return parsed(MODEL)


def test_it_knows_more_shapes_by_ours_than_by_onnx_s(model: onnx.ModelProto) -> None:
    assert ops(onnxscript.optimizer.optimize(model).graph).count("Reshape") == 1
    assert ops(optimize(model).graph) == ["Concat", "Neg"]


@pytest.mark.parametrize("sizes", SIZES)
def test_what_it_makes_gives_the_same(model: onnx.ModelProto, sizes: dict[str, int]) -> None:
    feeds = fed(model, sizes)
    assert difference(run(model, feeds), run(optimize(model), feeds)) is None


def test_its_result_has_the_types_of_all_values(model: onnx.ModelProto) -> None:
    made = optimize(model)
    assert [onnx.helper.printable_type(v.type) for v in made.graph.value_info] == ["FLOAT, Nxpast + seqx4"]


def test_a_proto_is_not_touched_and_a_model_of_onnx_ir_is_optimized_in_place(model: onnx.ModelProto) -> None:
    optimize(model)
    assert model == parsed(MODEL)
    made = ir.from_proto(model)
    assert optimize(made) is made
    assert [n.op_type for n in made.graph] == ["Concat", "Neg"]


def test_options_are_the_optimizer_s(model: onnx.ModelProto) -> None:
    with pytest.raises(TypeError, match="no_such_option"):
        optimize(model, no_such_option=True)


class TestWhatItsRulesWriteForNewerOpsets:
    """Given shapes, they fire in models of any opset; what they write is valid in that of the model."""

    HALVES = """g (float[N, {width}] x) => (float[A, B] y, float[C, D] z{more})
    <int64[1] none = {{0}}, int64[1] half = {{{half}}}, int64[1] all = {{{width}}}, int64[1] axis = {{1}}> {{
        a = Neg(x) z = Slice(a, half, all, axis) {between} y = Slice(a, none, half, axis)
    }}"""

    @staticmethod
    def optimized(text: str, opset: int, *sizes: dict[str, int]) -> onnx.ModelProto:
        """Optimize a model of an opset, and hold what comes of it against a run of the model."""
        model = parsed(f'<ir_version: 8, opset_import: ["" : {opset}]> {text}')
        made = optimize(model)
        onnx.checker.check_model(made, full_check=True)
        for size in sizes:
            feeds = fed(model, size)
            assert difference(run(model, feeds), run(made, feeds)) is None
        return made

    @pytest.mark.parametrize("opset", [11, 13, 14, 20])
    def test_a_target_that_is_known_is_no_longer_computed(self, opset: int) -> None:
        text = """g (float[N, 3, 4] x, float[12] w) => (float[A, B] y) <int64[1] rest = {-1}> {
            k = Shape(w) t = Concat<axis=0>(rest, k) a = Neg(x) y = Reshape(a, t)
        }"""
        assert ops(self.optimized(text, opset, {"N": 2}).graph) == ["Neg", "Reshape"]

    @pytest.mark.parametrize("opset", [11, 13, 17, 18, 20])
    @pytest.mark.parametrize(("width", "half"), [(6, 3), (5, 2)])
    def test_slices_that_make_a_whole_are_split_where_they_were_cut(self, opset: int, width: int, half: int) -> None:
        text = self.HALVES.format(width=width, half=half, more="", between="")
        assert ops(self.optimized(text, opset, {"N": 2}).graph) == ["Neg", "Split"]

    def test_a_split_that_comes_too_late_is_put_before_what_reads_it(self) -> None:
        text = self.HALVES.format(width=6, half=3, more=", float[E, F] w", between="w = Exp(z)")
        assert ops(self.optimized(text, 20, {"N": 2}).graph) == ["Neg", "Split", "Exp"]

    @pytest.mark.parametrize("opset", [11, 13, 17, 20])
    @pytest.mark.parametrize("length", [1, 2])
    def test_a_part_of_what_was_split_into_a_sequence(self, opset: int, length: int) -> None:
        text = f"""g (float[N, 3] x) => (float[A, B] y) <int64 one = {{1}}, int64 length = {{{length}}}> {{
            a = Neg(x) s = SplitToSequence<axis=1>(a, length) y = SequenceAt(s, one)
        }}"""
        assert "Split" in ops(self.optimized(text, opset, {"N": 2}).graph)

    def test_the_node_of_a_function_splits_as_it_did(self) -> None:
        model = parsed("""<ir_version: 10, opset_import: ["" : 20, "my" : 1]>
        g (float[N, 5] x) => (float[A, B] y, float[C, D] z) { y, z = my.f(x) }
        <domain: "my", opset_import: ["" : 20]> f (a) => (b, c) { b, c = Split<axis=1, num_outputs=2>(a) }""")
        feeds = fed(model, {"N": 2})
        assert difference(run(model, feeds), run(optimize(model), feeds)) is None

    def test_constants_of_one_name_are_all_there(self) -> None:
        text = """g (float[N, 2, 3] x, bool c) => (float[A, B] y, float[C, D] z) {
            a = Neg(x) y = Flatten(a) z = Flatten<axis=2>(a)
        }"""
        self.optimized(text, 13, {"N": 2})

    def test_a_target_with_a_zero_is_left_as_it_is(self) -> None:
        """Of a length that is inferred beside one that is 0 nothing is known; and there is no way to say so."""
        text = """g (float[N, 0] x, float[M, 0] w) => (float[A, B] y) {
            t = Shape(w) a = Neg(x) y = Reshape(a, t)
        }"""
        self.optimized(text, 20, {"N": 2, "M": 3})


class TestWhatMayNotBeBelieved:
    def test_a_number_that_is_declared_of_what_only_data_decides(self) -> None:
        model = parsed("""g (float[N] x) => (int64[2] y) <int64[1, 5] t> { t = NonZero(x) y = Shape(t) }""")
        feeds = fed(model, {"N": 3})
        assert difference(run(model, feeds), run(optimize(model), feeds)) is None


class TestAnOptimizerThatBreaksAModel:
    @staticmethod
    def breaks(times: int, monkeypatch: pytest.MonkeyPatch) -> None:
        """Let the optimizer write an attribute that no Neg has, so often."""
        calls = []

        def broken(model: ir.Model, **options: object) -> None:
            calls.append(options)
            if len(calls) <= times:
                next(n for n in model.graph if n.op_type == "Neg").attributes["axis"] = ir.AttrInt64("axis", 1)

        monkeypatch.setattr(onnxscript.optimizer, "optimize", broken)

    def test_goes_on_without_the_shapes(self, model: onnx.ModelProto, monkeypatch: pytest.MonkeyPatch) -> None:
        self.breaks(1, monkeypatch)
        made = ir.from_proto(model)
        assert optimize(made) is made
        assert not any(n.attributes for n in made.graph if n.op_type == "Neg")
        assert [str(n.outputs[0].shape) for n in made.graph][-1] == "[N,past + seq,4]"

    def test_raises_at_last_and_leaves_the_model(self, model: onnx.ModelProto, monkeypatch: pytest.MonkeyPatch) -> None:
        self.breaks(2, monkeypatch)
        made = ir.from_proto(model)
        before = ir.to_proto(made)
        with pytest.raises(ShapeInferError, match="axis") as caught:
            optimize(made)
        assert "the output of onnxscript's optimizer" in caught.value.diagnostic.notes[-1]
        assert ir.to_proto(made) == before
