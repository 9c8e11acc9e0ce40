"""Export `model.py` as `model.onnx`, with what the exporter records of it and no path of this machine.

Needs torch 2.13 and onnxscript: `python export.py`.
"""

import re
from pathlib import Path

import onnx
import torch
from model import Net

FOLDER = Path(__file__).resolve().parent
RECORDED = {f"pkg.torch.onnx.{name}" for name in ("stack_trace", "name_scopes", "class_hierarchy", "fx_node")}

torch.manual_seed(0)
batch, seq = torch.export.Dim("batch", min=2), torch.export.Dim("seq", min=2)
program = torch.onnx.export(
    Net().eval(),
    (torch.zeros(2, 8, dtype=torch.int64),),
    dynamo=True,
    opset_version=20,
    input_names=["tokens"],
    output_names=["logits", "best"],
    dynamic_shapes={"tokens": {0: batch, 1: seq}},
)
model = program.model_proto
for node in model.graph.node:
    kept = [p for p in node.metadata_props if p.key in RECORDED]
    for entry in kept:
        entry.value = re.sub(r'(?<=")/[^"\n]*/(?=site-packages/)', "", entry.value.replace(f"{FOLDER}/", ""))
    del node.metadata_props[:]
    node.metadata_props.extend(kept)
del model.metadata_props[:], model.graph.metadata_props[:]
for value in (*model.graph.input, *model.graph.output, *model.graph.initializer, *model.graph.value_info):
    del value.metadata_props[:]
onnx.save(model, FOLDER / "model.onnx")
