"""Read the operand that a node gives back because the other one is neutral.

``x * 1``, ``x / 1``, ``x - 0``, ``x + -0.0``, ``b and true``, ``b or false`` are their first operand bit for bit, -0.0
and infinities included, and so is that branch of a Where which its condition always takes. The other operand must not
make the result any larger: the shapes of operand and result are proved equal for all sizes. ``x + 0.0`` is another
rewrite, since it turns -0.0 into 0.0.

A scale of 1 behind a division by a standard deviation stays: onnxruntime recognizes a layer normalization by it, and
then computes all of it in one node.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from shapeinfer.rewrite.edits import Same
from shapeinfer.rewrite.normalization import is_normalized
from shapeinfer.rewrite.rule import rewrite
from shapeinfer.rewrite.site import Site
from shapeinfer.rewrite.uniform import uniform

NEUTRAL: dict[str, Callable[[Any], Any]] = {
    "Mul": lambda n: n == 1,
    "Div": lambda n: n == 1,
    "Add": lambda n: n == 0 and (n.dtype.kind != "f" or np.signbit(n)),
    "Sub": lambda n: n == 0 and not np.signbit(n),
    "And": lambda n: n,
    "Or": lambda n: not n,
    "Xor": lambda n: not n,
    "BitwiseAnd": lambda n: n == ~n.dtype.type(0),
    "BitwiseOr": lambda n: n == 0,
    "BitwiseXor": lambda n: n == 0,
    "Pow": lambda n: n == 1,
}
_SECOND_ONLY = ("Div", "Sub", "Pow")
"""Operators of which only the second operand may be neutral."""


@rewrite(
    "neutral-operand",
    "one operand changes nothing, such as 1 in a product, so the other is read",
    *NEUTRAL,
    "Where",
)
def neutral_operand(site: Site, index: int) -> Same | None:
    """Find the operand that a node gives back."""
    node, op = site.nodes[index], site.op(index)
    if op == "Where":
        taken = uniform(site, node.inputs[0])
        return None if taken is None else _given_back(site, index, 1 if taken else 2)
    for other in (1,) if op in _SECOND_ONLY else (1, 0):
        if len(node.inputs) == 2 and is_neutral(site, index, op, other):
            return _given_back(site, index, 1 - other)
    return None


def _given_back(site: Site, index: int, port: int) -> Same | None:
    node, value = site.nodes[index], site.nodes[index].inputs[port]
    scales = site.op(index) == "Mul" and is_normalized(site, value)
    return Same(value) if site.same_shape(value, node.outputs[0]) and not scales else None


def is_neutral(site: Site, index: int, op: str, port: int) -> bool:
    """Whether all entries of an operand change nothing, whatever the other one is."""
    number = uniform(site, site.nodes[index].inputs[port])
    return number is not None and bool(NEUTRAL[op](number))
