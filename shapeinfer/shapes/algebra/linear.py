"""Products of matrices, whose leading axes broadcast."""

from __future__ import annotations

import functools
from collections.abc import Sequence

from shapeinfer.diagnostics.codes import INNER_DIM_MISMATCH, RANK_MISMATCH
from shapeinfer.diagnostics.ledger import Ledger
from shapeinfer.facts import Shape
from shapeinfer.shapes.elementwise.broadcast import Side, joined, side


def matmul(
    ledger: Ledger,
    a: Shape,
    b: Shape,
    names: Sequence[str] = ("a", "b"),
    transposed: tuple[bool, bool] = (False, False),
) -> Shape:
    """Multiply as numpy.matmul does: a vector is a row on the left, a column on the right, and leaves no axis.

    ``transposed`` swaps the last two axes of an operand, which a vector does not have.
    """
    return product_of(ledger, matrices(a, names[0]), matrices(b, names[1]), transposed).shape


def matrices(shape: Shape, port: str) -> Side:
    """Return an operand whose last two axes are matrices; messages count them from the end."""
    one = side(shape, port)
    if port.endswith("{}"):
        return one
    return Side(shape, one.places[:-2] + _of_matrices(port)[max(0, 2 - len(shape)) :], port)


@functools.lru_cache(maxsize=256)
def _of_matrices(port: str) -> tuple[str, str]:
    return f"{port}[-2]", f"{port}[-1]"


def product_of(ledger: Ledger, a: Side, b: Side, transposed: tuple[bool, bool] = (False, False)) -> Side:
    """Multiply as ``matmul`` does; each dim of the product keeps its place of origin."""
    for one in (a, b):
        if not one.shape:
            message = f"{one.port_name(ledger)} is a scalar; a matrix product requires at least one axis"
            ledger.fail(RANK_MISMATCH, message, one.ports)
    row, inner = (-1, -2) if transposed[0] and len(a.shape) > 1 else (-2, -1)
    inner_b, column = (-1, -2) if transposed[1] or len(b.shape) == 1 else (-2, -1)
    ledger.equal(a.shape[inner], b.shape[inner_b], INNER_DIM_MISMATCH, f"{a.places[inner]} {b.places[inner_b]}")
    outer = joined(ledger, [outer_axes(a), outer_axes(b)])
    kept = [(one, axis) for one, axis in ((a, row), (b, column)) if len(one.shape) > 1]
    shape = (*outer.shape[:-2], *(one.shape[axis] for one, axis in kept))
    return Side(shape, (*outer.places[:-2], *(one.places[axis] for one, axis in kept)), outer.ports)


def outer_axes(one: Side) -> Side:
    """Return a side with ones in the place of its matrices, which keep the axes before them where they are."""
    return Side((*one.shape[:-2], 1, 1), (*one.places[:-2], "", ""), one.ports)


def matrix(ledger: Ledger, x: Shape, name: str, *, transposed: bool = False) -> Shape:
    """Return the rows and columns of a matrix, swapped if ``transposed``; any other rank is a fault."""
    if len(x) != 2:
        ledger.fail(RANK_MISMATCH, f"{ledger.port_name(name)} must be a matrix; it has rank {len(x)}", name)
    return x[::-1] if transposed else x
