"""Facts say what is known of a value, are interned, and refuse what no value can be."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

from shapeinfer.dims import Dim, parse, symbol
from shapeinfer.facts import (
    MAX_AXES,
    MAX_CONTENTS,
    UNKNOWN,
    DType,
    Fact,
    MapType,
    OptionalType,
    SequenceType,
    SparseTensor,
    Tensor,
    Unknown,
    UnknownRank,
    tensor,
)


def named(name: str) -> Dim:
    found = symbol(name)
    assert isinstance(found, Dim)
    return found


N, M = named("N"), named("M")

EVERY_KIND: list[tuple[Fact, str]] = [
    (Tensor("f32", ["N", 3]), "f32[N, 3]"),
    (Tensor("f32", ["N + 1", "N//2"]), "f32[N + 1, N//2]"),
    (Tensor("i64", []), "i64[]"),
    (Tensor("i64", [0]), "i64[0]"),
    (Tensor("f16"), "f16[...]"),
    (Tensor(0, ["N"]), "?[N]"),
    (Tensor("i64", [2], [4, N]), "i64[2]"),
    (Tensor("str", [1], ["a"]), "str[1]"),
    (SparseTensor("f32", [3, "N"]), "sparse f32[3, N]"),
    (SparseTensor("f32"), "sparse f32[...]"),
    (SequenceType(Tensor("f32", ["N"])), "seq(f32[N])"),
    (SequenceType(Tensor("f32", ["N"]), 2), "seq(f32[N], 2)"),
    (SequenceType(Tensor("f32"), M), "seq(f32[...], M)"),
    (OptionalType(SequenceType(Tensor("u8", [1]))), "optional(seq(u8[1]))"),
    (MapType("i64", Tensor("f32", [])), "map(i64, f32[])"),
    (UNKNOWN, "?"),
]
each = pytest.mark.parametrize(("fact", "text"), EVERY_KIND, ids=[t for _, t in EVERY_KIND])


@each
def test_text(fact: Fact, text: str) -> None:
    assert fact.text == repr(fact) == text


@each
def test_a_fact_survives_pickling_and_copying_as_the_same_object(fact: Fact, text: str) -> None:
    assert pickle.loads(pickle.dumps(fact)) is fact
    assert copy.copy(fact) is fact
    assert copy.deepcopy([fact])[0] is fact


@each
def test_a_fact_cannot_be_changed(fact: Fact, text: str) -> None:
    with pytest.raises(AttributeError, match="is immutable"):
        setattr(fact, "shape", ())  # noqa: B010 - a type checker refuses the assignment


@each
def test_replacing_nothing_gives_the_same_object(fact: Fact, text: str) -> None:
    assert fact.substitute({}) is fact
    assert fact.substitute({named("other"): 3}) is fact


def test_facts_that_say_the_same_are_one_object() -> None:
    assert Tensor("float32", ("N", 3)) is Tensor(DType.FLOAT, [N, np.int64(3)])
    assert Tensor("i64", [2], [1, 2]) is Tensor("i64", [2], np.array([1, 2]))
    assert SequenceType(Tensor("f32"), 2) is SequenceType(Tensor("f32"), 2)
    assert Unknown() is UNKNOWN


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (Tensor("f32", []), Tensor("f32")),
        (Tensor("f32", [1]), SparseTensor("f32", [1])),
        (Tensor("i64", [1], [1]), Tensor("i64", [1])),
        (SequenceType(Tensor("f32")), OptionalType(Tensor("f32"))),
        (SequenceType(Tensor("f32"), 0), SequenceType(Tensor("f32"))),
        (Tensor("f32", [N]), Tensor("f32", [symbol("N", fresh=True)])),
    ],
)
def test_facts_that_say_other_things_are_not(one: Fact, other: Fact) -> None:
    assert one is not other


@pytest.mark.parametrize(
    ("fact", "mapping", "text"),
    [
        (Tensor("f32", ["N", "N + M"]), {"N": 2}, "f32[2, M + 2]"),
        (Tensor("f32", ["N", "M"]), {"N": M, "M": N}, "f32[M, N]"),
        (SparseTensor("f32", ["N"]), {"N": 2}, "sparse f32[2]"),
        (SequenceType(Tensor("f32", ["N"]), M), {"N": 2, "M": 5}, "seq(f32[2], 5)"),
        (OptionalType(Tensor("f32", ["N"])), {"N": 0}, "optional(f32[0])"),
        (MapType("str", Tensor("f32", ["N"])), {"N": 7}, "map(str, f32[7])"),
    ],
)
def test_symbols_are_replaced_everywhere_and_all_at_once(fact: Fact, mapping: dict[str, Any], text: str) -> None:
    assert fact.substitute({named(k): v for k, v in mapping.items()}).text == text


def test_symbols_are_replaced_in_contents_too() -> None:
    fact = Tensor("i64", [3], [N, 4, parse("2*N")])
    assert fact.symbols == {N}
    assert fact.substitute({N: 3}) is Tensor("i64", [3], [3, 4, 6])


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("f32", [-1]), "axis 0 of the tensor is -1; a dim cannot be negative"),
        (("f32", ["N +"]), "N +"),
        (("i64", [2], [1]), "1 entries do not fill a tensor of 2 elements"),
        (("i64", ["N"], [1]), "a tensor of symbolic shape ['N'] cannot have a value"),
        (("i64", [1], [object()]), "object cannot be an entry of a tensor"),
        (("f33", [1]), "'f33' is not an element type"),
    ],
)
def test_what_no_tensor_can_be_is_refused(arguments: tuple[Any, ...], says: str) -> None:
    with pytest.raises(ValueError, match=r".") as caught:
        Tensor(*arguments)
    assert says in str(caught.value)


def test_contents_keep_their_order_and_come_back_as_an_array() -> None:
    fact = Tensor("i64", [2, 2], [[1, N], [3, 4]])
    assert fact.value == (1, N, 3, 4)
    array = fact.array
    assert array is not None
    assert array.shape == (2, 2)
    assert array[0, 1] is N
    assert Tensor("i64", [0], []).value == ()
    assert Tensor("i64", [2]).array is None


def test_contents_that_are_many_or_all_unknown_are_not_kept() -> None:
    assert Tensor("i64", [MAX_CONTENTS], [7] * MAX_CONTENTS).value is not None
    assert Tensor("i64", [MAX_CONTENTS + 1], [7] * (MAX_CONTENTS + 1)).value is None
    assert Tensor("i64", [1] * MAX_AXES, [7]).value is not None
    assert Tensor("i64", [1] * (MAX_AXES + 1), [7]).value is None
    assert tensor(DType.INT64, (2,), (None, None)).value is None
    assert tensor(DType.INT64, (2,), (None, 1)).value == (None, 1)


def test_a_tensor_of_unknown_rank_ends_the_rule_that_asks_for_its_axes() -> None:
    unranked = Tensor("f32")
    assert unranked.shape is None
    for ask in ("dims", "rank"):
        with pytest.raises(UnknownRank):
            getattr(unranked, ask)
    assert Tensor("f32", ["N", 3]).dims == (N, 3)
    assert Tensor("f32", ["N", 3]).rank == 2


def test_a_tensor_of_another_shape_or_contents() -> None:
    fact = Tensor("i64", [2], [1, 2])
    assert fact.of(3, N) is Tensor("i64", [3, N])
    assert fact.holding((5, 6)) is Tensor("i64", [2], [5, 6])
    assert fact.holding(None) is Tensor("i64", [2])


@pytest.mark.parametrize("fact", [SequenceType(Tensor("f32", [2])), OptionalType(Tensor("f32", [2])), UNKNOWN])
def test_what_is_no_tensor_has_no_shape_and_no_element_type(fact: Fact) -> None:
    assert (fact.shape, fact.dtype) == (None, DType.UNDEFINED)
