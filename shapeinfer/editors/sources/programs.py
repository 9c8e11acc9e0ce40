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
"""Seconds between two looks at the models, for editors that do not report when files change."""
LOOKS = 5
"""New models are looked for once in so many times, less often where that takes long."""
SETTLED = 0.2
"""Findings follow new hints after so many seconds: Neovim drops hints that come while it draws."""
MOST_KNOWN = 64
"""Of so many states of models is remembered what a program had when they were new."""


_T = TypeVar("_T")
State: TypeAlias = "dict[Path, Stamp | None]"


class Editor(Protocol):
    """What is needed of the editor."""

    def show_findings(self, uri: str, current: EditorView | None) -> None:
        """Show the findings in a program, none where there is nothing to show them in."""

    def refresh(self) -> None:
        """Let the editor ask for hints again."""

    def log(self, message: str) -> None:
        """Write a line to the editor's log."""


@define(eq=False, repr=False)
class Program:
    """An open program: its text, and what models had to say of it when they were asked last."""

    path: Path
    text: str
    encoding: Encoding
    version: int = 0
    latest: View = field(factory=View)
    known: dict[tuple[Path, object], frozenset[str]] = field(factory=dict)
    is_stale: bool = True
    """Whether models are to be asked again."""
    is_known: bool = False
    """Whether they were asked, so that the editor need not wait."""
    task: asyncio.Task[None] | None = None
    _current: tuple[int, View, EditorView] | None = None

    @property
    def current(self) -> EditorView:
        """What is shown in the text as it is now."""
        known = self._current
        if known is None or known[0] != self.version or known[1] is not self.latest:
            known = self.version, self.latest, EditorView(self.latest.on(self.text), self.encoding)
            self._current = known
        return known[2]


class Programs:
    """The open programs by their URIs, and the models on a thread of their own."""

    def __init__(self, editor: Editor) -> None:
        self._editor = editor
        self._open: dict[str, Program] = {}
        self._models = Models()
        self._worker = Worker()
        self._watching: asyncio.Task[None] | None = None
        self._renewal: asyncio.TimerHandle | None = None
        self.is_told = False
        """Whether the editor reports when files change."""

    def __contains__(self, uri: str) -> bool:
        return uri in self._open

    def open(self, uri: str, path: Path, text: str, encoding: Encoding) -> None:
        """Take a program that was opened."""
        self._open[uri] = Program(path, text, encoding)
        self._update(uri)
        if self._watching is None and not self.is_told:
            self._watching = asyncio.get_running_loop().create_task(self._watch())

    def change(self, uri: str, text: str) -> None:
        """Take an edit: what stood on lines that changed is gone at once."""
        program = self._open[uri]
        program.text = text
        program.version += 1

    def save(self, uri: str) -> None:
        """Look at the models again once a program is saved."""
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
        """Stop looking at the models."""
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
        """Look at the models again, as some changed."""
        for uri in self._open:
            self._update(uri)

    def renew_soon(self) -> None:
        """Look at the models again once what changes them has come to rest."""
        if self._renewal is not None:
            self._renewal.cancel()
        self._renewal = asyncio.get_running_loop().call_later(INTERVAL / 2, self.renew)

    def show(self, uri: str) -> None:
        """Show the findings in a program as its text is now."""
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
        """Run a function of models on their thread."""
        return await self._worker.run(function, self._models, *given)

    def _update(self, uri: str) -> None:
        program = self._open[uri]
        program.is_stale = True
        if program.task is None or program.task.done():
            program.task = asyncio.get_running_loop().create_task(self._updated(uri, program))

    async def _updated(self, uri: str, program: Program) -> None:
        """Ask the models about a program, and again if there is reason to meanwhile."""
        while program.is_stale:
            program.is_stale = False
            with contextlib.suppress(SyntaxError):  # half written: what was shown stays where its lines are
                program.latest = await self._tried(program.latest, _view, program.path, program.text, program.known)
            if program.is_known:  # else what the editor asks for waits
                self._editor.refresh()
                await asyncio.sleep(SETTLED)
            program.is_known = True
            self.show(uri)

    async def _tried(self, otherwise: _T, function: Callable[..., _T], *given: Any) -> _T:
        """Return what a function returns; the editor goes on, whatever a program or a model does to us."""
        try:
            return cast("_T", await self.run(function, *given))
        except SyntaxError:
            raise
        except Exception as error:  # noqa: BLE001 - see above
            self._editor.log(our_fault(error))
            return otherwise

    async def _watch(self) -> None:
        """Look at the models again and again; one counts as changed once it has stopped changing."""
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
    """The models' stamps; only those known ``before`` unless configurations and models are looked for ``anew``."""
    if anew:
        settings_for.cache_clear()
        return {path: stamp_of(path) for folder in folders for path in models.paths(folder)}
    return {path: stamp_of(path) for path in (*before, *models.opened)}
