"""Put the body of a Loop that runs once in its place, and read the initial values of one that never runs.

The number of trips is known for all inputs, and so is the condition to begin. A body that runs once reads 0 as its
trip, true as its condition and the initial values; what it gives for each trip gets an axis of length 1. A Loop that
never runs gives back its initial values; what it would have collected is empty, of a shape that only the body knows, so
a Loop of which that is read stays.
"""

from __future__ import annotations

import numpy as np

from shapeinfer.infer.bodies.speculative import known_truth
from shapeinfer.rewrite.edits import Duplicate, Runs
from shapeinfer.rewrite.rule import rewrite
from shapeinfer.rewrite.site import Site

AXES_ARE_AN_INPUT = 13
"""The opset in which Unsqueeze takes its axes as an input."""


@rewrite("known-trips", "a Loop of one trip gives way to its body, one of none to its initial values", "Loop")
def known_trips(site: Site, index: int) -> Runs | Duplicate | None:
    """Find what a Loop of no or one trip does."""
    node = site.nodes[index]
    count = site.entries(index, 0) if site.has_input(index, 0) else None
    begins = known_truth(site.fact(node.inputs[1])) if site.has_input(index, 1) else True
    initial = node.inputs[2:]
    if not node.graphs or "body" not in node.graphs or not all(initial) or site.hidden & set(initial):
        return None
    collected = [o for o in node.outputs[len(initial) :] if o]
    if begins is False or (count is not None and isinstance(count[0], int) and count[0] <= 0):
        pairs = tuple((o, i) for o, i in zip(node.outputs, initial) if o and site.is_read(o))
        return Duplicate(pairs) if pairs and not any(map(site.is_read, collected)) else None
    if count != (1,) or not begins or (collected and node.call.opset < AXES_ARE_AN_INPUT):
        return None
    return Runs("body", (np.zeros((), np.int64), np.ones((), np.bool_), *initial), 1, len(initial))
