"""What the variables of a program hold, as far as hints follow it."""

from __future__ import annotations

from typing import TypeAlias

from attrs import define, field, frozen

from shapeinfer.facts import Fact


@define(eq=False, repr=False)
class Variable:
    """A tensor of the program.

    ``name`` is what the exporter calls it, where that is known. What the program says of a tensor of unknown name is
    ``like``: the fact that it has, or another tensor whose type is the same.
    """

    name: str | None = None
    like: Variable | Fact | None = None
    is_certain: bool = True
    """Whether it is known to be a tensor."""


@define(eq=False, repr=False)
class Several:
    """A tuple or a list; ``items`` is None where they are unknown. Lists are shared, as in Python."""

    items: list[Held] | None = field(factory=list)
    is_tuple: bool = False
    """Whether nobody can change it; what is in it may be changed."""


@frozen(repr=False)
class Constant:
    """A Python number, text, boolean or None that the source spells out, or a dtype by its name."""

    value: object


@frozen(repr=False)
class Module:
    """A module or other attribute of one, by its path in the model; ``root`` is that of the ``self`` it hangs on."""

    path: str
    attribute: str = ""


@frozen(repr=False)
class Name:
    """Something global, by its dotted name: ``torch.nn.functional``, or a function of the file."""

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
    """Anything else; it may hold tensors."""


UNFOLLOWED = Unfollowed()
Held: TypeAlias = "Variable | Several | Constant | Module | Name | ShapeOf | DtypeOf | Unfollowed"
