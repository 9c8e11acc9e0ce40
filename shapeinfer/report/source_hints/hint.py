"""A hint: the types of what a statement computed, in each of its runs."""

from __future__ import annotations

from typing import Any

from attrs import frozen


@frozen(repr=False)
class Value:
    """A value that a statement computed: its name in the model, and its type as text."""

    name: str
    type: str


@frozen(repr=False)
class Computed:
    """The values that one run of a statement computed, several if it unpacks them; ``module`` is the module's path."""

    module: str
    values: tuple[Value, ...]

    @property
    def text(self) -> str:
        return ", ".join(v.type for v in self.values)


@frozen(repr=False)
class Hint:
    """What a statement computed in each of its runs; shown behind its last line.

    ``is_recorded`` means that the exporter recorded all its lines, so that edits are detected.
    """

    first: int
    line: int
    runs: tuple[Computed, ...]
    is_recorded: bool = True

    @property
    def text(self) -> str:
        """The types, once where all runs agree, and separated by bars where they do not."""
        return " | ".join(dict.fromkeys(run.text for run in self.runs))

    def to_dict(self) -> dict[str, Any]:
        """Return the hint in the form that ``--format json`` prints."""
        return {
            "first_line": self.first,
            "line": self.line,
            "text": self.text,
            "runs": [
                {"module": r.module, "values": [{"name": v.name, "type": v.type} for v in r.values]} for r in self.runs
            ],
        }
