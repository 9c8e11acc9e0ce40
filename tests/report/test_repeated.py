"""A small file may be wrong in a million places: how much is written of it has bounds."""

from __future__ import annotations

import json
import re

import onnx
import pytest
from attrs import evolve

from shapeinfer import Report
from shapeinfer.config import policy
from shapeinfer.config.policy import apply_settings
from shapeinfer.config.settings import ModelSettings, Settings
from shapeinfer.diagnostics.codes import LABEL_CONFLICT, NOT_BROADCASTABLE, UNUSED_NODE, Code, Severity
from shapeinfer.diagnostics.diagnostic import Diagnostic, NodeRef
from shapeinfer.report import FORMATS
from shapeinfer.report.repeated import FEW, condensed
from tests.command import GOOD, Shell, model_bytes

PEOPLE = sorted(set(FORMATS) - {"json", "sarif"})


def faults(count: int, message: str = "no", code: Code = NOT_BROADCASTABLE) -> list[Diagnostic]:
    return [Diagnostic(code, code.severity, message, NodeRef(i, f"n{i}", "Add")) for i in range(count)]


def empty_nodes(count: int) -> bytes:
    """A model of nodes that have nothing, not even an operator: two bytes each."""
    model = onnx.ModelProto(ir_version=10)
    model.opset_import.add(domain="", version=20)
    model.graph.name = "g"
    model.graph.output.add(name="y")
    model.graph.node.extend(onnx.NodeProto() for _ in range(count))
    return bytes(model.SerializeToString())


class TestForPeople:
    def test_findings_that_say_the_same_are_one_after_the_first_few(self) -> None:
        *written, rest = condensed(faults(1000))
        assert written == faults(FEW)
        assert rest.message == "no (990 more like this)"
        assert rest.node == NodeRef(FEW, f"n{FEW}", "Add")

    def test_of_few_none_is_skipped(self) -> None:
        assert condensed(faults(FEW + 1)) == faults(FEW + 1)

    def test_what_is_reported_of_others_is_written(self) -> None:
        several = [f for i in range(100) for f in faults(1, f"no {i}")]
        assert condensed(several) == several
        other = evolve(faults(1)[0], node=NodeRef(0, "", "Sub"))
        assert other in condensed([*faults(100), other])

    @pytest.mark.parametrize("form", PEOPLE)
    def test_every_format_does_so(self, form: str) -> None:
        text = "".join(FORMATS[form]([("m.onnx", Report(tuple(faults(100))))], several=False))
        assert len(re.findall(r'Add "n\d+"', text)) == FEW + 1
        assert "no (90 more like this)" in text


class TestForAll:
    def kept(self, *found: Diagnostic, **settings: object) -> tuple[Diagnostic, ...]:
        return apply_settings(Report(found), Settings(**settings), ModelSettings()).diagnostics  # type: ignore[arg-type]

    def test_of_one_code_a_thousand_are_kept_and_the_rest_counted(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(policy, "MOST_OF_A_CODE", 3)
        *listed, rest = self.kept(*faults(10))
        assert listed == faults(3)
        assert rest.message == "7 more findings with this code are not listed; this is the place of the first"
        assert (rest.code, rest.severity, rest.node) == (NOT_BROADCASTABLE, Severity.ERROR, NodeRef(3, "n3", "Add"))

    def test_they_hide_none_of_another_code(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(policy, "MOST_OF_A_CODE", 3)
        found = self.kept(*faults(9, code=UNUSED_NODE), *faults(2), *faults(9, code=LABEL_CONFLICT))
        assert [d for d in found if d.code is NOT_BROADCASTABLE] == faults(2)

    def test_what_is_not_wanted_takes_no_place(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(policy, "MOST_OF_A_CODE", 3)
        found = self.kept(*faults(9, code=UNUSED_NODE), *faults(2), ignore=frozenset({"unused-node"}))
        assert list(found) == faults(2)


@pytest.mark.parametrize("form", sorted(FORMATS))
def test_what_is_written_of_empty_nodes_does_not_grow_with_them(shell: Shell, form: str) -> None:
    data = empty_nodes(1000) + empty_nodes(10)  # messages that follow each other are one
    (shell.folder / "m.onnx").write_bytes(data)
    written = shell("check", "--format", form, "m.onnx").out
    (shell.folder / "m.onnx").write_bytes(data + empty_nodes(1000))
    assert len(shell("check", "--format", form, "m.onnx").out) < 1.1 * len(written)
    assert len(written) < (1_000_000 if form in ("json", "sarif") else 3000)


class TestMaxOutput:
    COMMANDS = (
        ["check"],
        ["check", "--format", "json"],
        ["show"],
        ["cost"],
        ["contract"],
        ["cost", "--format", "json"],
    )

    @pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
    def test_output_ends_at_a_line_and_states_so(self, shell: Shell, command: list[str]) -> None:
        whole = shell(*command, shell.save("m.onnx")).out
        ended = shell(*command, "--max-output", str((len(whole) - 2) / 2**20), "m.onnx")
        assert whole.startswith(ended.out)
        assert len(ended.out) < len(whole)
        assert ended.out[-1:] in ("", "\n")
        assert ended.err.endswith("megabytes per model; raise --max-output for more\n")
        assert ended.code == 3

    def test_it_is_counted_in_bytes(self, shell: Shell) -> None:
        model = onnx.parser.parse_model(GOOD)
        model.graph.node[0].input[0] = model.graph.input[0].name = "\U0001f600" * 1000
        (shell.folder / "m.onnx").write_bytes(model.SerializeToString())
        out = shell("show", "m.onnx").out
        ended = shell("show", "--max-output", str(len(out) / 2**20), "m.onnx")
        assert ended.code == 3
        assert len(ended.out.encode()) < len(out)

    def test_it_is_counted_for_each_model(self, shell: Shell) -> None:
        one = shell("check", shell.save("a.onnx")).out
        limit = str(2 * len(one) / 2**20)
        shell.save("b.onnx")
        assert shell("check", "--max-output", limit, "a.onnx").code == 0
        assert shell("check", "--max-output", limit, "a.onnx", "b.onnx").code == 0

    def test_what_is_complete_is_as_it_was(self, shell: Shell) -> None:
        ended = shell("check", "--format", "json", shell.save("m.onnx"))
        assert json.loads(ended.out)["ok"]


def test_standard_input_is_not_read_without_end(shell: Shell) -> None:
    ended = shell("check", "--max-memory", "4", "-", stdin=model_bytes(GOOD) + bytes(3 << 20))
    assert ended.err == "Error: standard input has more than 2 megabytes, the limit\n"
    assert ended.code == 2
