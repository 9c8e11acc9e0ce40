"""Products of matrices, whose leading axes broadcast."""

from __future__ import annotations

from collections.abc import Sequence

from shapeinfer.diagnostics.codes import INNER_DIM_MISMATCH, RANK_MISMATCH
from shapeinfer.diagnostics.ledger import Ledger
from shapeinfer.facts import Shape
from shapeinfer.shapes.broadcast import both_ways


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
    for shape, name in zip((a, b), names):
        if not shape:
            ledger.fail(RANK_MISMATCH, f"{ledger.spoken(name)} is a scalar, a product needs at least one axis", name)
    row, inner = (-1, -2) if transposed[0] and len(a) > 1 else (-2, -1)
    inner_b, column = (-1, -2) if transposed[1] or len(b) == 1 else (-2, -1)
    ledger.equal(a[inner], b[inner_b], INNER_DIM_MISMATCH, f"{names[0]}[{inner}] {names[1]}[{inner_b}]")
    # Ones in the place of the matrices keep the leading axes where they are counted from the end.
    outer = both_ways(ledger, [(*a[:-2], 1, 1), (*b[:-2], 1, 1)], names)[:-2]
    rows = (a[row],) if len(a) > 1 else ()
    columns = (b[column],) if len(b) > 1 else ()
    return (*outer, *rows, *columns)


def matrix(ledger: Ledger, x: Shape, name: str, *, transposed: bool = False) -> Shape:
    """Return the rows and columns of a matrix, swapped if ``transposed``; any other rank is a fault."""
    if len(x) != 2:
        ledger.fail(RANK_MISMATCH, f"{ledger.spoken(name)} must be a matrix, it has rank {len(x)}", name)
    return x[::-1] if transposed else x
