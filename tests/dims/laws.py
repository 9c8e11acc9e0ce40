"""The laws of the algebra of sizes, as a textbook has them, each with who proves it.

Letters stand for integers: ``a b c`` for any, ``x y z`` for sizes, which are at least 0, ``m n`` for sizes of at least
1, and ``i j k`` for numbers: each of 2, 3 and 8 in turn. ``ceil(a, n)`` rounds ``a/n`` up, ``//`` and ``%`` round down.

Brute force checks every law on a grid, and z3, an SMT solver, proves it for all integers. Beside a law stands what the
kernel does with it, and whether sympy proves it, too, by expanding the difference:

form    both sides have one canonical form: they are the same object
cases   the kernel decides it, by bounds or case by case
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from typing import TypeAlias

Law: TypeAlias = tuple[str, str]
"""A statement, and what the kernel does with it and who proves it besides z3."""

LEAST: dict[str, int | None] = {**dict.fromkeys("abc"), **dict.fromkeys("xyz", 0), **dict.fromkeys("mn", 1)}
"""The least value of each letter, None for one that has none."""
NUMBERS = (2, 3, 8)
"""What each of the letters ``i j k`` stands for."""


def letters_of(statement: str) -> list[str]:
    """Return the letters of a law, in order."""
    return sorted(set(re.findall(r"\b[abcijkmnxyz]\b", statement)))


def choices_of(statement: str) -> Iterator[dict[str, int]]:
    """Yield each choice of numbers for the letters that stand for numbers."""
    letters = [letter for letter in letters_of(statement) if letter not in LEAST]
    for numbers in itertools.product(NUMBERS, repeat=len(letters)):
        yield dict(zip(letters, numbers, strict=True))


SUMS_AND_PRODUCTS: list[Law] = [
    ("a + b == b + a", "form sympy"),
    ("a + (b + c) == (a + b) + c", "form sympy"),
    ("a - b + b == a", "form sympy"),
    ("a*b == b*a", "form sympy"),
    ("a*(b + c) == a*b + a*c", "form sympy"),
    ("(a + b)*(a - b) == a*a - b*b", "form sympy"),
    ("k*a + k*b == k*(a + b)", "form sympy"),
    ("x*n - x == x*(n - 1)", "form sympy"),
]

DIVISIONS: list[Law] = [
    # what the divisor divides is divided apart from the rest
    ("(a + n)//n == a//n + 1", "form sympy"),
    ("(a*n + b)//n == a + b//n", "form sympy"),
    ("(k*a + b)//k == a + b//k", "form sympy"),
    ("(a*n)//n == a", "form sympy"),
    ("(a*(m + n) + b)//(m + n) == a + b//(m + n)", "form"),
    # common factors cancel, and what they do not divide is rounded down
    ("(k*a)//(k*n) == a//n", "form sympy"),
    ("(m*a)//(m*n) == a//n", "form sympy"),
    ("(i*a + j)//(i*k) == (a + j//i)//k", "form"),
    ("(i*a + j)//(i*n) == (a + j//i)//n", "form"),
    # divisions of divisions are one
    ("(a//i)//j == a//(i*j)", "form"),
    ("(a//m)//n == a//(m*n)", "form"),
    ("(a//m)//n == (a//n)//m", "form"),
    ("(a//k)//n == (a//n)//k", "form"),
    ("(a//i + b)//j == (a + i*b)//(i*j)", "cases"),
    ("(a//m + k)//n == (a + k*m)//(m*n)", "form"),
    # the sign, and rounding up
    ("-(-a//k) == ceil(a, k)", "form sympy"),
    ("-(-x//n) == ceil(x, n)", "form sympy"),
    ("-x//n == -((x - 1)//n) - 1", "form"),
    ("ceil(a, k) == (a + k - 1)//k", "form"),
    ("ceil(a, n) == (a - 1)//n + 1", "form"),
    ("ceil(ceil(a, i), j) == ceil(a, i*j)", "form"),
    ("ceil(ceil(a, m), n) == ceil(a, m*n)", "form"),
    # all parts together are the whole
    ("a//2 + (a + 1)//2 == a", "cases"),
    ("a//3 + (a + 1)//3 + (a + 2)//3 == a", "cases"),
    ("a//k + ceil(a, k) == a//k + a//k + min(1, a % k)", "cases"),
]

REMAINDERS: list[Law] = [
    ("a % n == a - n*(a//n)", "form"),
    ("(a % n) % n == a % n", "form sympy"),
    ("(a % k) % k == a % k", "form sympy"),
    ("(a + n) % n == a % n", "form sympy"),
    ("(a*n + b) % n == b % n", "form sympy"),
    ("(k*a + b) % k == b % k", "form sympy"),
    ("(a % (i*j)) % i == a % i", "form sympy"),
    ("(a % (i*n)) % n == a % n", "form sympy"),
    ("(a % n)//n == 0", "form"),
    ("(a % k)//k == 0", "form"),
    ("(a + b) % k == (a % k + b % k) % k", "form sympy"),
    ("(a*b) % 3 == ((a % 3)*(b % 3)) % 3", "form sympy"),
    ("(-a) % k == (k - a % k) % k", "form sympy"),
    ("(k*a) % (k*n) == k*(a % n)", "form sympy"),
    ("a + (-a) % k == k*ceil(a, k)", "form"),
    ("(a % (i*j))//i == (a//i) % j", "form"),
]

SELECTIONS: list[Law] = [
    # each of max and min is known by the other, and by the difference alone
    ("max(a, b) == a + b - min(a, b)", "cases"),
    ("max(a, b) == a + max(b - a, 0)", "cases"),
    ("max(a, b) == -min(-a, -b)", "cases"),
    ("min(a, b) == a - max(a - b, 0)", "cases"),
    ("max(a, b) - min(a, b) == max(a - b, b - a)", "cases"),
    ("max(a, b)*min(a, b) == a*b", "cases"),
    # order and nesting do not count
    ("max(a, b) == max(b, a)", "form sympy"),
    ("max(a, a) == a", "form sympy"),
    ("max(max(a, b), c) == max(a, b, c)", "form sympy"),
    ("max(a, a + x) == a + x", "form sympy"),
    ("max(a, min(a, b)) == a", "form sympy"),
    ("min(a, max(a, b)) == a", "form sympy"),
    ("max(a, min(b, c)) == min(max(a, b), max(a, c))", "cases sympy"),
    ("min(max(a, 2), 8) == max(min(a, 8), 2)", "cases"),
    ("max(min(a, b), min(max(a, b), c)) == min(max(a, b), max(min(a, b), c))", "cases"),
    # what rises may be moved inside
    ("max(a, b) + c == max(a + c, b + c)", "cases"),
    ("k*max(a, b) == max(k*a, k*b)", "cases"),
    ("x*max(a, b) == max(x*a, x*b)", "cases"),
    ("max(a, b)//k == max(a//k, b//k)", "cases"),
    ("max(a, b)//n == max(a//n, b//n)", "cases"),
    ("min(a, b)//n == min(a//n, b//n)", "cases"),
    # bounds choose
    ("min(k*ceil(a, k), a) == a", "form"),
    ("min(n*ceil(a, n), a) == a", "form"),
    ("max(n*(a//n), a) == a", "form"),
    ("max(x, x*n) == x*n", "form sympy"),
    ("min(x, x//n) == x//n", "form"),
    ("min(a % n, n) == a % n", "form"),
    ("max(x, x*x) == x*x", "cases"),
    ("min(1, x)*x == x", "cases"),
    ("min(x, y)*max(1, min(x, y)) == min(x, y)*min(x, y)", "cases"),
]

BOUNDS: list[Law] = [
    ("0 <= a*a", "cases"),
    ("0 <= a % n", "cases"),
    ("a % n <= n - 1", "cases"),
    ("a % k <= k - 1", "cases"),
    ("n*(a//n) <= a", "cases"),
    ("a <= n*(a//n) + n - 1", "cases"),
    ("a <= k*ceil(a, k)", "cases"),
    ("a <= n*ceil(a, n)", "cases"),
    ("x//n <= x", "cases"),
    ("x <= x*n", "cases"),
    ("m + n <= m*n + 1", "cases"),
    ("x*y <= x*(y + z)", "cases"),
    ("x*(y//2) <= x*y", "cases"),
    ("x <= x*x", "cases"),
    ("a//k <= (a + x)//k", "cases"),
    ("a//k + b//k <= (a + b)//k", "cases"),
    ("(a + b)//k <= a//k + b//k + 1", "cases"),
    ("x % n <= x", "cases"),
    ("min(a, b) <= a", "cases"),
    ("a <= max(a, b)", "cases"),
    ("max(x, y) <= x + y", "cases"),
    ("max(a, b)//k <= max(a//k, b//k)", "cases"),
    ("a + b <= 2*max(a, b)", "cases"),
    ("min(a, b) + min(b, c) <= 2*b", "cases"),
    ("ceil(x, n) <= x", "cases"),
]

IDENTITIES = SUMS_AND_PRODUCTS + DIVISIONS + REMAINDERS + SELECTIONS

IMPLICATIONS: list[tuple[str, str]] = [
    # what is left of is known, what is right of it follows
    ("x % 8 == 0", "x % 4 == 0"),
    ("x % 4 == 0 and x % 6 == 0", "x % 12 == 0"),
    ("x >= 4", "x >= 2"),
    ("x == 8", "x % 4 == 0"),
    ("x >= 1 and x % 8 == 0", "x >= 8"),
    ("z == x + y", "x <= z"),
    ("z == x + y", "2*z == 2*x + 2*y"),
    ("x + y <= 512", "x <= 512"),
    ("x >= 1 and y >= 1", "x*y >= 1"),
    ("x % 2 == 0 and y % 2 == 0", "(x*y) % 4 == 0"),
    ("(x + y) % 8 == 0", "(x + y) % 4 == 0"),
    ("x == y", "x == y or x == 1"),
    ("x <= 1", "x == 0 or x == 1"),
    ("x % n == 0", "(x + n) % n == 0"),
    ("x == y", "max(x, y) == min(x, y)"),
    ("x <= y", "x <= y*n"),
    ("x*n <= 7", "x <= 7"),
    ("x >= 3", "x//3 >= 1"),
]
