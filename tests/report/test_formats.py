"""The formats for editors and CI: concise, GitHub's annotations, JUnit, Markdown."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import xmlschema
from attrs import evolve

from shapeinfer import Report, check
from shapeinfer.diagnostics.codes import BUDGET_EXCEEDED, NOT_BROADCASTABLE, UNREADABLE, Severity
from shapeinfer.diagnostics.diagnostic import Diagnostic, NodeRef, SourceLine
from shapeinfer.report import FORMATS, WITH_CONTRACT, markdown
from shapeinfer.report.paint import Paint
from tests.command import BAD, GOOD, Shell
from tests.golden import HOSTILE, hostile, reports
from tests.models import parsed

JUNIT = xmlschema.XMLSchema(str(Path(__file__).parent / "junit.xsd"))
PLACE = NodeRef(42, "/layer2/add", "Add")
SOURCE = SourceLine("net.py", 7, "x + y")


def written(form: str, *found: tuple[str, Report]) -> str:
    return "".join(FORMATS[form](found, several=len(found) > 1))


def fault(message: str = "no", severity: Severity = Severity.ERROR, **more: Any) -> Diagnostic:
    return evolve(Diagnostic(NOT_BROADCASTABLE, severity, message, PLACE), **more)


@pytest.mark.parametrize("form", sorted(set(FORMATS) - {"json", "sarif"}))
class TestWhatAModelMayNotDo:
    def test_nothing_but_line_breaks_of_ours_is_unprintable(self, form: str) -> None:
        text = written(form, ("m\x1b\udc80.onnx", check(hostile())))
        assert all(c.isprintable() or c == "\n" for c in text)

    def test_a_line_break_in_a_name_starts_no_line(self, form: str) -> None:
        text = written(form, ("m.onnx", check(hostile("x\n::error::forged\n<failure>\n```\nm.onnx: no errors"))))
        starts = ("::error::", "<failure>", "```\nm.onnx", "m.onnx: no errors")
        assert not [line for line in text.splitlines() if line.strip().startswith(starts)]


@pytest.mark.parametrize("form", FORMATS)
def test_a_format_that_reads_no_contract_needs_none(form: str) -> None:
    found = [*reports(), ("needs.onnx", check(parsed("g (float[N, 4] x, float[M, 4] w) => (y) { y = Add (x, w) }")))]
    light = [(name, report.light(contract=form in WITH_CONTRACT)) for name, report in found]
    assert written(form, *light) == written(form, *found)


def test_overlong_names_are_shortened_where_people_read() -> None:
    text = written("text", ("m.onnx", check(hostile("/model/layer" * 1000 + "/MatMul"))))
    assert max(map(len, text.splitlines())) < 300
    assert re.search(r'Add "/model/layer[a-z/]*\.\.\.[a-z/]*/MatMul" \(node 0\)', text)


class TestConcise:
    def test_one_line_for_each_diagnostic(self) -> None:
        report = Report((fault("one"), fault("two", Severity.WARNING, node=None)))
        assert written("concise", ("m.onnx", report)).splitlines() == [
            'm.onnx: Add "/layer2/add" (node 42): error[not-broadcastable]: one',
            "m.onnx: warning[not-broadcastable]: two",
        ]

    def test_it_shows_lines(self) -> None:
        report = Report((fault(line=12, source=SOURCE),))
        assert written("concise", ("m.xml", report)) == (
            'm.xml:12: Add "/layer2/add" (node 42): error[not-broadcastable]: no (net.py:7)\n'
        )

    def test_a_clean_model_has_none(self, shell: Shell) -> None:
        assert shell("check", "--format", "concise", shell.save("m.onnx", GOOD)).out == ""

    def test_standard_input_has_a_name(self, shell: Shell) -> None:
        ended = shell("check", "--format", "concise", "-", stdin=parsed(BAD).SerializeToString())
        assert ended.out.startswith("<stdin>: Add (node 1): error[not-broadcastable]: ")


class TestGithub:
    def commands(self, *diagnostics: Diagnostic) -> list[str]:
        return written("github", ("m.onnx", Report(diagnostics))).splitlines()

    def test_the_most_severe_of_all_models_come_first(self) -> None:
        first = Report((fault("1", Severity.NOTE), fault("2", Severity.WARNING), fault("3")))
        second = Report((fault("4", Severity.WARNING), fault("5")))
        lines = written("github", ("a.onnx", first), ("b.onnx", second)).splitlines()
        assert [re.sub(r"^::(\w+) file=(\w).*?::(\d).*", r"\1 \2 \3", line) for line in lines] == [
            "error a 3",
            "error b 5",
            "warning a 2",
            "warning b 4",
            "notice a 1",
        ]

    def test_properties_and_message_are_escaped_each_in_their_way(self) -> None:
        report = Report((fault("50%: a, b", source=SourceLine("a,b:c%.py", 7)),))
        (line,) = written("github", ("m.onnx", report)).splitlines()
        assert line.startswith(
            "::error file=a%2Cb%3Ac%25.py,line=7,title=shapeinfer not-broadcastable::50%25: a, b%0A  m.onnx: "
        )

    def test_a_model_without_lines_is_named_without_one(self) -> None:
        assert self.commands(fault())[0].startswith("::error file=m.onnx,title=")

    def test_the_line_of_a_model_file_is_named(self) -> None:
        assert self.commands(fault(line=12))[0].startswith("::error file=m.onnx,line=12,title=")

    def test_a_file_of_another_machine_gives_way_to_the_model(self) -> None:
        (line,) = self.commands(fault(source=SourceLine("/home/someone/net.py", 7)))
        assert line.startswith("::error file=m.onnx,title=")
        assert "%0A  /home/someone/net.py:7%0A" in line

    def test_nothing_found_is_nothing_reported(self) -> None:
        assert self.commands() == []


class TestJunit:
    def suite(self, *found: tuple[str, Report]) -> ElementTree.Element:
        text = written("junit", *found)
        JUNIT.validate(text)
        (suite,) = ElementTree.fromstring(text)
        return suite

    def cases(self, *found: tuple[str, Report]) -> list[list[str]]:
        return [[element.tag for element in case] for case in self.suite(*found)]

    def test_all_kinds_of_reports_are_valid(self) -> None:
        assert len(self.suite(*reports())) == len(reports())

    def test_no_model_at_all_is_valid(self) -> None:
        assert self.suite().attrib == {"name": "shapeinfer", "tests": "0", "failures": "0", "errors": "0"}

    def test_errors_fail_and_what_else_is_reported_is_output(self) -> None:
        report = evolve(check(parsed(BAD)), diagnostics=(fault("hm", Severity.WARNING), fault("one"), fault("two")))
        ((case,),) = [self.suite(("m.onnx", report))]
        failure, out = case
        assert (failure.tag, failure.attrib) == ("failure", {"message": "2 errors", "type": "not-broadcastable"})
        assert [line for line in (failure.text or "").splitlines() if line.startswith("error")] == [
            "error[not-broadcastable]: one",
            "error[not-broadcastable]: two",
        ]
        assert (out.text or "").startswith("warning[not-broadcastable]: hm")

    def test_a_warning_fails_nothing(self) -> None:
        report = evolve(check(parsed(GOOD)), diagnostics=(fault("hm", Severity.WARNING),))
        assert self.cases(("m.onnx", report)) == [["system-out"]]

    def test_what_could_not_be_checked_is_an_error_and_no_failure(self) -> None:
        unreadable = Report((Diagnostic(UNREADABLE, Severity.ERROR, "no such file"),))
        given_up = evolve(
            check(parsed(GOOD)), diagnostics=(Diagnostic(BUDGET_EXCEEDED, BUDGET_EXCEEDED.severity, "too much"),)
        )
        assert self.cases(("a.onnx", unreadable), ("b.onnx", given_up)) == [["error"], ["error"]]

    def test_it_is_ascii_whatever_the_names_are(self) -> None:
        text = written("junit", ("modèle.onnx", check(hostile("größe\ufffe"))))
        assert text.isascii()
        assert ElementTree.fromstring(text)[0][0].attrib["name"] == "modèle.onnx"


class TestMarkdown:
    def test_a_row_for_each_model_and_a_section_for_each_with_diagnostics(self) -> None:
        lines = written("markdown", *reports()).splitlines()
        assert len([line for line in lines if line.startswith("| `")]) == len(reports())
        assert len([line for line in lines if line.startswith("### ")]) == sum(
            bool(r.diagnostics) for _, r in reports()
        )

    def test_models_without_faults_are_a_table_only(self) -> None:
        assert written("markdown", ("a.onnx", check(parsed(GOOD)))) == (
            "## shapeinfer: 1 model clean\n\n"
            "| model | verdict | errors | warnings | conditions |\n|---|---|--:|--:|--:|\n"
            "| `a.onnx` | clean | 0 | 0 | 0 |\n"
        )

    @pytest.mark.parametrize(
        ("name", "cell"),
        [
            ("a|b.onnx", "`a\\|b.onnx`"),
            ("a`b.onnx", "``a`b.onnx``"),
            ("`a`.onnx", "`` `a`.onnx ``"),
            ("``", "``` `` ```"),
        ],
    )
    def test_a_name_stays_in_its_cell(self, name: str, cell: str) -> None:
        assert f"| {cell} | clean |" in written("markdown", (name, check(parsed(GOOD))))

    def test_backticks_do_not_end_the_block(self) -> None:
        report = evolve(check(parsed(BAD)), diagnostics=(fault("```` and out"),))
        assert "\n`````text\n" in written("markdown", ("m.onnx", report))

    def test_more_than_github_accepts_is_skipped_and_counted(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(markdown, "LARGEST", 500)
        report = check(parsed(BAD))
        text = written("markdown", *((f"{i}.onnx", report) for i in range(4)))
        assert text.count("### ") == 1
        assert text.endswith("The diagnostics of 3 more models do not fit here.\n")


class TestNarrow:
    """Text on a terminal of sixty columns."""

    def lines(self, *diagnostics: Diagnostic) -> list[str]:
        report = Report(diagnostics)
        return "".join(FORMATS["text"]([("m.onnx", report)], several=False, paint=Paint(width=60))).splitlines()

    def test_lines_are_folded_at_blanks_and_hang(self) -> None:
        lines = self.lines(fault("these are many words " * 5, notes=("and here are some more of them " * 3,)))
        assert max(map(len, lines)) <= 60
        assert lines[:3] == [
            "error[not-broadcastable]: these are many words these are",
            "    many words these are many words these are many words",
            "    these are many words",
        ]
        assert lines[4].startswith("  note: ")
        assert lines[5].startswith("      ")

    def test_operands_that_do_not_fit_are_written_below_each_other(self) -> None:
        inputs = "float[a_very_long_name, 64] first, float[a_very_long_name, 128] second"
        report = check(parsed(f"main ({inputs}) => (y) {{ y = Add (first, second) }}"))
        assert self.lines(*report.diagnostics)[3:9] == [
            "    A  first  f32[a_very_long_name, 64]",
            "        64: axis 1 of input first",
            "    B  second  f32[a_very_long_name, 128]",
            "        128: axis 1 of input second",
            "  help: shapeinfer explain not-broadcastable",
            "",
        ]

    def test_a_hostile_name_is_not_obeyed_either(self) -> None:
        text = "".join(FORMATS["text"]([("m.onnx", check(hostile(HOSTILE)))], several=False, paint=Paint(width=60)))
        assert all(c.isprintable() or c == "\n" for c in text)
