"""What nodes need is learned, forwards and backwards; what can never hold is an error with both reasons."""

from __future__ import annotations

import itertools

import pytest

from shapeinfer import check
from shapeinfer.diagnostics import codes
from shapeinfer.diagnostics.finding import Claim
from shapeinfer.dims import Dim, parse_condition, symbol, text_of
from shapeinfer.infer.constraints.solver import Solver
from tests.models import checked, contract, faults, outlines, parsed, texts


def test_an_equality_is_known_to_later_nodes() -> None:
    report = checked("g (float[2, N] a, float[M, 3] b) => (float[] y) { p = MatMul(a, b) y = Transpose(a) }")
    assert texts(report)["y"] == "f32[M, 2]", "two names of the author's, of which the first in the alphabet stays"
    assert contract(report) == ["M == N"]


def test_and_to_earlier_ones() -> None:
    text = "g (float[N] a, float[M] b, float[3, N] c) => (float[] y) { y = Concat<axis=0>(a, b) p = MatMul(c, b) }"
    report = checked(text)
    assert texts(report)["y"] == "f32[2*M]"
    assert texts(report)["a"] == "f32[N]", "inputs keep the names that their author gave"
    assert texts(report)["b"] == "f32[M]"


def test_a_number_is_learned() -> None:
    report = checked("g (float[2, N] a, float[5, 3] b) => (float[] y) { t = Relu(a) p = MatMul(a, b) y = Relu(t) }")
    assert contract(report) == ["N == 5"]
    assert texts(report)["y"] == "f32[2, 5]"
    assert texts(report)["t"] == "f32[2, 5]"


TWO = """g (float[2, N] x, float[{a}, 3] a, float[{b}, 3] b) => (float[] y, float[] z) {{
    y = MatMul(x, a)
    z = MatMul(x, b)
}}"""


def test_one_symbol_that_must_be_two_numbers_is_an_error_with_both_reasons() -> None:
    report = checked(TWO.format(a=5, b=6))
    assert faults(report) == ["error inner-dim-mismatch @ 1"]
    (diagnostic,) = report.diagnostics
    assert diagnostic.message == "axis -1 of A is 5 but axis -2 of B is 6"
    assert diagnostic.notes == ("N is 5: N == 5, required by MatMul (node 0)",)
    assert checked(TWO.format(a=5, b=5)).ok


def test_a_conflict_through_a_chain_of_equalities() -> None:
    report = checked("""g (float[2, A] p, float[B, C] q, float[C, 7] r, float[5, 2] s, float[2, B] t, float[6, 6] z)
                        => (float[] y) {
        h = MatMul(p, q) i = MatMul(t, q) j = MatMul(q, r) y = MatMul(p, s)
        l = MatMul(t, z)
    }""")
    assert faults(report) == ["error inner-dim-mismatch @ 4"]


def test_a_claim_made_before_refutes_what_is_claimed_later() -> None:
    """N is even, for the Reshape; it cannot be 7."""
    report = checked("""g (float[N] x, float[7] w, float[2, N] v) => (float[] y, float[] z) {
        s = Constant<value = int64[2] {2, -1}>()
        y = Reshape(x, s)
        z = MatMul(v, w)
    }""")
    assert faults(report) == ["error inner-dim-mismatch @ 2"]
    assert "required by Reshape (node 1)" in report.diagnostics[0].notes[0]


def test_a_made_up_length_never_enters_the_contract() -> None:
    report = checked(
        "g (float[A] x, float[2, M] m) => (float[] y) { n = NonZero(x) f = Cast<to=1>(n) y = MatMul(m, f) }"
    )
    assert contract(report) == ["M == 1"]
    report = checked(
        "g (float[A] x, float[M, 1] m) => (float[] y) { n = NonZero(x) f = Cast<to=1>(n) y = MatMul(f, m) }"
    )
    assert contract(report) == []
    assert texts(report)["m"] == "f32[M, 1]"
    nonzero = texts(report)["n"]
    assert nonzero == "i64[1, M]", "the made-up length is explained by the author's, never the other way round"


def test_a_symbol_is_never_explained_by_itself() -> None:
    report = checked("g (float[N] x, float[2, M] v) => (float[] y) { c = Concat<axis=0>(x, x) y = MatMul(v, c) }")
    assert contract(report) == ["M == 2*N"]
    assert texts(report)["y"] == "f32[2]"
    itself = checked("g (float[N] x, float[2, N] v) => (float[] y) { c = Concat<axis=0>(x, x) y = MatMul(v, c) }")
    assert contract(itself) == ["N == 0"]
    assert texts(itself)["c"] == "f32[0]"


def test_conditions_that_differ_only_in_words_are_one() -> None:
    report = checked("""g (float[2, N] a, float[M, 3] b) => (float[] y) {
        p = MatMul(a, b) q = MatMul(a, b) r = Relu(b) y = MatMul(a, r)
    }""")
    assert contract(report) == ["M == N"]
    assert [r.node.index for r in report.contract if r.node] == [0]


def test_broadcasting_is_a_condition() -> None:
    report = checked("g (float[A, 4] a, float[B, 4] b) => (float[] y) { y = Add(a, b) }")
    assert texts(report)["y"] == "f32[broadcast(A, B), 4]"
    assert contract(report) == ["A == B or A == 1 or B == 1"]


class TestBind:
    MODEL = "g (float[N, M] x, float[N] v) => (float[] y) { y = Concat<axis=1>(x, x) }"

    def test_dims_by_name(self) -> None:
        report = checked(self.MODEL, bind={"N": 2, "M": 0})
        assert texts(report) == {"x": "f32[2, 0]", "v": "f32[2]", "y": "f32[2, 0]"}

    def test_whole_inputs(self) -> None:
        report = checked(self.MODEL, shapes={"x": (2, 5)})
        assert texts(report) == {"x": "f32[2, 5]", "v": "f32[2]", "y": "f32[2, 10]"}

    def test_a_name_that_no_input_bears(self) -> None:
        report = checked(self.MODEL, bind={"K": 2})
        assert faults(report) == ["error unknown-binding"]
        assert report.diagnostics[0].message == "K is not a dim of any input; the input dims are M, N"
        assert texts(report)["y"] == "f32[N, 2*M]"

    def test_an_input_that_is_not_there(self) -> None:
        report = checked(self.MODEL, shapes={"w": [1]})
        assert faults(report) == ["error unknown-binding"]
        assert report.diagnostics[0].message == "w is not an input; the inputs are x, v"

    @pytest.mark.parametrize(
        ("bind", "shapes", "says"),
        [
            ({"N": -1}, {}, "N cannot be -1; a dim must be at least 0"),
            ({"N": 2.5}, {}, "N cannot be 2.5; a dim is a whole number"),
            ({"N": "3"}, {}, "N cannot be '3'; a dim is a whole number"),
            ({}, {"x": [1.5, 4]}, "x cannot be [1.5, 4]; a dim is a whole number"),
            ({}, {"x": 3}, "x cannot be 3; a shape is a list of dims"),
            ({"N": 2**63}, {}, "N cannot be 9223372036854775808; a dim is at most 9223372036854775807"),
            ({}, {"x": [-1, 2]}, "x cannot be [-1, 2]; a dim must be at least 0"),
            ({}, {"x": [1, 2, 3]}, "x is declared f32[N, M], of rank 2; the shape given has 3 axes"),
            ({"N": 3}, {"x": [4, 2]}, "axis 0 of x is declared N, which is 3; it cannot be 4"),
            ({}, {"x": [4, 2], "v": [5]}, "axis 0 of v is declared N, which is 4; it cannot be 5"),
        ],
    )
    def test_a_binding_that_cannot_be(self, bind: dict[str, int], shapes: dict[str, list[int]], says: str) -> None:
        report = checked(self.MODEL, bind=bind, shapes=shapes)
        assert faults(report) == ["error binding-conflict"]
        assert report.diagnostics[0].message == says

    def test_a_range_of_what_is_no_whole_number(self) -> None:
        report = check(parsed(self.MODEL), ranges={"N": (1.5, 3)})  # type: ignore[dict-item]
        assert [d.message for d in report.errors] == ["1.5 <= N <= 3 cannot be; a dim is a whole number"]

    def test_one_assumption_may_stand_for_itself(self) -> None:
        report = check(parsed(self.MODEL), assume="N >= 4")
        assert report.errors == ()

    FORMULA = 'g (float["P + S"] m, float[P] p, float[S] s) => (float[] y) { y = Relu(m) }'

    @pytest.mark.parametrize("order", [["m", "p", "s"], ["s", "p", "m"]])
    def test_a_formula_is_held_against_the_shape_given(self, order: list[str]) -> None:
        right, wrong = {"m": [7], "p": [3], "s": [4]}, {"m": [8], "p": [3], "s": [4]}
        report = checked(self.FORMULA, shapes={n: right[n] for n in order})
        assert faults(report) == ["note expression-as-dim-name"]
        assert texts(report)["y"] == "f32[7]"
        report = checked(self.FORMULA, shapes={n: wrong[n] for n in order})
        assert [d.message for d in report.errors] == ["axis 0 of m is declared P + S, which is 7; it cannot be 8"]

    def test_the_shape_of_a_formula_alone_is_a_condition(self) -> None:
        report = checked(self.FORMULA, shapes={"m": [7]})
        assert texts(report)["y"] == "f32[7]"
        assert contract(report) == ["P + S == 7"]

    def test_an_input_of_unknown_rank_takes_the_shape_given(self) -> None:
        report = checked("g (float[] x) => (float[] y) { y = Flatten(x) }", shapes={"x": [2, 3, 4]})
        assert texts(report) == {"x": "f32[2, 3, 4]", "y": "f32[2, 12]"}

    def test_a_fault_of_the_sizes_given_is_found(self) -> None:
        model = "g (float[N, 6] x) => (float[] y) { s = Constant<value = int64[2] {-1, 4}>() y = Reshape(x, s) }"
        assert contract(checked(model)) == ["N % 2 == 0"]
        assert faults(checked(model, bind={"N": 2})) == []
        assert faults(checked(model, bind={"N": 3})) == ["error volume-mismatch @ 1"]


class TestOrigins:
    def test_both_sides_are_traced_through_nodes_to_where_they_come_from(self) -> None:
        report = checked("""g (float[7, 64] x, float[3, 64, 8] w) => (float[] y) {
            a = Relu(x) b = Transpose(a) c = Abs(b)
            d = Transpose<perm = [1, 0, 2]>(w) e = Neg(d)
            f = Flatten(e)
            y = MatMul(b, f)
        }""")
        (diagnostic,) = report.errors
        assert diagnostic.code.name == "inner-dim-mismatch"
        first, second = diagnostic.operands
        assert (first.port, first.value, first.fact, first.axis) == ("A", "b", "f32[64, 7]", 1)
        assert first.origin == "7: axis 0 of input x, by Relu (node 0)"
        assert (second.value, second.axis) == ("f", 0)
        assert second.origin == "64: axis 1 of input w, by Transpose (node 3)"

    def test_an_initializer(self) -> None:
        report = checked("g (float[2, 3] x) => (float[] y) <float[2] w = {1, 2}> { h = Neg(w) y = Add(x, h) }")
        (diagnostic,) = report.diagnostics
        assert [o.origin for o in diagnostic.operands] == [
            "3: axis 1 of input x",
            "2: axis 0 of initializer w, by Neg (node 0)",
        ]

    def test_a_length_that_a_node_makes(self) -> None:
        report = checked("g (float[2] x, float[5] v) => (float[] y) { h = Concat<axis=0>(x, x) y = Add(h, v) }")
        assert report.diagnostics[0].operands[0].origin == "4: computed by Concat (node 0)"

    def test_axes_of_equal_lengths_are_told_apart(self) -> None:
        report = checked("g (float[3, 3] x, float[2, 2] v) => (float[] y) { t = Transpose(x) y = MatMul(t, v) }")
        assert report.diagnostics[0].operands[0].origin == "3: axis 0 of input x, by Transpose (node 0)"

    def test_made_up_names_are_unlike_each_other_and_those_of_the_model(self) -> None:
        report = checked("g (float[NonZero_0] x) => (int64[] y) { a = NonZero(x) y = NonZero(a) }")
        symbols = {s for name in "xay" for s in report.values[name].symbols}
        assert len({s.text for s in symbols}) == len(symbols) == 3
        assert all(isinstance(s, Dim) for s in symbols)
        assert outlines(report)["y"] == "i64[2, ?]"


class TestFixpoint:
    """What is learned is used on what was claimed before, until a fixpoint is reached."""

    def learned(self, *conditions: str, made: str = "") -> tuple[dict[str, str], list[str]]:
        """What is known of each symbol, and the conditions kept, after the conditions in this order."""
        names = {n: symbol(n, fresh=n in made) for n in "abcdhmnxy"}
        solver = Solver()
        for text in conditions:
            solver.decide(Claim(parse_condition(text, names), codes.DIM_MISMATCH, text), None)
        return {s.name: text_of(size) for s, size in solver.known.items()}, [c.text for c in solver.pending]

    @pytest.mark.parametrize("order", list(itertools.permutations(["a*c == b*c", "c >= 1", "a == 7"])))
    def test_a_factor_that_is_not_0_cancels_in_any_order(self, order: tuple[str, ...]) -> None:
        known, _ = self.learned(*order)
        assert known == {"a": "7", "b": "7", "c": "c"}

    @pytest.mark.parametrize("order", list(itertools.permutations(["a + b == c + d", "a == c"])))
    def test_an_earlier_sum_is_seen_again(self, order: tuple[str, ...]) -> None:
        known, pending = self.learned(*order)
        assert known == {"c": "a", "d": "b"}
        assert sorted(pending) == ["a == c", "b == d"]

    def test_equations_are_solved_together(self) -> None:
        known, pending = self.learned("x + y == 10", "2*x + y == 14")
        assert known == {"x": "4", "y": "6"}
        assert pending == ["x + y == 10", "2*x + y == 14"]

    @pytest.mark.parametrize("second", ["x + y == 12", "2*x + 2*y == 21", "x == 11", "x == y + 3"])
    def test_equations_that_contradict(self, second: str) -> None:
        _, pending = self.learned("x + y == 10", second)
        assert pending == ["x + y == 10"]

    def test_an_author_s_dim_is_not_explained_by_what_may_be_negative(self) -> None:
        known, _ = self.learned("x + y == 10", "x + a == 12")
        assert "x" not in known
        assert "y" not in known

    def test_what_only_data_decides_is_solved_for(self) -> None:
        known, pending = self.learned("m + 3 == n", made="m")
        assert known == {"m": "n - 3", "n": "n"}
        assert pending == ["n == m + 3", "n >= 3"]

    def test_and_comes_out_whole(self) -> None:
        known, pending = self.learned("2*m == n", made="m")
        assert known == {"m": "n//2", "n": "n"}
        assert pending == ["n == 2*m", "n % 2 == 0"]
        assert self.learned("2*m == n", "n == 5", made="m")[1] == ["n == 2*m", "n % 2 == 0"]

    @pytest.mark.parametrize(
        ("condition", "low", "high", "divisor"),
        [
            ("h//8 == 4", 32, 39, 1),
            ("(h + 1)//2 >= 4", 7, None, 1),
            ("h == 3 or h == 9", 3, 9, 3),
            ("2*(h//2) == h", 0, None, 2),
            ("h <= 100000", 0, 100000, 1),
            ("max(h, 4)*3 <= 30", 0, 10, 1),
        ],
    )
    def test_a_range_is_learned(self, condition: str, low: int, high: int | None, divisor: int) -> None:
        h = symbol("h")
        solver = Solver()
        solver.decide(Claim(parse_condition(condition, {"h": h}), codes.DIM_MISMATCH, ""), None)
        (now,) = solver.known.values()
        assert isinstance(now, Dim)
        assert (now.low, now.high, now.divisor) == (low, high, divisor)
        assert list(solver.narrowed.values()) == [h]

    def test_a_contradiction_leaves_no_trace(self) -> None:
        known, pending = self.learned("a + b == c", "b == 3", "c == 2", "a == 1")
        assert known == {"c": "4", "b": "3", "a": "1"}
        assert pending == ["c == a + b", "b == 3", "a == 1"]
