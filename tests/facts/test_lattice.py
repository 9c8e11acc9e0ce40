"""Joining says only what holds of both; completing fills gaps and changes nothing that is known."""

from __future__ import annotations

from itertools import count

import pytest

from shapeinfer.dims import Size, symbol
from shapeinfer.facts import (
    UNKNOWN,
    DType,
    Fact,
    MapType,
    OptionalType,
    SequenceType,
    SparseTensor,
    Tensor,
    complete,
    join,
    resized,
)


def joined(a: Fact, b: Fact) -> Fact:
    numbers = count()
    return join(a, b, lambda _x, _y: symbol(f"new{next(numbers)}"))


F = Tensor("f32", ["N", 3])
JOINS: list[tuple[Fact, Fact, str]] = [
    (F, F, "f32[N, 3]"),
    (F, Tensor("f32", ["M", 3]), "f32[new0, 3]"),
    (F, Tensor("f32", [3, "N"]), "f32[new0, new1]"),
    (F, Tensor("f32", ["N"]), "f32[...]"),
    (F, Tensor("f32"), "f32[...]"),
    (F, Tensor("f16", ["N", 3]), "?[N, 3]"),
    (F, SparseTensor("f32", ["N", 3]), "?"),
    (F, UNKNOWN, "?"),
    (SparseTensor("f32", [2]), SparseTensor("f32", [3]), "sparse f32[new0]"),
    (SequenceType(F), SequenceType(Tensor("f32", [1, 3])), "seq(f32[new0, 3])"),
    (SequenceType(F, 2), SequenceType(F, 2), "seq(f32[N, 3], 2)"),
    (SequenceType(F, 2), SequenceType(F, 3), "seq(f32[N, 3])"),
    (SequenceType(Tensor("f32"), 0), SequenceType(F, 2), "seq(f32[N, 3])"),
    (SequenceType(F), SequenceType(Tensor("f32"), 0), "seq(f32[N, 3])"),
    (OptionalType(F), OptionalType(Tensor("f32", [1])), "optional(f32[...])"),
    (OptionalType(F), F, "?"),
    (MapType("i64", F), MapType("i64", Tensor("f32", [4, 3])), "map(i64, f32[new0, 3])"),
    (MapType("i64", F), MapType("str", F), "map(?, f32[N, 3])"),
]


@pytest.mark.parametrize(("a", "b", "text"), JOINS, ids=[f"{a} | {b}" for a, b, _ in JOINS])
def test_join(a: Fact, b: Fact, text: str) -> None:
    assert joined(a, b).text == text
    assert joined(b, a).text == text


@pytest.mark.parametrize(
    ("a", "b", "value"),
    [
        ([1, 2], [1, 2], (1, 2)),
        ([1, 2], [1, 3], (1, None)),
        ([1, None], [1, 3], (1, None)),
        ([1, 2], [3, 4], None),
    ],
)
def test_joined_contents_are_those_that_agree(a: list[Size], b: list[Size], value: object) -> None:
    found = joined(Tensor("i64", [2], a), Tensor("i64", [2], b))
    assert isinstance(found, Tensor)
    assert found.value == value


def test_contents_of_other_shapes_do_not_join() -> None:
    found = joined(Tensor("i64", [2], [1, 2]), Tensor("i64", [1, 2], [1, 2]))
    assert found is Tensor("i64")


COMPLETIONS: list[tuple[Fact, Fact, str]] = [
    (UNKNOWN, F, "f32[N, 3]"),
    (F, UNKNOWN, "f32[N, 3]"),
    (Tensor("f32"), F, "f32[N, 3]"),
    (Tensor(0, [7]), F, "f32[7]"),
    (Tensor("f16", [7]), F, "f16[7]"),
    (F, Tensor("f32", [5, 3]), "f32[N, 3]"),
    (SequenceType(Tensor("f32"), 2), SequenceType(F), "seq(f32[N, 3], 2)"),
    (OptionalType(UNKNOWN), OptionalType(F), "optional(f32[N, 3])"),
    (MapType(0, UNKNOWN), MapType("i64", F), "map(i64, f32[N, 3])"),
    (F, SequenceType(F), "f32[N, 3]"),
]


@pytest.mark.parametrize(("known", "other", "text"), COMPLETIONS, ids=[f"{a} < {b}" for a, b, _ in COMPLETIONS])
def test_complete(known: Fact, other: Fact, text: str) -> None:
    assert complete(known, other).text == text


def test_completing_keeps_contents_and_identity() -> None:
    known = Tensor("i64", [2], [1, 2])
    assert complete(known, Tensor("i64", [2])) is known
    filled = complete(Tensor(0, [2], [1, 2]), Tensor("i64", [2]))
    assert isinstance(filled, Tensor)
    assert filled.value == (1, 2)
    assert isinstance(filled.dtype, DType)


@pytest.mark.parametrize(
    ("fact", "text"),
    [
        (Tensor("f32", ["N", "N", 3]), "f32[new0, new1, 3]"),
        (Tensor("f32"), "f32[...]"),
        (SparseTensor("f32", ["N"]), "sparse f32[new0]"),
        (
            OptionalType(SequenceType(MapType("i64", Tensor("f32", ["N", "N"])), 4)),
            "optional(seq(map(i64, f32[new0, new1]), 4))",
        ),
        (UNKNOWN, "?"),
    ],
)
def test_lengths_are_replaced_one_by_one(fact: Fact, text: str) -> None:
    numbers = count()
    assert resized(fact, lambda d: d if isinstance(d, int) else symbol(f"new{next(numbers)}")).text == text
