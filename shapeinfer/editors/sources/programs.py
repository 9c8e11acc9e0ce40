"""The Python programs that are open in an editor, kept up to date with the models exported from them."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Protocol, TypeAlias, TypeVar, cast

from attrs import define, field

from shapeinfer.api.report import Report
from shapeinfer.batch.one import our_fault
from shapeinfer.editors.documents import settings_for
from shapeinfer.editors.positions import Encoding
from shapeinfer.editors.sources.answers import ANSWERS, EditorView
from shapeinfer.editors.sources.models import Models, Stamp, stamp_of
from shapeinfer.editors.sources.view import View, view
from shapeinfer.editors.sources.worker import Worker

INTERVAL = 1.0
"""Seconds between two polls of the model files, for editors that do not report file changes."""
LOOKS = 5
"""Every how many polls to search for new models; less often if the search is slow."""
SETTLED = 0.2
"""Seconds from new hints to their findings: Neovim drops hints that arrive while it draws."""
MOST_KNOWN = 64
"""The most states of models whose statements are cached for a program."""


_T = TypeVar("_T")
State: TypeAlias = "dict[Path, Stamp | None]"


class Editor(Protocol):
    """What ``Programs`` needs of the editor."""

    def show_findings(self, uri: str, current: EditorView | None) -> None:
        """Show the findings in a program; remove them if ``current`` is None."""

    def refresh(self) -> None:
        """Make the editor request hints again."""

    def log(self, message: str) -> None:
        """Write a line to the editor's log."""


@define(eq=False, repr=False)
class Program:
    """An open program: its text, and the last view computed from its models."""

    path: Path
    text: str
    encoding: Encoding
    version: int = 0
    latest: View = field(factory=View)
    known: dict[tuple[Path, object], frozenset[str]] = field(factory=dict)
    is_stale: bool = True
    """Whether the view must be computed again."""
    is_known: bool = False
    """Whether a view was computed, so that requests need not wait."""
    task: asyncio.Task[None] | None = None
    _current: tuple[int, View, EditorView] | None = None

    @property
    def current(self) -> EditorView:
        """The view of the current text."""
        known = self._current
        if known is None or known[0] != self.version or known[1] is not self.latest:
            known = self.version, self.latest, EditorView(self.latest.on(self.text), self.encoding)
            self._current = known
        return known[2]


class Programs:
    """The open programs by their URIs; their models are read on a worker thread."""

    def __init__(self, editor: Editor) -> None:
        self._editor = editor
        self._open: dict[str, Program] = {}
        self._models = Models()
        self._worker = Worker()
        self._watching: asyncio.Task[None] | None = None
        self._renewal: asyncio.TimerHandle | None = None
        self.is_told = False
        """Whether the editor reports file changes, so that polling is not needed."""

    def __contains__(self, uri: str) -> bool:
        return uri in self._open

    def open(self, uri: str, path: Path, text: str, encoding: Encoding) -> None:
        """Add a program that was opened."""
        self._open[uri] = Program(path, text, encoding)
        self._update(uri)
        if self._watching is None and not self.is_told:
            self._watching = asyncio.get_running_loop().create_task(self._watch())

    def change(self, uri: str, text: str) -> None:
        """Apply an edit; what was shown on changed lines disappears at once."""
        program = self._open[uri]
        program.text = text
        program.version += 1

    def save(self, uri: str) -> None:
        """Check the models again after a program was saved."""
        self._update(uri)

    def close(self, uri: str) -> None:
        """Forget a program."""
        program = self._open.pop(uri)
        if program.task is not None:
            program.task.cancel()
        self._editor.show_findings(uri, None)
        if not self._open:
            self.end()

    def end(self) -> None:
        """Stop polling the models."""
        if self._renewal is not None:
            self._renewal.cancel()
        if self._watching is not None:
            self._watching.cancel()
            self._watching = None

    async def attach(self, model: Path) -> Report:
        """Show a model in the programs that it was exported from until the session ends, and return its report."""
        report: Report = await self.run(Models.open, model)
        self.renew()
        return report

    def renew(self) -> None:
        """Check the models again, as some changed."""
        for uri in self._open:
            self._update(uri)

    def renew_soon(self) -> None:
        """Check the models again after a pause without further changes."""
        if self._renewal is not None:
            self._renewal.cancel()
        self._renewal = asyncio.get_running_loop().call_later(INTERVAL / 2, self.renew)

    def show(self, uri: str) -> None:
        """Show the findings in the current text of a program."""
        program = self._open.get(uri)
        if program is not None:
            self._editor.show_findings(uri, program.current)

    async def answer(self, feature: str, params: Any) -> Any:
        """Answer a request about an open program, once its models are known."""
        program = self._open[params.text_document.uri]
        if feature not in ANSWERS:
            return None
        if program.task is not None and not program.is_known:
            await asyncio.shield(program.task)
        return ANSWERS[feature](program.current, params)

    async def run(self, function: Callable[..., Any], *given: Any) -> Any:
        """Run a function of ``Models`` on the worker thread."""
        return await self._worker.run(function, self._models, *given)

    def _update(self, uri: str) -> None:
        program = self._open[uri]
        program.is_stale = True
        if program.task is None or program.task.done():
            program.task = asyncio.get_running_loop().create_task(self._updated(uri, program))

    async def _updated(self, uri: str, program: Program) -> None:
        """Compute the view of a program, again while it became stale."""
        while program.is_stale:
            program.is_stale = False
            with contextlib.suppress(SyntaxError):  # half written: the last view is kept
                program.latest = await self._tried(program.latest, _view, program.path, program.text, program.known)
            if program.is_known:  # otherwise its requests still wait for the first view
                self._editor.refresh()
                await asyncio.sleep(SETTLED)
            program.is_known = True
            self.show(uri)

    async def _tried(self, otherwise: _T, function: Callable[..., _T], *given: Any) -> _T:
        """Return the result of a function, or ``otherwise`` if it fails: no input may stop the server."""
        try:
            return cast("_T", await self.run(function, *given))
        except SyntaxError:
            raise
        except Exception as error:  # noqa: BLE001 - see above
            self._editor.log(our_fault(error))
            return otherwise

    async def _watch(self) -> None:
        """Poll the models; a model counts as changed after a poll without further changes."""
        nothing: State = {}
        before = last = await self._tried(nothing, _state, self._folders(), nothing, True)
        due = 0.0
        while True:
            await asyncio.sleep(INTERVAL)
            begun = time.monotonic()
            anew = begun >= due
            now = await self._tried(last, _state, self._folders(), last, anew)
            if anew:
                due = begun + LOOKS * max(INTERVAL, LOOKS * (time.monotonic() - begun))
            if now == last != before:
                before = now
                self.renew()
            last = now

    def _folders(self) -> list[Path]:
        return list(dict.fromkeys(program.path.parent for program in self._open.values()))


def _view(models: Models, file: Path, text: str, known: dict[tuple[Path, object], frozenset[str]]) -> View:
    while len(known) > MOST_KNOWN:
        del known[next(iter(known))]
    return view(file, text, models.exported_from(file), known)


def _state(models: Models, folders: Iterable[Path], before: State, anew: bool) -> State:
    """Return the stamps of the models known ``before``; search configurations and models again if ``anew``."""
    if anew:
        settings_for.cache_clear()
        return {path: stamp_of(path) for folder in folders for path in models.paths(folder)}
    return {path: stamp_of(path) for path in (*before, *models.opened)}
