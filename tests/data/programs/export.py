"""Export `model.py` as `model.onnx`, and with positions that have no row in their table as `broken.onnx`.

Needs torch 2.13 and onnxscript: `python export.py`, or `python export.py SOURCE MODEL` for one file alone. Weights are
left out, and so is what the exporter records besides the program, with paths of this machine.
"""

import importlib.util
import re
import sys
from pathlib import Path

import onnx
import torch

FOLDER = Path(__file__).resolve().parent
RECORDED = {f"pkg.torch.onnx.{name}" for name in ("stack_trace", "name_scopes", "class_hierarchy", "fx_node")}
LARGE = 256
"""Larger weights are left out; smaller ones may be shapes."""


def exported(source: Path) -> onnx.ModelProto:
    """Export the program at a path, with its batch and length free."""
    spec = importlib.util.spec_from_file_location(source.stem, source)
    program = importlib.util.module_from_spec(spec)
    sys.modules[source.stem] = program
    spec.loader.exec_module(program)
    batch, seq = torch.export.Dim("batch", min=2), torch.export.Dim("seq", min=2)
    tokens = torch.zeros(2, 8, dtype=torch.int64)
    return torch.onnx.export(
        program.Model().eval(),
        (tokens,),
        dynamo=True,
        opset_version=20,
        input_names=["tokens"],
        output_names=["logits"],
        dynamic_shapes={"tokens": {0: batch, 1: seq}},
    ).model_proto


def lean(model: onnx.ModelProto, folder: Path) -> onnx.ModelProto:
    """Remove weights, paths and metadata that is not needed."""
    for node in model.graph.node:
        kept = [p for p in node.metadata_props if p.key in RECORDED]
        for entry in kept:
            entry.value = re.sub(r'(?<=")/[^"\n]*/(?=site-packages/)', "", entry.value.replace(f"{folder}/", ""))
        del node.metadata_props[:]
        node.metadata_props.extend(kept)
    del model.metadata_props[:], model.graph.metadata_props[:], model.graph.value_info[:]
    for value in (*model.graph.input, *model.graph.output, *model.graph.initializer):
        del value.metadata_props[:]
    for tensor in model.graph.initializer:
        if len(tensor.raw_data) > LARGE:
            tensor.ClearField("raw_data")
            tensor.data_location = onnx.TensorProto.EXTERNAL
            tensor.external_data.add(key="location", value="weights")
    return model


if __name__ == "__main__":
    if len(sys.argv) == 3:
        source, out = map(Path, sys.argv[1:])
        onnx.save(lean(exported(source.resolve()), source.resolve().parent), out)
    else:
        onnx.save(lean(exported(FOLDER / "model.py"), FOLDER), FOLDER / "model.onnx")
        text = (FOLDER / "model.py").read_text(encoding="utf-8")
        broken = FOLDER / "broken" / "model.py"
        broken.parent.mkdir()
        broken.write_text(text.replace("self.position(positions)", "self.position(positions + 64)"), encoding="utf-8")
        onnx.save(lean(exported(broken), broken.parent), FOLDER / "broken.onnx")
        broken.unlink()
        broken.parent.rmdir()
