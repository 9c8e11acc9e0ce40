"""Which rewrites a caller chose, and what they may cost."""

from __future__ import annotations

import functools
from collections.abc import Collection, Sequence

from attrs import field, frozen

from shapeinfer.diagnostics.nearest import did_you_mean
from shapeinfer.rewrite.folded import REWRITES
from shapeinfer.rewrite.rule import Rule
from shapeinfer.rewrite.rules import RULES

MAX_GROWTH = 0.03
"""Constants may make a model larger by this share of its bytes."""


@frozen(slots=False)
class Choice:
    """The rewrites by ``names``, of those that ``approximate`` allows."""

    names: frozenset[str]
    approximate: bool
    max_growth: float
    _by_operator: dict[str, Sequence[Rule]] = field(factory=dict, eq=False, repr=False)

    @classmethod
    def of(cls, only: Collection[str] | None, skip: Collection[str], *, approximate: bool, max_growth: float) -> Choice:
        """Return the choice of a caller. Raises ValueError for a name of no rewrite, and for a negative share."""
        for name in (*(only or ()), *skip):
            if name not in REWRITES:
                near = did_you_mean(str(name), REWRITES) or f"; known: {', '.join(REWRITES)}"
                raise ValueError(f"unknown rewrite {name!r}{near}")
        if not max_growth >= 0:
            raise ValueError(f"max_growth is {max_growth!r}; give a share of the model's bytes, such as 0.03")
        return cls(frozenset(REWRITES if only is None else only) - set(skip), approximate, max_growth)

    @functools.cached_property
    def rules(self) -> Sequence[Rule]:
        """The rewrites to try, in their order."""
        return [r for r in RULES if r.name in self.names and (r.is_exact or self.approximate)]

    def rules_for(self, operator: str) -> Sequence[Rule]:
        """Return the rewrites to try at nodes of a standard operator; an empty text stands for any other."""
        found = self._by_operator.get(operator)
        if found is None:
            found = [r for r in self.rules if not r.operators or operator in r.operators]
            self._by_operator[operator] = found
        return found
