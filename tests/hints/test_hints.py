"""Every hint is what PyTorch computes at that line, and nearly every line that computes a tensor has one.

``export.py`` made ``exported.zip``: eleven programs as torch exported them, and what their statements held at two
sizes when PyTorch ran them; and two programs whose lines are hard to follow, which may have fewer hints.
"""

from __future__ import annotations

import json
import zipfile

import pytest

from shapeinfer import check
from shapeinfer.report.source_hints import source_hints
from tests.hints.compare import Compared, summary
from tests.hints.export import FOLDER, KEPT, NETS, TRAPS


def compared(name: str) -> Compared:
    with zipfile.ZipFile(KEPT) as kept:
        model, runs = kept.read(f"{name}.onnx"), json.loads(kept.read(f"{name}.json"))
    file = f"{name}.py"
    return summary(name, model, runs, {file: (FOLDER / file).read_bytes()})


@pytest.mark.parametrize("name", NETS)
def test_hints_are_what_the_program_computes(name: str) -> None:
    found = compared(name)
    assert found.wrong == ()
    assert found.share > 0.85, found.without


@pytest.mark.parametrize("name", TRAPS)
def test_no_hint_is_wrong_where_a_program_is_hard_to_follow(name: str) -> None:
    assert compared(name).wrong == ()


def test_two_classes_with_the_same_lines_may_be_exchanged() -> None:
    with zipfile.ZipFile(KEPT) as kept:
        report = check(kept.read("traps/disguised.onnx"))
    text = (FOLDER / "traps/disguised.py").read_text()
    up, down, rest = (text.index(f"class {name}(") for name in ("Up", "Down", "Net"))
    linear = "        y = self.lin(x)"
    for edited, expected in (
        (text, ["f32[batch, seq, 32]", "f32[batch, seq, 8]"]),
        (text[:up] + text[down:rest] + text[up:down] + text[rest:], []),
        (
            text.replace("class Up(nn.Module):\n", "class Up(nn.Module):\n\n"),
            ["f32[batch, seq, 32]", "f32[batch, seq, 8]"],
        ),
    ):
        lines = edited.split("\n")
        first = min(lines.index(f"class {name}(nn.Module):") for name in ("Up", "Down"))
        hints = source_hints(report, "/somewhere/traps/disguised.py", edited.encode()).hints
        assert [h.text for h in hints if h.first > first and lines[h.first - 1] == linear] == expected
