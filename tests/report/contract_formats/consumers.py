"""Contracts read by the programs that they are written for: torch.export and Triton's own configuration messages.

``python -m tests.report.contract_formats.consumers --python PATH`` runs them in another environment, where PATH is its
Python, and says what it skips: torch and tritonclient[grpc] are no dependencies of the tests.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path

from shapeinfer import check, render_contract
from tests.models import parsed

TORCH = """
import json, sys
import torch

class Patches(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = torch.nn.Conv2d(3, 4, 16, stride=16)
    def forward(self, image):
        return self.conv(image).mean((2, 3))

class Rows(torch.nn.Module):
    def forward(self, x, y):
        return x.reshape(x.shape[0] // 8, 8, 3) + 1, x + y

class Half(torch.nn.Module):
    def forward(self, long, short):
        return long[::2] + short

def args(kind, n):
    f = torch.ones
    return {"patches": (f(n, 3, 32, 48),), "rows": (f(8 * n, 3), f(8 * n, 3)), "half": (f(2 * n), f(n))}[kind]

modules = {"patches": Patches, "rows": Rows, "half": Half}
for kind, source in json.load(sys.stdin).items():
    names = {}
    exec(compile(source, kind, "exec"), names)
    exported = torch.export.export(modules[kind](), args(kind, 3), dynamic_shapes=names["dynamic_shapes"])
    exported.module()(*args(kind, 5))
    ranges = sorted(str(r) for r in exported.range_constraints.values())
    print(f"torch {torch.__version__}: {kind}: exported with {', '.join(ranges)}")
"""
MODELS = {
    "patches": "g (float[batch, 3, height, width] image) => (y) <int64[4] shape = {4, 3, 16, 16}> "
    "{ w = ConstantOfShape (shape) c = Conv <strides = [16, 16]> (image, w) y = GlobalAveragePool (c) }",
    "rows": "g (float[n, 3] x, float[m, 3] y) => (z, s) <int64[3] shape = {-1, 8, 3}> "
    "{ z = Reshape (x, shape) s = Add (x, y) }",
    "half": "g (float[long] long, float[short] short) => (z) <int64[2] shape = {-1, 2}, int64[1] axis = {1}> "
    "{ p = Reshape (long, shape) s = ReduceSum <keepdims = 0> (p, axis) z = Sub (s, short) }",
}
"""The modules above as models; what broadcasting would allow, too, is assumed not to be."""
RANGES = {"patches": {"height": (32, 512), "width": (32, None)}}
"""torch.export takes a size of 1 for another program: here a single patch in a row."""
ASSUMED = {"rows": ["n == m", "n >= 8"], "half": ["long == 2*short", "short >= 2"]}

TRITON = """
import json, sys
from google.protobuf import text_format
from tritonclient.grpc import model_config_pb2
for name, text in json.load(sys.stdin).items():
    config = text_format.Parse(text, model_config_pb2.ModelConfig())
    counts = f"{len(config.input)} inputs, {len(config.output)} outputs"
    print(f"triton: {name}: batches of {config.max_batch_size}, {counts}")
"""


def contracts(form: str) -> dict[str, str]:
    """The contracts of the models above, and for Triton those of the examples."""
    if form == "torch-export":
        reports = {
            name: check(parsed(text), ranges=RANGES.get(name, {}), assume=ASSUMED.get(name, ()))
            for name, text in MODELS.items()
        }
        return {name: render_contract(report, "torch-export") for name, report in reports.items()}
    folder = Path(__file__).parents[3] / "examples" / "models"
    return {path.stem: render_contract(check(path), "triton") for path in sorted(folder.glob("*.onnx"))}


def run(python: str, package: str, program: str, texts: dict[str, str]) -> int:
    """Run a program on contracts in another environment; 0 where it succeeds or has no such package there."""
    if subprocess.run([python, "-c", f"import {package}"], capture_output=True, check=False).returncode:
        print(f"skipped: {package} is not installed for {python}")
        return 0
    ended = subprocess.run([python, "-W", "ignore", "-c", program], input=json.dumps(texts), text=True, check=False)
    return ended.returncode


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--python", default=sys.executable)
    python = parser.parse_args().python
    sys.exit(
        run(python, "torch", TORCH, contracts("torch-export"))
        or run(python, "tritonclient.grpc", TRITON, contracts("triton"))
    )
