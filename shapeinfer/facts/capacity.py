"""Which values an element type represents exactly: numbers by value, formulas by their bounds.

Few models bound the dims of their inputs, and none could be followed whose every length might exceed 32 bits. So a
single length is assumed to fit the type that the model computes it in, with numbers added to it and small multiples of
it: float32 rounds integers beyond 2**24, int32 wraps from 2**31 on. A product of lengths, such as a number of elements,
is not: 4099 times 4099 pixels are too many for float32. Types of 53 bits and more are assumed to hold products of
lengths too. A number that data alone decides may be as large as its type: it is followed as it is, into no smaller type
and through no arithmetic.
"""

from __future__ import annotations

import struct

from shapeinfer.dims import Dim, Floating, Ratio, Rounded, growth
from shapeinfer.dims.terms.ieee import MANTISSAS
from shapeinfer.facts.dtype import DType

MANTISSA = {DType.FLOAT16: 11, DType.BFLOAT16: 8, DType.FLOAT: 24, DType.DOUBLE: 53}
"""The number of bits up to which a float type represents every integer exactly."""
LEAST = 24
"""With fewer bits not even a single length is assumed to fit."""
ENOUGH = 53
"""With this many bits every number of elements fits."""
_PACKED = {DType.FLOAT16: "e", DType.FLOAT: "f", DType.DOUBLE: "d"}
_RANGES = {d: (0, (1 << d.bits) - 1) for d in DType if d.is_integer and d.name.startswith("U")}
_RANGES |= {d: (-(1 << d.bits - 1), (1 << d.bits - 1) - 1) for d in DType if d.is_integer and d not in _RANGES}
_RANGES |= {d: (-(1 << bits), 1 << bits) for d, bits in MANTISSA.items()}
"""The bounds of the range in which a type represents every integer."""


def holds(dtype: DType, entry: object) -> bool:
    """Return whether a type represents an entry of a tensor, under the assumption of this module."""
    if isinstance(entry, Floating):
        return dtype.is_float and not is_any_number(entry)
    if isinstance(entry, (Dim, Ratio)):
        return _holds_formula(dtype, entry.above if isinstance(entry, Ratio) else entry)
    return not isinstance(entry, (int, float)) or _holds_number(dtype, entry)


def holds_all_of(dtype: DType, source: DType) -> bool:
    """Return whether a type represents every integer of another one."""
    if dtype not in _RANGES or source not in _RANGES:
        return False
    (least, most), (low, high) = _RANGES[dtype], _RANGES[source]
    return least <= low and high <= most


def is_any_number(entry: Dim | Ratio | Floating) -> bool:
    """Return whether an entry is data-dependent: then it is not a dim and may be as large as its type allows."""
    return any(s.is_fresh and s.low is None and s.high is None for s in entry.symbols)


def _holds_number(dtype: DType, number: float) -> bool:
    if dtype.is_integer:
        least, most = _RANGES[dtype]
        return least <= number <= most
    kind = _PACKED.get(dtype)
    try:
        return kind is None or number != number or struct.unpack(kind, struct.pack(kind, float(number)))[0] == number
    except OverflowError:
        return False


def _holds_formula(dtype: DType, size: Dim) -> bool:
    if dtype not in _RANGES:
        return not dtype.is_float
    if isinstance(size, Rounded) and dtype.is_float and MANTISSAS[size.term.precision] <= MANTISSA[dtype]:
        return True  # a float without its fraction is one
    (least, most), (low, high) = _RANGES[dtype], size.bounds()
    if (high is not None and high > most) or (low is not None and low < least):
        return False
    if low is not None and high is not None:
        return True
    if is_any_number(size) and not size.is_symbol:
        return False
    bits = (most - 1).bit_length()
    lengths, factor = growth(size)
    # numbers that take at most half of the bits leave the length the other half
    is_small = factor < 1 << bits // 2 and (lengths < 2 or bits >= ENOUGH)
    return bits >= LEAST and (least < 0 or low is not None) and is_small
