"""Check many models on processes of this machine; one that dies takes only its model with it."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import sysconfig
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

from shapeinfer.api import load_rules
from shapeinfer.api.report import Report
from shapeinfer.batch.files import Found
from shapeinfer.batch.many import Check, not_done


def each_on_processes(
    check: Check, models: Iterable[Found], jobs: int, rules: Sequence[str] = ()
) -> Iterator[tuple[str, Report]]:
    """Yield the report of each model, in order; ``jobs`` processes check them, or as many as there are cores for 0.

    Each loads the files of rules once and keeps what it remembers from one model to the next.
    """
    jobs = jobs or _cores()
    left = deque(models)
    pending: deque[tuple[str, Report | Future[Report]]] = deque()
    pool = _pool(jobs, rules)
    try:
        while left or pending:
            while left and len(pending) < 2 * jobs:
                path, fault = left.popleft()
                try:
                    pending.append((path, fault or _submitted(pool, check, path)))
                except BrokenProcessPool:
                    left.appendleft((path, fault))
                    break
            if not pending:
                pool = _pool(jobs, rules)
                continue
            path, task = pending.popleft()
            try:
                report = task if isinstance(task, Report) else task.result()
            except BrokenProcessPool:
                # It is unknown which of the models under way killed its process: the first is tried by itself.
                pool.shutdown(wait=False)
                report = _by_itself(check, path, rules)
                left.extendleft(reversed([_again(*entry) for entry in pending]))
                pending.clear()
                pool = _pool(jobs, rules)
            except Exception as error:  # noqa: BLE001 - what a process cannot send back is no reason to stop
                report = not_done(path, error)
            yield path, report
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _again(path: str, task: Report | Future[Report]) -> Found:
    """A model to be checked again, unless its report is there already."""
    if isinstance(task, Report):
        return path, task
    return path, task.result() if task.done() and task.exception() is None else None


def _by_itself(check: Check, path: str, rules: Sequence[str]) -> Report:
    with _pool(1, rules) as pool:
        try:
            return _submitted(pool, check, path).result()
        except Exception as error:  # noqa: BLE001 - it is this model that ends its process
            return not_done(path, error)


def _pool(jobs: int, rules: Sequence[str]) -> ProcessPoolExecutor:
    # Started afresh on every system: what a fork would copy, threads among it, is no part of a check.
    start = multiprocessing.get_context("spawn")
    with _starting() as here:
        return ProcessPoolExecutor(jobs, mp_context=start, initializer=_begin, initargs=(tuple(rules), here))


def _submitted(pool: ProcessPoolExecutor, check: Check, path: str) -> Future[Report]:
    with _starting():
        return pool.submit(check, path)


@contextlib.contextmanager
def _starting() -> Iterator[Path]:
    """Let processes be started; gives the directory in which they are to work.

    A process looks for its first modules where it is started, and where the models are anybody may have written some.
    So it is started in the directory of Python's own, and leaves that once it has the path of this process.
    """
    here = Path.cwd()
    os.chdir(sysconfig.get_path("stdlib"))
    try:
        yield here
    finally:
        os.chdir(here)


def _begin(rules: Sequence[str], folder: Path) -> None:
    """Prepare a process: Ctrl-C ends it without a word, it is where the models are, and knows the user's rules."""
    os.chdir(folder)
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    for path in rules:
        load_rules(path)


def _cores() -> int:
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity is not None else os.cpu_count() or 1
