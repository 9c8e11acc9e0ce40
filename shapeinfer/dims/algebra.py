"""The sympy side: expressions over integer symbols, and the integer functions with their laws.

sympy's own floor, Mod and Max are slow and stay unsimplified when nested; these are functions whose ``eval``
holds the laws, each true for all integers within the symbols' ranges. Loaded only when first needed.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Mapping
from typing import Any
from weakref import WeakValueDictionary

import sympy
from sympy import Add, Integer, Mul, Pow

from shapeinfer.dims import dim as dims
from shapeinfer.dims.dim import Dim, Size
from shapeinfer.dims.expressions import CACHED, dim_of_symbol, expr_of, symbols_of, weight_of

MAX_TERMS = 64
"""A product that would have more terms stays a product."""
MAX_RIVALS = 8
"""A Max or Min drops what one of the first few arguments makes needless."""
MAX_CANCELLED = 300
"""Fractions of more nodes are left as they are."""

_expressions: WeakValueDictionary[Any, Dim] = WeakValueDictionary()


def size_of(expr: Any) -> Size:
    """Return the length that an expression stands for, interned."""
    if expr.is_Add or expr.is_Mul:
        expr = settled(expr)
    if expr.is_Integer:
        return int(expr)
    if expr.is_Symbol:
        return dim_of_symbol(expr)
    found = _expressions.get(expr)
    if found is None:
        found = dims.new_dim(("expression", expr))
        found._expr = expr
        found._symbols = symbols_of(expr)
        found.divisor = divisor_of(expr)
        _expressions[expr] = found
    return found


def restored(expr: Any, keys: Iterable[tuple[Any, ...]]) -> Size:
    """Rebuild a pickled expression."""
    kept = [dims._symbol(k) for k in keys]
    return size_of(replaced(expr, {expr_of(k): expr_of(k) for k in kept}))


def multiplied(a: Any, b: Any) -> Any:
    """Return the expanded product, unless it would grow too large."""
    left, right = Add.make_args(a), Add.make_args(b)
    if not 1 < len(left) * len(right) <= MAX_TERMS or _unexpanded(a) or _unexpanded(b):
        return Mul(a, b)
    return Add(*(Mul(x, y) for x in left for y in right))


def settled(expr: Any) -> Any:
    """Return a sum with ``k*(b//n)`` as ``(k/g)*(b//(n/g))`` wherever ``n`` is known to divide ``b``."""
    terms, changed = [], False
    for term in Add.make_args(expr):
        coefficient, rest = term.as_coeff_Mul()
        if coefficient != 1 and coefficient != -1 and any(_is_whole(f) for f in Mul.make_args(rest)):
            left, factors = int(coefficient), []
            for factor in Mul.make_args(rest):
                g = math.gcd(left, int(factor.args[1])) if _is_whole(factor) else 1
                left //= g
                factors.append(FloorDiv(factor.args[0], factor.args[1] / g) if g > 1 else factor)
            if left != coefficient:
                term, changed = functools.reduce(multiplied, factors, Integer(left)), True
        terms.append(term)
    return Add(*terms) if changed else expr


def _is_whole(expr: Any) -> bool:
    if not isinstance(expr, FloorDiv) or not expr.args[1].is_Integer:
        return False
    return divisor_of(expr.args[0]) % int(expr.args[1]) == 0


def _unexpanded(expr: Any) -> bool:
    """Tell whether an expression is a product that stayed one."""
    return not expr.is_Add and any(f.as_base_exp()[0].is_Add for f in Mul.make_args(expr))


def replaced(expr: Any, mapping: Mapping[Any, Any]) -> Any:
    """Return an expression with symbols replaced at once and every law applied anew."""
    done: dict[Any, Any] = dict(mapping)

    def go(e: Any) -> Any:
        if e in done:
            return done[e]
        if not e.args:
            return e
        args = [go(x) for x in e.args]
        if e.is_Pow and not args[0].is_Add:
            out = Pow(*args)
        elif e.is_Mul or e.is_Pow:
            factors = [args[0]] * int(args[1]) if e.is_Pow else args
            out = functools.reduce(multiplied, factors, Integer(1))
        else:
            out = e.func(*args)
        done[e] = settled(out) if out.is_Add or out.is_Mul else out
        return done[e]

    return go(expr)


@functools.lru_cache(maxsize=CACHED)
def divisor_of(expr: Any) -> int:
    """Return a known divisor of every value of an expression, 1 where none is known."""
    if expr.is_Integer:
        return abs(int(expr))
    if expr.is_Symbol:
        return dim_of_symbol(expr).divisor
    if expr.is_Add:
        return math.gcd(*(divisor_of(a) for a in expr.args))
    if expr.is_Mul:
        return math.prod(divisor_of(a) for a in expr.args)
    if expr.is_Pow:
        return int(divisor_of(expr.args[0]) ** int(expr.args[1]))
    if _is_whole(expr):
        return divisor_of(expr.args[0]) // int(expr.args[1])
    if isinstance(expr, _Selection):
        return math.gcd(*(divisor_of(a) for a in expr.args))
    return 1


def lowest_terms(a: Any, b: Any) -> tuple[Any, Any]:
    """Return the fraction ``a / b`` with common factors cancelled, integer coefficients above and below."""
    content = Integer(math.gcd(_content(a), _content(b)))
    above, below = _over(a, content), _over(b, content)
    if len(Add.make_args(below)) == 1:
        for base, power in below.as_powers_dict().items():
            if base.is_Integer:
                continue
            shared = min([int(power), *(int(t.as_powers_dict().get(base, 0)) for t in Add.make_args(above))])
            if shared:
                factor = Pow(base, shared)
                above = Add(*(t / factor for t in Add.make_args(above)))
                below = below / factor
    elif weight_of(above) + weight_of(below) <= MAX_CANCELLED:
        try:
            number, above, below = sympy.cancel((above, below))
        except sympy.PolynomialError:
            return above, below
        number = sympy.Rational(number)
        above, below = sympy.expand(number.p * above), sympy.expand(number.q * below)
    if below.as_coeff_Mul()[0] < 0 or (below.is_Add and below.could_extract_minus_sign()):
        above, below = _over(above, Integer(-1)), _over(below, Integer(-1))
    return above, below


def cancelled(a: Any, b: Any) -> Any:
    """Return ``a / b`` with common factors cancelled; what remains below divides without rest by promise."""
    above, below = lowest_terms(a, b)
    return above if below == 1 else FloorDiv(above, below)


def _content(expr: Any) -> int:
    return math.gcd(*(int(t.as_coeff_Mul()[0]) for t in Add.make_args(expr)))


def _over(expr: Any, factor: Any) -> Any:
    return expr if factor == 1 else Add(*(t / factor for t in Add.make_args(expr)))


def _bounds(expr: Any) -> tuple[int | None, int | None]:
    from shapeinfer.dims.bounds import bounds_of

    return bounds_of(expr)


class FloorDiv(sympy.Function):
    """``a // n``, rounded toward minus infinity."""

    nargs = 2
    is_integer = True

    @staticmethod
    def numeric(a: int, n: int) -> int:
        return a // n

    @classmethod
    def eval(cls, a: Any, n: Any) -> Any:
        if n.is_zero and n.is_Integer:
            raise ZeroDivisionError("a length is divided by 0")
        if n == 1 or a == 0:
            return a
        if a.is_Add or a.is_Mul:
            whole = settled(a)
            if whole is not a:
                return FloorDiv(whole, n)
        if not n.is_Integer:
            return cls._by_symbol(a, n)
        if n.is_negative:
            return FloorDiv(multiplied(a, Integer(-1)), -n)
        return cls._by_number(a, int(n))

    @classmethod
    def _by_symbol(cls, a: Any, n: Any) -> Any:
        g = math.gcd(_content(a), _content(n))
        if g > 1:
            return FloorDiv(_over(a, Integer(g)), _over(n, Integer(g)))
        low = _bounds(n)[0]
        if low is None or low < 1:
            return None
        # n >= 1: every term that n divides comes out whole
        whole = [t / n for t in Add.make_args(a) if n.is_Symbol and n in t.as_powers_dict()]
        if whole:
            rest = Add(a, *(-t * n for t in whole))
            return Add(*whole, FloorDiv(rest, n))
        return None

    @classmethod
    def _by_number(cls, a: Any, n: int) -> Any:
        if a.is_Integer:
            return Integer(int(a) // n)
        outside, inside, apart = [], [], []
        for term in Add.make_args(a):
            coefficient, rest = term.as_coeff_Mul()
            # (q*n + r)*x // n  ->  q*x + (r*x)//n, with 0 <= r < n
            q, r = divmod(int(coefficient), n)
            if q:
                outside.append(Integer(q) * rest)
            if r and rest != 1 and r * divisor_of(rest) % n == 0:
                # a term that n divides by what is known of its symbols rounds on its own
                apart.append(Integer(r) * rest)
            elif r:
                inside.append(Integer(r) * rest)
        apart_whole = len(apart) == 1 and not inside
        if outside or (apart and not apart_whole):
            return Add(*outside, *(FloorDiv(t, Integer(n)) for t in apart), FloorDiv(Add(*inside), Integer(n)))
        if apart_whole:
            shared = _shared_out(apart[0], n)
            if shared is not None:
                return shared
        a = Add(*inside, *apart)
        low, high = _bounds(a)
        if low is not None and high is not None and low // n == high // n:
            return Integer(low // n)
        constant, rest = a.as_coeff_Add()
        g = math.gcd(n, _content(rest))
        if g > 1:
            # (g*y + r)//(g*m)  ->  (y + r//g)//m
            return FloorDiv(Add(_over(rest, Integer(g)), Integer(int(constant) // g)), Integer(n // g))
        if isinstance(rest, FloorDiv) and rest.args[1].is_Integer and rest.args[1] > 0:
            # (b//m + r)//n  ->  (b + r*m)//(m*n), m > 0
            b, m = rest.args
            return FloorDiv(Add(b, constant * m), m * n)
        return None


def _shared_out(product: Any, n: int) -> Any:
    """Return ``product / n`` with each factor divided by what it has of ``n``, None where that is no several factors.

    ``(x*y)//4 -> (x//2)*(y//2)`` where 2 divides x and y: each division is exact.
    """
    factors = [b for f in Mul.make_args(product) for b in ([f.args[0]] * int(f.args[1]) if f.is_Pow else [f])]
    if sum(not f.is_Integer for f in factors) < 2:
        return None
    out = []
    for f in factors:
        g = math.gcd(divisor_of(f), n)
        n //= g
        out.append(FloorDiv(f, Integer(g)) if g > 1 else f)
    return Mul(*out) if n == 1 else None


class _Selection(sympy.Function):
    """A function whose value is one of its arguments; they are flat, distinct and in canonical order."""

    is_integer = True

    @classmethod
    def ordered(cls, args: Iterable[Any]) -> list[Any]:
        flat: dict[Any, None] = {}
        for a in args:
            for x in a.args if isinstance(a, cls) else (a,):
                flat[x] = None
        return sorted(flat, key=_sort_key)

    @classmethod
    def given(cls, kept: list[Any], args: tuple[Any, ...]) -> Any:
        """Return what ``eval`` returns: None if nothing changed."""
        if len(kept) == 1:
            return kept[0]
        return None if tuple(kept) == args else cls(*kept)


def _compared(a: Any, b: Any) -> int:
    """Order numbers first, then as sympy orders: by structure and names, the same in every run."""
    if a.is_Integer != b.is_Integer:
        return -1 if a.is_Integer else 1
    return int(a.compare(b))


_sort_key = functools.cmp_to_key(_compared)


class _Extreme(_Selection):
    sign = 1

    @classmethod
    def eval(cls, *args: Any) -> Any:
        kept: list[Any] = []
        flat = cls.ordered(args)
        for a in flat:
            # each is held against each, so of many only against the first few
            rivals = kept[:MAX_RIVALS]
            if not any(cls._beats(k, a) for k in rivals):
                kept = [k for k in rivals if not cls._beats(a, k)] + kept[MAX_RIVALS:] + [a]
        return cls.given(kept, args)

    @classmethod
    def _beats(cls, a: Any, b: Any) -> bool:
        low, high = _bounds(Add(a, -b))
        return (low is not None and low >= 0) if cls.sign > 0 else (high is not None and high <= 0)


class Max(_Extreme):
    """The largest of its arguments."""

    sign = 1

    @staticmethod
    def numeric(*args: int) -> int:
        return max(args)


class Min(_Extreme):
    """The smallest of its arguments."""

    sign = -1

    @staticmethod
    def numeric(*args: int) -> int:
        return min(args)


class Broadcast(_Selection):
    """What compatible lengths broadcast to: the one that is not 1, or 1."""

    @staticmethod
    def numeric(*args: int) -> int:
        return next((a for a in args if a != 1), 1)

    @classmethod
    def eval(cls, *args: Any) -> Any:
        kept = [a for a in cls.ordered(args) if a != 1]
        if not kept:
            return Integer(1)
        # min(b, c) with c >= 1 is 1 only where b is: by the claim the two are equal, or b is the one that counts
        kept = [a for a in kept if not any(b is not a and _is_capped(a, b) for b in kept)]
        # by the claim, a length that can never be 1 is the result
        return next((a for a in kept if never_one(a)), None) or cls.given(kept, args)


def caps(a: Any, b: Any) -> list[Any] | None:
    """Return ``c`` where ``a`` is ``min(b, *c)``, None where it is not."""
    if isinstance(a, Min) and b in a.args:
        return [x for x in a.args if x != b]
    return None


def _is_capped(a: Any, b: Any) -> bool:
    found = caps(a, b)
    return found is not None and all((_bounds(c)[0] or 0) >= 1 for c in found)


def never_one(expr: Any) -> bool:
    """Tell whether an expression is surely not 1."""
    low, high = _bounds(expr)
    if (low is not None and low > 1) or (high is not None and high < 1):
        return True
    constant, rest = expr.as_coeff_Add()
    return bool((1 - int(constant)) % (divisor_of(rest) or 2))
