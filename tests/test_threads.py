"""What is equal is one object on all threads, which share the tables that it is looked up in."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

import pytest

from shapeinfer import load_rules
from shapeinfer.dims import AnyOf, Dim, Divides, Equal, maximum, symbol
from shapeinfer.facts import DType, Tensor, tensor
from shapeinfer.ops.registry import find_rule
from tests.models import checked

T = TypeVar("T")
THREADS = 4
ROUNDS = 8_000


@pytest.fixture(autouse=True)
def switching_often() -> Iterator[None]:
    """Let threads take turns as often as they can, so that few rounds meet a race."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        yield
    finally:
        sys.setswitchinterval(before)


def on_all_threads(work: Callable[[int], T]) -> list[T]:
    """Do a piece of work on several threads at once; what one raises is raised here."""
    start = threading.Barrier(THREADS)
    results: dict[int, T] = {}
    faults: list[BaseException] = []

    def run(number: int) -> None:
        start.wait()
        try:
            results[number] = work(number)
        except BaseException as fault:  # noqa: BLE001 - the test's own thread raises it
            faults.append(fault)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if faults:
        raise faults[0]
    return [results[number] for number in range(THREADS)]


def sized(name: str) -> Dim:
    found = symbol(name)
    assert isinstance(found, Dim)
    return found


def made(kind: str, i: int) -> object:
    if kind == "symbol":
        return sized(f"threads_{i}")
    if kind == "fact":
        return tensor(DType.FLOAT, (i, 7919))
    n = sized("threads")
    return maximum(n + i, 2 * n) if kind == "length" else AnyOf((Equal(n, i), Divides(7919 + i, n)))


@pytest.mark.parametrize("kind", ["symbol", "length", "condition", "fact"])
def test_equal_ones_of_all_threads_are_one(kind: str) -> None:
    every = on_all_threads(lambda _: [made(kind, i) for i in range(ROUNDS)])
    twice = sum(len({id(one) for one in equal}) > 1 for equal in zip(*every))
    assert twice == 0, f"{twice} of {ROUNDS} exist more than once"


def test_inferences_at_once_share_facts() -> None:
    def inferred(_: int) -> list[object]:
        model = "g (float[N, 3, H] x) => (float[] y) { h = Flatten(x) s = Shape(x) y = Transpose(h) }"
        return [checked(model.replace("3", str(3 + i))).values["y"] for i in range(40)]

    for facts in zip(*on_all_threads(inferred)):
        assert len({id(fact) for fact in facts}) == 1
        assert isinstance(facts[0], Tensor)


def test_a_file_of_rules_is_loaded_once(tmp_path: Path) -> None:
    file = tmp_path / "threads.toml"
    file.write_text('operators = ["tests.threads::Same(x[N]) -> [N]"]', "utf-8")
    on_all_threads(lambda _: load_rules(file))
    assert find_rule("tests.threads", "Same", 1) is not None
