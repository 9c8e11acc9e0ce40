"""Export the programs of ``nets`` and ``traps`` with torch, and write down what they compute.

``python -m tests.hints.export`` writes ``exported.zip``: of each program its model without weights, and what its
statements held when it was run at two sizes. Needs torch 2.13 and onnxscript; with names, only those are exported.
``--check`` compares them with the hints at once and writes nothing: transformers' own models, which are too large to
keep, too.
"""

from __future__ import annotations

import argparse
import importlib
import json
import logging
import multiprocessing
import re
import sys
import warnings
import zipfile
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent
KEPT = FOLDER / "exported.zip"
RECORDED = {f"pkg.torch.onnx.{name}" for name in ("stack_trace", "name_scopes", "class_hierarchy", "fx_node")}
NETS, TRAPS = (
    [path.relative_to(FOLDER).with_suffix("").as_posix() for path in sorted((FOLDER / folder).glob("*.py"))]
    for folder in ("nets", "traps")
)
OWN = [*NETS, *TRAPS]
LIBRARY = ["bert", "llama", "vit_of_transformers"]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--check", action="store_true")
    args = parser.parse_args()
    try:
        import torch  # noqa: F401
    except ImportError:
        print("skipped: torch is not installed")
        return 0
    models: dict[str, bytes] = {}
    runs: dict[str, list[dict[str, Any]]] = {}
    for name in args.names or [*OWN, *(LIBRARY if args.check else [])]:
        with multiprocessing.get_context("spawn").Pool(1, maxtasksperchild=1) as pool:  # each imports its own program
            models[name], runs[name] = pool.apply(exported, (name,)), pool.apply(ran, (name,))
        print(f"{name}: {len(models[name])} bytes")
    if args.check:
        from tests.hints.compare import summary

        compared = [
            summary(name, model, runs[name], {f: _source(f) for f in files_of(runs[name])})
            for name, model in models.items()
        ]
        print(*compared, sep="\n")
        return int(any(c.wrong for c in compared))
    parts = {f"{name}.onnx": model for name, model in models.items()}
    parts |= {f"{name}.json": json.dumps(found).encode() for name, found in runs.items()}
    if KEPT.exists():
        with zipfile.ZipFile(KEPT) as before:
            parts = {n: before.read(n) for n in before.namelist() if n.partition(".")[0] in OWN} | parts
    with zipfile.ZipFile(KEPT, "w", zipfile.ZIP_DEFLATED) as out:
        for part in sorted(parts):
            out.writestr(zipfile.ZipInfo(part), parts[part], zipfile.ZIP_DEFLATED, 9)
    return 0


def files_of(runs: list[dict[str, Any]]) -> list[str]:
    return list(dict.fromkeys(f for run in runs for f in run["files"]))


def _source(file: str) -> bytes:
    path = FOLDER / file
    if path.is_file():
        return path.read_bytes()
    return next(p for p in (Path(folder) / file for folder in sys.path) if p.is_file()).read_bytes()


def _program(name: str) -> Any:
    if name in LIBRARY:
        from tests.hints import library

        return getattr(library, name)()
    return importlib.import_module(f"tests.hints.{name.replace('/', '.')}")


def ran(name: str) -> list[dict[str, Any]]:
    """Run a program at two sizes and return what its statements held."""
    from tests.hints import eager

    _quiet()
    seen = eager.watch(f"tests.hints.{name.replace('/', '.')}", *(["transformers.models"] if name in LIBRARY else []))
    program = _program(name)
    net = program.net().eval()
    found = []
    for sizes in program.SIZES:
        files = eager.run(seen, net, *program.inputs(**sizes))
        found.append({"sizes": sizes, "files": {_shortened(f): lines for f, lines in files.items()}})
    return found


def exported(name: str) -> bytes:
    """Export a program and return the model without its weights and without paths of this machine."""
    import torch

    _quiet()
    program = _program(name)
    dims: dict[str, Any] = {}

    def named(spec: Any) -> Any:
        if isinstance(spec, dict):
            return {at: dims.setdefault(n, torch.export.Dim(n, min=2)) for at, n in spec.items()}
        return type(spec)(map(named, spec))

    model = torch.onnx.export(
        program.net().eval(),
        program.inputs(**program.SIZES[0]),
        dynamo=True,
        verbose=False,
        dynamic_shapes=tuple(map(named, program.DYNAMIC)),
    ).model_proto
    return _stripped(model)


def _stripped(model: Any) -> bytes:
    import onnx

    for node in model.graph.node:
        kept = [p for p in node.metadata_props if p.key in RECORDED]
        for entry in kept:
            entry.value = re.sub(r'(?<=File ")[^"\n]*(?=")', lambda m: _shortened(m[0]), entry.value)
        del node.metadata_props[:]
        node.metadata_props.extend(kept)
        node.ClearField("doc_string")
    del model.metadata_props[:], model.graph.metadata_props[:], model.graph.value_info[:]
    for value in (*model.graph.input, *model.graph.output, *model.graph.initializer):
        del value.metadata_props[:]
    for tensor in model.graph.initializer:
        if tensor.data_type in (onnx.TensorProto.FLOAT, onnx.TensorProto.COMPLEX64) and len(tensor.raw_data) > 64:
            tensor.ClearField("raw_data")
            tensor.ClearField("float_data")
            tensor.data_location = onnx.TensorProto.EXTERNAL
            tensor.external_data.add(key="location", value="weights")
    data: bytes = model.SerializeToString()
    return data


def _shortened(file: str) -> str:
    file = file.replace(f"{FOLDER}/", "")
    return re.sub(r".*/(?=site-packages/)", "", file).replace("site-packages/", "")


def _quiet() -> None:
    import torch

    warnings.filterwarnings("ignore")
    logging.disable(logging.CRITICAL)
    torch.manual_seed(0)


if __name__ == "__main__":
    sys.exit(main())
