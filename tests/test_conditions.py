"""One call says under which conditions it runs: ``infer_op``, ``broadcast_shapes`` and ``broadcast_to``."""

from __future__ import annotations

import copy
import itertools
import pickle
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from shapeinfer import (
    BroadcastError,
    BroadcastShape,
    DimMismatchError,
    OutputTypes,
    Requirement,
    ShapeInferError,
    Tensor,
    broadcast_shapes,
    broadcast_to,
    infer_op,
    symbol,
)
from shapeinfer.dims import Equal, Size, evaluate

Outcome = OutputTypes | BroadcastShape


def conditions(outcome: Outcome) -> list[str]:
    return [r.condition for r in outcome.conditions]


def product(**keywords: Any) -> OutputTypes:
    return infer_op("MatMul", [Tensor("f32", ["N", 3]), Tensor("f32", ["K", 5])], **keywords)


class TestConditions:
    def test_beside_the_shape(self) -> None:
        found = broadcast_shapes(["N"], [3])
        assert tuple(found) == (3,)
        assert conditions(found) == ["N == 1 or N == 3"]

    def test_beside_the_types(self) -> None:
        found = product()
        assert found == [Tensor("f32", ["N", 5])]
        assert conditions(found) == ["K == 3"]

    def test_onto_one_shape(self) -> None:
        assert conditions(broadcast_to(["N"], ["M", "N"])) == []
        assert conditions(broadcast_to(["N"], ["M"])) == ["M == N or N == 1"]
        assert conditions(broadcast_to([5], ["N", "M"], axes=[1])) == ["M == 5"]

    def test_each_has_its_operands_and_message(self) -> None:
        (required,) = product().conditions
        assert isinstance(required, Requirement)
        assert required.message == "axis -1 of A is 3 but axis -2 of B is K"
        assert [(o.port, o.fact, o.axis, o.dim) for o in required.operands] == [
            ("A", "f32[N, 3]", 1, 3),
            ("B", "f32[K, 5]", 0, symbol("K")),
        ]
        assert required.asked is Equal(symbol("K"), 3)
        assert required.witness == {"K": 0}
        assert required.node is not None
        assert required.node.op_type == "MatMul"

    def test_an_input_that_breaks_it_satisfies_what_is_assumed(self) -> None:
        (required,) = broadcast_shapes(["N"], [3], assume="N >= 2").conditions
        assert (required.condition, required.witness) == ("N == 3", {"N": 2})

    def test_inputs_are_a_list(self) -> None:
        with pytest.raises(TypeError, match=r"^inputs is f32\[N\]; give a list, as in infer_op\('Add', \[x, y\]\)$"):
            infer_op("Add", Tensor("f32", ["N"]), Tensor("f32", ["N"]))  # type: ignore[arg-type]

    def test_the_operands_of_shapes(self) -> None:
        (required,) = broadcast_shapes(["N", 4], [3, 4]).conditions
        assert [(o.value, o.fact, o.axis) for o in required.operands] == [
            ("shape 0", "[N, 4]", 0),
            ("shape 1", "[3, 4]", 0),
        ]

    def test_none_where_all_sizes_fit(self) -> None:
        assert conditions(broadcast_shapes(["N", 1], [4])) == []
        assert conditions(infer_op("Relu", [Tensor("f32", ["N"])])) == []

    def test_none_follows_from_another(self) -> None:
        x = Tensor("f32", ["N", "M"])
        assert conditions(infer_op("Add", [x, x])) == []
        assert conditions(infer_op("Concat", [x, Tensor("f32", [2, "M"]), Tensor("f32", [2, 3])], {"axis": 0})) == [
            "M == 3"
        ]

    def test_of_what_only_data_decides(self) -> None:
        (rows,) = infer_op("NonZero", [Tensor("f32", ["N"])])
        found = infer_op("Add", [rows, Tensor("i64", [1, 4])])
        assert conditions(found) == ["NonZero_0 == 1 or NonZero_0 == 4"]

    def test_messages_name_what_only_data_decides(self) -> None:
        (at_most, _) = infer_op("Expand", [Tensor("f32", [2]), Tensor("i64", [1])]).conditions
        assert (at_most.condition, at_most.message) == (
            "Expand_0 <= 2",
            "axis 0 of input is 2 and entry 0 of shape is Expand_0; they must be equal or one of them must be 1",
        )

    def test_that_contradict_each_other_are_an_error(self) -> None:
        with pytest.raises(BroadcastError) as caught:
            broadcast_shapes(["N", "N"], [3, 4], assume="N >= 2")
        assert caught.value.diagnostic.message.startswith("axis 1 is N in shape 0 and 4 in shape 1")

    def test_with_its_result_they_are_copied_and_pickled(self) -> None:
        for outcome in (product(), broadcast_shapes(["N"], [3])):
            for other in (copy.copy(outcome), copy.deepcopy(outcome), pickle.loads(pickle.dumps(outcome))):
                assert (type(other), other, other.conditions) == (type(outcome), outcome, outcome.conditions)

    def test_shapes_without_a_model_load_neither_onnx_nor_sympy(self) -> None:
        program = (
            "import sys; from shapeinfer import broadcast_shapes as b; b(['N'], [3], assume='N >= 2').conditions[0];"
            "print(*{'onnx', 'sympy'} & {*sys.modules})"
        )
        ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
        assert (ended.stdout.strip(), ended.stderr) == ("", "")


class TestAssumptions:
    @pytest.mark.parametrize("assume", ["K == 3", ["K == 3"], Equal(symbol("K"), 3), [Equal(symbol("K"), 3)]])
    def test_what_they_decide_is_no_condition(self, assume: Any) -> None:
        assert conditions(product(assume=assume)) == []
        assert conditions(product(assume=assume, strict=True)) == []

    def test_the_result_is_the_one_under_them(self) -> None:
        assert broadcast_shapes(["N"], ["M"], assume="N == M") in [(symbol("N"),), (symbol("M"),)]
        assert broadcast_shapes(["N"], ["M"], assume="N >= 2") == (symbol("N"),)
        assert product(assume="N == 7")[0].text == "f32[7, 5]"

    def test_the_symbols_of_the_result_are_the_callers_own(self) -> None:
        (size,) = broadcast_shapes(["N"], ["M"], assume="N >= 2")
        assert size is symbol("N")
        assert conditions(broadcast_shapes(["N"], ["M"], assume="N >= 2")) == ["M == N or M == 1"]

    def test_what_contradicts_one_is_an_error(self) -> None:
        with pytest.raises(DimMismatchError) as caught:
            product(assume="K == 4")
        assert caught.value.diagnostic.message == "axis -1 of A is 3 but axis -2 of B is 4"
        assert caught.value.diagnostic.notes == ("assuming K == 4",)
        with pytest.raises(BroadcastError, match="axis 0 is 4 in shape 0 and 3 in shape 1"):
            broadcast_shapes(["N"], [3], assume="N == 4")

    def test_one_that_cannot_hold(self) -> None:
        with pytest.raises(ShapeInferError, match=r"error\[assumption-false\]: the assumption K == 4 cannot hold"):
            product(assume=["K == 3", "K == 4"])

    @pytest.mark.parametrize(
        ("assume", "says"),
        [
            ("Q == 3", "the assumption 'Q == 3' cannot be read: 'Q' is no known dim; known are K, N"),
            ("K", "the assumption 'K' cannot be read: 'K' is no condition such as"),
            (3, "the assumption 3 is no condition; give text such as 'N % 8 == 0', or a Condition"),
            ([None], "the assumption None is no condition"),
        ],
    )
    def test_what_is_none(self, assume: Any, says: str) -> None:
        with pytest.raises(ValueError, match=r"^the assumption ") as caught:
            product(assume=assume)
        assert str(caught.value).startswith(says)


class TestStrict:
    def test_a_condition_is_an_error_of_its_kind(self) -> None:
        with pytest.raises(DimMismatchError) as caught:
            product(strict=True)
        assert caught.value.diagnostic.message == "requires K == 3: axis -1 of A is 3 but axis -2 of B is K"
        with pytest.raises(BroadcastError, match="requires N == 1 or N == 3: axis 0 is N in shape 0"):
            broadcast_shapes(["N"], [3], strict=True)
        with pytest.raises(BroadcastError, match="requires M == 5: axis 0 of shape is 5"):
            broadcast_to([5], ["M"], strict=True)

    def test_all_are_in_the_error(self) -> None:
        with pytest.raises(ShapeInferError) as caught:
            infer_op("Conv", [Tensor("f32", ["N", "C", "H", 9]), Tensor("f32", [4, 3, 7, 7])], strict=True)
        assert [d.code.name for d in caught.value.diagnostics] == ["channel-mismatch", "window-too-large"]


class TestContents:
    def test_formulas_as_text(self) -> None:
        x = Tensor("f32", ["N", "M"])
        (out,) = infer_op("Reshape", [x, Tensor("i64", [2], ["M", "N"])], assume=["N >= 1", "M >= 1"])
        assert out.text == "f32[M, N]"
        assert Tensor("i64", [2], [4, "2*N - 1"]).value == (4, 2 * symbol("N") - 1)
        assert Tensor("str", [1], ["N"]).value == ("N",)
        with pytest.raises(ValueError, match=r"^'N \+' cannot be an entry of a tensor of numbers: unexpected"):
            Tensor("i64", [1], ["N +"])

    def test_arrays_are_constants(self) -> None:
        x = Tensor("f32", ["N", 6])
        assert infer_op("Reshape", [x, np.array([-1, 3])])[0].text == "f32[2*N, 3]"
        assert infer_op("Gather", [x, np.int64(5)], {"axis": 1})[0].text == "f32[N]"
        assert conditions(infer_op("Gather", [x, np.int64(5)])) == ["N >= 6"]
        assert infer_op("Add", [x, np.zeros((6,), np.float32)])[0].text == "f32[N, 6]"
        assert infer_op("Identity", [np.array(["a", "b"])])[0] is Tensor("str", [2], ["a", "b"])

    def test_arrays_are_values(self) -> None:
        assert Tensor("i64", [2, 2], np.array([[1, 2], [3, 4]])).value == (1, 2, 3, 4)
        assert Tensor("i64", [2], np.array([symbol("N"), 4], dtype=object)).value == (symbol("N"), 4)

    def test_entries_of_large_arrays_are_not_kept(self) -> None:
        (out,) = infer_op("Identity", [np.zeros(5000, np.int64)])
        assert isinstance(out, Tensor)
        assert (out.text, out.value) == ("i64[5000]", None)

    @pytest.mark.parametrize(
        ("array", "says"),
        [
            (np.array(["2020"], dtype="M8"), r"input 0 is an array of datetime64.*is not an element type"),
            (np.array([None], dtype=object), "its entries are objects; give a Tensor with a value instead"),
        ],
    )
    def test_an_array_of_another_type(self, array: Any, says: str) -> None:
        with pytest.raises(TypeError, match=says):
            infer_op("Identity", [array])


# Conditions hold exactly where the same call of numbers runs.

SIZES = range(5)


def at(shape: Sequence[Size | str], sizes: Mapping[str, int]) -> list[int]:
    return [evaluate(d, sizes) for d in Tensor("f32", shape).dims]


def shape_of(found: OutputTypes) -> tuple[Size, ...]:
    assert isinstance(found[0], Tensor)
    return found[0].dims


CALLS: list[tuple[str, Callable[..., tuple[Outcome, tuple[Size, ...]]], list[list[Size | str]]]] = []


def call(name: str, *shapes: list[Size | str]) -> Callable[[Any], Any]:
    def register(function: Any) -> Any:
        CALLS.append((name, function, list(shapes)))
        return function

    return register


@call("both ways", ["N", 3], ["M", "N"], [1, "M + 1"])
@call("one symbol", ["N"], [3])
def _both(*shapes: list[Size]) -> tuple[Outcome, tuple[Size, ...]]:
    found = broadcast_shapes(*shapes)
    return found, found


@call("onto", ["N", 1], [2, "M", "N + 1"])
def _onto(*shapes: list[Size]) -> tuple[Outcome, tuple[Size, ...]]:
    found = broadcast_to(*shapes)
    return found, found


@call("MatMul", ["N", "M", "K"], ["M", 3, 2])
def _matmul(*shapes: list[Size]) -> tuple[Outcome, tuple[Size, ...]]:
    found = infer_op("MatMul", [Tensor("f32", s) for s in shapes])
    return found, shape_of(found)


@call("Concat", ["N", "M"], [2, "M + N"], ["M", "K"])
def _concat(*shapes: list[Size]) -> tuple[Outcome, tuple[Size, ...]]:
    found = infer_op("Concat", [Tensor("f32", s) for s in shapes], {"axis": 1})
    return found, shape_of(found)


@call("Conv", [1, "N", "M"], [4, 2, 2])
def _conv(*shapes: list[Size]) -> tuple[Outcome, tuple[Size, ...]]:
    found = infer_op("Conv", [Tensor("f32", s) for s in shapes])
    return found, shape_of(found)


@call("Reshape", ["N", "M"], [4, "K"])
def _reshape(x: list[Size], to: list[Size]) -> tuple[Outcome, tuple[Size, ...]]:
    found = infer_op("Reshape", [Tensor("f32", x), Tensor("i64", [len(to)], to)], {"allowzero": 1})
    return found, shape_of(found)


@pytest.mark.parametrize(("name", "run", "shapes"), CALLS, ids=[name for name, _, _ in CALLS])
def test_they_hold_where_numbers_run(name: str, run: Any, shapes: list[list[Size | str]]) -> None:
    outcome, found = run(*shapes)
    names = sorted({s.name for shape in shapes for s in Tensor("f32", shape).symbols})
    for values in itertools.product(SIZES, repeat=len(names)):
        sizes = dict(zip(names, values))
        bound = {symbol(n): v for n, v in sizes.items()}
        answers = [r.asked.substitute(bound).answer() for r in outcome.conditions]
        try:
            _, numbers = run(*(at(shape, sizes) for shape in shapes))
        except ShapeInferError:
            assert any(a.is_no for a in answers), sizes
        else:
            assert all(a.is_yes for a in answers), sizes
            assert tuple(evaluate(d, sizes) for d in found) == numbers
