"""What onnxruntime refuses a model for, and which refusals are a limit of its own instead of a fault of the model."""

from __future__ import annotations

import re

OWN = (
    # Its shape inference takes sizes that it knows in part for a list of none, and refuses to load the model.
    "Number of elements of input 'sizes' (0)",
    "ParseData type mismatch",
    # It runs no Scan whose body computes a shape that its own inference cannot tell.
    "Subgraph must have the shape set for all outputs",
)
"""Refusals that nothing in a valid model foretells, whatever the sizes of its inputs are."""

_NODE = re.compile(r"running (\w+) node\.|Op \((\w+)\)")
_PLACE = re.compile(r"/\S+|\b[\w.]+:\d+|\{[^}]*\}")


def is_own(refusal: str) -> bool:
    """Whether a refusal is a limit of the runtime's own."""
    return any(text in refusal for text in OWN)


def reason(refusal: str) -> str:
    """Return the operator that refuses, the innermost of nested graphs, and why, without numbers and places."""
    found = _NODE.findall(refusal)
    operator = next(filter(None, found[-1]), "model") if found else "model"
    _, _, message = refusal.rpartition("Status Message:")
    short = re.sub(r"-?\d+", "N", _PLACE.sub("", message))
    return f"{operator}: {' '.join(short.split())[-100:]}"
