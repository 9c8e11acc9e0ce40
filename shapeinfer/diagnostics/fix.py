"""An edit of one node after which it has no fault."""

from __future__ import annotations

from typing import Any, Literal

from attrs import frozen

Kind = Literal["attribute", "transpose", "unsqueeze", "cast"]


@frozen
class Fix:
    """What would fit: another value of an attribute, or an operand that is transposed, given axes or cast.

    ``kind`` says which; ``node`` names the node to edit, ``operand`` its input and ``attribute`` its attribute, where
    there is one. ``value`` is the new value of the attribute, the permutation, the axes or the element type.
    """

    text: str
    kind: Kind
    node: str
    operand: str | None = None
    attribute: str | None = None
    value: object = None

    def to_dict(self) -> dict[str, Any]:
        value = list(self.value) if isinstance(self.value, tuple) else self.value
        return {
            "text": self.text,
            "kind": self.kind,
            "node": self.node,
            "operand": self.operand,
            "attribute": self.attribute,
            "value": value,
        }
