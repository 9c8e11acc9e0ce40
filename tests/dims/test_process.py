"""What holds of a whole process: sympy waits until it is needed, and every run prints the same."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys

import pytest

from shapeinfer import dims


def run(code: str, seed: str = "0") -> str:
    path = os.pathsep.join(p for p in sys.path if p)
    environment = os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": path, "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, encoding="utf-8", env=environment, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


WITHOUT_SYMPY = """
import copy, pickle, sys
from shapeinfer.dims import *

n, p = symbol("N"), symbol("P", low=1, high=9, divisor=1)
assert text_of(n) == "N" and repr(n) == "Dim(N)" and parse("N") is n
assert add(n, 0) is n and add(0, n) is n and sub(n, 0) is n and sub(n, n) == 0 and mul(n, 1) is n and mul(n, 0) == 0
assert floordiv(n, 1) is n and ceildiv(n, 1) is n and exact_div(n, 1) is n and exact_div(n, n) == 1
assert product([n, 1]) is n and total([n, 0]) is n and product([2, 3]) == 6 and quotient([n, p], [p]) is n
assert quotient([6], [3]) == 2 and quotient([n], [1]) is n
assert maximum(n, n) is n and maximum(2, 3) == 3 and minimum(2, 3) == 2 and mod(7, 4) == 3
assert equal(n, n).is_yes and equal(n, 4).is_maybe and equal(n, -1).is_no and equal(n, p).is_maybe
assert less_equal(0, n).is_yes and less_equal(1, n).is_maybe and less(n, 0).is_no and less(p, 10).is_yes
assert divides(1, n).is_yes and divides(2, n).is_maybe
assert broadcast(n, 1) is n and broadcast(1, n, n) is n and broadcast(n, 7) == 7
assert substitute(n, {n: p}) is p and substitute(n, {n: 4}) == 4 and substitute(7, {n: 4}) == 7
assert evaluate(n, {"N": 3}) == 3
assert broadcastable(n, p).text and Equal(n, 3).substitute({n: 3}).answer().is_yes
assert copy.deepcopy(n) is n and pickle.loads(pickle.dumps(n)) is n
assert slot(1).is_slot and n.symbols == {n} and (p.low, p.high, p.divisor) == (1, 9, 1)
loaded = sorted(m for m in sys.modules if m.startswith("sympy"))
assert not loaded, loaded[:5]
((n + p) * p) // (n + p)
assert not [m for m in sys.modules if m.startswith("sympy")]
assert exact_div((n + 1) * (n + p), n + p) is n + 1
assert "sympy" not in sys.modules
assert exact_div((n + 1) * (n + p), (n + 1) * (n + 2)) is (n + p) // (n + 2)
assert "sympy" in sys.modules
"""


def test_sympy_is_not_loaded_until_sums_share_part_of_themselves() -> None:
    run(WITHOUT_SYMPY)


TEXTS = """
from shapeinfer.dims import *
a, b, c, d = (symbol(x) for x in ("alpha", "b c", "\\u03b3", "delta"))
h = symbol("delta", low=2)
sizes = [
    broadcast(a, b, c, d), broadcast(d, c, b, a), maximum(a, b // 2, c + d, d * a) % 5, (a + b) * (c + d) // 3,
    minimum(c, maximum(a, b)) * d - broadcast(a // 2, d), (a + b + c + d) * (a - b) * (c - d), d * h + d - h,
    exact_div((a + b) * c * d, c + d), broadcast(h, symbol("e", low=3)), broadcast(symbol("e", low=3), h),
]
for s in sizes:
    print(text_of(s), s.low, s.high, s.divisor)
    print(text_of(substitute(s, {a: b, c: d + 1})))
x = a
for n in range(20):
    x = x + (x + n) // 2
print(text_of(x))
"""


def test_every_run_prints_the_same() -> None:
    assert run(TEXTS, seed="1") == run(TEXTS, seed="2")


@pytest.mark.parametrize("protocol", [2, pickle.HIGHEST_PROTOCOL])
def test_a_pickle_is_read_by_a_process_that_knows_none_of_its_symbols(protocol: int) -> None:
    n, z = dims.symbol("N, \0o", high=9), dims.symbol("Z", low=None, divisor=3, fresh=True)
    size = (dims.maximum(n, z + 1) - dims.broadcast(n, z)) // 2 * dims.slot(4)
    code = f"""
import pickle
from shapeinfer.dims import *
size = pickle.loads({pickle.dumps(size, protocol)!r})
n, z = symbol("N, \\0o", high=9), symbol("Z", low=None, divisor=3, fresh=True)
assert size is (maximum(n, z + 1) - broadcast(n, z)) // 2 * slot(4)
assert size.symbols == {{n, z, slot(4)}}
"""
    run(code)


def test_everything_exported_exists() -> None:
    assert [name for name in dims.__all__ if not hasattr(dims, name)] == []
    assert list(dims.__all__) == sorted(dims.__all__)
