"""The memory of processes that last: after some hundred inferences and keystrokes, and after ten times as many."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.benchmarks import generated
from tests.editors.client import session
from tests.editors.large import large

FEW, MANY = 200, 2000
NODES = 1000
NAME = "lasting.onnxtxt"

_INFER = """
import sys
import onnx, shapeinfer
from tests.benchmarks.lasting import FEW, MANY, resident
data, memory = open(sys.argv[1], "rb").read(), []
for i in range(MANY):
    model = onnx.ModelProto()
    model.ParseFromString(data)
    shapeinfer.infer_shapes(model)
    if i + 1 in (FEW, MANY):
        memory.append(resident())
print(*memory)
"""


def lasting(folder: Path, runs: int) -> list[dict[str, Any]]:
    """Megabytes of a process that infers one model again and again, and of a language server that somebody types to."""
    path = folder / "lasting.onnx"
    path.write_bytes(generated.transformer(NODES // 11).SerializeToString())
    command = [sys.executable, "-c", _INFER, str(path)]
    ended = subprocess.run(command, capture_output=True, text=True, check=True)
    return [
        _row(f"inferences of {NODES} nodes", *map(float, ended.stdout.split())),
        _row(f"keystrokes in {NODES} nodes", *asyncio.run(_typed(folder))),
    ]


def _row(what: str, few: float, many: float) -> dict[str, Any]:
    return {"what": what, f"MB after {FEW}": few, f"MB after {MANY}": many, "ratio": many / few if few else 1.0}


async def _typed(folder: Path) -> list[float]:
    text = large(NODES)
    line = text.splitlines().index(f"    r{NODES // 10} = Relu (b{NODES // 10})")
    memory = []
    async with session(folder) as client:
        await client.open(NAME, text)
        for i in range(MANY):
            if i % 2:
                await client.edit(NAME, (line, 15), (line, 16), "")
            else:
                await client.edit(NAME, (line, 15), (line, 15), "u")
            if i + 1 in (FEW, MANY):
                memory.append(resident(client.process))
    return memory


def resident(process: int | None = None) -> float:
    """Return the megabytes that a process has, by default this one; 0 where the system does not say."""
    status = Path(f"/proc/{process or os.getpid()}/status")
    if not status.exists():
        return 0.0
    return float(re.findall(r"VmRSS:\s+(\d+) kB", status.read_text())[0]) / 2**10
