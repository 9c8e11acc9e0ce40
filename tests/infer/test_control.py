"""If, Loop and Scan: what holds whichever branch is taken and however often a body runs."""

from __future__ import annotations

import pytest

from shapeinfer.dims import Dim
from tests.models import checked, clean, contract, faults, outlines, texts


def branches(then: str, other: str, before: str = "", condition: str = "") -> str:
    """A model whose output ``y`` is given by two branches over ``float[N, 3] x`` and ``float[M] v``."""
    return f"""g (float[N, 3] x, float[M] v, bool c) => (float[] y) {{
        {condition} {before}
        y = If({"k" if condition else "c"}) <then_branch = t () => (a) {{ {then} }},
                                             else_branch = e () => (b) {{ {other} }}>
    }}"""


TRUE = "k = Constant<value = bool {1}>()"
FALSE = "k = Constant<value = bool {0}>()"


SHAPE = "s = Constant<value_ints = [-1, 6]>() s4 = Constant<value_ints = [-1, 12]>()"


class TestIf:
    @pytest.mark.parametrize(
        ("then", "other", "joined"),
        [
            ("a = Relu(x)", "b = Neg(x)", "f32[N, 3]"),
            ("a = Relu(x)", "b = Flatten<axis=0>(x)", "f32[?, ?]"),
            ("a = Relu(x)", "b = Concat<axis=0>(x, x)", "f32[?, 3]"),
            ("a = Relu(x)", "b = Relu(v)", "f32[...]"),
            ("a = Shape(x)", "b = Shape(x)", "i64[2]"),
            ("a = SequenceConstruct(x, x)", "b = SequenceConstruct(x)", "seq(f32[N, 3])"),
        ],
    )
    def test_what_both_branches_give_is_joined(self, then: str, other: str, joined: str) -> None:
        text = branches(then, other).replace("float[] y", "y")
        assert outlines(checked(text))["y"] == joined
        assert faults(checked(text)) == []

    @pytest.mark.parametrize(("condition", "shape"), [(TRUE, "f32[N, 3]"), (FALSE, "f32[M]")])
    def test_a_known_condition_takes_its_branch(self, condition: str, shape: str) -> None:
        assert clean(branches("a = Relu(x)", "b = Relu(v)", condition=condition))["y"] == shape

    def test_a_condition_may_be_computed(self) -> None:
        rank = "s = Shape(x) n = Size(s) two = Constant<value = int64 {2}>() k = Equal(n, two)"
        assert clean(branches("a = Relu(x)", "b = Relu(v)", condition=rank))["y"] == "f32[N, 3]"

    def test_what_both_branches_require_the_model_requires(self) -> None:
        same = branches("a = Concat<axis = 0>(x, x) w = Reshape(v, s)", "b = Reshape(v, s)", SHAPE)
        assert contract(checked(same)) == ["M % 6 == 0"]
        other = branches("a = Reshape(v, s)", "b = Reshape(v, s4)", SHAPE)
        assert contract(checked(other)) == ["M % 6 == 0"], "what a multiple of 12 is, is one of 6"

    def test_what_one_branch_requires_depends_on_data(self) -> None:
        report = checked(branches("a = Reshape(v, s)", "b = Relu(x)", SHAPE))
        assert contract(report) == []
        (required,) = report.contract.at_run_time
        assert required.condition == "M % 6 == 0"
        assert required.depends_on == "whether the then branch of If (node 2) runs, which c decides"
        assert report.contract.holds({"M": 1, "N": 1})
        stronger = branches("a = Reshape(v, s4)", "b = Reshape(v, s)", SHAPE)
        assert [r.condition for r in checked(stronger).contract.at_run_time] == ["M % 4 == 0"], "beside M % 6 == 0"

    def test_branches_of_two_element_types(self) -> None:
        report = checked(branches("a = Relu(x)", "b = Shape(x)"))
        assert faults(report) == ["error branches-disagree @ 0"]
        assert "float32 from one branch and int64 from the other" in report.diagnostics[0].message

    def test_branches_of_two_numbers_of_outputs(self) -> None:
        report = checked("""g (float[N] x, bool c) => (float[] y) {
            y = If(c) <then_branch = t () => (a) { a = Relu(x) },
                       else_branch = e () => (b, d) { b = Neg(x) d = Abs(x) }>
        }""")
        assert faults(report) == ["error branches-disagree @ 0"]
        assert texts(report)["y"] == "f32[N]"

    FAILS = "w = Constant<value = float[4] {1.,2.,3.,4.}>() a = Add(x, w)"

    def test_a_branch_that_fails_is_a_warning_for_the_other_may_be_taken(self) -> None:
        report = checked(branches(self.FAILS, "b = Relu(x)"))
        assert faults(report) == ["warning not-broadcastable @ If_0.then_branch / 1"]
        assert report.diagnostics[0].notes[-1] == (
            "this happens whenever the then branch is taken, which depends on data"
        )
        assert report.ok

    def test_a_fault_in_both_branches_is_an_error(self) -> None:
        report = checked(branches(self.FAILS, self.FAILS.replace("a =", "b =")))
        assert faults(report) == [
            "error not-broadcastable @ If_0.then_branch / 1",
            "error not-broadcastable @ If_0.else_branch / 1",
        ]

    def test_a_branch_that_is_taken_fails_for_sure(self) -> None:
        report = checked(branches(self.FAILS, "b = Relu(x)", condition=TRUE))
        assert faults(report) == ["error not-broadcastable @ If_1.then_branch / 1"]

    def test_a_branch_that_is_never_taken_cannot_fail(self) -> None:
        assert clean(branches(self.FAILS, "b = Relu(x)", condition=FALSE))["y"] == "f32[N, 3]"

    def test_what_a_branch_needs_is_no_condition_of_the_model(self) -> None:
        text = branches("a = MatMul(v, x)", "b = Relu(v)")
        assert contract(checked(text)) == []
        assert outlines(checked(text))["y"] == "f32[?]"
        sure = branches("a = MatMul(v, x)", "b = Relu(v)", condition=TRUE)
        assert contract(checked(sure)) == ["M == N"]

    def test_what_a_branch_narrows_stays_in_it(self) -> None:
        """One branch needs N >= 3, and gives what it needs it of: outside, N is what it was."""
        picks = "i = Constant<value = int64[1] {2}>() p = Gather(x, i) a = Relu(x)"
        report = checked(branches(picks, "b = Relu(x)", before="z = Relu(x)"))
        assert contract(report) == []
        assert texts(report)["y"] == "f32[N, 3]"
        assert report.values["y"] is report.values["z"]
        twice = checked(branches(picks, picks.replace("a = ", "b = "), before="z = Relu(x)"))
        assert twice.values["y"] is twice.values["z"]

    def test_nested(self) -> None:
        inner = "a = If(c) <then_branch = p () => (d) { d = Relu(x) }, else_branch = q () => (f) { f = Neg(x) }>"
        assert clean(branches(inner, "b = Abs(x)"))["y"] == "f32[N, 3]"

    def test_a_branch_returns_a_copy_of_what_it_captures(self) -> None:
        assert clean(branches("a = Identity(x)", "b = Identity(x)"))["y"] == "f32[N, 3]"
        report = checked(branches("", "b = Identity(x)").replace("=> (a)", "=> (x)"))
        assert outlines(report)["y"] == "f32[N, 3]"
        assert faults(report) == ["error missing-output @ 0"]


def squeezed(behind: str, condition: str = "k", squeezes: str = "a = Squeeze(x, one)") -> str:
    """A model that squeezes axis 1 of ``float[N, C, 3] x`` where it is 1, and reads that as ``t``."""
    return f"""g (float[N, C, 3] x, bool c, int64 M) => (y) {{
        one = Constant<value = int64[1] {{1}}>() s = Shape(x) d = Gather(s, one) k = Equal(d, one)
        t = If({condition}) <then_branch = p () => (a) {{ {squeezes} }},
                             else_branch = q () => (b) {{ b = Identity(x) }}>
        {behind}
    }}"""


TWO_AXES = "y = Transpose<perm = [1, 0]>(t)"
THREE_AXES = "y = Transpose<perm = [0, 2, 1]>(t)"


class TestBranchesOfTwoRanks:
    """A run that does not fail took the branch whose rank the nodes behind the If accept."""

    def test_the_branch_that_readers_accept_is_taken(self) -> None:
        report = checked(squeezed(TWO_AXES))
        assert texts(report)["y"] == "f32[3, N]"
        assert contract(report) == ["C == 1"]
        assert "error" not in " ".join(faults(report))

    def test_what_the_other_branch_requires_is_not_required(self) -> None:
        report = checked(squeezed(THREE_AXES))
        assert texts(report)["y"] == "f32[N, 3, C]"
        assert contract(report) == ["C == 0 or C >= 2"]

    def test_a_condition_may_be_turned_round(self) -> None:
        text = squeezed(f"{TWO_AXES}", "n").replace("t = If", "u = Not(k) n = Not(u) t = If")
        assert contract(checked(text)) == ["C == 1"]

    def test_a_condition_on_data_is_none_of_the_contract(self) -> None:
        report = checked(squeezed(THREE_AXES, "c"))
        assert texts(report)["y"] == "f32[N, 3, C]"
        assert contract(report) == []

    @pytest.mark.parametrize(
        ("compared", "taken", "other"),
        [
            ("k = Less(d, one)", "C == 0", "C >= 1"),
            ("k = LessOrEqual(d, one)", "C <= 1", "C >= 2"),
            ("k = Greater(d, one)", "C >= 2", "C <= 1"),
            ("k = GreaterOrEqual(d, one)", "C >= 1", "C == 0"),
            ("k = Cast<to = 9>(d)", "C >= 1", "C == 0"),
            ("e = Squeeze(d) f = Squeeze(one) k = Less(f, e)", "C >= 2", "C <= 1"),
        ],
    )
    def test_a_comparison_of_sizes_is_one_of_the_contract(self, compared: str, taken: str, other: str) -> None:
        last = "a = Reshape(x, m)"
        text = squeezed("m = Constant<value = int64[2] {3, -1}>() " + TWO_AXES, squeezes=last)
        text = text.replace("k = Equal(d, one)", compared)
        assert contract(checked(text))[0] == taken
        assert contract(checked(text.replace(TWO_AXES, THREE_AXES)))[0] == other

    def test_an_operator_of_others_compares_nothing(self) -> None:
        text = squeezed(THREE_AXES).replace("k = Equal(d, one)", "k = com.acme.Equal(d, one)")
        assert contract(checked(text)) == []

    def test_the_reader_may_come_late(self) -> None:
        behind = "i = Relu(t) h = Shape(i) z = Size(h) j = Unsqueeze(i, one) y = Transpose<perm = [0, 2, 1]>(j)"
        assert texts(checked(squeezed(behind)))["y"] == "f32[N, 3, 1]"

    def test_readers_of_any_rank_leave_both(self) -> None:
        assert outlines(checked(squeezed("y = Relu(t)")))["y"] == "f32[...]"
        assert contract(checked(squeezed("y = Relu(t)"))) == []

    def test_readers_that_accept_neither_are_an_error(self) -> None:
        report = checked(squeezed("y = Transpose<perm = [3, 0, 1, 2]>(t)"))
        assert faults(report) == ["error invalid-permutation @ 5"]
        assert report.diagnostics[0].notes[-1].startswith("where the else branch is taken: ")

    @pytest.mark.parametrize(
        "behind",
        [
            "z = Transpose<perm = [1, 0]>(t) y = Relu(t)",
            """yes = Constant<value = bool {1}>()
            y = Loop(M, yes) <body = l (int64 i, bool g) => (h, w) { h = Identity(g)
                                                                    w = Transpose<perm = [1, 0]>(t) }>""",
            """y = If(c) <then_branch = v () => (w) { w = Transpose<perm = [1, 0]>(t) },
                          else_branch = l () => (r) { r = Relu(t) }>""",
        ],
        ids=["unused", "in a loop of perhaps no trip", "in a branch"],
    )
    def test_a_reader_that_may_not_run_decides_nothing(self, behind: str) -> None:
        report = checked(squeezed(behind))
        assert outlines(report)["t"] == "f32[...]"
        assert contract(report) == []

    def test_what_is_tried_leaves_no_trace(self) -> None:
        report = checked(squeezed(f"m = NonZero(t) {TWO_AXES.replace('y =', 'z =')} y = Add(z, z)"))
        assert texts(report)["m"] == "i64[2, NonZero_0]"

    def test_nodes_in_any_order(self) -> None:
        text = squeezed(TWO_AXES)
        line = next(line for line in text.splitlines() if "Transpose" in line)
        assert texts(checked(text.replace(line, "").replace("one = C", f"{line} one = C")))["y"] == "f32[3, N]"

    def test_a_node_that_nothing_reads_fails_no_run(self) -> None:
        """Runtimes leave such nodes out, of branches too."""
        unread = "z = Transpose<perm = [0, 1]>(x) a = Flatten(x)"
        report = checked(squeezed("y = Relu(t)", squeezes=unread))
        assert outlines(report)["y"] == "f32[...]"
        assert contract(report) == []

    def test_a_branch_that_fails_is_taken_by_no_run(self) -> None:
        fails = "a = Transpose<perm = [0, 1]>(x)"
        report = checked(squeezed("y = Relu(t)", squeezes=fails))
        assert faults(report)[0] == "warning invalid-permutation @ If_4.then_branch / 0"
        assert texts(report)["y"] == "f32[N, C, 3]"
        assert contract(report) == ["C == 0 or C >= 2"]


def loop(
    body: str, carried: str = "", outputs: str = "y", *, trips: str = "M", before: str = "", state: str = ""
) -> str:
    """A model with a Loop of ``carried`` values; its body gives ``c1`` and what ``body`` says."""
    return f"""g (float[N, 3] x, int64 M, bool c, float[0, 3] none) => ({outputs}) {{
        yes = Constant<value = bool {{1}}>() no = Constant<value = bool {{0}}>()
        zero = Constant<value = int64 {{0}}>() one = Constant<value = int64 {{1}}>()
        five = Constant<value = int64 {{5}}>()
        row = Constant<value = float[1, 3] {{1., 2., 3.}}>() {before}
        {outputs} = Loop({trips}, yes{carried}) <body = b (int64 i, bool c0{state}) => {body}>
    }}"""


GROWING = loop(
    "(bool c1, float[] w) { c1 = Identity(c0) w = Concat<axis=0>(v, row) }", ", none", state=", float[K, 3] v"
)


class TestLoop:
    def test_a_carried_value_that_grows(self) -> None:
        """Of 4 trips it is (4, 3), of none (0, 3): never the shape of one pass."""
        report = checked(GROWING)
        assert faults(report) == []
        assert outlines(report)["y"] == "f32[?, 3]"

    def test_a_carried_value_that_stays_is_known(self) -> None:
        body = "(bool c1, float[] w) { c1 = Identity(c0) w = Relu(v) }"
        assert clean(loop(body, ", x", state=", float[] v"))["y"] == "f32[N, 3]"

    def test_a_carried_value_that_changes_rank(self) -> None:
        body = "(bool c1, float[] w) { c1 = Identity(c0) z = Constant<value = int64[1] {0}>() w = Unsqueeze(v, z) }"
        assert clean(loop(body, ", x", state=", float[] v"))["y"] == "f32[...]"

    def test_carried_values_that_trade_places(self) -> None:
        body = "(bool c1, float[] p, float[] q) { c1 = Identity(c0) p = Relu(w) q = Relu(v) }"
        text = loop(body, ", x, none", "y, z", state=", float[] v, float[] w")
        assert {n: outlines(checked(text))[n] for n in "yz"} == {"y": "f32[?, 3]", "z": "f32[?, 3]"}

    def test_two_axes_that_change_are_two_unknowns(self) -> None:
        body = "(bool c1, float[] w) { c1 = Identity(c0) t = Concat<axis=0>(v, v) w = Concat<axis=1>(t, t) }"
        report = checked(loop(body, ", row", state=", float[] v"))
        shape = getattr(report.values["y"], "shape", None)
        assert shape is not None
        assert len(set(shape)) == 2

    def test_a_value_that_is_optional_before_the_loop_is_what_the_body_returns_behind_it(self) -> None:
        """As in onnx's test_loop16_seq_none, whose body declares a sequence of scalars and returns one of vectors."""
        text = """g (int64 M, bool c, float[N] x, optional(seq(float[3])) o) => (seq(float[]) y) {
            y = Loop(M, c, o) <body = b (int64 i, bool c0, optional(seq(float)) v) => (bool c1, seq(float) w) {
                c1 = Identity(c0) s = OptionalGetElement(v) w = SequenceInsert(s, x) }>
        }"""
        assert outlines(checked(text))["y"] == "seq(f32[?])"

    STACK = "(bool c1, float[] w) { c1 = Identity(c0) w = Relu(x) }"

    def test_a_certain_number_of_trips(self) -> None:
        assert clean(loop(self.STACK, trips="five"))["y"] == "f32[5, N, 3]"

    def test_trips_that_are_an_input_are_one_length(self) -> None:
        report = checked(loop(self.STACK))
        assert outlines(report)["y"] == "f32[?, N, 3]"

    def test_trips_that_are_a_length(self) -> None:
        length = "s = Shape<start = 0, end = 1>(x) n = Squeeze(s)"
        assert clean(loop(self.STACK, trips="n", before=length))["y"] == "f32[N, N, 3]"

    def test_an_early_exit_makes_the_count_a_most(self) -> None:
        body = """(bool c1, float[] w) {
            s = ReduceSum<keepdims = 0>(x) n = ReduceMax<keepdims = 0>(x) c1 = Less(s, n) w = Relu(x)
        }"""
        report = checked(loop(body, trips="five"))
        shape = getattr(report.values["y"], "shape", None)
        assert shape is not None
        count = shape[0]
        assert isinstance(count, Dim)
        assert (count.low, count.high) == (0, 5)
        assert outlines(report)["y"] == "f32[?, N, 3]"

    @pytest.mark.parametrize("trips", ["zero", "_no_"])
    def test_no_trips(self, trips: str) -> None:
        text = loop(self.STACK, trips="five" if trips == "_no_" else trips)
        if trips == "_no_":
            text = text.replace("Loop(five, yes", "Loop(five, no")
        assert clean(text)["y"] == "f32[0, N, 3]"

    def test_a_body_that_never_runs_cannot_fail(self) -> None:
        body = "(bool c1, float[] w) { c1 = Identity(c0) w = MatMul(row, row) }"
        assert faults(checked(loop(body, trips="zero"))) == []
        assert faults(checked(loop(body, trips="five"))) == ["error inner-dim-mismatch @ Loop_6.body / 1"]

    def test_without_a_count_nothing_is_known_of_it(self) -> None:
        assert outlines(checked(loop(self.STACK, trips="")))["y"] == "f32[?, N, 3]"

    def test_a_scan_output_whose_length_changes_with_the_pass(self) -> None:
        body = "(bool c1, int64[] w) { c1 = Identity(c0) w = Range(zero, i, one) }"
        report = checked(loop(body, outputs="y").replace("(y)", "(int64[] y)"))
        assert outlines(report)["y"] == "i64[?, ?]"
        shape = getattr(report.values["y"], "shape", None)
        assert shape is not None
        assert shape[0] is not shape[1]

    def test_a_sequence_that_is_carried_and_grows(self) -> None:
        body = "(bool c1, t) { c1 = Identity(c0) t = SequenceInsert(s, x) }"
        text = loop(body, ", empty", before="empty = SequenceEmpty()", state=", seq(float[]) s")
        assert outlines(checked(text))["y"] == "seq(f32[N, 3])"

    def test_elements_made_in_several_passes_have_several_lengths(self) -> None:
        body = """(bool c1, t, float[] joined) {
            c1 = Identity(c0) n = Range(zero, i, one) r = Cast<to = 1>(n) t = SequenceInsert(s, r)
            first = SequenceAt(t, zero) joined = Concat<axis=0>(first, r)
        }"""
        text = loop(body, ", empty", "y, z", before="empty = SequenceEmpty()", state=", seq(float[]) s")
        report = checked(text)
        assert outlines(report)["y"] == "seq(f32[?])"
        assert outlines(report)["z"] == "f32[?, ?]"

    def test_what_a_body_captures(self) -> None:
        body = "(bool c1, float[] w) { c1 = Identity(c0) w = MatMul(x, t) }"
        assert clean(loop(body, trips="five", before="t = Transpose(x)"))["y"] == "f32[5, N, N]"

    def test_the_number_of_the_pass_is_not_a_number(self) -> None:
        body = "(bool c1, float[] w) { c1 = Identity(c0) s = Unsqueeze(i, axes) w = Reshape(x, s) }"
        report = checked(loop(body, before="axes = Constant<value = int64[1] {0}>()"))
        assert outlines(report)["y"] in ("f32[?, ?]", "f32[?, 3*N]")

    def test_a_fault_in_a_body_is_said_once_with_the_way_there(self) -> None:
        body = "(bool c1, float[] w) { c1 = Identity(c0) g = Concat<axis=0>(v, row) bad = MatMul(g, row) w = Relu(g) }"
        report = checked(loop(body, ", none", state=", float[] v"))
        assert faults(report) == ["error inner-dim-mismatch @ Loop_6.body / 2"]

    def test_a_fault_in_a_function_that_a_body_calls_is_said(self) -> None:
        body = "(bool c1, float[] w) { c1 = Identity(c0) bad = f.F(row) w = Concat<axis=0>(v, row) }"
        text = '<ir_version: 9, opset_import: ["" : 20, "f" : 1]>' + loop(body, ", none", state=", float[] v")
        report = checked(text + '<domain: "f", opset_import: ["" : 20]> F (p) => (q) { q = MatMul(p, p) }')
        assert faults(report) == ["error inner-dim-mismatch @ Loop_6.body / f::F / 0"]

    def test_a_name_declared_in_a_body_is_not_compared_with_a_pass_that_is_not_the_last(self) -> None:
        body = "(bool c1, float[N, 3] w) { c1 = Identity(c0) w = Concat<axis=0>(v, row) }"
        assert faults(checked(loop(body, ", row", state=", float[] v"))) == []

    @pytest.mark.parametrize(
        ("state", "outputs", "code", "says"),
        [
            (
                "",
                "(bool c1) { c1 = Identity(c0) }",
                "subgraph-mismatch",
                "the body takes 2 inputs, the loop passes 3",
            ),
            (
                ", float[] v",
                "(bool c1) { c1 = Identity(c0) }",
                "subgraph-mismatch",
                "the body returns 1 outputs; expected a condition and 1 loop-carried values",
            ),
        ],
    )
    def test_a_body_that_does_not_fit(self, state: str, outputs: str, code: str, says: str) -> None:
        report = checked(loop(outputs, ", x", state=state))
        assert faults(report) == [f"error {code} @ 6"]
        assert report.diagnostics[0].message == says

    def test_a_loop_in_a_loop(self) -> None:
        inner = "p = Loop(five, yes) <body = d (int64 j, bool c2) => (c3, r) { c3 = Identity(c2) r = Relu(x) }>"
        body = f"(bool c1, float[] w) {{ c1 = Identity(c0) {inner} w = Relu(p) }}"
        assert clean(loop(body, trips="five"))["y"] == "f32[5, 5, N, 3]"


def scan(inputs: str, body: str, attributes: str = "num_scan_inputs = 1", outputs: str = "y", opset: int = 20) -> str:
    return f"""<ir_version: 9, opset_import: ["" : {opset}]>
    g (float[T, N, 3] x, float[U, N] v, float[N] h) => ({outputs}) {{
        {outputs} = Scan<{attributes}, body = b {body}>({inputs})
    }}"""


class TestScan:
    @pytest.mark.parametrize("opset", [9, 11, 20])
    def test_slices_are_stacked(self, opset: int) -> None:
        text = scan("x", "(float[] e) => (float[] r) { r = Transpose(e) }", opset=opset)
        assert clean(text)["y"] == "f32[T, 3, N]"

    @pytest.mark.parametrize(
        ("axes", "shape"),
        [
            ("scan_input_axes = [1]", "f32[N, T, 3]"),
            ("scan_input_axes = [-1]", "f32[3, T, N]"),
            ("scan_output_axes = [1]", "f32[N, T, 3]"),
            ("scan_output_axes = [-1]", "f32[N, 3, T]"),
            ("scan_input_axes = [2], scan_output_axes = [2]", "f32[T, N, 3]"),
            ("scan_input_directions = [1], scan_output_directions = [1]", "f32[T, N, 3]"),
        ],
    )
    def test_axes_and_directions(self, axes: str, shape: str) -> None:
        text = scan("x", "(float[] e) => (float[] r) { r = Relu(e) }", f"num_scan_inputs = 1, {axes}")
        assert clean(text)["y"] == shape

    @pytest.mark.parametrize("axes", ["scan_input_axes = [3]", "scan_output_axes = [3]", "scan_output_axes = [-4]"])
    def test_an_axis_that_is_not_there(self, axes: str) -> None:
        text = scan("x", "(float[] e) => (float[] r) { r = Relu(e) }", f"num_scan_inputs = 1, {axes}")
        assert faults(checked(text)) == ["error axis-out-of-range @ 0"]

    def test_a_state_that_stays(self) -> None:
        body = "(float[] s, float[] e) => (float[] s1, float[] r) { s1 = Add(s, e) r = Identity(s1) }"
        found = clean(scan("h, v", body, outputs="y, z"))
        assert (found["y"], found["z"]) == ("f32[N]", "f32[U, N]")

    def test_two_inputs_have_as_many_slices(self) -> None:
        body = "(float[] d, float[] e) => (float[] r) { r = Add(d, e) }"
        report = checked(scan("x, v", body, "num_scan_inputs = 2", opset=11))
        assert "T == U" in contract(report) or "U == T" in contract(report)
        two = scan("x, v", body, "num_scan_inputs = 2").replace("T, N", "2, N").replace("U, N", "4, N")
        assert "error dim-mismatch @ 0" in faults(checked(two))

    def test_in_its_first_version_a_scan_has_a_batch(self) -> None:
        text = """<ir_version: 3, opset_import: ["" : 8]>
        g (float[B, N] h, float[B, T, N] x) => (float[] y, float[] z) {
            y, z = Scan<num_scan_inputs = 1, body = b (float[N] s, float[N] e) => (float[N] s1, float[N] r) {
                s1 = Add(s, e) r = Identity(s1)
            }>(, h, x)
        }"""
        found = clean(text)
        assert (found["y"], found["z"]) == ("f32[B, N]", "f32[B, T, N]")

    @pytest.mark.parametrize("count", [0, 2, -1])
    def test_a_count_that_does_not_fit(self, count: int) -> None:
        text = scan("x", "(float[] e) => (float[] r) { r = Relu(e) }", f"num_scan_inputs = {count}")
        assert faults(checked(text)) == ["error invalid-attribute @ 0"]
