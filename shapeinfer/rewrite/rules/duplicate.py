"""Read what an earlier node computes from the same values, whatever it is.

Two nodes with one operator, version and attributes, and inputs that are the same values or constants of the same bytes,
compute the same bits. Nodes that draw random numbers, hold graphs or are of a domain that is not ONNX's own are left
alone, since two runs of them need not agree.
"""

from __future__ import annotations

from collections.abc import Mapping

from shapeinfer.rewrite.edits import Duplicate
from shapeinfer.rewrite.rule import rewrite
from shapeinfer.rewrite.site import Site

_RANDOM = frozenset(
    {"RandomNormal", "RandomUniform", "RandomNormalLike", "RandomUniformLike", "Multinomial", "Bernoulli", "Dropout"}
)
_DOMAINS = ("", "ai.onnx.ml")
MOST_BYTES = 1 << 16
"""Constants of more bytes are not compared."""


@rewrite("duplicate", "a node before it computes the same from the same values, so that is read")
def duplicate(site: Site, index: int) -> Duplicate | None:
    """Find an earlier node that does the same."""
    first = site.once("first-alike", _first_alike).get(index)
    if first is None:
        return None
    both = zip(site.nodes[index].outputs, site.nodes[first].outputs)
    pairs = tuple((mine, theirs) for mine, theirs in both if mine and site.is_read(mine))
    return Duplicate(pairs) if pairs and all(theirs for _, theirs in pairs) else None


def _first_alike(site: Site) -> Mapping[int, int]:
    """Return for nodes the first that does the same; what reads two such nodes does the same too."""
    becomes = site.constants.repeated(MOST_BYTES)
    seen: dict[object, int] = {}
    found: dict[int, int] = {}
    for index, node in enumerate(site.nodes):
        call = node.call
        own = call.domain in _DOMAINS and call.function not in site.graph.functions
        if not own or node.graphs or call.op_type in _RANDOM or site.checks(index):
            continue
        inputs = tuple([becomes.get(name, name) for name in node.inputs])
        named = tuple([name != "" for name in node.outputs])
        first = seen.setdefault((call, inputs, named) if call.op_type != "Constant" else index, index)
        if first != index:
            found[index] = first
            becomes.update(zip(node.outputs, site.nodes[first].outputs))
    return found
