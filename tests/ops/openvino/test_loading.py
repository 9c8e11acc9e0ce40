"""A model of one format pays nothing for the operators of the other."""

from __future__ import annotations

import subprocess
import sys

import pytest

ASKED = """
import sys, shapeinfer
shapeinfer.infer_op("Relu", [shapeinfer.Tensor("f32", ["N"])], dialect={dialect!r})
print(sorted({{m.split(".")[2] for m in sys.modules if m.startswith("shapeinfer.ops.") and m.count(".") == 3}}))
print(any(m.startswith("shapeinfer.frontends.openvino") for m in sys.modules))
"""


@pytest.mark.parametrize(("dialect", "loaded"), [("onnx", ["onnx"]), ("openvino", ["openvino"])])
def test_only_the_operators_of_the_dialect_are_loaded(dialect: str, loaded: list[str]) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", ASKED.format(dialect=dialect)], check=True, capture_output=True, text=True
    )
    assert ended.stdout.splitlines() == [str(loaded), "False"]
