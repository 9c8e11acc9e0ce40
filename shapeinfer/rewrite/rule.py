"""What a rewrite is: a name, a sentence, a page, and a function that finds where it applies."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TypeAlias

from attrs import frozen

from shapeinfer.rewrite.edits import Edit
from shapeinfer.rewrite.site import Site

Find: TypeAlias = "Callable[[Site, int], Edit | None]"
"""Returns how a node of a graph may be rewritten, None where that is not proved."""


@frozen
class Rule:
    """One rewrite. It reads the graph and its facts, and changes nothing."""

    name: str
    sentence: str
    """What it does to a node, as ``shapeinfer fold`` prints it."""
    find: Find
    operators: frozenset[str]
    """The standard operators that it is tried at; empty for all."""
    is_exact: bool
    """Whether every output keeps its bits; one that does not is applied only where the caller asks for it."""

    @property
    def page(self) -> str:
        """Its documentation: what it rewrites, why that is right, and what it leaves alone."""
        return (sys.modules[self.find.__module__].__doc__ or "").strip()


def rewrite(name: str, sentence: str, *operators: str, exact: bool = True) -> Callable[[Find], Rule]:
    """Declare a function to be a rewrite, tried at nodes of these operators; its module's docstring is its page."""

    def declare(find: Find) -> Rule:
        return Rule(name, sentence, find, frozenset(operators), exact)

    return declare
