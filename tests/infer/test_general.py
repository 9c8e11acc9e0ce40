"""Sizes of 2 and more decide what is said: what only 0 and 1, or one size of a named dim, meet is a warning."""

from __future__ import annotations

import copy
import itertools
import pickle
from collections.abc import Mapping

import onnx
import pytest

from shapeinfer import Report, check
from shapeinfer.diagnostics.diagnostic import Diagnostic
from shapeinfer.infer.constraints.contract import Contract
from tests.command import Shell
from tests.models import about_sizes, checked, contract, faults, in_general, parsed

PINNED = """main (float[batch, 4, seq, 8] q, float[8, 8] w) => (y) {
    t = Transpose <perm = [0, 1, 3, 2]> (q)
    y = MatMul (t, w)
}"""
TIED = "main (float[batch, seq] ids, float[batch, length] mask) => (y) { y = Add (ids, mask) }"
DEGENERATE = """main (float[batch, seq, 4] x, float[1, seq, 4] table) => (y) {
    shape = Constant <value = int64[3] {1, -1, 4}> ()
    flat = Reshape (x, shape)
    y = Add (flat, table)
}"""
ALL = {"pinned-dim": PINNED, "tied-dims": TIED, "degenerate-sizes-only": DEGENERATE}


def only(report: Report) -> Diagnostic:
    (found,) = report.diagnostics
    return found


def compared(diagnostic: Diagnostic) -> list[tuple[str, int | None, str]]:
    """The values and axes that a finding compares, and their lengths as text."""
    return [(o.value, o.axis, str(o.dim)) for o in diagnostic.operands]


class TestWhatIsFound:
    def test_a_dim_that_must_have_one_size(self) -> None:
        report = checked(PINNED)
        assert faults(report) == ["warning pinned-dim @ 1"]
        assert only(report).message == "requires seq == 8: axis -1 of A is seq but axis -2 of B is 8"
        assert compared(only(report)) == [("t", 3, "seq"), ("w", 0, "8")]
        assert report.ok

    def test_two_dims_that_must_be_one(self) -> None:
        report = checked(TIED)
        assert faults(report) == ["warning tied-dims @ 0"]
        assert only(report).message.startswith("requires length == seq for sizes above 1: axis 1 is seq in A")
        assert compared(only(report)) == [("ids", 1, "seq"), ("mask", 1, "length")]

    def test_a_model_for_sizes_of_0_and_1_only(self) -> None:
        report = checked(DEGENERATE)
        assert faults(report) == ["warning degenerate-sizes-only @ 2"]
        assert only(report).message.startswith("requires batch == 1 or seq == 1: axis 1 is batch*seq in A")
        assert compared(only(report)) == [("flat", 1, "batch*seq"), ("table", 1, "seq")]
        assert in_general(report) == ["batch == 1 or seq == 1"]

    def test_one_dim_alone_that_must_be_1_is_pinned(self) -> None:
        """An axis that was dropped: the batch is broadcast against the heads."""
        report = checked(DEGENERATE.replace("float[1, seq, 4] table", "float[1, seq, 4] table, float[1, 7, 4] seven"))
        assert faults(report) == ["warning degenerate-sizes-only @ 2"]
        fixed = DEGENERATE.replace("seq", "7")
        assert faults(checked(fixed)) == ["warning pinned-dim @ 2"]
        assert only(checked(fixed)).message.startswith("requires batch == 1: axis 1 is 7*batch in A and 7 in B")

    def test_the_node_that_asks_is_the_one_that_traced_the_size(self) -> None:
        """The Reshape has the number, the Add beyond it only its result."""
        report = checked("""main (float[batch, 6] x, float[batch, 2, 3] z) => (y) {
            shape = Constant <value = int64[3] {4, 2, 3}> ()
            r = Reshape (x, shape)
            y = Add (r, z)
        }""")
        assert faults(report) == ["warning pinned-dim @ 1"]
        assert in_general(report) == ["batch == 4"]

    @pytest.mark.parametrize(
        ("node", "says"),
        [
            ("y = Concat <axis = 1> (x, w)", "requires n == 3: "),
            ("y = Add (x, w)", "requires n == 3 for sizes above 1: "),
        ],
    )
    def test_it_is_said_where_size_1_runs_too(self, node: str, says: str) -> None:
        (message,) = about_sizes(checked(f"main (float[n, 4] x, float[3, 4] w) => (y) {{ {node} }}"))
        assert message.startswith(says)

    def test_a_dim_is_said_once_however_many_nodes_ask(self) -> None:
        report = checked("main (float[n, 4] x, float[3, 4] w) => (y) { a = Concat <axis = 1> (x, w) y = Add (w, x) }")
        assert about_sizes(report) == ["requires n == 3: axis 0 of inputs 0 is n but axis 0 of inputs 1 is 3"]


class TestWhatIsNot:
    @pytest.mark.parametrize(
        "inputs",
        [
            "float[unk__1, 3] x, float[4, 3] z",
            "float[unk__1, 3] x, float[unk__2, 3] z",
            "float[x_dim_0, 3] x, float[4, 3] z",
            "float[s0, 3] x, float[s1, 3] z",
        ],
    )
    def test_names_that_a_tool_made_are_free_to_be_tied(self, inputs: str) -> None:
        assert about_sizes(checked(f"main ({inputs}) => (y) {{ y = Concat <axis = 1> (x, z) }}")) == []

    def test_so_are_dims_without_names(self) -> None:
        model = parsed("main (float[a, 3] x, float[4, 3] z) => (y) { y = Concat <axis = 1> (x, z) }")
        model.graph.input[0].type.tensor_type.shape.dim[0].ClearField("dim_param")
        assert about_sizes(check(model)) == []

    @pytest.mark.parametrize(
        "body",
        [
            "y = MaxPool <kernel_shape = [5], strides = [5]> (x)",
            "s = Constant <value = int64[2] {-1, 8}> () y = Reshape (x, s)",
        ],
    )
    def test_bounds_and_divisors_are_conditions_and_no_more(self, body: str) -> None:
        report = checked(f"main (float[n, 3, length] x) => (y) {{ {body} }}")
        assert (faults(report), len(contract(report)) > 0) == ([], True)

    def test_a_dim_that_broadcasts_with_1_is_free(self) -> None:
        report = checked("main (float[n, 4] x, float[1, 4] w) => (y) { y = Add (x, w) }")
        assert (faults(report), contract(report)) == ([], [])


class TestSeverity:
    def test_what_fails_for_all_sizes_is_an_error(self) -> None:
        report = checked("main (float[n, 64] x, float[n, 128] z) => (y) { y = Add (x, z) }")
        assert faults(report) == ["error not-broadcastable @ 0"]

    def test_also_at_a_node_that_ties_dims_too(self) -> None:
        report = checked("main (float[n, 64] x, float[m, 128] z) => (y) { y = Add (x, z) }")
        assert faults(report) == ["error not-broadcastable @ 0"]
        assert [d.code.name for d in only(report).related] == ["tied-dims"]

    def test_two_sizes_that_one_dim_must_have_are_an_error_that_names_both(self) -> None:
        report = checked(PINNED.replace("w) =>", "w, float[5, 4] v) =>").replace("(t, w)", "(t, w) z = MatMul (t, v)"))
        assert faults(report) == ["error inner-dim-mismatch @ 2"]
        (fault,) = report.errors
        assert fault.notes == ("seq is 8: seq == 8, required by MatMul (node 1)",)

    def test_a_strict_run_fails(self, shell: Shell) -> None:
        path = shell.save("m.onnx", f'<ir_version: 10, opset_import: ["" : 20]>\n{PINNED}')
        assert shell("check", path).code == 0
        assert shell("check", "--strict", path).code == 1
        (shell.folder / "shapeinfer.toml").write_text("strict = true\n", encoding="ascii")
        assert shell("check", path).code == 1


class TestSizesThatAreGiven:
    """They are judged as they are: who gives a size means it."""

    def test_the_size_that_is_needed(self) -> None:
        report = checked(PINNED, bind={"seq": 8})
        assert (faults(report), contract(report)) == ([], [])

    def test_another_is_an_error(self) -> None:
        assert faults(checked(PINNED, bind={"seq": 1})) == ["error inner-dim-mismatch @ 1"]

    @pytest.mark.parametrize("bind", [{"batch": 1}, {"seq": 1}, {"batch": 1, "seq": 1}])
    def test_a_small_one(self, bind: Mapping[str, int]) -> None:
        assert faults(checked(DEGENERATE, bind=bind)) == []

    def test_a_large_one(self) -> None:
        report = checked(DEGENERATE, bind={"batch": 3})
        assert faults(report) == ["warning pinned-dim @ 2"]
        assert "requires seq == 1" in only(report).message
        assert faults(checked(DEGENERATE, bind={"batch": 3, "seq": 5})) == ["error not-broadcastable @ 2"]

    def test_a_range_of_small_ones(self) -> None:
        assert faults(check(parsed(DEGENERATE), ranges={"seq": (1, 1)})) == []
        assert faults(check(parsed(DEGENERATE), ranges={"batch": (0, 1), "seq": (1, 1)})) == []

    def test_a_range_of_large_ones_is_a_fault_of_the_range(self) -> None:
        assert not check(parsed(DEGENERATE), ranges={"batch": (2, 4), "seq": (2, 4)}).ok

    def test_an_assumption(self) -> None:
        assert faults(check(parsed(TIED), assume=["seq == length"])) == []
        assert faults(check(parsed(PINNED), assume=["seq == 8"])) == []


class TestContracts:
    @pytest.mark.parametrize("text", ALL.values(), ids=ALL)
    def test_a_size_holds_exactly_where_the_model_runs(self, text: str) -> None:
        """0 and 1 too: what is said in general takes no size away."""
        model = parsed(text)
        report = check(model)
        names = sorted({s.name for r in report.contract.all_sizes for s in r.asked.symbols})
        for sizes in itertools.product((0, 1, 2, 3, 8), repeat=len(names)):
            bind = dict(zip(names, sizes))
            assert report.contract.holds(bind) == check(model, bind=bind).ok, bind

    def test_general_ones_follow_from_all_for_sizes_of_2_and_more(self) -> None:
        for text in ALL.values():
            report = checked(text)
            names = sorted({s.name for r in report.contract.all_sizes for s in r.asked.symbols})
            for sizes in itertools.product((2, 3, 8), repeat=len(names)):
                bind = dict(zip(names, sizes))
                holds = all(
                    r.asked.substitute({s: bind[s.name] for s in r.asked.symbols}).answer().is_yes
                    for r in report.contract
                )
                assert holds == report.contract.holds(bind)

    def test_what_only_small_sizes_break_is_told_in_a_line(self, shell: Shell) -> None:
        body = "s = Constant <value = int64[3] {0, 0, -1}> () y = Reshape (p, s)"
        text = f"main (float[batch, seq, L] x) => (float[a, b, c] y) {{ p = MaxPool <kernel_shape = [4]> (x) {body} }}"
        path = shell.save("m.onnx", f'<ir_version: 10, opset_import: ["" : 20]>\n{text}')
        assert shell("check", path).out.splitlines()[:3] == [
            "m.onnx runs only where",
            "  L >= 4  MaxPool (node 0)",
            "  also requires seq, batch >= 1",
        ]
        assert shell("contract", path).out.splitlines()[-3:] == [
            "also requires seq, batch >= 1",
            "",
            "the smallest sizes that run: L = 4, batch = 1, seq = 1",
        ]
        for command in ("check", "contract"):
            shown = shell(command, "--all-sizes", path).out
            assert "also requires" not in shown
            assert "seq >= 1" in shown
            assert "batch >= 1" in shown

    def test_all_sizes_are_listed_also_where_none_remain_in_general(self, shell: Shell) -> None:
        body = "s = Constant <value = int64[2] {0, -1}> () y = Reshape (x, s)"
        text = f"main (float[batch, seq] x) => (float[a, b] y) {{ {body} }}"
        path = shell.save("m.onnx", f'<ir_version: 10, opset_import: ["" : 20]>\n{text}')
        assert shell("check", path).out.splitlines()[0] == "m.onnx requires batch >= 1"
        assert shell("contract", path).out.splitlines()[0] == "m.onnx requires batch >= 1"
        assert shell("check", "--all-sizes", path).out.splitlines()[0] == "m.onnx runs only where"

    @pytest.mark.parametrize("text", ALL.values(), ids=ALL)
    def test_one_can_be_copied_and_sent(self, text: str) -> None:
        contract = checked(text).contract
        for copied in (pickle.loads(pickle.dumps(contract)), copy.deepcopy(contract), copy.copy(contract)):
            assert copied == contract
            assert (copied.all_sizes, copied.small_sizes) == (contract.all_sizes, contract.small_sizes)

    def test_two_that_differ_for_small_sizes_only_are_not_equal(self) -> None:
        some = checked(TIED).contract
        assert Contract(some, some.all_sizes) == some
        assert hash(Contract(some, some.all_sizes)) == hash(some)
        assert Contract(some) != some


class TestSuppression:
    @pytest.mark.parametrize(("code", "text"), ALL.items(), ids=ALL)
    def test_by_the_models_metadata(self, code: str, text: str) -> None:
        model = parsed(text)
        onnx.helper.set_model_props(model, {"shapeinfer.ignore": code})
        report = check(model)
        assert faults(report) == []
        assert in_general(report) != []

    @pytest.mark.parametrize(("code", "text"), ALL.items(), ids=ALL)
    def test_by_the_caller(self, shell: Shell, code: str, text: str) -> None:
        path = shell.save("m.onnx", f'<ir_version: 10, opset_import: ["" : 20]>\n{text}')
        assert code in shell("check", path).out
        assert shell("check", "--strict", "--ignore", code, path).code == 0

    def test_a_severity_of_its_own(self, shell: Shell) -> None:
        path = shell.save("m.onnx", f'<ir_version: 10, opset_import: ["" : 20]>\n{TIED}')
        assert shell("check", "--severity", "tied-dims=error", path).code == 1
