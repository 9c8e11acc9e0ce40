"""What no output needs goes; what another part of the model speaks of stays."""

from __future__ import annotations

import onnx

from shapeinfer import fold
from tests.models import floats, made, node, parsed
from tests.rewrite.runs import ops, refolded

SIZES = {"N": 3}, {"N": 0}


def names(model: onnx.ModelProto) -> list[str]:
    return [t.name for t in model.graph.initializer]


def test_nodes_and_weights_that_nobody_reads_go() -> None:
    text = """g (float[N, 2] x) => (float[N, 2] y) <float[2] w = {1, 2}, float[2] v = {3, 4}> {
        a = Mul(x, w) b = Neg(a) y = Mul(x, v)
    }"""
    folded = refolded(parsed(text), *SIZES)
    assert ops(folded.graph) == ["Mul"]
    assert names(folded) == ["v"]


def test_inputs_that_nobody_reads_stay_with_their_defaults() -> None:
    text = "g (float[N] x, float[2] k = {1, 2}, float[M] z) => (float[N] y) { y = Neg(x) }"
    model = parsed(text)
    assert fold(model).model == model


def test_inside_a_body_they_go_too() -> None:
    model = parsed("""g (float[N] x, bool c) => (float[A] y) {
        y = If(c) <then_branch = t () => (float[] r) { q = Exp(x) r = Abs(x) },
                   else_branch = f () => (float[] e) { e = Neg(x) }>
    }""")
    folded = fold(model)
    assert [ops(a.g) for a in folded.model.graph.node[0].attribute] == [["Abs"], ["Neg"]]
    (gone,) = folded.rewrites
    assert (gone.rewrite, gone.op_type, gone.output, gone.graph) == ("unused", "Exp", "q", ("If_0.then_branch",))


def test_what_is_said_of_values_that_are_gone_goes() -> None:
    model = parsed(
        "g (float[N] x) => (float[N] y) <float[N] a, float[N] b, float[N] c> "
        "{ a = Neg(x) b = Identity(a) c = Exp(b) y = Abs(b) }"
    )
    assert [v.name for v in fold(model).model.graph.value_info] == ["a"]


def test_sparse_weights_go_and_stay_like_others() -> None:
    def sparse(name: str) -> onnx.SparseTensorProto:
        values = onnx.helper.make_tensor(name, 1, [1], [2.0])
        return onnx.helper.make_sparse_tensor(values, onnx.helper.make_tensor("i", 7, [1], [0]), [4])

    model = made([node("Mul", "x w"), node("Mul", "x v", "z")], [floats("x", "N", 4)])
    model.graph.sparse_initializer.extend([sparse("v"), sparse("w")])
    folded = fold(model).model
    assert ops(folded.graph) == ["Mul"]
    assert [s.values.name for s in folded.graph.sparse_initializer] == ["w"]


def quantized() -> onnx.ModelProto:
    model = made(
        [node("Neg", "x", "a"), node("Identity", "a", "b"), node("Abs", "b"), node("Exp", "x", "z")], [floats("x", "N")]
    )
    for name in ("a", "z"):
        annotation = model.graph.quantization_annotation.add(tensor_name=name)
        annotation.quant_parameter_tensor_names.add(key="SCALE_TENSOR", value=f"{name}_scale")
        model.graph.initializer.append(onnx.helper.make_tensor(f"{name}_scale", 1, [], [0.5]))
    return model


def test_parameters_of_quantized_values_stay_as_long_as_those() -> None:
    folded = fold(quantized()).model
    assert [a.tensor_name for a in folded.graph.quantization_annotation] == ["a"]
    assert names(folded) == ["a_scale"]


def test_a_quantized_value_keeps_its_name() -> None:
    model = quantized()
    model.graph.quantization_annotation[0].tensor_name = "b"
    folded = fold(model).model
    assert ops(folded.graph) == ["Neg", "Identity", "Abs"]


def test_what_training_speaks_of_stays() -> None:
    model = parsed("g (float[N] x) => (float[N] y) <float[1] w = {1}> { a = Neg(x) b = Identity(a) y = Abs(x) }")
    training = model.training_info.add()
    training.algorithm.node.append(onnx.helper.make_node("Add", ["b", "w"], ["w_new"]))
    training.update_binding.add(key="w", value="w_new")
    folded = fold(model).model
    assert ops(folded.graph) == ["Neg", "Identity", "Abs"]
    assert names(folded) == ["w"]


def test_of_a_model_without_outputs_nothing_is_of_no_use() -> None:
    model = parsed("g (float[N] x) => (float[N] y) { y = Neg(x) }")
    del model.graph.output[:]
    assert ops(fold(model).model.graph) == ["Neg"]
