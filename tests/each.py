"""One test of thousands of cases: as tests of their own, most of a run would pass between them."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any


def each(cases: Iterable[Any], name: Callable[..., str] = str) -> Callable[[Callable[..., None]], Callable[[], None]]:
    """Try a test on every case, whose items are its arguments if it is a tuple, and name all that fail.

    The fault of the first one is the cause of the error, so that it is shown whole.
    """
    every = list(cases)
    assert every, "there is no case"

    def tried(test: Callable[..., None]) -> Callable[[], None]:
        @functools.wraps(test)
        def whole() -> None:
            faults: list[Exception] = []
            failed: list[str] = []
            for case in every:
                try:
                    test(*case) if isinstance(case, tuple) else test(case)
                except Exception as fault:  # noqa: BLE001 - whatever is raised, the case has failed
                    faults.append(fault)
                    failed.append(name(case))
            if failed:
                raise AssertionError(f"{len(failed)} of {len(every)} fail: {', '.join(failed)}") from faults[0]

        whole.__signature__ = inspect.Signature()  # type: ignore[attr-defined] # pytest has no argument to give
        return whole

    return tried
