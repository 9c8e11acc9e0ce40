"""The Python programs that are open in an editor, kept up to date with the models exported from them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Protocol

from attrs import define, field

from shapeinfer.api.report import Report
from shapeinfer.batch.one import our_fault
from shapeinfer.editors.positions import Encoding
from shapeinfer.editors.sources.answers import ANSWERS, Shower
from shapeinfer.editors.sources.models import Models, Stamp, stamp_of
from shapeinfer.editors.sources.view import View, view
from shapeinfer.editors.sources.worker import Worker

INTERVAL = 1.0
"""Seconds between two looks at the models, for editors that do not report when files change."""
LOOKS = 5
"""New models are looked for every so many times."""
SETTLED = 0.2
"""Findings follow new hints after so many seconds: Neovim drops hints that come while it draws."""
MOST_KNOWN = 64
"""Of so many states of models is remembered what a program had when they were new."""


class Editor(Protocol):
    """What is needed of the editor."""

    def show_findings(self, uri: str, shower: Shower | None) -> None:
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
    asked: View = field(factory=View)
    known: dict[tuple[Path, object], frozenset[str]] = field(factory=dict)
    is_stale: bool = True
    """Whether models are to be asked again."""
    task: asyncio.Task[None] | None = None
    _shower: tuple[int, View, Shower] | None = None

    @property
    def shower(self) -> Shower:
        """What is shown in the text as it is now."""
        if self._shower is None or self._shower[:2] != (self.version, self.asked):
            self._shower = self.version, self.asked, Shower(self.asked.on(self.text), self.encoding)
        return self._shower[2]


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
        self._ask(uri)
        if self._watching is None and not self.is_told:
            self._watching = asyncio.get_running_loop().create_task(self._watch())

    def change(self, uri: str, text: str) -> None:
        """Take an edit: what stood on lines that changed is gone at once."""
        program = self._open[uri]
        program.text = text
        program.version += 1

    def save(self, uri: str) -> None:
        """Look at the models again once a program is saved."""
        self._ask(uri)

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
            self._ask(uri)

    def renew_soon(self) -> None:
        """Look at the models again once what changes them has come to rest."""
        if self._renewal is not None:
            self._renewal.cancel()
        self._renewal = asyncio.get_running_loop().call_later(INTERVAL / 2, self.renew)

    def show(self, uri: str) -> None:
        """Show the findings in a program as its text is now."""
        program = self._open.get(uri)
        if program is not None:
            self._editor.show_findings(uri, program.shower)

    async def answer(self, feature: str, params: Any) -> Any:
        """Answer a request about an open program, once its models are known."""
        program = self._open[params.text_document.uri]
        if feature not in ANSWERS:
            return None
        if program.task is not None and not program.asked.lines:
            await asyncio.shield(program.task)
        return ANSWERS[feature](program.shower, params)

    async def run(self, function: Callable[..., Any], *given: Any) -> Any:
        """Run a function of models on their thread."""
        return await self._worker.run(function, self._models, *given)

    def _ask(self, uri: str) -> None:
        program = self._open[uri]
        program.is_stale = True
        if program.task is None or program.task.done():
            program.task = asyncio.get_running_loop().create_task(self._asked(uri, program))

    async def _asked(self, uri: str, program: Program) -> None:
        """Ask the models about a program, and again if there is reason to meanwhile."""
        is_first = not program.asked.lines
        while program.is_stale:
            program.is_stale = False
            try:
                program.asked = await self.run(_view, program.path, program.text, program.known)
            except SyntaxError:
                pass  # half written: what was shown stays where its lines are
            except Exception as error:  # noqa: BLE001 - the editor goes on, whatever a program or model does to us
                self._editor.log(our_fault(error))
        if not is_first:  # else what the editor asks for waits
            self._editor.refresh()
            await asyncio.sleep(SETTLED)
        self.show(uri)

    async def _watch(self) -> None:
        """Look at the models again and again; one counts as changed once it has stopped changing."""
        before = last = await self.run(_state, self._folders(), {}, True)
        looks = 0
        while True:
            await asyncio.sleep(INTERVAL)
            looks += 1
            now = await self.run(_state, self._folders(), last, looks % LOOKS == 0)
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


def _state(
    models: Models, folders: Iterable[Path], before: Mapping[Path, Stamp | None], anew: bool
) -> dict[Path, Stamp | None]:
    """The models' stamps; only those known ``before`` unless they are looked for ``anew``."""
    paths = [*before, *models.opened] if not anew else [path for folder in folders for path in models.paths(folder)]
    return {path: stamp_of(path) for path in paths}
