"""Replace nodes that read only constants by what they compute.

What a node computes from constants is the same for all inputs. It is computed by onnxruntime where that is installed,
each operator by itself, so that the constants have the bits that a run would have computed; else by onnx's reference
implementation, and then only by operators whose result has one right value, such as Transpose, Add and Sqrt. Nodes
whose values are large stay where they are cheaper to compute than to store: all constants together may not make the
model larger than ``max_growth`` allows. Weights that are stored quantized stay so: neither a DequantizeLinear nor a
Cast of theirs is computed.
"""

from __future__ import annotations

from shapeinfer.rewrite.edits import Known
from shapeinfer.rewrite.rule import rewrite
from shapeinfer.rewrite.site import Site


@rewrite("constant-folding", "what is computed from constants alone becomes a constant")
def constant_folding(site: Site, index: int) -> Known | None:
    """Look up what a node computes, if that was found worth storing."""
    found = tuple((n, site.constants.computed[n]) for n in site.nodes[index].outputs if n in site.constants.stored_anew)
    return Known(found) if found else None
