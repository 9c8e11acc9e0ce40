"""The difference between two models, as data and as text."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from typing import Any

from attrs import frozen


class Kind(str, enum.Enum):
    """The effect of a change on the set of accepted inputs; CHANGED is anything else."""

    NARROWER = "narrower"
    WIDER = "wider"
    CHANGED = "changed"

    def __str__(self) -> str:
        return self.value


@frozen
class Change:
    """One change: its subject, such as ``output y``, and a message."""

    kind: Kind
    breaking: bool
    about: str
    message: str

    def to_dict(self) -> dict[str, Any]:
        return {"kind": self.kind.value, "breaking": self.breaking, "about": self.about, "message": self.message}


@frozen
class Difference:
    """All that is not as it was. ``new`` and ``gone`` are values between inputs and outputs, by name."""

    changes: tuple[Change, ...] = ()
    new: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()

    @property
    def breaking(self) -> tuple[Change, ...]:
        """The changes by which a caller of the old model may fail with the new one."""
        return tuple(c for c in self.changes if c.breaking)

    def of(self, kind: Kind) -> tuple[Change, ...]:
        """Return the changes of one kind that are not breaking."""
        return tuple(c for c in self.changes if c.kind is kind and not c.breaking)

    @property
    def text(self) -> str:
        """The changes by what they do, one a line; empty if there are none."""
        return "\n".join(line for _, lines in self.sections() for line in lines)

    def sections(self) -> Iterator[tuple[str, list[str]]]:
        """Yield a heading and its lines: what breaks callers first."""
        for heading, changes in (("breaking", self.breaking), *((k.value, self.of(k)) for k in Kind)):
            if changes:
                width = max(len(c.about) for c in changes)
                yield heading, [f"{c.about:{width}}  {c.message}" for c in changes]

    def to_dict(self) -> dict[str, Any]:
        """Return the difference in the form that ``--format json`` prints."""
        return {
            "breaking": bool(self.breaking),
            "changes": [c.to_dict() for c in self.changes],
            "values": {"new": list(self.new), "gone": list(self.gone)},
        }
