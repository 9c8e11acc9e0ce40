"""Put together by one Concat a shape of which the parts are there already.

The entries of a small tensor of integers are known as numbers and formulas of dims. Where its formulas are the entries
of one value that an earlier node computes, and numbers are before and after it, a Concat of the three is the same, and
what computed it otherwise goes: a Where that replaces -1, an Add of 0, a chain of Slice and Concat.
"""

from __future__ import annotations

import numpy as np
import onnx

from shapeinfer.dims import Dim
from shapeinfer.facts import DType
from shapeinfer.rewrite.edits import Calls
from shapeinfer.rewrite.rule import rewrite
from shapeinfer.rewrite.site import Site

_LEFT_ALONE = frozenset({"", "Concat", "Shape", "Constant", "Gather", "Slice", "Cast", "Range", "Identity", "Reshape"})
"""Operators that are no longer than the Concat, or that other rewrites understand better."""


@rewrite("shape-parts", "a computed shape is put together from a part that is there and constants")
def shape_parts(site: Site, index: int) -> Calls | None:
    """Find the value that holds all entries that are no numbers."""
    node = site.nodes[index]
    if site.op(index) in _LEFT_ALONE or len(node.outputs) != 1:
        return None
    fact = site.tensor(node.outputs[0])
    if fact is None or fact.dtype is not DType.INT64 or not fact.value or fact.shape is None or len(fact.shape) != 1:
        return None
    entries = fact.value
    formulas = [i for i, entry in enumerate(entries) if not isinstance(entry, int)]
    if not formulas or not all(isinstance(entry, (int, Dim)) for entry in entries):
        return None
    start, end = formulas[0], formulas[-1] + 1
    part = site.first_with.get((DType.INT64, (end - start,), entries[start:end]))
    if part is None or end - start == len(entries) or part in (node.outputs[0], *site.hidden):
        return None
    before, behind = (site.names.fresh(f"{node.outputs[0]}_{where}") for where in ("start", "end"))
    pieces = ((before, entries[:start]), (part, entries[start:end]), (behind, entries[end:]))
    constants = tuple((n, np.array(piece, np.int64)) for n, piece in pieces if piece and n != part)
    names = [n for n, piece in pieces if piece]
    return Calls((onnx.helper.make_node("Concat", names, [node.outputs[0]], axis=0),), constants)
