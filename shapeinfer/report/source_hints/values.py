"""Abstract values: what a hint needs to know of the variables of a program."""

from __future__ import annotations

from typing import TypeAlias

from attrs import define, field, frozen

from shapeinfer.facts import Fact


@define(eq=False, repr=False)
class Variable:
    """A tensor of the program.

    ``name`` is the exporter's name, None if unknown. ``like`` is its type, or another tensor of the same type; used if
    the name is unknown.
    """

    name: str | None = None
    like: Variable | Fact | None = None
    is_certain: bool = True
    """Whether it is known to be a tensor."""


@define(eq=False, repr=False)
class Several:
    """A tuple or a list; ``items`` is None if unknown. A list is one object for all its variables, as in Python."""

    items: list[Held] | None = field(factory=list)
    is_tuple: bool = False
    """Whether it is immutable; its items may be mutable."""


@frozen(repr=False)
class Constant:
    """A Python number, text, boolean or None that the source spells out, or a dtype by its name."""

    value: object


@frozen(repr=False)
class Module:
    """A module, by its path in the model, or the attribute of it that ``attribute`` names."""

    path: str
    attribute: str = ""


@frozen(repr=False)
class Name:
    """A global, by its dotted name: ``torch.nn.functional``, or a function of the file."""

    dotted: str


@frozen(repr=False)
class ShapeOf:
    """The shape of a tensor."""

    variable: Variable


@frozen(repr=False)
class DtypeOf:
    """The element type of a tensor."""

    variable: Variable


@frozen(repr=False)
class Unfollowed:
    """An unknown value; it may contain tensors."""


UNFOLLOWED = Unfollowed()
Held: TypeAlias = "Variable | Several | Constant | Module | Name | ShapeOf | DtypeOf | Unfollowed"
