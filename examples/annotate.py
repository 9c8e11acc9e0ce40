"""Fill in the types of a model's values, and tell how many were not known before.

    python examples/annotate.py IN.onnx OUT.onnx

Stops with the first fault if the model is broken.
"""

from __future__ import annotations

import sys

import onnx

import shapeinfer


def main(source: str, target: str) -> None:
    """Write the model at ``source`` to ``target`` with its types."""
    model = onnx.load(source, load_external_data=False)
    typed = shapeinfer.infer_shapes(model, strict_mode=True)
    onnx.save(typed, target)
    before, after = len(model.graph.value_info), len(typed.graph.value_info)
    sys.stdout.write(f"{target}: {after} values have a type, {after - before} of them are new\n")


if __name__ == "__main__":
    try:
        main(*sys.argv[1:3])
    except shapeinfer.ShapeInferError as error:
        sys.exit(str(error))
