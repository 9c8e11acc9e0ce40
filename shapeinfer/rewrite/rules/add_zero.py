"""Read the operand to which a node adds 0.0, where no output can tell.

``x + 0.0`` is x but for its sign where x is -0.0. The sum is followed to what reads it: the rewrite is done where the
sign of a zero makes no difference to any bit of any output, because something after it adds a number, compares or
rounds. A sum whose zeros may reach an output, a denominator or an operator that is not known stays; so does the shift
of a layer normalization that is written as many nodes, by which onnxruntime recognizes it.
"""

from __future__ import annotations

from shapeinfer.rewrite.edits import Same
from shapeinfer.rewrite.rule import rewrite
from shapeinfer.rewrite.site import Site
from shapeinfer.rewrite.zero_signs import added_zeros, zero_port


@rewrite("add-zero", "0.0 is added, and nothing after it can tell 0.0 from -0.0", "Add")
def add_zero(site: Site, index: int) -> Same | None:
    """Find the operand that the sum equals."""
    if index not in site.once("added-zeros", added_zeros):
        return None
    port = zero_port(site, index)
    return None if port is None else Same(site.nodes[index].inputs[port])
