"""How many elements a tensor has, and the bytes that those take."""

from __future__ import annotations

from shapeinfer.dims import Size, ceildiv, mul, product
from shapeinfer.facts import Fact, Tensor


def elements_of(fact: Fact | None) -> Size | None:
    """Return the number of elements of a dense tensor, None if its rank is unknown or it is not a dense tensor."""
    return product(fact.shape) if isinstance(fact, Tensor) and fact.shape is not None else None


def bytes_of(fact: Fact | None) -> Size | None:
    """Return the bytes of a dense tensor, elements below a byte packed; None where they are unknown, as of strings."""
    count = elements_of(fact)
    if count is None or not isinstance(fact, Tensor) or not fact.dtype.bits:
        return None
    bits = fact.dtype.bits
    return ceildiv(mul(count, bits), 8) if bits % 8 else mul(count, bits // 8)
