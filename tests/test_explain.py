"""Every code has a page, and every page's models show what the page says."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import onnx
import pytest

import shapeinfer
from shapeinfer.diagnostics.codes import CODES, Code
from shapeinfer.diagnostics.diagnostic import Diagnostic
from tests.each import each

PACKAGE = Path(shapeinfer.__file__).parent
PAGES = PACKAGE / "diagnostics" / "explain"
LONGEST_LINE = 120

BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SHOWN = re.compile(r"^(Fails|Fixed):\n\n```onnx\n(.*?)^```$", re.MULTILINE | re.DOTALL)

every_code = each(CODES.values(), name=lambda code: str(code.name))


def findings(text: str) -> list[Diagnostic]:
    """The diagnostics of a model in text syntax, read from bytes as a file would be."""
    model = onnx.parser.parse_model(text)
    return list(shapeinfer.check(model.SerializeToString()).diagnostics)


@cache
def reported() -> frozenset[str]:
    """The codes that some module names, as it spells them."""
    tables = {"codes.py", "errors.py", "cli.py", "api.py"}
    modules = (path for path in PACKAGE.rglob("*.py") if path.name not in tables)
    return frozenset(word for path in modules for word in re.findall(r"\w+", path.read_text(encoding="utf-8")))


def test_no_page_is_without_a_code() -> None:
    assert {path.stem for path in PAGES.iterdir()} == set(CODES)


@every_code
def test_a_code_is_reported_by_some_module(code: Code) -> None:
    assert code.name.replace("-", "_").upper() in reported()


@every_code
def test_a_page_is_short_and_states_what_it_is_of(code: Code) -> None:
    lines = code.page.splitlines()
    assert lines[0] == f"# {code.name}"
    assert 15 <= len(lines) <= 40
    assert max(map(len, lines)) <= LONGEST_LINE
    assert code.page.endswith("```\n")


@every_code
def test_a_page_states_how_to_fix_it(code: Code) -> None:
    assert "To fix it," in code.page


@every_code
def test_a_page_shows_a_failing_and_a_fixed_model_or_code_where_text_cannot(code: Code) -> None:
    kinds = [kind for kind, _ in BLOCK.findall(code.page)]
    if "onnx" in kinds:
        assert kinds == ["onnx", "onnx"]
        assert [word for word, _ in SHOWN.findall(code.page)] == ["Fails", "Fixed"]
    else:
        assert kinds in (["python"], ["console"])


@every_code
def test_the_failing_model_fails_with_the_code(code: Code) -> None:
    for word, text in SHOWN.findall(code.page):
        if word == "Fails":
            found = findings(text)
            assert (code, code.severity) in [(d.code, d.severity) for d in found], [d.text for d in found]


@every_code
def test_the_fixed_model_has_neither_error_nor_warning(code: Code) -> None:
    for word, text in SHOWN.findall(code.page):
        if word == "Fixed":
            assert [d.text for d in findings(text)] == []


@pytest.mark.parametrize("code", CODES.values(), ids=CODES)
def test_the_python_of_a_page_runs(code: Code, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for kind, text in BLOCK.findall(code.page):
        if kind == "python":
            exec(compile(text, f"{code.name}.md", "exec"), {})
