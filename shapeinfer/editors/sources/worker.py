"""A worker thread for the server's event loop, so that it answers while a model is inferred."""

from __future__ import annotations

import asyncio
import contextlib
import queue
import threading
from collections.abc import Callable
from typing import Any, TypeVar

_T = TypeVar("_T")


class Worker:
    """Runs functions one after the other on a daemon thread, which does not delay the end of the process."""

    def __init__(self) -> None:
        self._tasks: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None

    async def run(self, function: Callable[..., _T], *given: Any) -> _T:
        """Return the result of a function, or raise its exception."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._serve, name="shapeinfer models", daemon=True)
            self._thread.start()
        loop = asyncio.get_running_loop()
        done: asyncio.Future[_T] = loop.create_future()

        def tell(set_: Callable[[Any], None], result: object) -> None:
            if not done.cancelled():
                set_(result)

        def task() -> None:
            try:
                result = function(*given)
            except Exception as error:  # noqa: BLE001 - raised again where the result is awaited
                _call(loop, tell, done.set_exception, error)
            else:
                _call(loop, tell, done.set_result, result)

        self._tasks.put(task)
        return await done

    def _serve(self) -> None:
        while True:
            self._tasks.get()()


def _call(loop: asyncio.AbstractEventLoop, function: Callable[..., None], *given: object) -> None:
    with contextlib.suppress(RuntimeError):  # the session ended meanwhile
        loop.call_soon_threadsafe(function, *given)
