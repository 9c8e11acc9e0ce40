"""SARIF for code scanning: valid, with rules that explain themselves and results that stay the same result."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import onnx
import pytest
from attrs import evolve
from jsonschema import Draft202012Validator

from shapeinfer import Report, check
from shapeinfer.diagnostics.codes import CODES, UNREADABLE
from shapeinfer.diagnostics.diagnostic import Diagnostic, NodeRef, SourceLine
from shapeinfer.report import FORMATS
from tests.command import BAD
from tests.each import each
from tests.golden import reports
from tests.models import node, parsed

SCHEMA = json.loads((Path(__file__).parent / "sarif.schema.json").read_text(encoding="utf-8"))
VALIDATOR = Draft202012Validator(SCHEMA)


def run_of(*found: tuple[str, Report]) -> dict[str, Any]:
    """The only run of a log, which is valid."""
    log = json.loads("".join(FORMATS["sarif"](found, several=True)))
    assert [error.message for error in VALIDATOR.iter_errors(log)] == []
    run: dict[str, Any] = log["runs"][0]
    return run


def results(model: onnx.ModelProto) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = run_of(("m.onnx", check(model)))["results"]
    return found


def where(result: dict[str, Any], key: str = "locations") -> list[tuple[str, int]]:
    places = [location["physicalLocation"] for location in result[key]]
    return [(place["artifactLocation"]["uri"], place["region"]["startLine"]) for place in places]


def test_the_schema_of_our_part_is_one() -> None:
    Draft202012Validator.check_schema(SCHEMA)


def test_all_kinds_of_reports_are_valid() -> None:
    assert len(run_of(*reports())["results"]) == sum(len(report.diagnostics) for _, report in reports())


def test_a_run_without_findings_names_what_was_checked() -> None:
    run = run_of(("clean.onnx", Report(())))
    assert (run["results"], run["tool"]["driver"]["rules"]) == ([], [])
    assert [a["location"]["uri"] for a in run["artifacts"]] == ["clean.onnx"]


@each(CODES.values(), name=lambda code: str(code.name))
def test_a_rule_explains_itself(code: Any) -> None:
    run = run_of(("m.onnx", Report((Diagnostic(code, code.severity, "what is wrong"),))))
    (rule,) = run["tool"]["driver"]["rules"]
    assert rule["id"] == code.name
    assert rule["help"]["markdown"] == code.page
    assert rule["defaultConfiguration"]["level"] == code.severity.value


def test_each_result_points_at_its_rule() -> None:
    run = run_of(*reports())
    rules = run["tool"]["driver"]["rules"]
    assert [rules[r["ruleIndex"]]["id"] for r in run["results"]] == [r["ruleId"] for r in run["results"]]
    assert len({rule["id"] for rule in rules}) == len(rules)


class TestPlaces:
    FAULT = check(parsed(BAD)).diagnostics[0]

    def result(self, fault: Diagnostic, name: str = "m.onnx") -> dict[str, Any]:
        found: dict[str, Any] = run_of((name, evolve(check(parsed(BAD)), diagnostics=(fault,))))["results"][0]
        return found

    def test_a_binary_model_is_pointed_at_by_its_first_line(self) -> None:
        assert where(self.result(self.FAULT)) == [("m.onnx", 1)]

    def test_a_model_with_lines_is_pointed_at_by_the_node_s(self) -> None:
        assert where(self.result(evolve(self.FAULT, line=12), "m.xml")) == [("m.xml", 12)]

    def test_the_user_s_own_line_comes_first_and_the_model_is_related(self) -> None:
        result = self.result(evolve(self.FAULT, source=SourceLine("src/net.py", 7)))
        assert where(result) == [("src/net.py", 7)]
        assert where(result, "relatedLocations") == [("m.onnx", 1)]

    def test_a_file_of_another_machine_is_only_related(self) -> None:
        result = self.result(evolve(self.FAULT, source=SourceLine("/home/someone/net.py", 7)))
        assert where(result) == [("m.onnx", 1)]
        assert where(result, "relatedLocations") == [("file:///home/someone/net.py", 7)]

    def test_a_file_below_the_working_directory_is_named_from_there(self) -> None:
        own = SourceLine(str(Path.cwd() / "src" / "net.py"), 7)
        assert where(self.result(evolve(self.FAULT, source=own))) == [("src/net.py", 7)]

    def test_a_node_is_named_with_the_graphs_around_it(self) -> None:
        inner = evolve(self.FAULT, node=NodeRef(3, "/add", "Add", graph=("If_0.then_branch",)))
        (logical,) = self.result(inner)["locations"][0]["logicalLocations"]
        assert logical == {"name": "/add", "fullyQualifiedName": "main / If_0.then_branch / /add", "kind": "node"}

    def test_a_node_without_a_name_goes_by_what_it_makes(self) -> None:
        assert self.result(self.FAULT)["locations"][0]["logicalLocations"][0]["name"] == "y"

    def test_what_has_no_node_stands_in_the_graph(self) -> None:
        (logical,) = self.result(evolve(self.FAULT, node=None))["locations"][0]["logicalLocations"]
        assert logical == {"name": "main", "fullyQualifiedName": "main", "kind": "graph"}

    def test_a_file_without_a_graph_has_no_logical_place(self) -> None:
        run = run_of(("m.onnx", Report((Diagnostic(UNREADABLE, UNREADABLE.severity, "no such file"),))))
        assert "logicalLocations" not in run["results"][0]["locations"][0]

    @pytest.mark.parametrize(
        ("path", "uri"),
        [
            ("a b/m#1.onnx", "a%20b/m%231.onnx"),
            ("100%.onnx", "100%25.onnx"),
            ("a:b.onnx", "a%3Ab.onnx"),
            ("./m.onnx", "m.onnx"),
            ("/gone/models/m.onnx", "file:///gone/models/m.onnx"),
            ("C:\\models\\m.onnx", "file:///C:/models/m.onnx"),
            ("m\n\u202e.onnx", "m%0A%E2%80%AE.onnx"),
            ("m\udc80.onnx", "m%ED%B2%80.onnx"),
        ],
    )
    def test_a_path_is_a_uri(self, path: str, uri: str) -> None:
        (found,) = where(self.result(self.FAULT, path))
        assert found == (uri, 1)
        assert unquote(urlsplit(uri).path)


TEXT = """<ir_version: 9, opset_import: ["" : 20]>
net (float[N, 64] x, float[10, 64] w) => (y) {
    h = Relu (x)
    y = Gemm (h, w)
}"""


class TestFixes:
    """What would fit, as an edit of the text of the model."""

    def fixes(self, text: str) -> list[dict[str, Any]]:
        report = check(text.encode())
        (result,) = run_of(("net.onnxtxt", report))["results"]
        found: list[dict[str, Any]] = result.get("fixes", [])
        return found

    @pytest.mark.parametrize(
        ("before", "after"),
        [
            ("Gemm (h, w)", "Gemm <transB = 1> (h, w)"),
            ("Gemm <transB = 0> (h, w)", "Gemm <transB = 1> (h, w)"),
            ("Gemm <alpha = 0.5> (h, w)", "Gemm <alpha = 0.5, transB = 1> (h, w)"),
        ],
    )
    def test_an_attribute_is_set_where_the_statement_stands(self, before: str, after: str) -> None:
        text = TEXT.replace("Gemm (h, w)", before)
        (fix,) = self.fixes(text)
        (change,) = fix["artifactChanges"]
        (replacement,) = change["replacements"]
        region = replacement["deletedRegion"]
        lines = text.splitlines()
        assert change["artifactLocation"] == {"uri": "net.onnxtxt"}
        assert fix["description"]["text"] == "transB = 1 would fit"
        assert region["startLine"] == region["endLine"] == 4
        line = lines[3]
        lines[3] = (
            line[: region["startColumn"] - 1] + replacement["insertedContent"]["text"] + line[region["endColumn"] - 1 :]
        )
        assert lines[3] == f"    y = {after}"
        assert check("\n".join(lines).encode()).ok

    def test_a_statement_in_a_branch_has_its_own_place(self) -> None:
        inner = (
            "y = If (c) < then_branch = a () => (t) { t = Gemm (x, w) }, else_branch = b () => (e) { e = Relu (x) } >"
        )
        text = TEXT.replace("h = Relu (x)", "").replace("y = Gemm (h, w)", inner).replace("(float", "(bool c, float", 1)
        report = check(text.encode())
        found = next(d.fix for d in report.diagnostics if d.fix is not None)
        assert found.edit is not None
        assert inner[: found.edit.column - 5].endswith("t = Gemm")

    def test_a_binary_model_has_none_and_the_message_says_it(self) -> None:
        (result,) = results(parsed(TEXT))
        assert "fixes" not in result
        assert result["message"]["text"].endswith("help: transB = 1 would fit")


class TestGitHub:
    """What code scanning requires beyond the standard."""

    def test_related_nodes_of_a_text_are_linked_from_the_message(self) -> None:
        text = TEXT.replace("y = Gemm (h, w)", "a = MatMul (h, w) b = MatMul (x, w) y = Add (a, b)")
        (result,) = run_of(("net.onnxtxt", check(text.encode())))["results"]
        ids = [location["id"] for location in result["relatedLocations"]]
        assert ids == list(range(1, len(ids) + 1))
        assert "also at [MatMul" in result["message"]["text"]
        assert f"]({ids[-1]})" in result["message"]["text"]

    def test_a_file_outside_the_checkout_is_named_from_its_root(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (tmp_path / "repo" / ".git").mkdir(parents=True)
        (tmp_path / "repo" / "sub").mkdir()
        for name in ("repo/sub/a.onnx", "repo/b.onnx", "c.onnx"):
            (tmp_path / name).write_bytes(b"")
        monkeypatch.chdir(tmp_path / "repo" / "sub")
        names = ["a.onnx", "../b.onnx", str(tmp_path / "repo" / "b.onnx"), "../../c.onnx", str(tmp_path / "c.onnx")]
        run = run_of(*((name, check(parsed(BAD))) for name in names))
        uris = ["sub/a.onnx", "b.onnx", "b.onnx", "../c.onnx", "../c.onnx"]
        assert [where(result)[0][0] for result in run["results"]] == uris
        assert [a["location"]["uri"] for a in run["artifacts"]] == list(dict.fromkeys(uris))

    def test_absolute_paths_come_with_the_directory_that_they_were_found_from(self) -> None:
        run = run_of(("/gone/m.onnx", Report(())))
        assert run["invocations"] == [
            {"executionSuccessful": True, "workingDirectory": {"uri": f"{Path.cwd().as_uri()}/"}}
        ]
        assert "invocations" not in run_of(("m.onnx", Report(())))


class TestFingerprints:
    def prints(self, model: onnx.ModelProto) -> list[str]:
        return [r["partialFingerprints"]["primaryLocationLineHash"] for r in results(model) if r["level"] == "error"]

    def test_nodes_before_it_change_nothing(self) -> None:
        model = parsed(BAD)
        before = self.prints(model)
        model.graph.node.insert(0, node("Relu", "a", "before"))
        assert self.prints(model) == before

    def test_a_name_for_the_node_changes_nothing(self) -> None:
        model = parsed(BAD)
        before = self.prints(model)
        model.graph.node[1].name = "/sum"
        assert self.prints(model) == before

    def test_faults_that_are_alike_are_counted(self) -> None:
        fault = check(parsed(BAD)).diagnostics[0]
        again = evolve(fault, node=NodeRef(9, "", "Add", output="y"))
        run = run_of(("m.onnx", Report((fault, again))))
        first, second = (r["partialFingerprints"]["primaryLocationLineHash"] for r in run["results"])
        assert first.removesuffix(":1") == second.removesuffix(":2") == fault.fingerprint

    def test_the_same_fault_of_two_models_is_reported_by_the_model(self) -> None:
        report = check(parsed(BAD))
        run = run_of(("a.onnx", report), ("b.onnx", report))
        assert all(r["partialFingerprints"]["primaryLocationLineHash"].endswith(":1") for r in run["results"])
