"""What is equal by a law is one object: computed by any way, copied, pickled or substituted into."""

from __future__ import annotations

import copy
import gc
import pickle
from collections.abc import Callable

import pytest

from shapeinfer.dims import (
    Dim,
    Size,
    add,
    broadcast,
    ceildiv,
    evaluate,
    exact_div,
    floordiv,
    maximum,
    minimum,
    mod,
    mul,
    product,
    quotient,
    slot,
    sub,
    substitute,
    symbol,
    text_of,
)
from shapeinfer.dims.terms import arithmetic


def named(name: str) -> Dim:
    found = symbol(name)
    assert isinstance(found, Dim)
    return found


B, H, P, S, Z = (named(n) for n in "BHPSZ")
D = symbol("D", divisor=4)
L = symbol("L", low=None)
G = symbol("G", low=2)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ((H - 1) // 2 + 1, (H + 1) // 2),
        (ceildiv(H, 2), (H + 1) // 2),
        (((H + 1) // 2 + 1) // 2, (H + 3) // 4),
        (H // 2 // 3, H // 6),
        ((H // 2 + 1) // 3, (H + 2) // 6),
        ((2 * H + 1) // 4, H // 2),
        ((2 * H + 6) // 4, (H + 3) // 2),
        ((4 * H + 3 * P) // 2, 2 * H + P + P // 2),
        ((H + 5) // 2 - 2, (H + 1) // 2),
        (H // -2, (-H) // 2),
        (H * 6 // 3, 2 * H),
        (H % 1, 0),
        ((2 * H) % 2, 0),
        ((2 * H + 1) % 2, 1),
        ((D + H) // 4, D // 4 + H // 4),
        (D % 4, 0),
        (D // 4 * 4, D),
        (D // 4 * 2, D // 2),
        (B * (D // 4) * 4, B * D),
        (D // 4 + D // 4, D // 2),
        (substitute(H - 4 * (H // 4), {H: D}), 0),
        (D // 4 // -3, -((D + 8) // 12)),
        ((-H) // 4, -((H + 3) // 4)),
        ((-H - 2 * P) // 3 + 1, 1 - (H + 2 * P + 2) // 3),
        ((5 - H) // 2, 2 - H // 2),
        ((-D) // 4, -(D // 4)),
        ((4 - H % 4) % 4 + H, 4 * ((H + 3) // 4)),
        ((2 * H + 2 * P) // (4 * B), (H + P) // (2 * B)),
        (B * (P + S), B * P + B * S),
        ((P + S) * (P + S), P * (P + S) + S * (P + S)),
        ((P + S) * (P - S), P * P - S * S),
        ((P + S) - S, P),
        (B * H - H * B, 0),
        (H + H, 2 * H),
        (0 - (0 - H), H),
        (exact_div(B * P + B * S, P + S), B),
        (exact_div(2 * B * H, 4 * H), B // 2),
        (exact_div(B * H, -H), -B),
        (exact_div(6 * H, 4), 3 * H // 2),
        (exact_div(H * H - 1, H + 1), H - 1),
        (quotient([B, H, 4], [H, 2]), 2 * B),
        (quotient([H], [H]), 1),
        (maximum(H, H), H),
        (maximum(H, 0), H),
        (minimum(H, 0), 0),
        (maximum(H, P, H), maximum(P, H)),
        (maximum(H, maximum(P, S)), maximum(S, P, H)),
        (maximum(H, H + 1), H + 1),
        (maximum(H + P, H), H + P),
        (minimum(H // 2, H), H // 2),
        (maximum(3, H, 5), maximum(H, 5)),
        (maximum(maximum(H, 3) + 1, 2), maximum(H, 3) + 1),
        (maximum(H // 2, ceildiv(H, 2)), (H + 1) // 2),
        (maximum(H, P) + minimum(H, P), H + P),
        (maximum(0, H - 2) + minimum(2, H), H),
        (minimum(P, H) * -3 - 3 * maximum(0, H - P) + 1, 1 - 3 * H),
        (minimum(maximum(H, P), H), H),
        (broadcast(1, H), H),
        (broadcast(H, P), broadcast(P, H)),
        (broadcast(H, broadcast(P, S)), broadcast(broadcast(S, H), P)),
        (broadcast(H, 1, H), H),
        (broadcast(H, 7), 7),
        (broadcast(H, 0), 0),
        (broadcast(H, G), G),
        (broadcast(H, D), D),
        (broadcast(H, 2 * P), 2 * P),
        (broadcast(H, P + 2), P + 2),
        (broadcast(G, D), broadcast(D, G)),
        (broadcast(1, 1), 1),
    ],
)
def test_equal_by_a_law_is_one_object(one: Size, other: Size) -> None:
    assert one is other or (isinstance(one, int) and one == other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (H // H, 1),
        (B * H // H, B),
        (maximum(L, 0), L),
        (maximum(H, 1), H),
        (broadcast(H, P), H),
        (broadcast(H, P), maximum(H, P)),
        (maximum(0, H - 2) + minimum(3, H), H),
        (maximum(H, P) - minimum(H, P), H - P),
        (H // 2 * 2, H),
        (H % 2, 0),
        (symbol("H"), symbol("H", low=1)),
        (symbol("H"), symbol("H", fresh=True)),
        (symbol("?0"), slot(0)),
    ],
)
def test_what_differs_somewhere_stays_two_objects(one: Size, other: Size) -> None:
    assert one is not other
    assert one != other


def test_operators_are_the_functions() -> None:
    assert H + P is add(H, P)
    assert 3 + H is add(3, H)
    assert H - 3 is sub(H, 3)
    assert 3 - H is sub(3, H)
    assert 2 * H is mul(H, 2)
    assert H // 2 is floordiv(H, 2)
    assert 7 // G is floordiv(7, G)
    assert H % 3 is mod(H, 3)
    assert 3 % G is mod(3, G)
    assert -H is sub(0, H)
    assert H + True is H + 1
    with pytest.raises(TypeError):
        H + 0.5  # type: ignore[operator]
    with pytest.raises(TypeError):
        "H" * H  # type: ignore[operator]


def test_neutral_operands_give_the_operand_back() -> None:
    assert add(H, 0) is H
    assert add(0, H) is H
    assert mul(H, 1) is H
    assert mul(1, H) is H
    assert mul(H, 0) == 0
    assert floordiv(H, 1) is H
    assert exact_div(H, 1) is H
    assert exact_div(0, H) == 0
    assert product([2, H, 3, P]) is 6 * H * P


@pytest.mark.parametrize("divide", [floordiv, ceildiv, mod, exact_div])
@pytest.mark.parametrize("a", [0, 5, H, H + 1])
def test_a_literal_zero_divides_nothing(divide: Callable[[Size, Size], Size], a: Size) -> None:
    with pytest.raises(ZeroDivisionError):
        divide(a, 0)


@pytest.mark.parametrize("size", [5 // H, H // P, 2 * (H // (P + H)), maximum(S // P, 3)])
def test_a_division_stays_where_its_divisor_is_replaced_by_zero(size: Dim) -> None:
    assert substitute(size, {H: 0, P: 0}) is size
    assert substitute(size + B, {H: 0, P: 0, B: 7}) is size + 7
    with pytest.raises(ZeroDivisionError):
        evaluate(size, {"H": 0, "P": 0, "S": 0})


SAMPLES = [
    H,
    symbol("odd, name\0x", low=None, high=9, divisor=3, fresh=True),
    slot(3),
    slot(1, 2, 7),
    D,
    H + 1,
    (H - 1) // 2 * B,
    maximum(H, P // 2) - minimum(S, Z),
    broadcast(B, H) % 3,
    symbol("H", low=None) + symbol("H") + symbol("H", low=2),
]


@pytest.mark.parametrize("size", SAMPLES, ids=text_of)
def test_a_copy_is_the_object_itself(size: Size) -> None:
    assert copy.copy(size) is size
    assert copy.deepcopy(size) is size
    assert copy.deepcopy({"shape": (size, 1)})["shape"][0] is size


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize("size", SAMPLES, ids=text_of)
def test_a_pickle_comes_back_as_the_object_itself(size: Size, protocol: int) -> None:
    assert pickle.loads(pickle.dumps(size, protocol)) is size


def test_a_symbol_that_everyone_forgot_is_made_anew_with_its_range() -> None:
    kept = symbol("passing", low=-3, high=9, divisor=3, fresh=True) * 2
    assert isinstance(kept, Dim)
    gc.collect(1)  # it is young: to go through all that a session of tests holds takes seconds
    (found,) = kept.symbols
    assert (found.name, found.low, found.high, found.divisor, found.is_fresh) == ("passing", -3, 9, 3, True)
    assert symbol("passing", low=-3, high=9, divisor=3, fresh=True) is found


def test_memos_forget_past_their_limit_and_identity_outlives_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arithmetic, "MEMO_LIMIT", 20)
    for table in arithmetic._tables:
        table.clear()
    first = H + 1000
    for n in range(1, 200):
        assert (H + n) // 2 is (H + n) // 2
        assert maximum(H, P + n) is maximum(H, P + n)
    assert all(len(table) <= 21 for table in arithmetic._tables)
    assert H + 1000 is first


def test_a_range_is_moved_to_multiples_and_a_single_number_is_that_number() -> None:
    x = symbol("x", low=1, high=14, divisor=4)
    assert isinstance(x, Dim)
    assert (x.low, x.high) == (4, 12)
    assert symbol("x", low=4, high=4) == 4
    assert symbol("x", low=1, high=7, divisor=4) == 4
    with pytest.raises(ValueError, match=r"symbol 'x' has no value between 5 and 4$"):
        symbol("x", low=5, high=4)
    with pytest.raises(ValueError, match="symbol 'x' has no value between 1 and 3 that is a multiple of 4"):
        symbol("x", low=1, high=3, divisor=4)
    with pytest.raises(ValueError, match="symbol 'x' cannot be a multiple of 0"):
        symbol("x", divisor=0)


def test_the_truth_of_a_length_is_refused_with_what_to_ask() -> None:
    with pytest.raises(TypeError, match=r"\(H \+ 1\).*compare it by <, <=, >, >= or equals\(\)"):
        bool(H + 1)


def test_a_quotient_that_has_one_value_is_that_number() -> None:
    many, ten = symbol("P", low=5), symbol("T", low=10, high=14)
    assert floordiv(2, many) == 0
    assert floordiv(-3, many) == -1
    assert floordiv(symbol("A", low=28, high=29), ten) == 2
    assert substitute(2 // H, {H: many}) == 0
    assert isinstance(floordiv(5, many), Dim)
