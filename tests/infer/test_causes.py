"""One cause is one finding: what shares it, or follows from it, is listed as related and counted once."""

from __future__ import annotations

import json

import onnx
import pytest

from shapeinfer import Report, check
from shapeinfer.diagnostics.diagnostic import Diagnostic
from tests.command import Shell
from tests.models import checked, fault, faults, floats, made, node, parsed

BIAS = "float[32] b = {" + ", ".join(["1"] * 32) + "}"
HEADER = '<ir_version: 10, opset_import: ["" : 20]>\n'
SHARED = f"main (float[batch, 64] x) => (y, z, w) <{BIAS}> {{ y = Add (x, b) z = Mul (x, b) w = Sub (x, b) }}"
FOLLOWS = """main (float[2, 4] x, float[5, 7] w) => (double[2, 7] y) {
    a = Relu (x)
    y = MatMul (a, w)
}"""


def only(report: Report) -> Diagnostic:
    (found,) = report.diagnostics
    return found


def related(report: Report) -> list[str]:
    return [fault(d) for d in report.diagnostics[0].related]


class TestOneCause:
    def test_the_same_initializer(self) -> None:
        report = checked(SHARED)
        assert faults(report) == ["error not-broadcastable @ 0"]
        assert related(report) == ["error not-broadcastable @ 1", "error not-broadcastable @ 2"]

    def test_the_same_input(self) -> None:
        report = checked("""main (float[2, 4] x, float[5, 7] w, float[5, 7] v) => (y, z) {
            y = MatMul (x, w)
            a = Relu (x)
            z = MatMul (a, v)
        }""")
        assert faults(report) == ["error inner-dim-mismatch @ 0"]
        assert related(report) == ["error inner-dim-mismatch @ 2"]

    def test_an_operand_that_was_doubted_before_a_reshape(self) -> None:
        """The entries stay the same, and so does what is wrong with their last axis."""
        report = checked("""main (float[2, 3, 4] x, float[5, 7] w) => (y, z) <int64[2] to = {6, 4}> {
            y = MatMul (x, w)
            r = Reshape (x, to)
            z = MatMul (r, w)
        }""")
        assert faults(report) == ["error inner-dim-mismatch @ 0"]
        assert related(report) == ["error inner-dim-mismatch @ 2"]

    def test_the_same_node(self) -> None:
        report = checked(FOLLOWS)
        assert faults(report) == ["error inner-dim-mismatch @ 1"]
        assert related(report) == ["error declared-type-mismatch @ 1"]

    @pytest.mark.parametrize(
        ("nodes", "code"),
        [
            (
                "y = MaxPool <kernel_shape = [2], stride = [2]> (x) z = MaxPool <kernel_shape = [2], stride = [2]> (x)",
                "unknown-attribute",
            ),
            ("y = ReduceSum <axes = [1]> (x) z = ReduceSum <axes = [2]> (x)", "unknown-attribute"),
            ("y = Rellu (x) z = Rellu (y)", "no-such-operator"),
            ("y = Relu (q) z = Neg (q)", "undefined-value"),
        ],
    )
    def test_the_same_mistake_made_twice(self, nodes: str, code: str) -> None:
        report = checked(f"main (float[2, 3, 8] x) => (y, z) {{ {nodes} }}")
        assert (faults(report)[0], related(report)) == (f"error {code} @ 0", [f"error {code} @ 1"])

    def test_the_worst_severity_counts(self) -> None:
        built = made(
            [node("Op", "x", "a", domain="my"), node("Op", "a", domain="my")], [floats("x", 2)], opsets={"": 20}
        )
        assert faults(check(built)) == ["error missing-opset-import @ 0"]
        assert {d.severity.value for d in only(check(built)).related} == {"warning"}


class TestTwoCauses:
    @pytest.mark.parametrize(
        "graph",
        [
            "(float[2, 3] x, float[2, 4] z, float[5, 6] u, float[5, 7] v) => (y, w) { y = Add (x, z) w = Add (u, v) }",
            "(float[2, 5] x, float[3, 4] w, float[2, 7] z) => (y, q) { y = MatMul (x, w) q = Add (z, x) }",
        ],
        ids=["other values", "another comparison of the same value"],
    )
    def test_faults_that_have_nothing_to_do_with_each_other(self, graph: str) -> None:
        report = checked(f"main {graph}")
        assert [f.partition(" @ ")[2] for f in faults(report)] == ["0", "1"]
        assert all(d.related == () for d in report.diagnostics)

    def test_other_axes_of_one_value(self) -> None:
        text = "main (float[2, 5] x, float[3, 4] w, float[7, 1] v) => (y, z) { y = MatMul (x, w) z = Add (x, v) }"
        assert len(faults(checked(text))) == 2

    def test_two_different_misspellings(self) -> None:
        assert len(faults(checked("main (float[2] x) => (y, z) { y = Rellu (x) z = Negg (x) }"))) == 2

    def test_notes_stay_as_they_are(self) -> None:
        report = checked("main (float[2] x, float[3] p, float[3] q) => (y) { y = Relu (x) a = Neg (x) b = Neg (x) }")
        assert [fault(d) for d in report.diagnostics] == ["note unused-node @ 1", "note unused-input"]
        assert all(d.related == () for d in report.diagnostics)


class TestTelling:
    def test_text_names_a_few_of_the_nodes(self, shell: Shell) -> None:
        ended = shell("check", shell.save("m.onnx", HEADER + SHARED))
        assert "  and at 2 more nodes: Mul (node 1), Sub (node 2)\n" in ended.out
        assert ended.out.endswith("1 error in m.onnx\n")

    def test_text_counts_the_rest(self, shell: Shell) -> None:
        nodes = " ".join(f"y{i} = Add (x, b)" for i in range(15))
        text = f"main (float[2, 64] x) => (y0) <{BIAS}> {{ {nodes} }}"
        shown = shell("check", shell.save("m.onnx", HEADER + text)).out
        assert "  and at 14 more nodes: Add (node 1), Add (node 2), Add (node 3), ...\n" in shown

    def test_json_has_all_of_them(self, shell: Shell) -> None:
        ended = shell("check", "--format", "json", shell.save("m.onnx", HEADER + SHARED))
        (found,) = json.loads(ended.out)["diagnostics"]
        assert [(d["code"], d["node"]["index"]) for d in found["related"]] == [
            ("not-broadcastable", 1),
            ("not-broadcastable", 2),
        ]

    def test_sarif_has_them_as_related_locations(self, shell: Shell) -> None:
        ended = shell("check", "--format", "sarif", shell.save("m.onnx", HEADER + SHARED))
        (result,) = json.loads(ended.out)["runs"][0]["results"]
        names = [location["logicalLocations"][0]["name"] for location in result["relatedLocations"]]
        assert names == ["z", "w"]
        assert [location["id"] for location in result["relatedLocations"]] == [1, 2]


class TestChoosing:
    """What is said of a cause is one finding wherever findings are chosen or counted."""

    def test_what_the_model_ignores_lets_the_next_speak(self) -> None:
        built = parsed(FOLLOWS)
        onnx.helper.set_model_props(built, {"shapeinfer.ignore": "inner-dim-mismatch"})
        report = check(built)
        assert faults(report) == ["error declared-type-mismatch @ 1"]
        assert [d.code.name for d in report.suppressed] == ["inner-dim-mismatch"]

    def test_so_does_what_the_caller_ignores(self, shell: Shell) -> None:
        path = shell.save("m.onnx", HEADER + FOLLOWS)
        first = shell("check", "--format", "concise", path).out
        assert ("inner-dim-mismatch" in first, "declared-type-mismatch" in first) == (True, False)
        ended = shell("check", "--format", "concise", "--ignore", "inner-dim-mismatch", path)
        assert ("inner-dim-mismatch" in ended.out, "declared-type-mismatch" in ended.out) == (False, True)
        assert ended.code == 1

    def test_a_baseline_counts_findings(self, shell: Shell) -> None:
        path = shell.save("m.onnx", HEADER + SHARED)
        shell("check", path, "--write-baseline", "known.json")
        (entry,) = json.loads((shell.folder / "known.json").read_text(encoding="ascii"))["models"]["m.onnx"]
        assert entry["count"] == 1
        assert shell("check", path, "--baseline", "known.json").code == 0
