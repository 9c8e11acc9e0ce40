"""Hold work to a number of steps: unlike a time, it is the same on a busy machine."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from typing import Any


@contextlib.contextmanager
def within(calls: int) -> Iterator[None]:
    """Fail as soon as more Python functions are called in the block than this."""
    made = 0

    def count(_frame: object, _event: str, _arg: Any) -> None:
        nonlocal made
        made += 1
        if made > calls:
            sys.settrace(None)
            raise AssertionError(f"more than {calls} functions were called")

    before = sys.gettrace()
    sys.settrace(count)  # told of calls alone, while it asks for no more; a profiler is told of returns, too
    try:
        yield
    finally:
        sys.settrace(before)
