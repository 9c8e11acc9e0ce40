"""How a node's values reach the graph inside it and come back, for formats that say so port by port."""

from __future__ import annotations

from attrs import frozen


@frozen
class Slices:
    """An axis along which a value is taken apart, or put together, one part for each pass."""

    axis: int
    start: int = 0
    end: int = -1
    stride: int = 1
    part: int = 1


@frozen
class Inlet:
    """What enters a body: an input of the node by its index, whole or in slices, or None for the pass's number."""

    name: str
    """The body's input."""
    source: int | None
    slices: Slices | None = None


@frozen
class Outlet:
    """What leaves a body: one of its outputs, for an output of the node, or None for the condition to go on."""

    result: int
    target: int | None
    slices: Slices | None = None


@frozen
class Wiring:
    """The connections of one body; ``back`` leads from its outputs to its inputs of the next pass."""

    inlets: tuple[Inlet, ...] = ()
    outlets: tuple[Outlet, ...] = ()
    back: tuple[tuple[int, str], ...] = ()
