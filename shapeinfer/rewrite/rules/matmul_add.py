"""Compute a product of matrices and the row that is added to it in one Gemm.

Both operands have two axes, and the row broadcasts to the product without making it larger. A runtime adds the row
before or after it sums the products, so last bits may differ: the rewrite is approximate. Onnxruntime does it by
itself.
"""

from __future__ import annotations

import onnx

from shapeinfer.dims import Size
from shapeinfer.facts import Shape
from shapeinfer.rewrite.edits import Calls
from shapeinfer.rewrite.rule import rewrite
from shapeinfer.rewrite.site import Site

BROADCASTS = 7
"""The opset in which the third operand of a Gemm broadcasts by itself."""


@rewrite("matmul-add", "a product of matrices and what is added to it become one Gemm", "Add", exact=False)
def matmul_add(site: Site, index: int) -> Calls | None:
    """Merge an Add with the MatMul before it."""
    node = site.nodes[index]
    for port in (0, 1):
        product, added = node.inputs[port], node.inputs[1 - port]
        before = site.producers.get(product)
        if before is None or site.op(before) != "MatMul" or site.only_reader(product) is None or site.checks(before):
            continue
        a, b = site.nodes[before].inputs
        out, row = site.shape(node.outputs[0]), site.shape(added)
        dtype = site.dtype(product)
        fits = dtype is not None and dtype.is_float and node.call.opset >= BROADCASTS
        fits = fits and _is_matrix(site, a) and _is_matrix(site, b) and site.same_shape(product, node.outputs[0])
        if fits and row is not None and out is not None and len(row) <= 2 and _broadcasts(site, row, out):
            return Calls((onnx.helper.make_node("Gemm", [a, b, added], [node.outputs[0]]),))
    return None


def _is_matrix(site: Site, name: str) -> bool:
    return len(site.shape(name) or ()) == 2


def _broadcasts(site: Site, row: Shape, out: Shape) -> bool:
    def fits(mine: Size, theirs: Size) -> bool:
        return site.same(mine, 1) or site.same(mine, theirs)

    return all(map(fits, row[::-1], out[::-1]))
