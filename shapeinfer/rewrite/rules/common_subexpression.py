"""Read what an earlier node computes in the place of computing the same lengths again.

Two tensors of integers whose entries are the same formulas of the inputs' dims are equal for all inputs, whatever
computes them. A value that a graph inside the model hides by a name of its own is not read there.
"""

from __future__ import annotations

from shapeinfer.dims import Dim
from shapeinfer.rewrite.edits import Same
from shapeinfer.rewrite.rule import rewrite
from shapeinfer.rewrite.rules.known_value import KINDS
from shapeinfer.rewrite.site import Site


@rewrite("common-subexpression", "a node before it computes the same lengths, so those are read")
def common_subexpression(site: Site, index: int) -> Same | None:
    """Replace a node that computes lengths which an earlier node computes; remember the first of each."""
    outputs = site.nodes[index].outputs
    fact = site.tensor(outputs[0]) if len(outputs) == 1 else None
    if fact is None or fact.dtype not in KINDS or fact.value is None or fact.shape is None:
        return None
    if not all(isinstance(e, (int, Dim)) for e in fact.value) or not any(isinstance(e, Dim) for e in fact.value):
        return None
    key = (fact.dtype, fact.shape, fact.value)
    first = site.first_with.setdefault(key, outputs[0])
    return Same(first) if first != outputs[0] else None
