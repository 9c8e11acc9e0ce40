"""The contract: the conditions on its inputs under which a model runs, and what breaks them."""

from __future__ import annotations

import itertools
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
import sympy
from click.testing import CliRunner

import shapeinfer
from shapeinfer import Answer, Contract, Report
from shapeinfer.cli import cli

UNET = """c = Conv <strides = [2, 2], pads = [1, 1, 1, 1]> (x, w)
    s = Constant <value = float[4] {1, 1, 2, 2}> ()
    u = Resize <mode = "nearest"> (c, , s)
    y = Concat <axis = 1> (u, x)"""
UNET_INPUTS = "float[1, 3, H, W] x, float[3, 3, 3, 3] w"


def checked(body: str, inputs: str, **given: object) -> Report:
    text = f'<ir_version: 9, opset_import: ["" : 20]>\nmain ({inputs}) => (float y) {{ {body} }}'
    return shapeinfer.check(onnx.parser.parse_model(text), **given)  # type: ignore[arg-type]


def conditions(body: str, inputs: str) -> list[str]:
    return [r.condition for r in checked(body, inputs).contract.all_sizes]


def shaped(numbers: str) -> str:
    count = numbers.count(",") + 1
    return f"s = Constant <value = int64[{count}] {{{numbers}}}> () y = Reshape (x, s)"


@pytest.mark.parametrize(
    ("body", "inputs", "asked"),
    [
        (UNET, UNET_INPUTS, ["H >= 1", "W >= 1", "H % 2 == 0", "W % 2 == 0"]),
        (shaped("-1, 4"), "float[N, 6] x", ["N % 2 == 0"]),
        ("y = Add (x, z)", "float[a, 4] x, float[b, 4] z", ["a == b or a == 1 or b == 1"]),
        ("y = MatMul (x, w)", "float[B, K] x, float[64, 10] w", ["K == 64"]),
        ("y = Conv (x, w)", "float[1, 3, H, 8] x, float[4, 3, 5, 5] w", ["H >= 5"]),
        ("y = Concat <axis = 1> (x, z)", "float[A, S, 8] x, float[B, S, 8] z", ["A == B"]),
        ("p = Relu (x) y = Add (p, p)", "float[N, 4] x", []),
        (
            "p = MaxPool <kernel_shape = [2], strides = [2]> (x) y = MaxPool <kernel_shape = [2], strides = [2]> (p)",
            "float[1, 3, L] x",
            ["L >= 4"],
        ),
        (
            "c = Concat <axis = 2> (past, k) t = Transpose <perm = [0, 1, 3, 2]> (c) s = MatMul (q, t) y = Add (s, m)",
            "float[B,8,S,64] q, float[B,8,S,64] k, float[B,8,P,64] past, float[B,1,S,T] m",
            ["T == P + S or P + S == 1 or T == 1"],
        ),
    ],
)
def test_it_is_what_an_engineer_would_write(body: str, inputs: str, asked: list[str]) -> None:
    assert sorted(conditions(body, inputs)) == sorted(asked)


def test_a_condition_names_its_node_and_a_smallest_input_that_breaks_it() -> None:
    (needed,) = checked(shaped("-1, 4"), "float[N, 6] x").contract
    assert needed.node is not None
    assert (needed.node.op_type, needed.node.index) == ("Reshape", 1)
    assert needed.witness == {"N": 1}
    assert needed.to_dict()["witness"] == {"N": 1}


@pytest.mark.parametrize(("assume", "least"), [("N >= 4", 5), ("N % 3 == 0", 3), ("N <= 8", 1)])
def test_what_breaks_a_condition_satisfies_what_is_assumed(assume: str, least: int) -> None:
    (needed,) = checked(shaped("-1, 4"), "float[N, 6] x", assume=[assume]).contract
    assert needed.witness == {"N": least}


def test_what_breaks_a_condition_lies_in_the_ranges_that_are_given() -> None:
    contract = checked(shaped("-1, 4"), "float[N, M] x", ranges={"N": (5, 7), "M": (3, None)}).contract
    (needed,) = contract
    assert (needed.condition, needed.witness) == ("(M*N) % 4 == 0", {"M": 3, "N": 5})
    assert contract.smallest_sizes == {"M": 4, "N": 5}
    assert pickle.loads(pickle.dumps(contract)).smallest_sizes == contract.smallest_sizes
    assumed = checked(shaped("-1, 4"), "float[N, 6] x", assume=["N >= 10"]).contract
    assert assumed.smallest_sizes == {"N": 10}


def test_several_faults_of_what_is_given_are_each_reported() -> None:
    report = checked(shaped("-1, 4"), "float[N, M] x", bind={"Q": 1, "R": 2}, assume=["N >=", "M"])
    assert [d.message.split(" ")[0:3] for d in report.errors] == [
        ["Q", "is", "not"],
        ["R", "is", "not"],
        ["the", "assumption", "'N"],
        ["the", "assumption", "'M'"],
    ]


def test_as_text_it_is_a_line() -> None:
    (needed,) = checked(shaped("-1, 4"), "float[N, 6] x").contract
    assert str(needed) == f"N % 2 == 0: {needed.message}, at Reshape (node 1)"


def test_sizes_are_whole_numbers_also_of_numpy_and_sympy() -> None:
    contract = checked(UNET, UNET_INPUTS).contract
    assert contract.holds({sympy.Symbol("H"): np.int32(8), "W": sympy.Integer(6)}) is True
    wrong: Any
    for wrong in ("8", 8.0, sympy.Symbol("h"), np.arange(3)):
        with pytest.raises(ValueError, match=r"^H is .*; a size is a whole number$"):
            contract.holds({"H": wrong, "W": 6})
    with pytest.raises(ValueError, match=r"^bind is \[8\]; give a mapping by the names of dims"):
        contract.holds([8])  # type: ignore[arg-type]


def test_it_answers_for_sizes_without_the_model() -> None:
    contract = checked(UNET, UNET_INPUTS).contract
    assert contract.holds({"H": 8, "W": 6})
    assert not contract.holds({"H": 7, "W": 6})
    assert "H % 2 == 0" in contract.text.splitlines()


@pytest.mark.parametrize(
    ("bind", "answer"),
    [
        ({}, Answer.MAYBE),
        ({"H": 8}, Answer.MAYBE),
        ({"H": 7}, Answer.NO),
        ({"H": 0}, Answer.NO),
        ({"H": 7, "elsewhere": 3}, Answer.NO),
    ],
)
def test_with_sizes_of_some_dims_it_answers_for_all_of_the_others(bind: dict[str, int], answer: Answer) -> None:
    assert checked(UNET, UNET_INPUTS).contract.holds(bind) is answer


def test_sizes_of_some_dims_may_be_all_that_it_takes() -> None:
    found = checked("y = Add (x, z)", "float[N] x, float[M] z").contract
    assert found.holds({"N": 1}) is Answer.YES
    assert found.holds({"N": 3}) is Answer.MAYBE


def test_conditions_that_sizes_make_contradict_each_other_hold_for_none_of_the_others() -> None:
    body = "p = MatMul (x, z) q = MatMul (z, z) y = MatMul (z, w)"
    chain = checked(body, "float[2, A] x, float[B, C] z, float[D, 2] w").contract
    assert [r.condition for r in chain.all_sizes] == ["A == B", "A == C", "A == D"]
    assert chain.holds({"B": 3, "D": 5}) is Answer.NO
    assert chain.holds({"B": 3, "D": 3}) is Answer.MAYBE


def test_equations_are_solved_together() -> None:
    body = """a = Concat <axis = 1> (x, z) p = MatMul (a, u)
        b = Concat <axis = 1> (x, z, z) y = MatMul (b, v)"""
    contract = checked(body, "float[2, A] x, float[2, B] z, float[S, 5] u, float[T, 5] v").contract
    assert sorted(r.condition for r in contract.all_sizes) == ["S == A + B", "T == 2*B + A"]
    assert contract.holds({"S": 4, "T": 3}) is Answer.NO  # B would be -1
    assert contract.holds({"S": 4, "T": 6}) is Answer.MAYBE


def test_an_answer_for_some_dims_is_that_of_every_size_of_the_others() -> None:
    contract = checked(UNET, UNET_INPUTS).contract
    for h in range(12):
        answer = contract.holds({"H": h})
        held = {contract.holds({"H": h, "W": w}) for w in range(40)}
        assert isinstance(answer, Answer)
        assert not answer.is_yes or held == {True}
        assert not answer.is_no or held == {False}


def test_it_is_one_boolean_of_sympy() -> None:
    contract = checked(UNET, UNET_INPUTS).contract
    expr = contract.expr
    names = {s.name: s for s in expr.free_symbols}
    assert set(names) == {"H", "W"}
    for h, w in itertools.product(range(9), range(9)):
        assert bool(expr.subs({names["H"]: h, names["W"]: w})) is contract.holds({"H": h, "W": w})


def test_without_conditions_sympy_gets_true() -> None:
    assert Contract().expr == sympy.true


@pytest.mark.parametrize(("h", "w"), [(2, 2), (8, 6), (7, 8), (8, 5), (1, 2), (0, 2)])
def test_a_model_bound_inside_it_has_no_error_and_outside_it_has_one(h: int, w: int) -> None:
    inside = checked(UNET, UNET_INPUTS).contract.holds({"H": h, "W": w})
    assert checked(UNET, UNET_INPUTS, bind={"H": h, "W": w}).ok == inside


def test_a_length_that_data_decides_is_no_part_of_it() -> None:
    assert conditions("n = NonZero (x) f = Cast <to = 1> (n) y = Add (f, z)", "float[N] x, float[1, M] z") == []


def test_what_is_learned_late_is_known_to_the_nodes_before() -> None:
    report = checked(
        "h = Shape <start = 0, end = 1> (x) one = Constant <value = int64[1] {1}> () r = Sub (h, one) "
        "two = Constant <value = int64[1] {2}> () half = Div (r, two) e = Expand (one, half) "
        "l = Unsqueeze (x, one) y = Conv (l, w)",
        "float[H, 2, 9] x, float[4, 1, 1, 3] w",
    )
    assert report.ok


class TestRanges:
    def test_a_range_inside_is_proved(self) -> None:
        report = checked("y = Conv (x, w)", "float[1, 3, H, 8] x, float[4, 3, 5, 5] w", ranges={"H": (5, 64)})
        assert report.ok
        assert report.contract == ()

    def test_a_range_that_reaches_outside_is_a_fault_with_the_least_size_that_fails(self) -> None:
        report = checked(UNET, UNET_INPUTS, ranges={"H": (2, 8), "W": (2, 2)})
        assert [d.code.name for d in report.errors] == ["range-fails"]
        assert report.errors[0].message == "H % 2 == 0 fails for H = 3, which the given range allows"

    def test_an_assumption_closes_the_gap(self) -> None:
        assert checked(UNET, UNET_INPUTS, ranges={"H": (2, 8), "W": (2, 2)}, assume=["H % 2 == 0"]).ok

    def test_a_range_without_an_end(self) -> None:
        assert checked("y = Conv (x, w)", "float[1, 3, H, 8] x, float[4, 3, 5, 5] w", ranges={"H": (5, None)}).ok

    @pytest.mark.parametrize("ends", [(5, 4), (-2, -1)])
    def test_an_empty_range_is_refused(self, ends: tuple[int, int]) -> None:
        (fault,) = checked("y = Relu (x)", "float[N] x", ranges={"N": ends}).errors
        assert (fault.code.name, fault.message) == (
            "binding-conflict",
            f"no size satisfies {ends[0]} <= N <= {ends[1]}",
        )

    def test_a_dim_that_no_input_has_is_refused(self) -> None:
        (fault,) = checked("y = Relu (x)", "float[N] x", ranges={"M": (1, 2)}).errors
        assert fault.code.name == "unknown-binding"


class TestDivision:
    """What divides by a length has no value where that is 0, and the model does not run there."""

    SHAPE = "n = Shape (z) m = Shape (x) five = Constant <value = int64[1] {5}> () q = Div (m, n)"
    LEFT = f"{SHAPE} r = Sub (five, q) y = ConstantOfShape (r)"

    def test_it_asks_for_a_length_that_is_not_zero(self) -> None:
        report = checked(self.LEFT, "float[M] x, float[N] z")
        assert [r.condition for r in report.contract.all_sizes] == ["N >= 1", "M//N <= 5"]
        assert report.contract.holds({"M": 3, "N": 1})
        assert not report.contract.holds({"M": 3, "N": 0})

    def test_a_range_with_zero_is_a_fault(self) -> None:
        (fault,) = checked(self.LEFT, "float[M] x, float[N] z", ranges={"N": (0, 4)}).errors
        assert fault.message == "N >= 1 fails for N = 0, which the given range allows"

    def test_it_contradicts_a_node_that_needs_zero(self) -> None:
        body = "n = Shape (x) k = Constant <value = int64[1] {32}> () q = Mod (k, n) m = MatMul (x, e)"
        report = checked(f"{body} y = ConstantOfShape (q)", "float[H] x, float[0] e")
        (fault,) = report.errors
        assert fault.code.name == "inner-dim-mismatch"
        assert fault.notes == ("H >= 1, required by Mod (node 2)",)

    def test_a_branch_that_divides_by_what_is_zero_elsewhere(self) -> None:
        branches = """then_branch = b () => (int64[1] p) { n = Shape (x) p = Div (k, n) },
                      else_branch = b () => (int64[1] q) { q = Identity (k) }"""
        body = f"k = Constant <value = int64[1] {{32}}> () r = If (c) <{branches}> m = MatMul (x, e)"
        report = checked(f"{body} y = ConstantOfShape (r)", "float[H] x, float[0] e, bool c")
        assert report.errors == ()
        assert [r.condition for r in report.contract] == ["H == 0"]

    @pytest.mark.parametrize("given", [{"bind": {"N": 0}}, {"shapes": {"x": [0, 3]}}])
    def test_a_declared_length_that_divides_by_it(self, given: dict[str, object]) -> None:
        text = '<ir_version: 9, opset_import: ["" : 20]>\nmain (float[N, M] x) => (y) { y = Relu (x) }'
        model = onnx.parser.parse_model(text)
        model.graph.input[0].type.tensor_type.shape.dim[1].dim_param = "64//N"
        (fault,) = shapeinfer.check(model, **given).errors  # type: ignore[arg-type]
        assert fault.message == "N cannot be 0: x is declared f32[0, 64//N]"


DIMS = "batch, past, past + seq, seq"


class TestFormulas:
    """An input may bear a formula for a name: people give a size to what they see in the file."""

    INPUTS = 'float[batch, "past + seq"] mask, float[batch, seq] ids, float[past] old'

    def values(self, **bind: int) -> dict[str, str]:
        report = checked("y = Relu (mask) z = Relu (ids)", self.INPUTS, bind={"past + seq": 8} | bind)
        assert report.ok
        assert report.contract == ()
        return {name: fact.text for name, fact in report.values.items()}

    def test_a_formula_is_given_a_size(self) -> None:
        found = self.values(batch=1)
        assert (found["mask"], found["y"], found["ids"]) == ("f32[1, 8]", "f32[1, 8]", "f32[1, seq]")

    def test_with_one_of_its_parts_the_other_is_known(self) -> None:
        assert self.values(past=5)["z"] == "f32[batch, 3]"

    def test_however_it_is_written(self) -> None:
        assert checked("y = Relu (mask)", self.INPUTS, bind={"seq+past": 8}).values["y"].text == "f32[batch, 8]"

    @pytest.mark.parametrize(
        ("bind", "code", "message"),
        [
            ({"past": 9}, "binding-conflict", "past + seq, which is seq + 9, cannot be 8"),
            ({"past": 5, "seq": 4}, "binding-conflict", "past + seq, which is 9, cannot be 8"),
            (
                {"past - seq": 1},
                "unknown-binding",
                f"past - seq is not a dim of any input; the input dims are {DIMS}; did you mean past + seq?",
            ),
        ],
    )
    def test_one_that_cannot_have_it_is_refused(self, bind: dict[str, int], code: str, message: str) -> None:
        (fault,) = checked("y = Relu (mask)", self.INPUTS, bind={"past + seq": 8} | bind).errors
        assert (fault.code.name, fault.message) == (code, message)

    def test_what_it_makes_wrong_names_it(self) -> None:
        (fault,) = checked("y = Add (mask, w)", f"{self.INPUTS}, float[2, 9] w", bind={"past + seq": 8}).errors
        assert fault.notes == ("with past + seq = 8 (given)",)


class TestAssumptions:
    def test_one_that_a_node_contradicts_is_found_at_the_node(self) -> None:
        report = checked("y = MatMul (x, w)", "float[B, K] x, float[64, 10] w", assume=["K <= 32"])
        (fault,) = report.errors
        assert fault.node is not None
        assert fault.node.op_type == "MatMul"

    def test_two_that_contradict_each_other_are_refused(self) -> None:
        (fault,) = checked("y = Relu (x)", "float[N] x", assume=["N >= 8", "N <= 4"]).errors
        assert fault.code.name == "assumption-false"

    @pytest.mark.parametrize("text", ["N", "N >", "M == 1", "N = 3", "", "N == 1 or", "N == 1 or M == 2"])
    def test_one_that_cannot_be_read_is_refused(self, text: str) -> None:
        (fault,) = checked("y = Relu (x)", "float[N] x", assume=[text]).errors
        assert fault.code.name == "unknown-binding"
        assert repr(text) in fault.message

    def test_one_of_two_may_hold(self) -> None:
        report = checked("y = Add (x, w)", "float[N] x, float[4] w", assume=["N == 1 or N == 4"])
        assert report.ok
        assert report.contract == ()

    def test_it_is_no_part_of_the_contract(self) -> None:
        assert checked("y = Relu (x)", "float[N] x", assume=["N % 8 == 0"]).contract == ()


def test_the_command_prints_it() -> None:
    path = str(Path(__file__).parents[2] / "examples" / "models" / "patches.onnx")
    found = CliRunner().invoke(cli, ["contract", path, "--range", "width=16..", "--assume", "batch >= 1"])
    assert found.exit_code == 0
    assert found.output.splitlines()[1:] == [
        "",
        "height >= 16",
        "  required by Conv (node 0): the window of 16 is larger than axis 2, which is height",
        "    axis 2 of X: axis 2 of input image",
        "  fails for height = 0: the window of 16 is larger than axis 2, which is 0",
        "",
        "the smallest sizes that run: height = 16",
    ]


class TestReadable:
    """Contracts for people: nothing that follows from the rest, and nothing that nobody reads."""

    def test_an_equation_that_follows_from_shorter_ones_is_dropped(self) -> None:
        body = "a = Concat <axis = 2> (x, y) f = Flatten <axis = 3> (x) g = Flatten <axis = 3> (y) s = Add (f, g)"
        report = checked(body, "float[N, M, 1] x, float[K, L, 1] y")
        assert sorted(r.condition for r in report.contract) == ["K == N", "L == M"]

    def test_a_condition_that_is_too_long_is_counted_and_still_judged(self) -> None:
        named = [f"dimension_{c}" for c in "abcdefghij"]
        body = "flat = Flatten <axis = 0> (x) s = Add (flat, y)"
        contract = checked(body, f"float[{', '.join(named)}] x, float[total] y").contract
        assert [len(r.condition) > 100 for r in contract.unsimplified] == [True]
        assert all(len(r.condition) <= 100 for r in contract)
        sizes = dict.fromkeys(named, 2)
        assert contract.holds({**sizes, "total": 1024})
        assert not contract.holds({**sizes, "total": 1023})

    def test_the_smallest_sizes_satisfy_it(self) -> None:
        contract = checked("y = MaxPool <kernel_shape = [3, 5]> (x)", "float[N, C, H, W] x").contract
        assert contract.smallest_sizes == {"H": 3, "W": 5}
        assert contract.holds(contract.smallest_sizes)
