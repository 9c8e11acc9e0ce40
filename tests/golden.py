"""A few reports in every format, as the golden files of ``tests/report/golden`` have them.

``python -m tests.golden write`` rewrites those files, and ``python -m tests.golden`` prints what would stand in them.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import onnx

from shapeinfer import Report, check, render_contract
from shapeinfer.diagnostics.codes import CODES
from shapeinfer.report import FORMATS
from shapeinfer.report.contract_formats import CONTRACT_FORMATS
from shapeinfer.version import __version__
from tests.models import parsed

FOLDER = Path(__file__).parent / "report" / "golden"
ENDINGS = {"json": "json", "sarif": "json", "junit": "xml", "markdown": "md", "json-schema": "json"}

CLEAN = "clean (float[N, 3, 4] x) => (float[N, 12] y) { y = Flatten <axis = 1> (x) }"
EXPORTED = """exported (float[batch, 64] x, float[seq, 128] w) => (float[batch, 128] y, z) {
    h = Gemm (x, w)
    y = Relu (h)
    z = my.Odd (y)
}"""
NESTED = """nested (bool c, float[3] a, float[4] b) => (y) {
    y = If (c) <
        then_branch = one () => (t) { t = Add (a, b) },
        else_branch = two () => (e) { e = Identity (a) }
    >
}"""
CONTRACTED = """contracted
(float[batch, seq, 8] x, float[batch, past, 8] old, bool[batch, total] mask, float[odd, heads] w, float[n] scale)
=> (all, rows, y) <float[1] scale = {1}, int64[3] shape = {-1, 4, 2}> {
    both = Concat <axis = 1> (old, x)
    axes = Constant <value_ints = [2]> ()
    seen = Unsqueeze (mask, axes)
    zero = Constant <value_float = 0.0> ()
    all = Where (seen, both, zero)
    rows = Reshape (w, shape)
    y = Mul (x, scale)
}"""
HOSTILE = "a\x1b[2J|`x`\n::error::\u202e]]>&\"'<%0A"
STACK = """File "train.py", line 30, in main
    out = net(x)
  File "src/net.py", line 7, in forward
    return self.head(x)
  File "/venv/lib/python3.11/site-packages/torch/nn/modules/linear.py", line 134, in forward
    return F.linear(input, self.weight, self.bias)"""


def exported() -> onnx.ModelProto:
    """A model with a fault at a node that has a name and the stack of its export."""
    model = parsed(EXPORTED)
    model.graph.node[0].name = "/head/Gemm"
    model.graph.node[0].metadata_props.add(key="pkg.torch.onnx.stack_trace", value=STACK)
    return model


def hostile(name: str = HOSTILE) -> onnx.ModelProto:
    """A model with a fault whose every name is what no format may pass on as it is."""
    model = parsed("hostile (float[2] a, float[3] b) => (y) { y = Add (a, b) }")
    graph = model.graph
    graph.name = graph.node[0].name = name
    for i, value in enumerate((*graph.input, *graph.output)):
        value.name = f"{name}{i}"
    graph.node[0].input[:] = [value.name for value in graph.input]
    graph.node[0].output[:] = [value.name for value in graph.output]
    stack = f'File "{name.replace(chr(10), "").replace(chr(34), "")}.py", line 1, in f\n    {name}'
    graph.node[0].metadata_props.add(key="pkg.torch.onnx.stack_trace", value=stack)
    return model


def contracted() -> onnx.ModelProto:
    """A model with conditions of every kind on its inputs, a default, and a dim of a name that no program has."""
    model = parsed(CONTRACTED)
    dims = [d for value in model.graph.input for d in value.type.tensor_type.shape.dim]
    for dim in dims:
        if dim.dim_param == "total":
            dim.dim_param = "past + seq"
        if dim.dim_param == "odd":
            dim.dim_param = HOSTILE
    return model


def reports() -> list[tuple[str, Report]]:
    """The reports of the golden files: clean, wrong in two ways, hostile, unreadable."""
    return [
        ("clean.onnx", check(parsed(CLEAN))),
        ("exported.onnx", check(exported(), bind={"seq": 32})),
        ("nested.onnx", check(parsed(NESTED))),
        ("hostile\n.onnx", check(hostile())),
        ("missing.onnx", check("no/such/model.onnx")),
    ]


def rendered() -> dict[str, str]:
    """Every format by the name of its golden file; what changes for other reasons has a word in its place."""
    found = {}
    for name, render in FORMATS.items():
        text = "".join(render(reports(), several=True))
        text = text.replace(f'"version": "{__version__}"', '"version": "VERSION"')
        for code in CODES.values():
            text = text.replace(json.dumps(code.page), f'"PAGE OF {code.name}"')
        found[f"{name}.{ENDINGS.get(name, 'txt')}"] = text
    report = check(contracted(), ranges={"seq": (1, 512)}, assume=["heads % 4 == 0"])
    for contract in CONTRACT_FORMATS:
        text = render_contract(report, contract, name="contract.onnx")
        text = text.replace(f"shapeinfer {__version__}", "shapeinfer VERSION")
        found[f"contract-{contract}.{ENDINGS.get(contract, 'txt')}"] = text
    return found


if __name__ == "__main__":
    for file, text in rendered().items():
        if sys.argv[1:] == ["write"]:
            (FOLDER / file).write_text(text, encoding="utf-8", newline="\n")
        else:
            sys.stdout.write(f"== {file}\n{text}")
