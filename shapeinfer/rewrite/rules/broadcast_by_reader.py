"""Leave out an Expand, or an operand that only makes the result larger, where what reads it broadcasts it anyway.

An Expand repeats entries, and so does an operand that is neutral otherwise, such as true in And. Every node that reads
the larger value computes entry by entry and broadcasts, and its result is as large without, thanks to another operand;
or is smaller, and the same holds for what reads that. Operators whose last bits may depend on how many entries they
compute together are not passed, nor is an output.
"""

from __future__ import annotations

from shapeinfer.rewrite.broadcasting import narrowed
from shapeinfer.rewrite.edits import Narrower
from shapeinfer.rewrite.normalization import is_normalized
from shapeinfer.rewrite.rule import rewrite
from shapeinfer.rewrite.rules.neutral_operand import NEUTRAL, is_neutral
from shapeinfer.rewrite.site import Site

_COMMUTING = ("And", "Or", "Add", "Mul")


@rewrite("broadcast-by-reader", "what reads an expanded value expands it anyway", "Expand", *_COMMUTING)
def broadcast_by_reader(site: Site, index: int) -> Narrower | None:
    """Find the smaller value that may be read."""
    node, op = site.nodes[index], site.op(index)
    ports = (
        [0] if op == "Expand" else [1 - port for port in (0, 1) if op in NEUTRAL and is_neutral(site, index, op, port)]
    )
    for port in ports:
        value = node.inputs[port]
        shape = site.shape(value)
        scales = op == "Mul" and is_normalized(site, value)
        if shape is None or scales or site.dtype(value) is not site.dtype(node.outputs[0]):
            continue
        changed = narrowed(site, node.outputs[0], shape)
        if changed is not None:
            return Narrower(value, tuple(changed))
    return None
