"""Tell what folding did to a model: a table of the rewrites, and how many nodes there were and are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from shapeinfer.report.paint import printable


def render(name: str, counts: Mapping[str, int], meaning: Mapping[str, str], before: int, after: int) -> Sequence[str]:
    """Return the lines of the table; ``meaning`` describes each rewrite."""
    rows = [(rewrite, str(count), meaning[rewrite]) for rewrite, count in counts.items()]
    table = [("rewrite", "nodes", "description"), *rows] if rows else []
    first, second = (max((len(row[i]) for row in table), default=0) for i in (0, 1))
    lines = [f"{a:<{first}}  {b:>{second}}  {c}" for a, b, c in table]
    return [*lines, *([""] if lines else []), f"{printable(name)}: {before} nodes before, {after} after"]
