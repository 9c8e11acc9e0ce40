"""Keystrokes and memory in Neovim: ``python -m tests.editors.real.measure [--nodes 5000]``.

Types into a text of so many nodes, a letter at a time, each once the editor shows what the last one changed, and prints
how long that took, what processor time the server spent on each, and what memory it holds in the end.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

from tests.editors.large import large
from tests.editors.real.neovim import set_up
from tests.editors.real.scene import scene
from tests.editors.real.terminal import Terminal, terminal

TYPED = "abcdefghijklmnopqrstuvwxyz"
TICKS = os.sysconf("SC_CLK_TCK")


def server_of(editor: int) -> int:
    """Return the process of the server that an editor started. Raises AssertionError if there is none."""
    listed = subprocess.run(["ps", "-eo", "pid=,ppid=,args="], capture_output=True, text=True, check=True).stdout
    processes = [line.split(None, 2) for line in listed.splitlines()]
    inside = {str(editor)}
    for _ in range(5):
        inside |= {number for number, parent, _ in processes if parent in inside}
    found = [int(number) for number, _, command in processes if number in inside and "shapeinfer lsp" in command]
    assert found, "no server runs below the editor"
    return found[-1]


def seconds(process: int) -> float:
    """Return the processor time that a process has spent."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def megabytes(process: int) -> float:
    """Return the memory that a process holds."""
    lines = Path(f"/proc/{process}/status").read_text(encoding="utf-8").splitlines()
    (kilobytes,) = [int(line.split()[1]) for line in lines if line.startswith("VmRSS")]
    return kilobytes / 1024


def measure(screen: Terminal, nodes: int) -> None:
    """Type, and print what it took."""
    screen.until("h0: f32[N, 64] = MatMul")
    server = server_of(screen.process)
    time.sleep(3)  # what is loaded while the editor is idle
    print(f"{nodes:,} nodes: the server holds {megabytes(server):.0f} MB once they are open")
    screen.type("/r0 = Relu\n")
    screen.type("cw")
    waits, spent = [], []
    name = ""
    for letter in TYPED:
        name += letter
        before, began = seconds(server), time.monotonic()
        screen.press(letter)
        screen.until(f"{name}: f32[N, 64] = Relu")
        waits.append(time.monotonic() - began)
        time.sleep(0.7)  # for the diagnostics, which come when typing pauses
        spent.append(seconds(server) - before)
    print(f"a keystroke shows the new type after {statistics.median(waits):.3f} s, at most {max(waits):.3f} s")
    print(f"and costs the server {statistics.median(spent):.3f} s of processor time, at most {max(spent):.3f} s")
    print(f"after {len(TYPED)} of them it holds {megabytes(server):.0f} MB")


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(prog="python -m tests.editors.real.measure", description=__doc__)
    parser.add_argument("--nodes", type=int, default=5000)
    nodes = parser.parse_args().nodes
    with tempfile.TemporaryDirectory() as pictures, scene(Path(pictures)) as laid_out:
        nvim = set_up(laid_out)
        (laid_out.folder / "large.onnxtxt").write_text(large(nodes), encoding="utf-8")
        with terminal([nvim, "large.onnxtxt"], laid_out.folder, laid_out.environment) as screen:
            measure(screen, nodes)


if __name__ == "__main__":
    main()
