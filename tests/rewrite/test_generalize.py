"""``generalize``: static input dims become symbolic where the model is proved to run with other sizes."""

from __future__ import annotations

import onnx
import pytest

from shapeinfer import Generalized, ShapeInferError, check, generalize
from tests.models import parsed
from tests.rewrite.runs import fed, run

CONV = "w = ConstantOfShape (ws) c = Conv <pads = [1, 1, 1, 1]> (x, w)"
WEIGHT = "int64[4] ws = {4, 3, 3, 3}"


def freed(found: Generalized) -> list[str]:
    """The dims of inputs that became free, by the names that they have now."""
    return [f"{d.input}[{d.axis}] = {d.name}" for d in found.dims]


def blocked(found: Generalized) -> dict[str, str]:
    """Why each of the others stays."""
    return {f"{d.input}[{d.axis}]": d.text for d in found.blocked}


def shapes(model: onnx.ModelProto, sizes: dict[str, int]) -> list[tuple[int, ...]] | str:
    """The shapes of a model's outputs in a run with these sizes, or what the runtime says."""
    outputs = run(model, fed(model, sizes))
    return outputs if isinstance(outputs, str) else [o.shape for o in outputs]


class TestFree:
    def test_an_image_model_runs_for_any_batch_and_size_but_three_channels(self) -> None:
        found = generalize(parsed(f"g (float[1, 3, 8, 8] x) => (float[1, 4, 8, 8] c) <{WEIGHT}> {{ {CONV} }}"))
        assert freed(found) == ["x[0] = batch", "x[2] = x_2", "x[3] = x_3"]
        assert blocked(found) == {"x[1]": "must be 3: X has x_1 channels but W expects 3, at Conv (node 1)"}
        assert shapes(found.model, {"batch": 2, "x_2": 5, "x_3": 7}) == [(2, 4, 5, 7)]

    def test_types_are_inferred_anew(self) -> None:
        found = generalize(parsed("g (float[2, 8] x) => (float[2, 8] y) <float[2, 8] h> { h = Relu (x) y = Relu (h) }"))
        dims = [
            d.dim_param
            for v in (*found.model.graph.value_info, *found.model.graph.output)
            for d in v.type.tensor_type.shape.dim
        ]
        assert dims == ["batch", "x_1", "batch", "x_1"]
        assert check(found.model).diagnostics == ()

    def test_dims_that_must_be_equal_get_one_name(self) -> None:
        found = generalize(parsed("g (float[2, 5] a, float[2, 5] b) => (float[2, 5] y) { y = Add (a, b) }"))
        assert freed(found) == ["a[0] = batch", "a[1] = a_1", "b[0] = batch", "b[1] = a_1"]
        assert shapes(found.model, {"batch": 3, "a_1": 4}) == [(3, 4)]

    def test_a_name_of_the_model_is_kept_for_what_must_be_equal_to_it(self) -> None:
        found = generalize(
            parsed("g (float[N, 4] a, float[2, 5] b) => (float[?, ?] y) { y = Concat <axis = 1> (a, b) }")
        )
        assert freed(found) == ["a[1] = a_1", "b[0] = N", "b[1] = b_1"]

    def test_a_dim_that_follows_from_others_is_their_expression(self) -> None:
        text = """g (float[2, 3] a, float[2, 4] b, float[2, 7] c) => (float[2, 7] y) {
            h = Concat <axis = 1> (a, b)
            y = Mul (h, c)
        }"""
        found = generalize(parsed(text))
        assert "c[1] = a_1 + b_1" in freed(found)

    def test_what_the_new_dims_need_is_the_contract(self) -> None:
        found = generalize(parsed("g (float[2, 8] x) => (float[?, ?] y) <int64[2] s = {-1, 4}> { y = Reshape (x, s) }"))
        assert freed(found) == ["x[0] = batch", "x[1] = x_1"]
        assert [r.condition for r in found.contract] == ["(batch*x_1) % 4 == 0"]
        assert shapes(found.model, {"batch": 3, "x_1": 4}) == [(3, 4)]

    def test_a_name_that_the_model_has_is_not_given_again(self) -> None:
        found = generalize(
            parsed("g (float[2] x, float[batch, x_0] b) => (float[2] y, float[?, ?] z) { y = Relu (x) z = Relu (b) }")
        )
        assert freed(found) == ["x[0] = x_0_"]

    def test_names_of_inputs_that_are_no_identifiers_are_made_some(self) -> None:
        model = parsed("g (float[2, 4] x) => (float[2, 4] y) { y = Relu (x) }")
        model.graph.input[0].name = model.graph.node[0].input[0] = "in.put/1"
        assert freed(generalize(model)) == ["in.put/1[0] = batch", "in.put/1[1] = in_put_1_1"]

    def test_what_sizes_of_the_model_itself_must_be_blocks_no_other(self) -> None:
        """A prompt must be 1, as all sizes of 2 and more of it fail: so it is for any image."""
        text = """g (float[B, N, 4, 8] x, float[B, 8, 3] w) => (float[?, ?, ?] y) <int64[1] rest = {-1}> {
            image = Shape <start = 2> (x) to = Concat <axis = 0> (rest, image) r = Reshape (x, to) y = MatMul (r, w)
        }"""
        found = generalize(parsed(text))
        assert freed(found) == ["x[2] = x_2", "x[3] = x_3", "w[1] = x_3", "w[2] = w_2"]
        assert shapes(found.model, {"B": 2, "N": 1, "x_2": 5, "x_3": 6, "w_2": 7}) == [(2, 5, 7)]


class TestBlocked:
    def test_a_batch_baked_into_a_reshape(self) -> None:
        text = "g (float[1, 8, 2] x) => (float[1, 16] y) <int64[2] s = {1, 16}> { y = Reshape (x, s) }"
        found = generalize(parsed(text))
        assert freed(found) == []
        assert list(blocked(found)) == ["x[0]", "x[1]", "x[2]"]
        assert "cannot reshape" in blocked(found)["x[0]"]
        assert found.blocked[0].node is not None
        assert found.blocked[0].node.op_type == "Reshape"

    def test_a_dim_of_one_that_is_broadcast_stays(self) -> None:
        found = generalize(parsed("g (float[6] x, float[1] y) => (float[6] z) { z = Add (x, y) }"))
        assert freed(found) == ["x[0] = x_0"]
        assert blocked(found)["y[0]"].startswith("must be 1 or x_0: ")

    def test_what_only_an_unknown_operator_reads(self) -> None:
        found = generalize(parsed("g (float[2, 4] x) => (float[2, 4] y) { y = my.Op (x) }"))
        assert freed(found) == []
        assert "my" in blocked(found)["x[0]"]

    @pytest.mark.parametrize("other", ["Relu (x)", "Neg (x)"])
    def test_what_a_branch_requires_that_may_not_run(self, other: str) -> None:
        text = f"""g (bool c, float[2, 4] x) => (float[?, ?] y) <float[1, 4] w = {{1.0, 1.0, 1.0, 1.0}}> {{
            y = If (c) <
                then_branch = t () => (float[?, ?] p) {{ p = Add (x, w) }},
                else_branch = e () => (float[?, ?] q) {{ q = {other} }}
            >
        }}"""
        found = generalize(parsed(text))
        assert freed(found) == ["x[0] = batch"]
        assert blocked(found)["x[1]"].startswith("requires x_1 == 1 or x_1 == 4: ")

    def test_a_division_that_rounds_down_frees_no_dim(self) -> None:
        text = """g (float[1, 1, 32] x) => (float[] y) <int64[3] ws = {1, 1, 8}, int64[1] ps = {4}> {
            w = ConstantOfShape (ws)
            p = ConstantOfShape (ps)
            c = Conv <strides = [8]> (x, w)
            y = Add (c, p)
        }"""
        assert "x[2]" in blocked(generalize(parsed(text)))

    @pytest.mark.parametrize("size", [2, 4])
    def test_a_blocked_dim_fails_in_the_runtime_for_another_size(self, size: int) -> None:
        text = "g (float[1, 3, 8, 8] x) => (float[?, ?, ?, ?] c) <WEIGHT> { CONV }"
        model = parsed(text.replace("WEIGHT", WEIGHT).replace("CONV", CONV))
        assert list(blocked(generalize(model))) == ["x[1]"]
        model.graph.input[0].type.tensor_type.shape.dim[1].dim_value = size
        assert isinstance(shapes(model, {}), str)


class TestLimits:
    def test_a_model_without_static_dims_is_left_as_it_is(self) -> None:
        model = parsed("g (float[N] x) => (float[N] y) { y = Relu (x) }")
        found = generalize(model)
        assert (found.dims, found.blocked) == ((), ())
        assert found.model.graph.input == model.graph.input

    def test_a_model_with_errors_raises_the_first(self) -> None:
        with pytest.raises(ShapeInferError, match="axis 0"):
            generalize(parsed("g (float[2] x, float[3] y) => (float[?] z) { z = Add (x, y) }"))

    def test_inputs_whose_shape_is_given_stay_as_given(self) -> None:
        found = generalize(
            parsed("g (float[2] x, float[3] y) => (float[2] z, float[3] u) { z = Relu (x) u = Relu (y) }"),
            shapes={"x": [2]},
        )
        assert freed(found) == ["y[0] = y_0"]
