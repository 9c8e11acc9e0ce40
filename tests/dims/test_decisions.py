"""Questions have three answers; conditions are questions kept as data."""

from __future__ import annotations

import itertools

import pytest

from shapeinfer.dims import (
    AllOf,
    Answer,
    AnyOf,
    AtMost,
    Condition,
    Dim,
    Divides,
    Equal,
    Size,
    at_least,
    below,
    broadcast,
    broadcastable,
    ceildiv,
    divides,
    equal,
    evaluate,
    less,
    less_equal,
    maximum,
    minimum,
    symbol,
)

YES, NO, MAYBE = Answer.YES, Answer.NO, Answer.MAYBE

H, P = symbol("H"), symbol("P")
K = symbol("K", low=1)
R = symbol("R", low=2, high=9)
D = symbol("D", divisor=4)
L = symbol("L", low=None)


@pytest.mark.parametrize(
    ("a", "b", "answer"),
    [
        (H, H, YES),
        (3, 3, YES),
        (3, 4, NO),
        (H, 4, MAYBE),
        (H, 0, MAYBE),
        (H, -1, NO),
        (-1, H, NO),
        (K, 0, NO),
        (R, 10, NO),
        (D, 6, NO),
        (D, 8, MAYBE),
        (L, -5, MAYBE),
        (H, P, MAYBE),
        (R, symbol("Q", low=10), NO),
        (H, H + 1, NO),
        (H + P, P + H, YES),
        (H + K, H, NO),
        (2 * H, 2 * P + 1, NO),
        (2 * H, 3, NO),
        (2 * H, 4, MAYBE),
        (4 * H + 2 * P, 1, NO),
        (H // 2 + (H + 1) // 2, H, YES),
        (H % 4, 4, NO),
        (H % 4, -1, NO),
        (maximum(H, P) + minimum(H, P), H + P, YES),
        (maximum(H, 3), 2, NO),
        (broadcast(H, P), H, MAYBE),
        (H * P, -1, NO),
        (H * H, -1, NO),
        (D // 4 * 4, D, YES),
    ],
)
def test_equal(a: Size, b: Size, answer: Answer) -> None:
    assert equal(a, b) is answer
    assert equal(b, a) is answer


@pytest.mark.parametrize(
    ("a", "b", "answer"),
    [
        (3, 3, YES),
        (4, 3, NO),
        (H, H, YES),
        (0, H, YES),
        (1, H, MAYBE),
        (H, -1, NO),
        (H, 5, MAYBE),
        (R, 9, YES),
        (R, 8, MAYBE),
        (R, 1, NO),
        (10, R, NO),
        (H, H + 1, YES),
        (H + 1, H, NO),
        (H, P, MAYBE),
        (H // 2, H, YES),
        (H, ceildiv(H, 2) * 2, YES),
        (ceildiv(H, 2) * 2, H + 1, YES),
        (H, maximum(H, P), YES),
        (minimum(H, P), P, YES),
        (H % 3, 2, YES),
        (3, H % 3, NO),
        (L, 0, MAYBE),
    ],
)
def test_less_equal(a: Size, b: Size, answer: Answer) -> None:
    assert less_equal(a, b) is answer
    assert less(b, a) is ~answer


@pytest.mark.parametrize(
    ("divisor", "a", "answer"),
    [
        (4, 8, YES),
        (4, 6, NO),
        (0, 0, YES),
        (0, 3, NO),
        (1, H, YES),
        (-1, H, YES),
        (2, H, MAYBE),
        (4, D, YES),
        (-4, D, YES),
        (8, D, MAYBE),
        (2, 2 * H, YES),
        (2, 2 * H + 1, NO),
        (4, 2 * H + 1, NO),
        (4, 2 * H + 2, MAYBE),
        (2, D + 1, NO),
        (10, symbol("V", low=1, high=9), NO),
        (5, symbol("V", low=1, high=9), MAYBE),
        (0, K, NO),
        (0, H, MAYBE),
        (H, H, YES),
        (H, 0, YES),
        (K, K * P, YES),
        (H, H * P, MAYBE),
        (K + 1, K * P + P, YES),
        (2 * K, 3 * K, MAYBE),
        (2 * K, 4 * K, YES),
        (K, P, MAYBE),
        (R, 1, NO),
        (R, 6, MAYBE),
        (R, 20, MAYBE),
    ],
)
def test_divides(divisor: Size, a: Size, answer: Answer) -> None:
    assert divides(divisor, a) is answer


def test_a_multiple_of_a_floor_is_not_divided_by_its_number() -> None:
    """What cancels to a fraction that happens to round is no whole multiple."""
    assert divides(2 * R, 3 * R).is_maybe
    assert divides(symbol("V", low=4, high=5), symbol("V", low=4, high=5) + 1).is_maybe


def test_the_three_answers_combine_as_truths_do() -> None:
    may = {YES: {True}, NO: {False}, MAYBE: {True, False}}
    for x, y in itertools.product(Answer, Answer):
        assert may[x & y] == {p and q for p in may[x] for q in may[y]}
        assert may[x | y] == {p or q for p in may[x] for q in may[y]}
        assert may[~x] == {not p for p in may[x]}
    assert [(a.is_yes, a.is_no, a.is_maybe) for a in (YES, NO, MAYBE)] == [
        (True, False, False),
        (False, True, False),
        (False, False, True),
    ]


@pytest.mark.parametrize("answer", Answer)
def test_the_truth_of_an_answer_is_refused_with_what_to_use(answer: Answer) -> None:
    with pytest.raises(TypeError, match=r"use \.is_yes, \.is_no or \.is_maybe"):
        bool(answer)


# Conditions

CONDITIONS: list[Condition] = [
    Equal(H, P),
    Equal(H, 4),
    Equal(2 * H, P + 1),
    AtMost(H, 5),
    AtMost(2, H),
    AtMost(H, P),
    Divides(3, H),
    Divides(K, H),
    Divides(2, H + P),
    below(H, P),
    at_least(H, 2),
    broadcastable(H, P),
    broadcastable(H, 3),
    broadcastable(K, D),
    AnyOf((Equal(H, 1), Divides(2, P))),
    AllOf((AtMost(1, H), Divides(2, P), broadcastable(H, P))),
    AnyOf(()),
    AllOf(()),
]


def holds(condition: Condition, env: dict[str, int]) -> bool:
    if isinstance(condition, AnyOf):
        return any(holds(p, env) for p in condition.parts)
    if isinstance(condition, AllOf):
        return all(holds(p, env) for p in condition.parts)
    if isinstance(condition, Divides):
        x, y = evaluate(condition.divisor, env), evaluate(condition.a, env)
        return y % x == 0 if x else y == 0
    x, y = (evaluate(side, env) for side in condition.sides)
    return x == y if isinstance(condition, Equal) else x <= y


@pytest.mark.parametrize("condition", CONDITIONS, ids=lambda c: c.text)
def test_a_condition_of_numbers_is_answered_by_them(condition: Condition) -> None:
    for h, p, k, d in itertools.product(range(6), range(6), range(1, 4), (0, 4, 8)):
        env = {"H": h, "P": p, "K": k, "D": d}
        numbers = condition.substitute({s: env[s.name] for s in condition.symbols})
        assert numbers.answer() is (YES if holds(condition, env) else NO), env
        if not condition.answer().is_maybe:
            assert condition.answer().is_yes == holds(condition, env), env
        part = condition.substitute({s: env[s.name] for s in condition.symbols if s.name == "H"})
        assert part.answer().is_maybe or part.answer().is_yes == holds(condition, env), env


@pytest.mark.parametrize(
    ("condition", "text"),
    [
        (Equal(4, H), "H == 4"),
        (Equal(H + 1, P), "P == H + 1"),
        (AtMost(2, H), "H >= 2"),
        (AtMost(H, 512), "H <= 512"),
        (AtMost(H, P), "H <= P"),
        (below(H, P), "H + 1 <= P"),
        (Divides(32, H), "H % 32 == 0"),
        (Divides(K, H + P), "(H + P) % K == 0"),
        (Divides(K + 1, H), "H % (K + 1) == 0"),
        (broadcastable(H, P), "H == P or H == 1 or P == 1"),
        (broadcastable(H, 3), "H == 3 or H == 1"),
        (broadcastable(D, 3), "D == 3"),
        (AllOf((broadcastable(H, P), AtMost(1, H))), "(H == P or H == 1 or P == 1) and H >= 1"),
    ],
)
def test_text_of_a_condition(condition: Condition, text: str) -> None:
    assert condition.text == text


def test_a_broadcast_is_right_wherever_its_condition_holds() -> None:
    sizes: list[Size] = [H, P, K, D, 0, 1, 3, H + 1, 2 * P]
    for a, b in itertools.product(sizes, sizes):
        condition, result = broadcastable(a, b), broadcast(a, b)
        for h, p, k, d in itertools.product(range(4), range(4), (1, 2, 3), (0, 4)):
            env = {"H": h, "P": p, "K": k, "D": d}
            x, y = evaluate(a, env), evaluate(b, env)
            assert holds(condition, env) == (x == y or x == 1 or y == 1)
            if holds(condition, env):
                assert evaluate(result, env) == (y if x == 1 else x)


def test_conditions_name_their_symbols_and_are_equal_by_value() -> None:
    assert {s.name for s in AllOf((Equal(H, 3), AnyOf((Divides(K, P),)))).symbols} == {"H", "K", "P"}
    assert AnyOf(()).symbols == frozenset()
    assert Equal(H + 1, 3) == Equal(1 + H, 3)
    assert hash(broadcastable(H, P)) == hash(broadcastable(H, P))
    assert isinstance(H, Dim)
    assert Equal(H, P).substitute({H: 3}) == Equal(3, P)
