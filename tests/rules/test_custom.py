"""Operators of the user's own: formulas of one line, Python functions, and packages that bring either."""

from __future__ import annotations

import itertools
import sys
from pathlib import Path

import onnx
import pytest
from click.testing import CliRunner

import shapeinfer
from shapeinfer.cli import cli
from shapeinfer.ops import registry
from shapeinfer.ops.formula import FormulaError, declare_formula, read

EXAMPLES = Path(__file__).parents[2] / "examples" / "rules"
_numbers = itertools.count()


def model(body: str, inputs: str, outputs: str = "float y") -> onnx.ModelProto:
    head = '<ir_version: 9, opset_import: ["" : 20, "my" : 1]>'
    return onnx.parser.parse_model(f"{head}\nmain ({inputs}) => ({outputs}) {{ {body} }}")


def formula(rest: str) -> str:
    """Declare an operator of a name of its own and return the name."""
    name = f"Op{next(_numbers)}"
    declare_formula(f"my::{name}{rest}")
    return name


def inferred(body: str, inputs: str) -> tuple[str, list[str], list[str]]:
    """The first output's text, the codes of the errors, and the conditions."""
    report = shapeinfer.check(model(body, inputs))
    return (
        report.values["y"].text,
        [d.code.name for d in report.errors],
        [c.condition for c in report.contract.all_sizes],
    )


def test_the_same_letter_is_the_same_length() -> None:
    op = formula("(x[N, K], w[M, K]) -> [N, M]")
    assert inferred(f"y = my.{op}(x, w)", "float[B, 64] x, float[10, 64] w") == ("f32[B, 10]", [], [])
    assert inferred(f"y = my.{op}(x, w)", "float[B, 64] x, float[10, 63] w")[1] == ["dim-mismatch"]
    assert inferred(f"y = my.{op}(x, w)", "float[B, D] x, float[10, 64] w")[2] == ["D == 64"]


def test_conditions_are_asked() -> None:
    op = formula("(x[N]) -> [N//32] where N % 32 == 0 and N >= 32")
    assert inferred(f"y = my.{op}(x)", "float[64] x") == ("f32[2]", [], [])
    assert inferred(f"y = my.{op}(x)", "float[65] x")[1] == ["not-divisible"]
    assert inferred(f"y = my.{op}(x)", "float[H] x")[2] == ["H >= 1", "H % 32 == 0"]


def test_a_fault_points_at_the_operands_that_have_the_lengths() -> None:
    op = formula("(x[..., K], w[K], v[..., K]) -> [..., K] where K % 2 == 0")
    report = shapeinfer.check(model(f"y = my.{op}(x, w, v)", "float[2, 3, N] x, float[8] w, float[5, 9] v"))
    (letter,) = report.errors
    (leading,) = (d for d in letter.related if d.code.name == "not-broadcastable")
    assert letter.message == "axis 1 of v is 9 but K is 8"
    assert [(o.port, o.axis, o.dim) for o in letter.operands] == [("v", 1, 9), ("x", 2, 8)], "which the weights decide"
    assert leading.message.startswith("axis 1 of x is 3 and axis 0 of v is 5, both axis 1 of the output; they must")
    assert [(o.port, o.axis, o.dim) for o in leading.operands] == [("x", 1, 3), ("v", 0, 5)]
    odd = shapeinfer.check(model(f"y = my.{op}(x, w, x)", "float[2, 9] x, float[9] w"))
    assert [(o.port, o.axis, o.dim) for o in odd.errors[0].operands] == [("x", 1, 9)]


def test_leading_axes_broadcast() -> None:
    op = formula("(x[..., K], w[..., K]) -> [..., K, 2*K]")
    assert inferred(f"y = my.{op}(x, w)", "float[A, 1, 3] x, float[5, 3] w")[0] == "f32[A, 5, 3, 6]"


def test_types_are_the_first_operands_unless_written() -> None:
    op = formula("(x: f32[N], i: i64[M]) -> [N], i64[M]")
    report = shapeinfer.check(model(f"y, z = my.{op}(x, i)", "float[N] x, int64[4] i", "float[N] y, int64[4] z"))
    assert report.diagnostics == ()
    assert report.values["z"].text == "i64[4]"
    assert inferred(f"y = my.{op}(x, i)", "float[N] x, int32[4] i")[1] == ["element-type-not-allowed"]


def test_an_operand_may_be_left_out_only_if_marked() -> None:
    op = formula("(x[N], w[N], b?[N]) -> [N]")
    assert inferred(f"y = my.{op}(x, x)", "float[3] x")[1] == []
    assert inferred(f"y = my.{op}(x)", "float[3] x")[1] == ["missing-input"]


def test_nothing_is_asked_of_an_operand_that_is_left_out() -> None:
    op = formula("(x[N], b?[M]) -> [N, M] where M % N == 0 and N % 2 == 0")
    text, faults, asked = inferred(f"y = my.{op}(x)", "float[L] x")
    assert (text, faults, asked) == (f"f32[L, {op}_0]", [], ["L % 2 == 0"])


def test_a_formula_that_divides_needs_something_to_divide_by() -> None:
    op = formula("(x[N, K]) -> [K//N]")
    assert inferred(f"y = my.{op}(x)", "float[2, K] x") == ("f32[K//2]", [], [])
    assert inferred(f"y = my.{op}(x)", "float[B, K] x") == ("f32[K//B]", [], ["B >= 1"])
    assert inferred(f"y = my.{op}(x)", "float[0, K] x")[1] == ["division-by-zero"]
    op = formula("(x[N], y[12//N]) -> [N]")
    assert inferred(f"y = my.{op}(x, z)", "float[0] x, float[Z] z")[1] == ["division-by-zero"]
    op = formula("(x[N, K]) -> [N] where K//N == 2")
    assert inferred(f"y = my.{op}(x)", "float[0, K] x")[1] == ["division-by-zero"]


def test_a_rank_that_does_not_fit_is_a_fault() -> None:
    op = formula("(x[N, K]) -> [N]")
    assert inferred(f"y = my.{op}(x)", "float[3] x")[1] == ["rank-mismatch"]


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("x", "not of the form"),
        ("my::Bad(x[N]) -> [M]", "'M' is no known dim"),
        ("my::Bad(x[N]) -> [N] where N", "no condition such as"),
        ("my::Bad(x: foo[N]) -> [N]", "'foo' is not an element type"),
        ("my::Bad(x) -> [N]", "not an operand such as"),
        ("my::Bad(x[N]) -> ", "the output is missing"),
        ("my::Bad(x[N+]) -> [N]", "no known dim"),
    ],
)
def test_a_line_that_cannot_be_read_says_which_part(line: str, says: str) -> None:
    with pytest.raises(FormulaError, match=says):
        read(line)


def test_the_examples_work_on_the_command_line(tmp_path: Path) -> None:
    path = tmp_path / "model.onnx"
    body = "h = my.Linear4(x, w) y = my.Pack<lanes = 4>(h)"
    onnx.save(model(body, "float[B, S, 64] x, float[10, 64] w", "float[B, S, 3, 4] y"), path)
    unknown = CliRunner().invoke(cli, ["check", str(path), "--rules", str(EXAMPLES / "linear4.toml")])
    assert "unknown-operator" in unknown.output
    found = CliRunner().invoke(cli, ["show", str(path), "--rules", str(EXAMPLES / "pack.py")])
    assert found.exit_code == 0
    assert "f32[B, S, 10]" in found.output
    assert "f32[B, S, 3, 4]" in found.output


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("a.txt", "", "rules must be Python"),
        ("b.toml", "operators = 3", "expected operators"),
        ("c.toml", "operators = [", "c.toml"),
        ("d.toml", "operators = ['x']", "not of the form"),
        ("e.py", "1/0", "ZeroDivisionError"),
        ("f.toml", None, "f.toml"),
    ],
)
def test_a_file_of_rules_that_cannot_be_read_is_bad_usage(
    tmp_path: Path, name: str, text: str | None, says: str
) -> None:
    path = tmp_path / name
    if text is not None:
        path.write_text(text, encoding="utf-8")
    found = CliRunner().invoke(cli, ["check", "model.onnx", "--rules", str(path)])
    assert found.exit_code == 2
    assert says in found.output


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder on Python's path with a package that brings the module ``my_own_rules``."""
    package = tmp_path / "mine-1.0.dist-info"
    package.mkdir()
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: mine\nVersion: 1.0\n", encoding="utf-8")
    (package / "entry_points.txt").write_text("[shapeinfer.rules]\nmine = my_own_rules\n", encoding="utf-8")
    (tmp_path / "my_own_rules.py").write_text("", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path


def test_packages_bring_rules_by_an_entry_point(package: Path) -> None:
    registry._load_plugins.__wrapped__()
    assert sys.modules.pop("my_own_rules").__file__ == str(package / "my_own_rules.py")


@pytest.mark.parametrize("place", ["", "{}"])
def test_what_lies_in_the_working_directory_is_no_package_that_was_installed(
    package: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    """``python -m`` puts the working directory on the path, and what was cloned there names what it likes."""
    monkeypatch.chdir(package)
    monkeypatch.setattr(sys, "path", [place.format(package), *(p for p in sys.path if p != str(package))])
    registry._load_plugins.__wrapped__()
    assert "my_own_rules" not in sys.modules
