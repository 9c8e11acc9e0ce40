"""The difference between two models, as data and as text."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from typing import Any

from attrs import field, frozen

from shapeinfer.diagnostics.markup import escaped, table


class Kind(str, enum.Enum):
    """The effect of a change on the set of accepted inputs; CHANGED is anything else."""

    NARROWER = "narrower"
    WIDER = "wider"
    CHANGED = "changed"

    def __str__(self) -> str:
        return self.value


@frozen
class Change:
    """One change: its subject, such as ``output y``, and a message.

    ``before`` and ``after`` are the type of an input, output or value in the old and the new model, or a condition of
    the contract; empty in the model that does not have it, and where the change is of something else.
    """

    kind: Kind
    breaking: bool
    about: str
    message: str
    before: str = field(default="", kw_only=True)
    after: str = field(default="", kw_only=True)

    def to_dict(self) -> dict[str, Any]:
        return {
            "kind": self.kind.value,
            "breaking": self.breaking,
            "about": self.about,
            "message": self.message,
            "before": self.before,
            "after": self.after,
        }


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
        lines = []
        for _, changes in self.by_effect():
            width = max(len(c.about) for c in changes)
            lines += [f"{c.about:{width}}  {c.message}" for c in changes]
        return "\n".join(lines)

    def by_effect(self) -> Iterator[tuple[str, tuple[Change, ...]]]:
        """Yield a heading and its changes: what breaks callers first."""
        for heading, changes in (("breaking", self.breaking), *((k.value, self.of(k)) for k in Kind)):
            if changes:
                yield heading, changes

    @property
    def summary(self) -> str:
        """How many changes there are, in a line."""
        counts = [_count(len(self.breaking), "breaking change")]
        others = len(self.changes) - len(self.breaking)
        counts += [_count(others, "other change")] if others else []
        counts += [f"{_count(len(self.new), 'value')} new"] if self.new else []
        counts += [f"{_count(len(self.gone), 'value')} gone"] if self.gone else []
        return ", ".join(counts)

    def __repr__(self) -> str:
        return f"<Difference: {self.summary}>"

    def _repr_html_(self) -> str:
        """Return the difference as a notebook shows it."""
        changes = [(heading, c) for heading, listed in self.by_effect() for c in listed]
        if not changes:
            return f"<p>{escaped(self.summary)}</p>"
        rows = ([heading, c.about, c.before, c.after, c.message] for heading, c in changes)
        return f"<p>{escaped(self.summary)}</p>" + table(("", "", "before", "after", ""), rows)

    def to_dict(self) -> dict[str, Any]:
        """Return the difference in the form that ``--format json`` prints."""
        return {
            "breaking": bool(self.breaking),
            "changes": [c.to_dict() for c in self.changes],
            "values": {"new": list(self.new), "gone": list(self.gone)},
        }


def _count(number: int, what: str) -> str:
    return f"{number or 'no'} {what}{'' if number == 1 else 's'}"
