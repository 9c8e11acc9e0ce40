"""JUnit's XML, which most CI servers show: one test suite, a test case for each model."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from shapeinfer.api.report import Report
from shapeinfer.diagnostics.diagnostic import Diagnostic
from shapeinfer.report.paint import Paint, plain, printable
from shapeinfer.report.repeated import condensed
from shapeinfer.report.tally import count, outcome
from shapeinfer.report.text import block

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

_ELEMENTS = {"errors": "failure", "unreadable": "error", "incomplete": "error"}
"""A model with errors is a failure; one that was not checked completely is an error."""


def render(reports: Iterable[tuple[str, Report]], *, several: bool, paint: Paint = plain) -> Iterator[str]:  # noqa: ARG001 - a Format
    """Write the suite: errors of a model as one failure, other findings as its output."""
    from xml.etree import ElementTree as Xml

    suites = Xml.Element("testsuites", name="shapeinfer")
    suite = Xml.SubElement(suites, "testsuite", name="shapeinfer")
    tally = dict.fromkeys(("tests", "failures", "errors"), 0)
    for name, report in reports:
        tally["tests"] += 1
        case = Xml.SubElement(suite, "testcase", name=printable(name), classname="shapeinfer")
        kind = _ELEMENTS.get(outcome(report))
        if kind is not None:
            tally[f"{kind}s"] += 1
        _fill(case, kind, name, report)
    for element in (suites, suite):
        element.attrib.update({what: str(number) for what, number in tally.items()})
    Xml.indent(suites)
    # ASCII only, other characters as references: the reader's locale does not matter.
    yield Xml.tostring(suites, encoding="us-ascii").decode("ascii") + "\n"


def _fill(case: Element, kind: str | None, name: str, report: Report) -> None:
    from xml.etree.ElementTree import SubElement

    failing: tuple[Diagnostic, ...] = ()
    if kind is not None:
        failing = report.errors or report.diagnostics
        first = failing[0]
        message = printable(first.message) if len(failing) == 1 else count(len(failing), "error")
        SubElement(case, kind, message=message, type=first.code.name).text = _blocks(name, failing)
    others = set(map(id, failing))
    rest = [d for d in report.diagnostics if id(d) not in others]
    if rest:
        SubElement(case, "system-out").text = _blocks(name, rest)


def _blocks(name: str, diagnostics: Iterable[Diagnostic]) -> str:
    return "\n\n".join("\n".join(block(name, d)) for d in condensed(diagnostics))
