"""What an exporter wrote down of the program that a node was exported from."""

from __future__ import annotations

from attrs import frozen

from shapeinfer.diagnostics.diagnostic import SourceLine


@frozen(repr=False)
class Module:
    """A module of the program: its path from the outermost one, such as ``blocks.0.mlp``, and its class."""

    path: str
    type: str


@frozen(repr=False)
class Operation:
    """An operation of the exported program: one or more nodes compute its result.

    ``name`` is that of its result and ``operands`` are those that it reads, as the exporter named them; the value of a
    graph that holds a result has its name as a rule. ``operator`` is the program's, such as ``aten.transpose.int``,
    empty for one on Python's own numbers.
    """

    name: str
    operator: str
    operands: tuple[str, ...] = ()
    arguments: str = ""
    """What it is called with, as the exporter printed it."""
    readers: int = 0
    """How many operations of the program read its result, or return it; the model may have fewer."""
    stack: tuple[SourceLine, ...] = ()
    """The lines that were being executed, outermost first, those of libraries included."""
    modules: tuple[Module, ...] = ()
    """The modules that were being called, outermost first."""
