"""Names that are text: protobuf hands out one that is not UTF-8 as bytes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from shapeinfer.diagnostics import codes
from shapeinfer.diagnostics.diagnostic import Diagnostic
from shapeinfer.diagnostics.errors import ModelError


def require_text(names: Iterable[Any]) -> None:
    """Raise a ModelError for a name that is no text."""
    names = list(names)
    try:
        "".join(names)
    except TypeError:
        wrong = next(n for n in names if not isinstance(n, str))
        message = f"not an ONNX model: the name {wrong!r} in it is not UTF-8"
        raise ModelError([Diagnostic(codes.NOT_A_MODEL, codes.NOT_A_MODEL.severity, message)]) from None


def as_text(name: Any) -> str:
    """Return a name that nothing refers to, with marks for what is no text."""
    return name if isinstance(name, str) else name.decode("utf-8", "replace")
