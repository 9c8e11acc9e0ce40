"""The Python module that checks inputs: it accepts what the contract allows, and says why it refuses the rest."""

from __future__ import annotations

import itertools
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

from shapeinfer import Tensor, check, render_contract
from shapeinfer.dims import parse_condition, symbol
from shapeinfer.report.contract_formats import guard as format_python
from shapeinfer.report.contract_formats.expressions import LONGEST_TERM
from shapeinfer.report.contract_formats.interface import Demand, Interface
from tests.each import each
from tests.models import parsed
from tests.report.contract_formats.modules import contract, guard, module, refusal

ROOT = Path(__file__).parents[3]
PATCHES = """
g (float[batch, 3, height, width] image) => (y) <int64[4] shape = {4, 3, 16, 16}> {
    w = ConstantOfShape (shape)
    y = Conv <strides = [16, 16]> (image, w)
}"""
PAST = """
g (float[past, 4] old, float[seq, 4] new, float[total, 4] mask) => (y) {
    all = Concat <axis = 0> (old, new)
    y = Add (all, mask)
}"""


def test_it_returns_the_sizes_of_the_dims() -> None:
    assert guard(PATCHES)({"image": (2, 3, 16, 32)}) == {"batch": 2, "height": 16, "width": 32}


def test_a_size_that_fails_is_refused_with_the_condition_the_size_and_the_node() -> None:
    said = refusal(guard(PATCHES), {"image": (2, 3, 8, 32)})
    assert said == (
        "height >= 16 does not hold for height = 8; required by Conv (node 1): "
        "the window of 16 is larger than axis 2, which is height"
    )


@pytest.mark.parametrize(
    ("inputs", "said"),
    [
        ({}, "the input 'image' is missing"),
        ({"image": (1, 3, 16, 16), "x": (1,)}, "'x' is not an input; the inputs are 'image'"),
        ({"image": (3, 16, 16)}, "the rank of 'image' is 3, of shape (3, 16, 16); it must be 4"),
        ({"image": (1, 4, 16, 16)}, "axis 1 of 'image' is 4; it must be 3"),
        ({"image": np.zeros((1, 3, 16, 16), "int64")}, "the element type of 'image' is int64; it must be float32"),
        ({"image": 7}, "'image' has the shape None, which is no tuple of integers that are at least 0"),
        ({"image": (1, 3, None, 16)}, "'image' has the shape (1, 3, None, 16), which is no tuple of integers"),
        ({"image": (1, 3, -1, 16)}, "'image' has the shape (1, 3, -1, 16), which is no tuple of integers"),
    ],
)
def test_what_is_no_such_input_is_refused(inputs: Mapping[str, Any], said: str) -> None:
    assert refusal(guard(PATCHES), inputs).startswith(said)


def test_one_name_is_one_size() -> None:
    said = refusal(guard("g (float[n, 2] x, float[n] y) => (z) { z = Shape (x) }"), {"x": (3, 2), "y": (4,)})
    assert said == "the dim 'n' is 4 in axis 0 of 'y', but 3 in axis 0 of 'x'; it has one size"


class Like:
    """An array of another library, whose types have other names."""

    shape = (2,)

    def __init__(self, dtype: object) -> None:
        self.dtype = dtype


@pytest.mark.parametrize(
    ("declared", "accepted", "refused"),
    [
        ("float", ["torch.float32", np.dtype("float32")], ["torch.float64", np.dtype("float16")]),
        ("string", [np.dtype("O"), np.dtype("U7"), "string"], ["float32", np.dtype("int8")]),
        ("bool", [np.dtype(bool), "torch.bool"], ["uint8"]),
        ("bfloat16", ["torch.bfloat16", "bfloat16"], ["float16"]),
    ],
)
def test_element_types_are_compared_by_name(declared: str, accepted: list[Any], refused: list[Any]) -> None:
    check_inputs = guard(f"g ({declared}[n] x) => (y) {{ y = Shape (x) }}")
    assert [d for d in accepted if refusal(check_inputs, {"x": Like(d)})] == []
    assert [d for d in refused if not refusal(check_inputs, {"x": Like(d)})] == []


def test_it_accepts_what_the_contract_holds_for_and_nothing_else() -> None:
    for text, names in ((PAST, ("past", "seq", "total")), (PATCHES, ("batch", "height", "width"))):
        report = check(parsed(text))
        check_inputs = guard(report)
        sizes = (0, 1, 2, 3, 15, 16, 17)
        for numbers in itertools.product(sizes, repeat=len(names)):
            bind = dict(zip(names, numbers))
            inputs = {
                name: [d if isinstance(d, int) else bind[d.name] for d in fact.shape or ()]
                for name, fact in (report.graph.inputs if report.graph else {}).items()
            }
            assert (refusal(check_inputs, inputs) == "") is report.contract.holds(bind), bind


CONDITIONS = (
    "n // m == 2", "n % m == 0", "n == 0 or m // n >= 1", "n // (m // k) >= 1",
    "n == broadcast(m, k) and (m == k or m == 1 or k == 1)",
    "max(n, m) <= 2*k and n <= m", "(n - 3)*(m + 1) >= k", "n**2 - m == k", "-n + m <= 1", "2*(n // 3) == m",
    "n % 4 == 0 or m % (k + 1) == 0", "(n*m) // (n + k) <= 2", "min(n, m, 2) >= 1", "n == 3", "(n + 1)//2 <= m//2",
    " + ".join(f"((n*{i} + m*k + {i})//(m + {i % 2}))*(k + 1)" for i in range(1, 12)) + " <= 300",
)  # fmt: skip


DIMS = {name: symbol(name) for name in ("n", "m", "k")}


def written(*conditions: str) -> str:
    """The module for conditions on the three dims of an input."""
    demands = [Demand(parse_condition(text, DIMS), "asked") for text in conditions]
    return format_python.render(Interface("m", {"x": Tensor("f32", list(DIMS.values()))}, {}, demands), None)


@each(CONDITIONS)
def test_every_kind_of_condition_is_what_it_is_for_the_contract(text: str) -> None:
    condition = parse_condition(text, DIMS)
    check_inputs = module(written(text))["check_inputs"]
    for numbers in itertools.product((0, 1, 2, 5), repeat=3):
        holds = condition.substitute(dict(zip(DIMS.values(), numbers))).answer().is_yes
        assert (refusal(check_inputs, {"x": numbers}) == "") is holds, numbers


def test_a_long_term_is_computed_once() -> None:
    assert parse_condition(CONDITIONS[-1], DIMS).weight > LONGEST_TERM
    assert written(CONDITIONS[-1]).count("    term_1 = ") == 1


def test_a_term_may_stand_alone_and_in_a_long_one() -> None:
    check_inputs = module(written("n == 0 or n // m >= 0", CONDITIONS[-1].replace("m*k", "n//m")))["check_inputs"]
    assert refusal(check_inputs, {"x": (0, 1, 0)}) == ""
    assert " does not hold for " in refusal(check_inputs, {"x": (0, 0, 0)})


def test_what_the_caller_gave_is_required_too() -> None:
    check_inputs = guard(PATCHES, ranges={"height": (32, 64)}, assume=["width % 8 == 0"], bind={"batch": 2})
    good = (2, 3, 32, 16)
    assert refusal(check_inputs, {"image": good}) == ""
    for axis, size in ((0, 1), (2, 16), (2, 65), (3, 20)):
        shape = (*good[:axis], size, *good[axis + 1 :])
        assert refusal(check_inputs, {"image": shape}), shape
    assert "height >= 32 does not hold for height = 16; given when" in refusal(check_inputs, {"image": (2, 3, 16, 16)})


def value(name: str, dims: list[Any], dtype: int = 1) -> onnx.ValueInfoProto:
    return onnx.helper.make_tensor_value_info(name, dtype, dims)


def saved(inputs: list[onnx.ValueInfoProto], nodes: list[onnx.NodeProto] | None = None, **more: Any) -> onnx.ModelProto:
    nodes = nodes or [onnx.helper.make_node("Shape", [inputs[0].name], ["out"])]
    graph = onnx.helper.make_graph(nodes, "g", inputs, [onnx.helper.make_empty_tensor_value_info("out")], **more)
    return onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 20)], ir_version=9)


FORMULAS: dict[str, list[int | str]] = {"x": ["2*n + 1"], "y": ["n + m", "m"]}


def test_a_formula_is_checked_and_shows_the_size_of_its_dim() -> None:
    check_inputs = guard(check(saved([value("x", ["a"]), value("y", ["b", "c"])]), shapes=FORMULAS))
    assert check_inputs({"x": (7,), "y": (5, 2)}) == {"m": 2, "n": 3}
    assert refusal(check_inputs, {"x": (8,), "y": (5, 2)}).startswith("axis 0 of x == 2*n + 1 does not hold for n = 3")
    assert refusal(check_inputs, {"x": (7,), "y": (6, 2)}).startswith("axis 0 of y == m + n does not hold")
    past = guard(check(saved([value("x", ["a"])]), shapes={"x": ["past + 1"]}))
    assert refusal(past, {"x": (0,)}).startswith("past >= 0 does not hold for past = -1")


def test_a_formula_of_two_unknown_dims_is_listed_as_unchecked() -> None:
    report = check(saved([value("x", ["a"])]), shapes={"x": ["n*m"]})
    names = module(render_contract(report, "python"))
    assert names["UNCHECKED"] == ("axis 0 of x == m*n, declared by the model",)


def test_an_input_with_a_default_may_be_left_out() -> None:
    default = onnx.numpy_helper.from_array(np.ones(2, "float32"), "w")
    node = [onnx.helper.make_node("Add", ["x", "w"], ["out"])]
    check_inputs = guard(check(saved([value("x", ["n"]), value("w", ["k"])], node, initializer=[default])))
    assert check_inputs({"x": (2,)}) == {"n": 2, "k": 2}
    assert refusal(check_inputs, {"x": (3,)}).startswith("k == n or k == 1 or n == 1 does not hold for k = 2, n = 3")
    assert refusal(check_inputs, {"x": (3,), "w": (3,)}) == ""


def test_a_default_that_does_not_fit_what_was_given_stands_in_for_nothing() -> None:
    default = onnx.numpy_helper.from_array(np.ones(2, "float32"), "w")
    node = [onnx.helper.make_node("Add", ["x", "w"], ["out"])]
    model = saved([value("x", ["n"]), value("w", ["k"])], node, initializer=[default])
    for options in ({"bind": {"k": 3}}, {"ranges": {"k": (3, 9)}}):
        assert refusal(guard(check(model, **options)), {"x": (3,)}) == "the input 'w' is missing"
    assert refusal(guard(check(model, bind={"k": 2})), {"x": (2,)}) == ""


def test_conditions_on_data_are_listed_as_unchecked() -> None:
    text = "g (float[n] x, float[4] y) => (z) { i = NonZero (x) f = Cast <to = 1> (i) z = Add (f, y) }"
    (said,) = module(contract(text, "python"))["UNCHECKED"]
    assert "which depends on data, required by Add (node 2)" in said


def test_a_value_that_is_no_tensor_is_only_required_to_be_there() -> None:
    check_inputs = guard("g (seq(float[n]) s) => (y) { y = SequenceLength (s) }")
    assert refusal(check_inputs, {"s": [1, 2]}) == ""
    assert refusal(check_inputs, {}) == "the input 's' is missing"


EXAMPLES = ("bert", "llama_kv", "patches", "sd_unet")


def test_ruff_and_strict_mypy_find_nothing(tmp_path: Path) -> None:
    for name in EXAMPLES:
        report = check(ROOT / "examples" / "models" / f"{name}.onnx")
        (tmp_path / f"{name}_inputs.py").write_text(render_contract(report, "python"), encoding="utf-8")
        (tmp_path / f"{name}_dims.py").write_text(render_contract(report, "torch-export"), encoding="utf-8")
    for number, text in enumerate(CONDITIONS):
        (tmp_path / f"condition_{number}_inputs.py").write_text(written(text), encoding="utf-8")
    for command in (
        [sys.executable, "-m", "ruff", "check", "--isolated", "--extend-select", "B,I,S,UP", str(tmp_path)],
        [sys.executable, "-m", "mypy", *map(str, sorted(tmp_path.glob("*_inputs.py")))],
    ):
        ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        assert ended.returncode == 0, ended.stdout + ended.stderr
