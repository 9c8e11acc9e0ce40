"""The picture of an editor in README shows what the language server answers."""

from __future__ import annotations

from shapeinfer.text import check_text
from tests.editors.picture import EDITORS, shown


def test_it_shows_types_beside_values_and_faults_in_their_lines() -> None:
    source = (EDITORS / "mlp.onnxtxt").read_text(encoding="utf-8")
    lines = shown(check_text(source), source).plain.splitlines()
    assert "    wide: f32[batch, seq, 256] = MatMul (x, up)" in lines
    fault = "axis -1 of A is 256 but axis -2 of B is 128"
    assert f"    narrow: f32[batch, seq, 64] = MatMul (kept, down)   {fault}" in lines
    assert len(lines) == len(source.splitlines())
