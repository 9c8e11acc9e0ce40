"""What a rule reports about its operands: findings and claims, which name ports and never nodes."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping

from attrs import evolve, frozen

from shapeinfer.diagnostics.codes import Code, Severity
from shapeinfer.diagnostics.detail import NOTHING, Detail
from shapeinfer.dims import Condition, Dim, Size, text_of
from shapeinfer.remembered import forgotten_by, note_text

_PORT = re.compile(r"(?P<name>[A-Za-z_][\w]*)(?:\.(?P<index>\d+))?(?:\[(?P<axis>-?\d+)\]|\{(?P<entry>\d+)\})?")
_SLOT = re.compile(r"\?\d+")
"""How placeholders for fresh symbols are written in messages, until they have names."""


@frozen(repr=False)
class Port:
    """An operand of a rule: a parameter's name, which of a variadic's operands, and an axis or an entry of it."""

    name: str
    index: int | None = None
    axis: int | None = None
    entry: int | None = None

    @property
    def text(self) -> str:
        """The operand without its axis or entry, as ``at=`` spells it."""
        return self.name if self.index is None else f"{self.name}.{self.index}"


@functools.lru_cache(maxsize=4096)
def ports(at: str) -> tuple[Port, ...]:
    """Read ``"a[-1] b[-2] inputs.3[0] shape{1}"`` as ports; brackets hold an axis, braces an entry."""
    note_text(at)
    return tuple(
        Port(
            m["name"],
            int(m["index"]) if m["index"] else None,
            int(m["axis"]) if m["axis"] else None,
            int(m["entry"]) if m["entry"] else None,
        )
        for m in _PORT.finditer(at)
    )


forgotten_by(ports.cache_clear)


@frozen(repr=False)
class Finding:
    """A fault at some operands of a call."""

    code: Code
    message: str
    ports: tuple[Port, ...] = ()
    severity: Severity = Severity.ERROR
    notes: tuple[str, ...] = ()
    detail: Detail = NOTHING


@frozen(repr=False)
class Claim:
    """A condition of the call that is true for some sizes of its operands and false for others."""

    condition: Condition
    code: Code
    message: str
    ports: tuple[Port, ...] = ()
    detail: Detail = NOTHING

    def replacing(self, sizes: Mapping[Dim, Size]) -> Claim:
        """Return the claim with symbols replaced in its condition, and placeholders in its message too."""
        if not sizes:
            return self
        names = {symbol.text: text_of(size) for symbol, size in sizes.items()}
        message = _SLOT.sub(lambda found: names.get(found[0], found[0]), self.message)
        return evolve(self, condition=self.condition.substitute(sizes), message=message)
