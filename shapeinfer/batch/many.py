"""Check many models, one after the other or on any executor; the reports come in the order of the models."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING

from shapeinfer.api.options import Keywords, Options, options_from
from shapeinfer.api.report import Report
from shapeinfer.batch.files import Found, models_in
from shapeinfer.batch.one import alone, check_one, our_fault
from shapeinfer.batch.progress import with_progress
from shapeinfer.diagnostics import codes

if TYPE_CHECKING:
    from concurrent.futures import Executor, Future

    from typing_extensions import Unpack

MAX_PENDING = 256
"""So many models are handed to an executor at a time."""

Check = Callable[[str], Report]


def check_many(
    paths: Iterable[str | os.PathLike[str]],
    *,
    executor: Executor | None = None,
    options: Options | None = None,
    progress: bool = False,
    **keywords: Unpack[Keywords],
) -> Iterator[tuple[str, Report]]:
    """Check models and yield the path and the report of each, in order, as soon as it is there.

    A path is a model, a directory, a glob or a URL that fsspec reads; ``options`` and the other keywords, those of
    ``check``, apply to each. An executor of threads, processes or a cluster checks them if one is given. The reports
    come in their light form (``Report.light``). Whatever happens to one model is in its report, never raised.
    ``progress`` shows a bar in a notebook or on a terminal, for which all models are looked up first.
    """
    check = partial(_light, options_from(options, keywords))
    models: Iterable[Found] = models_in(os.fspath(path) for path in paths)
    if not progress:
        return each(check, models, executor)
    models = list(models)
    return with_progress(each(check, models, executor), len(models))


def _light(options: Options, path: str) -> Report:
    return check_one(path, options=options).light()


def each(check: Check, models: Iterable[Found], executor: Executor | None) -> Iterator[tuple[str, Report]]:
    """Yield the report of each model, in order."""
    if executor is None:
        for path, fault in models:
            yield path, fault or check(path)
        return
    pending: deque[tuple[str, Report | Future[Report]]] = deque()
    try:
        for path, fault in models:
            pending.append((path, fault or _submitted(executor, check, path)))
            if len(pending) >= MAX_PENDING:
                yield _done(*pending.popleft())
        while pending:
            yield _done(*pending.popleft())
    finally:
        for _, task in pending:
            if not isinstance(task, Report):
                task.cancel()


def _submitted(executor: Executor, check: Check, path: str) -> Report | Future[Report]:
    try:
        return executor.submit(check, path)
    except RuntimeError as error:
        return not_done(path, error)


def _done(path: str, task: Report | Future[Report]) -> tuple[str, Report]:
    if isinstance(task, Report):
        return path, task
    try:
        return path, task.result()
    except Exception as error:  # noqa: BLE001 - an executor fails in ways of its own
        return path, not_done(path, error)


def not_done(path: str, error: Exception) -> Report:
    """Return the report of a model that an executor did not check."""
    from concurrent.futures import BrokenExecutor

    if isinstance(error, BrokenExecutor):
        return alone(path, codes.INTERNAL_ERROR, DIED)
    return alone(path, codes.INTERNAL_ERROR, our_fault(error))


DIED = "the process that checked this model died, probably because the system ran out of memory"
