"""What stays of a diagnostic when nodes around it come and go: how one is known again in the next run."""

from __future__ import annotations

import hashlib
import re

from shapeinfer.diagnostics.diagnostic import Diagnostic

_COUNTED = re.compile(r"_[0-9]+(?![A-Za-z0-9])")
"""The number of a made-up name, such as ``NonZero_3``: it counts what came before."""

_INDEX = re.compile(r"\bnode [0-9]+")


def fingerprint(diagnostic: Diagnostic) -> str:
    """Return 32 hexadecimal digits made of the code, the names of the node or its values, and the message.

    The node's index and the numbers of made-up names are left out, so that a diagnostic keeps its fingerprint when
    other nodes are added. Two diagnostics of one model may share one; the model's path is no part of it.
    """
    parts = [diagnostic.code.name, *_place(diagnostic), _normal(diagnostic.message)]
    return hashlib.sha256("\0".join(parts).encode("utf-8", "backslashreplace")).hexdigest()[:32]


def _place(diagnostic: Diagnostic) -> list[str]:
    node = diagnostic.node
    if node is None:
        return ["", ""]
    values = ", ".join(o.value for o in diagnostic.operands)
    return [" / ".join(map(_normal, node.graph)), node.name or f"{node.operator} of {values}"]


def _normal(text: str) -> str:
    return _COUNTED.sub("_#", _INDEX.sub("node #", " ".join(text.split())))
