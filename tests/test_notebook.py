"""What a notebook shows: HTML of reports, contracts and costs, and a bar while many models are checked."""

from __future__ import annotations

import sys
from html.parser import HTMLParser
from types import SimpleNamespace
from typing import Any

import pytest
from attrs import evolve

from shapeinfer import check_many, diff
from shapeinfer.batch.progress import FEWEST, with_progress
from shapeinfer.diagnostics.diagnostic import SourceLine
from shapeinfer.diagnostics.markup import MOST_FINDINGS, MOST_ROWS, findings_of, table
from tests.command import BAD, Shell
from tests.models import checked
from tests.report.page.test_page import hostile


class Seen(HTMLParser):
    """The elements and the text of HTML."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: set[str] = set()
        self.open: list[str] = []
        self.text: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.elements.add(tag)
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def test_a_report_shows_findings_contract_and_types() -> None:
    seen = Seen(checked(BAD)._repr_html_())
    assert {"table", "details", "summary"} <= seen.elements
    assert "error: not-broadcastable" in seen.text
    assert "at Add (node 1)" in seen.text
    assert "f32[N, 128]" in seen.text
    assert "types of 4 values" in seen.text


def test_a_finding_shows_its_operands_and_the_line_of_the_python_program() -> None:
    (fault,) = checked(BAD).errors
    source = SourceLine("model.py", 36, "return x + self.bias")
    seen = Seen(evolve(fault, module="blocks.0.mlp", source=source)._repr_html_())
    assert "in blocks.0.mlp, model.py:36: return x + self.bias" in seen.text
    first = seen.text.index("A")
    assert seen.text[first : first + 3] == ["A", "a", "f32[N, 64]"]


def test_many_findings_are_cut() -> None:
    (fault,) = checked(BAD).errors
    text = findings_of([fault] * (MOST_FINDINGS + 1))
    assert text.count("not-broadcastable") == MOST_FINDINGS
    assert f"the first {MOST_FINDINGS} of {MOST_FINDINGS + 1}" in text


def test_a_difference_shows_types_and_conditions_before_and_after() -> None:
    old, new = (checked(f"g (float[A] x, float[{b}] z) => (y) {{ y = Add(x, z) }}") for b in ("A", "B"))
    text = Seen(diff(old, new)._repr_html_()).text
    assert text[0] == "no breaking changes, 1 other change"
    assert {"wider", "input z", "f32[A]", "f32[B]"} <= set(text)
    assert Seen(diff(old, old)._repr_html_()).text == ["no breaking changes"]


def test_a_report_of_a_broken_model_does_not_say_that_it_runs() -> None:
    text = " ".join(Seen(checked(BAD)._repr_html_()).text)
    assert "runs for all sizes" not in text
    assert "It does not run as it is: it has errors." in text


def test_a_report_shows_what_is_assumed() -> None:
    seen = Seen(checked("g (float[A] x) => (int64[1, 5] y) { y = NonZero(x) }")._repr_html_())
    assert "axis 1 of y is 5" in seen.text


def test_a_contract_shows_its_conditions_and_who_needs_them() -> None:
    report = checked("g (float[A] x, float[B] z) => (y) { y = Add(x, z) }")
    text = Seen(report.contract._repr_html_()).text
    assert "A == B" in text
    assert "Add (node 0)" in text
    assert "runs for all sizes" in checked("g (float[A] x) => (y) { y = Neg(x) }").contract._repr_html_()


def test_a_contract_shows_what_small_sizes_break_in_a_line() -> None:
    body = "s = Constant <value = int64[2] {0, -1}> () y = Reshape (x, s)"
    text = checked(f"g (float[A, B, 4] x) => (y) {{ {body} }}").contract._repr_html_()
    assert Seen(text).text == ["It runs where A >= 1."]
    pooled = f"p = MaxPool <kernel_shape = [4], strides = [4]> (x) {body.replace('(x', '(p')}"
    text = checked(f"g (float[A, B, L] x) => (y) {{ {pooled} }}").contract._repr_html_()
    assert Seen(text).text[-1] == "It also requires A >= 1."


def test_a_contract_shows_the_smallest_sizes_that_run() -> None:
    text = checked("g (float[A] x, float[A, L] z) => (y) { s = Constant <value_ints = [-1, 4]>() y = Reshape(z, s) }")
    assert "The smallest sizes that run: " in text.contract._repr_html_()


def test_a_finding_names_the_other_nodes_of_its_cause_and_what_would_fit() -> None:
    body = "a = MatMul(x, w) b = MatMul(x, w) y = Add(a, b)"
    text = Seen(checked(f"g (float[N, 65] x, float[64, 8] w) => (y) {{ {body} }}")._repr_html_()).text
    assert "at MatMul (node 0) and at 1 more node: MatMul (node 1)" in text
    text = Seen(checked("g (float[N, 64] x, float[8, 64] w) => (y) { y = Gemm(x, w) }")._repr_html_()).text
    assert any(part.endswith("; transB = 1 would fit") for part in text)


def test_a_cost_shows_its_sums() -> None:
    text = Seen(checked("g (float[A, 2] x, float[2, 3] w) => (y) { y = MatMul(x, w) }").cost()._repr_html_()).text
    assert text[text.index("multiply-adds") + 1] == "6*A"


def test_names_are_text() -> None:
    seen = Seen(checked(hostile())._repr_html_())
    assert seen.elements <= {"p", "div", "strong", "details", "summary", "table", "tr", "th", "td"}
    assert any("<img src=x>" in text for text in seen.text)


def test_a_long_table_is_cut() -> None:
    text = table(("n",), ([str(i)] for i in range(MOST_ROWS + 5)))
    assert text.count("<td") == MOST_ROWS
    assert f"the first {MOST_ROWS} of {MOST_ROWS + 5}" in text


# The bar


@pytest.fixture
def notebook(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What IPython is told to show, where it runs in a notebook."""
    shown: list[str] = []

    def display(html: str, *, display_id: bool) -> Any:
        assert display_id
        shown.append(html)
        return SimpleNamespace(update=shown.append)

    shell = SimpleNamespace(kernel=object())
    ipython = SimpleNamespace(get_ipython=lambda: shell, display=SimpleNamespace(display=display, HTML=str))
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    return shown


def test_a_bar_in_a_notebook(notebook: list[str]) -> None:
    assert list(with_progress(range(FEWEST), FEWEST)) == list(range(FEWEST))
    assert len(notebook) == FEWEST + 1
    assert notebook[-1].endswith(f" {FEWEST} of {FEWEST}")


def test_no_bar_for_a_few(notebook: list[str]) -> None:
    assert list(with_progress(range(3), 3)) == [0, 1, 2]
    assert notebook == []


def test_many_models_with_a_bar(notebook: list[str], shell: Shell) -> None:
    names = [shell.save(f"m{i}.onnx") for i in range(FEWEST)]
    assert [name for name, _ in check_many(names, progress=True)] == names
    assert notebook[-1].endswith(f" {FEWEST} of {FEWEST}")
    del notebook[:]
    assert len(list(check_many(names))) == FEWEST
    assert notebook == []
