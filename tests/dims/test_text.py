"""Text of lengths and back; text from a file is untrusted."""

from __future__ import annotations

import itertools
import random

import pytest

from shapeinfer.dims import (
    Dim,
    DimSyntaxError,
    Size,
    add,
    broadcast,
    ceildiv,
    evaluate,
    exact_div,
    floordiv,
    maximum,
    minimum,
    parse,
    parse_condition,
    parse_with,
    portable_text,
    symbol,
    text_of,
)
from tests.effort import within

a, b, c = symbol("a"), symbol("b"), symbol("c")


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (7, "7"),
        (-7, "-7"),
        (a, "a"),
        ((a - 1) // 2 + 1, "(a + 1)//2"),
        (-a, "-a"),
        (-(a // 2), "-(a//2)"),
        (-(a // 2) - b, "-(a//2) - b"),
        (b - a // 2, "b - a//2"),
        (2 * (a // 3), "2*(a//3)"),
        (a * (b // 3), "(b//3)*a"),
        (a // b // c, "a//b//c"),
        (a // (b // c), "a//(b//c)"),
        (a // (b * c), "a//(b*c)"),
        ((2 * a) // (b + 1), "2*a//(b + 1)"),
        (a * a - 2 * a + 1, "a**2 - 2*a + 1"),
        (a * b * b * 3, "3*a*b**2"),
        (1 - a, "-a + 1"),
        (maximum(b, a, 3), "max(3, a, b)"),
        (minimum(a + 1, b), "min(a + 1, b)"),
        (broadcast(b, a), "broadcast(a, b)"),
        (a % 2, "a - 2*(a//2)"),
    ],
)
def test_text(size: Size, text: str) -> None:
    assert text_of(size) == text
    again = parse(text)
    assert again is size or (isinstance(size, int) and again == size)


ODD = [
    "batch size",
    "a-b",
    "seq(len",
    "a`b",
    "`",
    "``",
    "1st",
    "",
    "größe",
    "ß",
    "长度",
    "a\x00b",
    "\n",
    "max(a, b)",
    "a.b/c:0",
    "unk__1 ",
    "'\"\\",
    "?x",
    "x" * 1000,
]


@pytest.mark.parametrize("name", [n for n in ODD if n], ids=ascii)
def test_an_odd_name_is_quoted_inside_an_expression(name: str) -> None:
    odd = symbol(name)
    for size in (odd + 1, a * odd, (odd + a) // 2, maximum(odd, a), -odd):
        assert isinstance(size, Dim)
        assert parse(text_of(size)) is size


@pytest.mark.parametrize("name", ["a", "_", "N_1", "Batch", "größe", "unk__7", "x.y", "lambda", "max", "a:0"])
def test_a_plain_name_reads_back_alone(name: str) -> None:
    assert text_of(symbol(name)) == name
    assert parse(name) is symbol(name)


@pytest.mark.parametrize("name", ODD, ids=ascii)
def test_a_symbol_alone_is_its_bare_name(name: str) -> None:
    assert text_of(symbol(name)) == name


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("floor(a/2 - 1/2) + 1", (a + 1) // 2),
        ("floor((a - 1)/2)", (a - 1) // 2),
        ("ceiling(a/4)", ceildiv(a, 4)),
        ("ceil(a/4)", ceildiv(a, 4)),
        ("CeilToInt(a, 4)", ceildiv(a, 4)),
        ("floor(a/b)", floordiv(a, b)),
        ("floor(a/(2*b) + 1/2)", floordiv(a + b, 2 * b)),
        ("FloorDiv(a, 4)", a // 4),
        ("FloorDiv(a/2, 4)", a // 8),
        ("Mod(a, 4)", a % 4),
        ("Max(1, a + 1)", a + 1),
        ("a/2", exact_div(a, 2)),
        ("2*a/4 + 1/2", exact_div(a + 1, 2)),
        ("(a*b)/b", a),
        ("a*(b/2)*2", a * b),
        ("a/b*b", a),
        ("a/-2", exact_div(-a, 2)),
        ("-a//2", (-a) // 2),
        ("-(a//2)", -(a // 2)),
        ("-a**2", -(a * a)),
        ("2**3*a", 8 * a),
        ("--+-a", -a),
        ("a % 3 * 2", (a % 3) * 2),
        ("a - b - c", a - (b + c)),
        (" ( a ) ", a),
        ("((((a))))", a),
        ("max(a)", a),
        ("max", symbol("max")),
        ("`max`", symbol("max")),
        ("4/2", 2),
    ],
)
def test_what_other_tools_write_is_understood(text: str, size: Size) -> None:
    again = parse(text)
    assert again is size or again == size


def test_a_fraction_is_kept_until_it_is_whole() -> None:
    """``a/b`` alone need not be whole where four times it is."""
    assert parse("4*(a/b)") is exact_div(4 * a, b)
    assert parse("a/4 + a/4 + a/2") is a


def test_parse_with_knows_no_other_names() -> None:
    assert parse_with("2*x + y", {"x": a, "y": 3}) is add(2 * a, 3)
    assert parse_with("x*y", {"x": 2, "y": 3}) == 6
    with pytest.raises(DimSyntaxError, match="'z' is no known dim; known are x, y"):
        parse_with("x + z", {"x": 1, "y": 2})
    with pytest.raises(DimSyntaxError, match="known are none"):
        parse_with("x", {})
    with pytest.raises(DimSyntaxError, match="division by zero"):
        parse_with("1//x", {"x": 0})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "unexpected 'the end'"),
        (" \t\n", "unexpected 'the end'"),
        ("a b", "unexpected 'b' before column 4 of 'a b'"),
        ("a +", "unexpected 'the end'"),
        ("(a", r"expected '\)' before 'the end'"),
        ("a)", r"unexpected '\)'"),
        ("a ** b", "an exponent must be a number up to 16"),
        ("a**17", "an exponent must be a number up to 16"),
        ("a**-1", "unexpected '-'"),
        ("(((a+b)**16)**16)**16", "powers of powers"),
        ("f(a)", "unknown function 'f'"),
        ("floor(a, b)", "floor of 2"),
        ("mod(a)", "mod of 1"),
        ("max()", r"unexpected '\)'"),
        ("a//0", "division by zero"),
        ("a/(b - b)", "division by zero"),
        ("a % 0", "division by zero"),
        ("mod(a, b - b)", "division by zero"),
        ("FloorDiv(a, 0)", "division by zero"),
        ("1/2", "1/2 is no integer"),
        ("1/2 % a", "which may be a fraction"),
        ("max(a/2, 1)", "which may be a fraction"),
        ("1.5", "unexpected '1.5'"),
        ("0x10", "unexpected 'x10'"),
        ("1e5", "unexpected '1e5'"),
        ("a < b", "unexpected '<'"),
        ("a if b else c", "unexpected 'if'"),
        ("a;b", "unexpected ';'"),
        ("`a", "unexpected '`'"),
        ("``", "unexpected '`'"),
        ("\x00", r"unexpected '\\x00'"),
        ("a\x1b[31m", r"unexpected '\\x1b'"),
        ("²", "unexpected '²'"),
        ("\ud800", "unexpected"),
        ("\u202ea", "unexpected"),
        ("9" * 20, "a number beyond int64"),
        ("*".join(["9" * 19] * 100), "a number beyond any size"),
        ("a*" + "*".join(["9" * 19] * 100), "a number beyond any size"),
        ("((9**16)**4)**2", "powers of powers|a number beyond any size"),
        ("(" * 2000 + "a" + ")" * 2000, "brackets nested too deeply"),
        ("max(" * 500 + "a" + ")" * 500, "brackets nested too deeply"),
        ("+".join(f"a{n}" for n in range(700)), "more than 256 operations"),
        ("max(" + ",".join(f"a{n}" for n in range(700)) + ")", "more than 64 operands"),
        ("%".join(["a"] * 200), "unfolds without end"),
        ("(" * 60 + "a" + "%b + 1)" * 60, "unfolds without end"),
        ("a+" * 5_000_000, "10000000 characters is too long"),
        ("(" * 10_000_000, "10000000 characters is too long"),
    ],
    ids=lambda text: ascii(text[:30]),
)
def test_hostile_text_is_refused_quickly(text: str, message: str) -> None:
    with within(3_000_000), pytest.raises(DimSyntaxError, match=message) as caught:
        parse(text)
    assert len(str(caught.value)) < 600


@pytest.mark.parametrize(
    "text",
    [
        "(a + b + c + d + e + f + g)**16",
        "*".join(f"(a{n} + b{n})" for n in range(100)),
        "//".join(f"(a{n} + b{n})" for n in range(100)),
        "/".join(f"(a{n} + b{n})" for n in range(50)),
        "(a + b + c)**8/((a + b + 1)**4*(c + d + 1)**4)",
        "max(" * 30 + "a" + " + b, c)//3" * 30,
        "-" * 4000 + "a",
        "+".join(f"a{n}/{n % 7 + 2}" for n in range(100)),
    ],
    ids=lambda text: ascii(text[:30]),
)
def test_large_text_is_read_quickly(text: str) -> None:
    with within(1_000_000):
        size = parse(text)
        assert isinstance(size, Dim)
        assert text_of(size)


@pytest.mark.parametrize("seed", range(20))
def test_no_text_raises_anything_else(seed: int) -> None:
    chance = random.Random(seed)
    pieces = ["a", "b", "0", "1", "2", "99", "+", "-", "*", "//", "/", "%", "**", "(", ")", ",", "`", " "]
    pieces += ["max(", "min(", "floor(", "ceil(", "mod(", "broadcast(", "FloorDiv(", "CeilDiv(", "é", "\0"]
    for _ in range(300):
        text = "".join(chance.choices(pieces, k=chance.randint(1, 14)))
        try:
            size = parse(text)
        except DimSyntaxError:
            continue
        more = 2 * size + symbol("extra")
        assert parse(text_of(more)) is more, text


def test_other_tools_get_a_broadcast_in_functions_that_they_know() -> None:
    a, b = symbol("a"), symbol("b")
    size = 2 * broadcast(a, b) + 1
    assert text_of(size) == "2*broadcast(a, b) + 1"
    assert portable_text(size) == "2*(max(a, b)*min(1, a, b)) + 1"
    assert parse(portable_text(size)) is size
    for x, y in [(0, 0), (0, 1), (1, 0), (1, 1), (1, 5), (5, 5), (5, 1)]:
        assert eval(portable_text(size), {"max": max, "min": min, "a": x, "b": y}) == evaluate(size, {"a": x, "b": y})


@pytest.mark.parametrize(
    "text",
    [
        "a == b",
        "a == b or a == 1 or b == 1",
        "a >= 2 and b % 8 == 0",
        "(a == b or a == 1) and b <= 512",
        "a*b == c*d or c == 0 and d == 0",
        "(a + b)*c == (a + c)*b",
        "`or`*a == b or `and` == 1",
    ],
)
def test_conditions_are_read_as_they_are_written(text: str) -> None:
    names = {n: symbol(n) for n in ("a", "b", "c", "d", "or", "and")}
    condition = parse_condition(text, names)
    assert parse_condition(condition.text, names).text == condition.text
    for sizes in itertools.product((0, 1, 2, 8), repeat=4):
        values = dict(zip("abcd", sizes)) | {"or": 1, "and": 3}
        expected = eval(text.replace("`or`", "1").replace("`and`", "3"), {}, values)
        bound = condition.substitute({s: values[s.name] for s in condition.symbols})
        assert bound.answer().is_yes == expected


@pytest.mark.parametrize(
    "text", ["", "a", "a or", "and b == 1", "(a == 1", "a == 1)", "a == 1 or (b)", "a ==", "(a) or (b)"]
)
def test_what_is_no_condition(text: str) -> None:
    with pytest.raises(DimSyntaxError):
        parse_condition(text, {"a": symbol("a"), "b": symbol("b")})


def test_a_number_of_more_digits_than_python_writes_has_a_text() -> None:
    assert text_of(7**6000) == "`a number of 16845 bits`"
    assert text_of(a * 7**6000) == "`a number of 16845 bits`*a"
