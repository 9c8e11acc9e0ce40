"""An If whose condition is the same for all inputs: the branch that it takes stands in its place."""

from __future__ import annotations

from shapeinfer.infer.bodies.speculative import known_truth
from shapeinfer.rewrite.edits import Runs
from shapeinfer.rewrite.site import Site


def known_branch(site: Site, index: int) -> Runs | None:
    """Find the branch that an If always takes."""
    node = site.nodes[index]
    if site.op(index) != "If" or not node.inputs or not node.graphs:
        return None
    taken = known_truth(site.fact(node.inputs[0]))
    attribute = "then_branch" if taken else "else_branch"
    return None if taken is None or attribute not in node.graphs else Runs(attribute)
