"""Run the command line inside the test's process, on models written in ONNX's text syntax."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import onnx
import pytest
from attrs import frozen

from shapeinfer.cli import main

GOOD = """<ir_version: 10, opset_import: ["" : 20]>
main (float[N, 3, 4] x) => (float[N, 12] y) {
    y = Flatten <axis = 1> (x)
}"""

BAD = """<ir_version: 10, opset_import: ["" : 20]>
main (float[N, 64] a, float[N, 128] b) => (float[N, 64] y) {
    t = Relu (b)
    y = Add (a, t)
}"""

BAD_LINE = "error[not-broadcastable]: axis 1 is 64 in A and 128 in B; they must be equal or one of them must be 1"
BAD_TEXT = f"""\
{BAD_LINE}
  {{path}}: Add (node 1)
    A  a  f32[N, 64]   64: axis 1 of input a
    B  t  f32[N, 128]  128: axis 1 of input b, by Relu (node 0)
  help: shapeinfer explain not-broadcastable

1 error in {{path}}
"""


@frozen
class Ended:
    """How a command ended."""

    code: int
    out: str
    err: str


@frozen
class Shell:
    """Runs commands in a directory of their own and captures what they print."""

    folder: Path
    capsys: pytest.CaptureFixture[str]
    monkeypatch: pytest.MonkeyPatch

    def __call__(self, *args: str, stdin: bytes = b"") -> Ended:
        self.monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        with pytest.raises(SystemExit) as exit_:
            main(list(args))
        out, err = self.capsys.readouterr()
        code = exit_.value.code
        return Ended(code if isinstance(code, int) else 0, out, err)

    def save(self, name: str, text: str = GOOD) -> str:
        """Save a model under a name in the shell's directory and return the name."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(model_bytes(text))
        return name


def model_bytes(text: str = GOOD) -> bytes:
    """A model in text syntax as the bytes of its file."""
    data: bytes = onnx.parser.parse_model(text).SerializeToString()
    return data
