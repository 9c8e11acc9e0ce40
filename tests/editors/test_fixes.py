"""Quick fixes: one edit of the text after which a finding is gone."""

from __future__ import annotations

import pytest

from shapeinfer.editors.fixes import FIXED, fixes
from shapeinfer.editors.problems import Problem, problems
from shapeinfer.text import Written, check_text
from tests.bad.cases import FOLDER, OTHERS, Bad, read
from tests.editors.texts import HEADER

FUNCTION = '<domain: "my", opset_import: ["" : 20]> F (k) => (m) { m = Relu (k) }'
OLD = '<ir_version: 8, opset_import: ["" : 17]>'
TWO = "<int64 a = {1}, int64 b = {1}>"
BAD = [bad for theme in sorted(FOLDER.glob("*.txt")) for bad in read(theme.stem)]


def offered(text: str, code: str) -> dict[str, str]:
    """The text after each fix of the first finding of a code, by the fix's title."""
    written = check_text(text)
    problem = next(p for p in problems(written) if p.code.name == code)
    return {fix.title: after(written, problem, fix.title) for fix in fixes(written, problem)}


def after(written: Written, problem: Problem, title: str) -> str:
    edit = next(fix.edit for fix in fixes(written, problem) if fix.title == title)
    return written.text[: edit.start] + edit.text + written.text[edit.end :]


@pytest.mark.parametrize(
    ("code", "wrong", "title", "right"),
    [
        ("no-such-operator", "y = Rellu (x)", "Replace Rellu with Relu", "y = Relu (x)"),
        ("unknown-operator", "y = my.FF (x)", "Replace my.FF with my.F", "y = my.F (x)"),
        ("unknown-attribute", "y = Softmax <axs = 0> (x)", "Replace axs with axis", "y = Softmax <axis = 0> (x)"),
        ("unknown-attribute", "y = Softmax <axs = 0> (x)", "Remove axs", "y = Softmax (x)"),
        ("unknown-attribute", "y = Elu <alpha = 1.0, b = 1> (x)", "Remove b", "y = Elu <alpha = 1.0> (x)"),
        ("unknown-attribute", "y = Elu <b = 1, alpha = 1.0> (x)", "Remove b", "y = Elu <alpha = 1.0> (x)"),
        ("attribute-type", "y = Elu <alpha = 1> (x)", "Set alpha = 1.0", "y = Elu <alpha = 1.0> (x)"),
        ("attribute-type", "y = Transpose <perm = 0> (x)", "Set perm = [0]", "y = Transpose <perm = [0]> (x)"),
        ("attribute-type", "y = Softmax <axis = 0.0> (x)", "Set axis = 0", "y = Softmax <axis = 0> (x)"),
        ("undefined-value", "hidden = Abs (x) y = Relu (hiden)", "Replace hiden with hidden",
         "hidden = Abs (x) y = Relu (hidden)"),
        ("undefined-value", '"a/b" = Abs (x) y = Relu ("a/bb")', 'Replace "a/bb" with "a/b"',
         '"a/b" = Abs (x) y = Relu ("a/b")'),
        ("too-many-inputs", "y = Relu (x, x)", "Remove x", "y = Relu (x)"),
        ("unused-node", "h = Abs (x)\n    y = Relu (x)", "Remove h = Abs (x)", "    y = Relu (x)"),
        ("unused-node", "h = Abs (x) y = Relu (x)", "Remove h = Abs (x)", "y = Relu (x)"),
        ("syntax-error", "y = Relu (x", "Insert )", "y = Relu (x)"),
        ("syntax-error", "y = Relu x)", "Insert (", "y = Relu ( x)"),
    ],
)  # fmt: skip
def test_a_statement_is_fixed(code: str, wrong: str, title: str, right: str) -> None:
    before, behind = f"{HEADER}net (float[N] x) => (y) {{\n", f"\n}}\n{FUNCTION}"
    found = offered(f"{before}    {wrong}{behind}", code)
    assert title in found
    assert found[title] == f"{before}    {right.strip()}{behind}"


@pytest.mark.parametrize(
    ("code", "wrong", "title", "right"),
    [
        ("operator-too-new", f"{OLD} n (float[2] x) => (y) {{ y = Gelu (x) }}",
         "Import opset 20 of ai.onnx", '["" : 20]'),
        ("missing-opset-import", f'{OLD} n (float[2] x) => (y) {{ y = com.microsoft.Gelu (x) }}',
         'Import "com.microsoft" 1', '["" : 17, "com.microsoft" : 1]'),
        ("missing-ir-version", 'n (float[2] x) => (y) { y = Relu (x) }', "Add ir_version: ", "<ir_version: "),
        ("missing-ir-version", '<opset_import: ["" : 17]> n (float[2] x) => (y) { y = Relu (x) }',
         "Add ir_version: 8", '<ir_version: 8, opset_import: ["" : 17]>'),
        ("unused-initializer", f"{HEADER}n (float[2] x) => (k) {TWO} {{ k = Add (a, a) }}",
         "Remove b", "<int64 a = {1}>"),
        ("unused-initializer", f"{HEADER}n (float[2] x) => (k) {TWO} {{ k = Add (b, b) }}",
         "Remove a", "<int64 b = {1}>"),
        ("missing-output", f"{HEADER}n (float[2] x) => (float[2] result) {{ reslt = Relu (x) }}",
         "Replace result with reslt", "=> (float[2] reslt)"),
    ],
)  # fmt: skip
def test_a_header_and_lists_are_fixed(code: str, wrong: str, title: str, right: str) -> None:
    ((chosen, fixed),) = [(t, f) for t, f in offered(wrong, code).items() if t.startswith(title)]
    assert chosen.startswith(title)
    assert right in fixed
    assert code not in {d.code.name for d in check_text(fixed).report.diagnostics}


@pytest.mark.parametrize("code", sorted({code.name for code in FIXED} & {bad.fault.split()[1] for bad in BAD}))
def test_what_a_bad_model_is_offered_first_fixes_it(code: str) -> None:
    for bad in [bad for bad in BAD if bad.fault.split()[1] == code]:
        written = check_text(_whole(bad))
        found = [p for p in problems(written) if p.code.name == code]
        for fix in [fix for problem in found[:1] for fix in fixes(written, problem)[:1]]:
            text = written.text[: fix.edit.start] + fix.edit.text + written.text[fix.edit.end :]
            left = [p for p in problems(check_text(text)) if p.code.name == code]
            assert len(left) < len(found), f"{bad.title}: {fix.title}"


def _whole(bad: Bad) -> str:
    if bad.text.startswith("<"):
        return bad.text
    return f'<ir_version: {bad.ir}, opset_import: ["" : {bad.opset}, {OTHERS}]>\nnet {bad.text}'
