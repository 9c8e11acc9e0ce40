"""An edit of one node after which it has no fault."""

from __future__ import annotations

from typing import Any, Literal

from attrs import frozen

Kind = Literal["attribute", "transpose", "unsqueeze", "cast"]


@frozen
class TextEdit:
    """The replacement of a part of a model's text; lines and columns count from 1, and the end is exclusive."""

    line: int
    column: int
    end_line: int
    end_column: int
    text: str

    def to_dict(self) -> dict[str, Any]:
        return {
            "line": self.line,
            "column": self.column,
            "end_line": self.end_line,
            "end_column": self.end_column,
            "text": self.text,
        }


@frozen
class Fix:
    """What would fit: another value of an attribute, or an operand that is transposed, given axes or cast.

    ``kind`` says which; ``node`` names the node to edit, ``operand`` its input and ``attribute`` its attribute, where
    there is one. ``value`` is the new value of the attribute, the permutation, the axes or the element type. ``edit``
    is the fix in the text of the model, for formats that people write as text.
    """

    text: str
    kind: Kind
    node: str
    operand: str | None = None
    attribute: str | None = None
    value: object = None
    edit: TextEdit | None = None

    def to_dict(self) -> dict[str, Any]:
        value = list(self.value) if isinstance(self.value, tuple) else self.value
        return {
            "text": self.text,
            "kind": self.kind,
            "node": self.node,
            "operand": self.operand,
            "attribute": self.attribute,
            "value": value,
            "edit": None if self.edit is None else self.edit.to_dict(),
        }
