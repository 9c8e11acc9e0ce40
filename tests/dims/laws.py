"""The laws of the algebra of sizes, as a textbook has them, each with who proves it.

Letters stand for integers: ``a b c`` for any, ``x y z`` for sizes, which are at least 0, ``m n`` for sizes of at least
1, and ``i j k`` for numbers: each of 2, 3 and 8 in turn. ``ceil(a, n)`` rounds ``a/n`` up, ``//`` and ``%`` round down.

Brute force checks every law on a grid. Beside it stand those who prove it for all integers:

form    both sides have one canonical form: they are the same object
cases   the kernel decides it: by bounds, or case by case
z3      an SMT solver finds no counterexample, for each of the numbers
sympy   the difference simplifies to 0
"""

from __future__ import annotations

from typing import TypeAlias

Law: TypeAlias = tuple[str, str]
"""A statement, and who proves it."""

SUMS_AND_PRODUCTS: list[Law] = [
    ("a + b == b + a", "form z3 sympy"),
    ("a + (b + c) == (a + b) + c", "form z3 sympy"),
    ("a - b + b == a", "form z3 sympy"),
    ("a*b == b*a", "form z3 sympy"),
    ("a*(b + c) == a*b + a*c", "form z3 sympy"),
    ("(a + b)*(a - b) == a*a - b*b", "form z3 sympy"),
    ("k*a + k*b == k*(a + b)", "form z3 sympy"),
    ("x*n - x == x*(n - 1)", "form z3 sympy"),
]

DIVISIONS: list[Law] = [
    # what the divisor divides is divided apart from the rest
    ("(a + n)//n == a//n + 1", "form sympy"),
    ("(a*n + b)//n == a + b//n", "form"),
    ("(k*a + b)//k == a + b//k", "form z3"),
    ("(a*n)//n == a", "form z3 sympy"),
    ("(a*(m + n) + b)//(m + n) == a + b//(m + n)", "cases"),
    # common factors cancel, and what they do not divide is rounded down
    ("(k*a)//(k*n) == a//n", "form sympy"),
    ("(m*a)//(m*n) == a//n", "form sympy"),
    ("(i*a + j)//(i*k) == (a + j//i)//k", "form z3"),
    ("(i*a + j)//(i*n) == (a + j//i)//n", "form"),
    # divisions of divisions are one
    ("(a//i)//j == a//(i*j)", "form z3"),
    ("(a//m)//n == a//(m*n)", "form"),
    ("(a//m)//n == (a//n)//m", "form"),
    ("(a//k)//n == (a//n)//k", "form"),
    ("(a//i + b)//j == (a + i*b)//(i*j)", "cases z3"),
    ("(a//m + k)//n == (a + k*m)//(m*n)", "form"),
    # the sign, and rounding up
    ("-(-a//k) == ceil(a, k)", "form z3"),
    ("-(-x//n) == ceil(x, n)", "form"),
    ("-x//n == -((x - 1)//n) - 1", "form"),
    ("ceil(a, k) == (a + k - 1)//k", "form z3 sympy"),
    ("ceil(a, n) == (a - 1)//n + 1", "form sympy"),
    ("ceil(ceil(a, i), j) == ceil(a, i*j)", "form z3"),
    ("ceil(ceil(a, m), n) == ceil(a, m*n)", "form"),
    # all parts together are the whole
    ("a//2 + (a + 1)//2 == a", "cases z3"),
    ("a//3 + (a + 1)//3 + (a + 2)//3 == a", "cases z3"),
    ("a//k + ceil(a, k) == a//k + a//k + min(1, a % k)", "cases z3"),
]

REMAINDERS: list[Law] = [
    ("a % n == a - n*(a//n)", "form z3"),
    ("(a % n) % n == a % n", "form"),
    ("(a % k) % k == a % k", "form z3 sympy"),
    ("(a + n) % n == a % n", "form sympy"),
    ("(a*n + b) % n == b % n", "form"),
    ("(k*a + b) % k == b % k", "form z3 sympy"),
    ("(a % (i*j)) % i == a % i", "form z3"),
    ("(a % (i*n)) % n == a % n", "form"),
    ("(a % n)//n == 0", "form"),
    ("(a % k)//k == 0", "form z3"),
    ("(a + b) % k == (a % k + b % k) % k", "form z3 sympy"),
    ("(a*b) % 3 == ((a % 3)*(b % 3)) % 3", "cases"),
    ("(-a) % k == (k - a % k) % k", "form z3"),
    ("(k*a) % (k*n) == k*(a % n)", "form sympy"),
    ("a + (-a) % k == k*ceil(a, k)", "form z3"),
    ("(a % (i*j))//i == (a//i) % j", "form z3"),
]

SELECTIONS: list[Law] = [
    # each of max and min is known by the other, and by the difference alone
    ("max(a, b) == a + b - min(a, b)", "cases z3"),
    ("max(a, b) == a + max(b - a, 0)", "cases z3"),
    ("max(a, b) == -min(-a, -b)", "cases z3"),
    ("min(a, b) == a - max(a - b, 0)", "cases z3"),
    ("max(a, b) - min(a, b) == max(a - b, b - a)", "cases z3"),
    ("max(a, b)*min(a, b) == a*b", "cases z3"),
    # order and nesting do not count
    ("max(a, b) == max(b, a)", "form z3 sympy"),
    ("max(a, a) == a", "form z3 sympy"),
    ("max(max(a, b), c) == max(a, b, c)", "form z3 sympy"),
    ("max(a, a + x) == a + x", "form z3 sympy"),
    ("max(a, min(a, b)) == a", "form z3 sympy"),
    ("min(a, max(a, b)) == a", "form z3 sympy"),
    ("max(a, min(b, c)) == min(max(a, b), max(a, c))", "cases z3"),
    ("min(max(a, 2), 8) == max(min(a, 8), 2)", "cases z3"),
    ("max(min(a, b), min(max(a, b), c)) == min(max(a, b), max(min(a, b), c))", "cases z3"),
    # what rises may be moved inside
    ("max(a, b) + c == max(a + c, b + c)", "cases z3"),
    ("k*max(a, b) == max(k*a, k*b)", "cases z3"),
    ("x*max(a, b) == max(x*a, x*b)", "cases z3"),
    ("max(a, b)//k == max(a//k, b//k)", "cases z3"),
    ("max(a, b)//n == max(a//n, b//n)", "cases"),
    ("min(a, b)//n == min(a//n, b//n)", "cases"),
    ("(c - max(a, b))//k == min((c - a)//k, (c - b)//k)", "cases z3"),
    # bounds choose
    ("min(k*ceil(a, k), a) == a", "form z3"),
    ("min(n*ceil(a, n), a) == a", "form"),
    ("max(n*(a//n), a) == a", "form"),
    ("max(x, x*n) == x*n", "form z3"),
    ("min(x, x//n) == x//n", "form"),
    ("min(a % n, n) == a % n", "form z3"),
    ("max(x, x*x) == x*x", "cases z3"),
    ("min(1, x)*x == x", "cases z3"),
    ("min(x, y)*max(1, min(x, y)) == min(x, y)*min(x, y)", "cases z3"),
]

BOUNDS: list[Law] = [
    ("0 <= a*a", "cases z3"),
    ("0 <= a % n", "cases z3"),
    ("a % n <= n - 1", "cases z3"),
    ("a % k <= k - 1", "cases z3"),
    ("n*(a//n) <= a", "cases"),
    ("a <= n*(a//n) + n - 1", "cases"),
    ("a <= k*ceil(a, k)", "cases z3"),
    ("a <= n*ceil(a, n)", "cases"),
    ("x//n <= x", "cases"),
    ("x <= x*n", "cases z3"),
    ("m + n <= m*n + 1", "cases z3"),
    ("x*y <= x*(y + z)", "cases z3"),
    ("x*(y//2) <= x*y", "cases z3"),
    ("x <= x*x", "cases z3"),
    ("a//k <= (a + x)//k", "cases z3"),
    ("a//k + b//k <= (a + b)//k", "cases z3"),
    ("(a + b)//k <= a//k + b//k + 1", "cases z3"),
    ("x % n <= x", "cases"),
    ("min(a, b) <= a", "cases z3"),
    ("a <= max(a, b)", "cases z3"),
    ("max(x, y) <= x + y", "cases z3"),
    ("max(a, b)//k <= max(a//k, b//k)", "cases z3"),
    ("a + b <= 2*max(a, b)", "cases z3"),
    ("min(a, b) + min(b, c) <= 2*b", "cases z3"),
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
