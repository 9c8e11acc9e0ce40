"""A model of any number of nodes, as text: a line each."""

from __future__ import annotations

BLOCK = """\
    h{i} = MatMul ({last}, w)
    b{i} = Add (h{i}, bias)
    r{i} = Relu (b{i})
    s{i} = Softmax <axis = -1> (r{i})
    t{i} = Add (s{i}, h{i})
"""


def large(nodes: int) -> str:
    """Return a model of so many nodes, a multiple of five."""
    blocks = nodes // 5
    body = "".join(BLOCK.format(i=i, last=f"t{i - 1}" if i else "x") for i in range(blocks))
    inputs = "float[N, 64] x, float[64, 64] w, float[64] bias"
    header = f'<ir_version: 10, opset_import: ["" : 20]>\nnet ({inputs}) => (float[N, 64] t{blocks - 1})\n'
    return f"{header}{{\n{body}}}\n"
