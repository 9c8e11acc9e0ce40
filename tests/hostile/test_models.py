"""Models of a few lines that ask for more work, memory or numbers than there is: each ends soon, with what is so."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from shapeinfer import check
from shapeinfer.report import text
from tests.effort import within
from tests.models import OF_NO_USE, checked, floats, made, node, parsed, texts

MOST = 2**63 - 1
CALLS = 3_000_000
"""What every model here is done within: some seconds at most."""


def found(model: str | onnx.ModelProto) -> set[str]:
    """The codes of all that is found, of which there may be one at many nodes."""
    with within(CALLS):
        report = checked(model)
        _ = list(report.contract)
    return {d.code.name for d in report.diagnostics} - set(OF_NO_USE)


def with_numbers(nodes: list[onnx.NodeProto], **numbers: int | list[int]) -> onnx.ModelProto:
    """A model of an input ``x`` and integers known by name."""
    stored = [numpy_helper.from_array(np.array(n, np.int64), name) for name, n in numbers.items()]
    return made(nodes, [floats("x", "N", 3)], [nodes[-1].output[0]], initializers=stored)


class TestGiantTensors:
    """Nothing is written out that a model only speaks of."""

    @pytest.mark.parametrize("reader", ["Identity", "Shape", "Neg", "Abs", "Cast <to = 1>"])
    def test_of_a_range(self, reader: str) -> None:
        op, _, rest = reader.partition(" ")
        call = node(op, "r", to=1) if rest else node(op, "r")
        nodes = [node("Range", "zero most one", "r"), call]
        model = with_numbers(nodes, zero=0, most=2**62, one=1)
        assert found(model) == set()
        assert texts(check(model))["r"] == f"i64[{2**62}]"

    def test_of_a_range_that_counts_everything(self) -> None:
        nodes = [node("Range", "low most one", "r")]
        model = with_numbers(nodes, low=-MOST, most=MOST, one=1)
        assert found(model) == set()
        assert texts(check(model))["r"] == "i64[0]", "as runtimes count it, in 64 bits"

    def test_of_a_repeat(self) -> None:
        model = with_numbers([node("Tile", "c r")], c=[1, 2, 3], r=[2**50])
        assert found(model) == set()
        assert texts(check(model))["y"] == f"i64[{3 * 2**50}]"

    def test_of_an_expansion(self) -> None:
        model = with_numbers([node("Expand", "c s")], c=[7], s=[2**40, 2**20])
        assert found(model) == set()
        assert texts(check(model))["y"] == f"i64[{2**40}, {2**20}]"

    def test_of_a_constant_shape(self) -> None:
        model = with_numbers([node("ConstantOfShape", "s", "c"), node("Shape", "c")], s=[2**30] * 2)
        assert found(model) == set()
        assert texts(check(model))["c"] == f"f32[{2**30}, {2**30}]"

    @pytest.mark.parametrize(
        "call", [node("OneHot", "i d v"), node("EyeLike", "e"), node("Pad", "c p"), node("Tile", "c t")], ids=str
    )
    def test_of_whatever_else_repeats(self, call: onnx.NodeProto) -> None:
        first = node("ConstantOfShape", "s", "e")
        model = with_numbers(
            [first, call], i=[0], d=2**40, v=[0, 1], s=[2**31, 2**31], c=[1], p=[2**40, 2**40], t=[MOST]
        )
        assert found(model) == set()


class TestNumbersBeyond64Bits:
    """They are told, and never wrap around to a small length."""

    @pytest.mark.parametrize("lengths", [[2**32, 2**32], [MOST, 2], [2**21] * 4])
    def test_as_many_elements(self, lengths: list[int]) -> None:
        assert found(with_numbers([node("ConstantOfShape", "s")], s=lengths)) == {"element-count-overflow"}

    @pytest.mark.parametrize("op", ["Add", "Mul"])
    def test_as_a_result(self, op: str) -> None:
        assert found(with_numbers([node(op, "a b")], a=[MOST], b=[MOST])) == {"integer-overflow"}

    def test_as_a_length_of_two_joined(self) -> None:
        model = made([node("Concat", "x x", axis=0)], [floats("x", MOST)])
        assert found(model) == {"element-count-overflow"}

    def test_as_a_padded_length(self) -> None:
        assert found(with_numbers([node("Pad", "x p")], p=[MOST, 0, MOST, 0])) == {"element-count-overflow"}

    @pytest.mark.parametrize("rank", [64, 2_000])
    def test_as_the_size_of_a_giant_rank(self, rank: int) -> None:
        model = made([node("Flatten", "x")], [floats("x", *[2] * rank)])
        assert found(model) == {"element-count-overflow"}
        assert check(model).values["y"].text == f"f32[2, {2 ** (rank - 1)}]", "nothing wraps around"


@pytest.mark.parametrize("op", ["Relu", "Transpose", "Shape", "Size", "Flatten", "Softmax", "ReduceSum", "NonZero"])
def test_a_value_of_many_axes(op: str) -> None:
    model = made([node(op, "x")], [floats("x", *(f"d{i}" for i in range(200)))])
    assert found(model) == ({"expression-too-large"} if op == "Size" else set())


class TestNames:
    TOWERS = ("9**9**9**9", "(" * 3_000 + "N" + ")" * 3_000, "N**16**16", "N*" * 5_000 + "N", "-" * 3_000 + "N")

    @pytest.mark.parametrize("name", TOWERS, ids=lambda name: name[:12])
    def test_a_dim_of_an_expression_that_towers(self, name: str) -> None:
        model = made([node("Concat", "x x", axis=0)], [floats("x", name, 2)])
        assert found(model) == set()
        assert texts(check(model))["y"].endswith(", 2]")

    @pytest.mark.parametrize(
        ("what", "codes"),
        [
            ("value", []),
            ("dim", []),
            ("node", []),
            ("operator", ["no-such-operator"]),
            ("attribute", ["unknown-attribute"]),
        ],
    )
    def test_one_of_a_megabyte(self, what: str, codes: list[str]) -> None:
        long = "n" * 1_000_000
        call = node(long if what == "operator" else "Relu", long if what == "value" else "x")
        call.name = long if what == "node" else ""
        if what == "attribute":
            call.attribute.append(helper.make_attribute(long, 1))
        model = made([call], [floats(call.input[0], long if what == "dim" else "N")])
        with within(CALLS):
            report = check(model)
        assert [d.code.name for d in report.diagnostics] == codes

    def test_control_characters_are_spelled_out(self) -> None:
        odd = "\x1b[2J\r\u202e"
        model = made([node("MatMul", "x x")], [floats("x", 2, 3)])
        model.graph.node[0].name = odd
        assert not {"\x1b", "\r", "\u202e"} & set("".join(text.render([("m", check(model))], several=False)))

    def test_one_in_two_scopes(self) -> None:
        text = """g (float[N] x, bool c) => (y) {
            h = Relu (x)
            y = If (c) <then_branch = t () => (h) { h = Neg (x) }, else_branch = e () => (h) { h = Abs (x) }>
        }"""
        assert found(text) == {"shadowed-name"}


class TestGrowth:
    """Formulas and graphs that double at every step."""

    def test_halves_that_are_joined_again(self) -> None:
        """16 times: the rounded-up half of an axis, put before the whole of it."""
        lines = ["two = Constant <value = int64[1] {2}> () one = Constant <value = int64[1] {1}> ()"]
        lines += ["zero = Constant <value = int64[1] {0}> ()"]
        for i in range(16):
            lines += [f"s{i} = Shape (x{i}) p{i} = Add (s{i}, one) h{i} = Div (p{i}, two)"]
            lines += [f"c{i} = Slice (x{i}, zero, h{i}) x{i + 1} = Concat <axis = 0> (c{i}, x{i})"]
        text = f"g (float[n] x0) => (y) {{ {' '.join(lines)} y = Relu (x16) }}"
        assert found(text) == {"expression-too-large"}
        report = checked(text, bind={"n": 5})
        size = 5
        for _ in range(16):
            size += (size + 1) // 2
        assert texts(report)["y"] == f"f32[{size}]"

    def test_pools_and_resizes_with_skips(self) -> None:
        """24 levels down and up again, where every level is added to what came down through it."""
        depth = 24
        lines = ["s = Constant <value = float[4] {1.0, 1.0, 2.0, 2.0}> ()"]
        for i in range(depth):
            lines += [f"d{i + 1} = MaxPool <kernel_shape = [2, 2], strides = [2, 2]> (d{i})"]
        lines += [f"u{depth} = Relu (d{depth})"]
        for i in reversed(range(depth)):
            lines += [f'r{i} = Resize (u{i + 1}, "", s) u{i} = Add (r{i}, d{i})']
        text = f"g (float[N, 8, H, W] d0) => (u0) {{ {' '.join(lines)} }}"
        assert found(text) == set()

    @pytest.mark.parametrize("op", ["Add", "Mul", "Concat <axis = 0>", "MatMul"])
    def test_a_value_used_twice_at_every_step(self, op: str) -> None:
        lines = " ".join(f"x{i + 1} = {op} (x{i}, x{i})" for i in range(80))
        assert found(f"g (float[N, N] x0) => (y) {{ {lines} y = Relu (x80) }}") == set()

    def test_integers_that_are_squared_at_every_step(self) -> None:
        lines = " ".join(f"s{i + 1} = Mul (s{i}, s{i})" for i in range(200))
        text = f"g (float[N] x) => (y) {{ s0 = Shape (x) {lines} y = Expand (x, s200) }}"
        assert found(text) == {"expression-too-large"}

    def test_functions_that_call_each_other(self) -> None:
        imports = [helper.make_opsetid("", 20), helper.make_opsetid("f", 1)]
        model = made([node("A", "x", domain="f")], [floats("x", "N")], opsets={"": 20, "f": 1})
        for name, other in (("A", "B"), ("B", "C"), ("C", "A")):
            body = [node(other, "a", "m", domain="f"), node(other, "m", "b", domain="f")]
            model.functions.append(helper.make_function("f", name, ["a"], ["b"], body, imports))
        assert "recursive-function" in found(model)

    def test_subgraphs_as_deep_as_protobuf_reads(self) -> None:
        inner = helper.make_graph([node("Relu", "x", "o")], "g", [], [onnx.ValueInfoProto(name="o")])
        deepest = 0
        for depth in range(60):
            call = helper.make_node("If", ["c"], ["o"], then_branch=inner, else_branch=inner) if depth < 3 else None
            call = call or helper.make_node("If", ["c"], ["o"], then_branch=inner)
            inner = helper.make_graph([call], "g", [], [onnx.ValueInfoProto(name="o")])
            model = helper.make_model(inner, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)
            with within(CALLS):
                codes = {d.code.name for d in check(model.SerializeToString()).diagnostics}
            if "not-a-model" in codes or "truncated-model" in codes:
                break
            deepest = depth
        assert deepest > 20


def absurd(dims: list[int], **fields: object) -> onnx.ModelProto:
    """A model whose initializer says these dims, whatever it holds."""
    stored = TensorProto(name="w", dims=dims, data_type=1, **fields)  # type: ignore[arg-type]
    return made([node("Mul", "w w")], initializers=[stored])


@pytest.mark.parametrize("dims", [[MOST], [MOST, MOST], [2**32] * 3, [2**31] * 2000, [0, MOST], [-1, MOST]], ids=len)
@pytest.mark.parametrize("data", [{}, {"raw_data": b"\0" * 8}, {"float_data": [1.0]}], ids=["none", "raw", "typed"])
def test_dims_that_an_initializer_cannot_have(dims: list[int], data: dict[str, object]) -> None:
    # Without any data the model was stripped of its weights, and only the dims themselves can be wrong.
    possible = not data and dims in ([MOST], [0, MOST])
    assert found(absurd(dims, **data)) == (set() if possible else {"invalid-tensor"})


def test_external_data_that_overlaps(tmp_path: Path) -> None:
    """Two tensors of one place in a file are no fault: weights may be shared. Nothing of it is opened."""
    stored = [TensorProto(name=n, dims=[4], data_type=1, data_location=TensorProto.EXTERNAL) for n in "vw"]
    for tensor, offset in zip(stored, ("0", "8")):
        for key, entry in (("location", "w.bin"), ("offset", offset), ("length", "16")):
            tensor.external_data.add(key=key, value=entry)
    (tmp_path / "w.bin").symlink_to("/dev/zero")
    path = tmp_path / "m.onnx"
    path.write_bytes(made([node("Add", "v w")], initializers=stored).SerializeToString())
    assert texts(check(path))["y"] == "f32[4]"


WORST = {
    "a giant rank": made([node("ConstantOfShape", "s")], [helper.make_tensor_value_info("s", 7, [2**31])]),
    "a giant range": with_numbers([node("Range", "a b c", "r"), node("Neg", "r")], a=0, b=MOST, c=1),
    "a giant constant": with_numbers([node("ConstantOfShape", "s", "c"), node("NonZero", "c")], s=[2**40, 2**20]),
    "an absurd initializer": absurd([2**62], raw_data=b"\0" * 4),
    "a tower": made([node("Concat", "x x", axis=0)], [floats("x", "9**9**9**9")]),
    "sharing": parsed(
        "g (float[N, M] x0) => (y) {"
        + " ".join(f"x{i + 1} = Concat <axis = 0> (x{i}, x{i})" for i in range(200))
        + " y = Relu (x200) }"
    ),
}
LIMITED = """
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
resource.setrlimit(resource.RLIMIT_CPU, (20, 20))
from shapeinfer.cli import main
sys.argv = ["shapeinfer", "check", *sys.argv[1:]]
main()
"""


def test_the_worst_of_them_in_little_memory(tmp_path: Path) -> None:
    for name, model in WORST.items():
        (tmp_path / f"{name}.onnx").write_bytes(model.SerializeToString())
    command = [sys.executable, "-c", LIMITED, "--format", "concise", str(tmp_path)]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, env={"OPENBLAS_NUM_THREADS": "1"})
    assert ended.returncode in (0, 1, 3), ended.stderr
    assert "Traceback" not in ended.stderr
    assert "internal-error" not in ended.stdout
    assert "not enough memory" not in ended.stdout
