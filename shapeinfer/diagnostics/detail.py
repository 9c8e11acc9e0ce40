"""The data of a fault besides its operands."""

from __future__ import annotations

import builtins
import math
from typing import Any

from attrs import frozen


@frozen
class Detail:
    """The data of a message for programs; a field is None or empty if it does not apply."""

    attribute: str | None = None
    """The attribute at fault, which may be absent."""
    given: object = None
    """The value in the model: an axis as written, or an attribute's value."""
    range: builtins.range | None = None
    """The axes that there are, as the operator counts them: ``range(-3, 3)`` of rank 3."""
    allowed: tuple[str, ...] = ()
    """What is allowed instead: element types such as ``float32``, or names or values of attributes."""
    output_axis: int | None = None
    """The output's axis that lengths are broadcast to, counted from its front."""

    def to_dict(self) -> dict[str, Any]:
        """Return what applies in the published JSON form; a range as its lowest and highest number."""
        span = self.range
        fields = {
            "attribute": self.attribute,
            "given": _json(self.given),
            "range": None if span is None else [span.start, span.stop - 1],
            "allowed": list(self.allowed) or None,
            "output_axis": self.output_axis,
        }
        return {name: value for name, value in fields.items() if value is not None}


def _json(given: object) -> Any:
    if isinstance(given, tuple):
        return [_json(g) for g in given]
    is_number = isinstance(given, int) or (isinstance(given, float) and math.isfinite(given))
    return given if given is None or is_number else str(given)


NOTHING = Detail()
"""The detail of a fault that needs none."""
