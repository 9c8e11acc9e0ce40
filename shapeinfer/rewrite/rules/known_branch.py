"""Put the nodes of the branch that an If always takes in its place.

The condition is known for all inputs, so the other branch never runs. Names of the branch are made anew, and what it
captures it still reads.
"""

from __future__ import annotations

from shapeinfer.infer.bodies.speculative import known_truth
from shapeinfer.rewrite.edits import Runs
from shapeinfer.rewrite.rule import rewrite
from shapeinfer.rewrite.site import Site


@rewrite("known-branch", "an If whose condition is known gives way to the branch that it takes", "If")
def known_branch(site: Site, index: int) -> Runs | None:
    """Find the branch that an If always takes."""
    return taken_branch(site, index)


def taken_branch(site: Site, index: int) -> Runs | None:
    """Return the branch that an If always takes, None for any other node."""
    node = site.nodes[index]
    if site.op(index) != "If" or not node.inputs or not node.graphs:
        return None
    taken = known_truth(site.fact(node.inputs[0]))
    attribute = "then_branch" if taken else "else_branch"
    return None if taken is None or attribute not in node.graphs else Runs(attribute)
