"""The open texts of an editor, checked lazily after a change."""

from __future__ import annotations

import functools
from pathlib import Path

from attrs import define, evolve, field

from shapeinfer.api.options import Options
from shapeinfer.api.report import Report
from shapeinfer.batch.one import alone, our_fault
from shapeinfer.config.discovery import ConfigError, nearest
from shapeinfer.config.policy import apply_settings
from shapeinfer.config.rules import Untrusted, load_rules_of
from shapeinfer.config.settings import Settings
from shapeinfer.diagnostics import codes
from shapeinfer.diagnostics.printable import printable
from shapeinfer.editors.positions import Encoding, Positions
from shapeinfer.editors.problems import Problem, problems
from shapeinfer.editors.symbols import Symbols
from shapeinfer.editors.tokens import Tokens
from shapeinfer.text import Written, check_text


@define(eq=False)
class Document:
    """One open text."""

    path: Path
    text: str
    encoding: Encoding = "utf-16"
    takes_offsets: bool = True
    """Whether the editor supports parameter labels given as offsets (labelOffsetSupport)."""
    is_read_only: bool = False
    """Whether it is the text view of a binary model, where edits would be lost."""
    version: int = 0
    """How often there was reason to check it anew."""
    published: int | None = None
    """The version whose problems the editor has, None before it has any."""
    symbols: Symbols = field(factory=Symbols)
    """Writes its outline."""
    tokens: Tokens = field(factory=Tokens)
    """Writes its colours."""
    _checked: int | None = None
    _written: Written | None = None
    _positions: Positions | None = None
    _problems: list[Problem] = field(factory=list)

    def change(self, text: str) -> None:
        """Replace the text; it is checked on demand."""
        self.text = text
        self.version += 1

    def recheck(self) -> None:
        """Check the same text again, since something else changed."""
        self.version += 1

    @property
    def written(self) -> Written:
        """The text as it is now, and its report."""
        if self._checked != self.version or self._written is None:
            self._written, self._problems = self._check()
            self._positions = Positions(self.text, self.encoding)
            self._checked = self.version
        return self._written

    @property
    def positions(self) -> Positions:
        assert self.written is not None, "places are counted in what was checked"
        assert self._positions is not None, "they are counted when the text is"
        return self._positions

    @property
    def problems(self) -> list[Problem]:
        assert self.written is not None, "problems are found when the text is checked"
        return self._problems

    def _check(self) -> tuple[Written, list[Problem]]:
        settings = settings_for(self.path.parent)
        model = settings.of(str(self.path))
        try:
            written = check_text(self.text, self._written, Options(**model.sizes))
            report = apply_settings(written.report, settings, model)
            return evolve(written, report=report), problems(evolve(written, report=report))
        except Exception as error:  # noqa: BLE001 - the editor goes on, whatever one text does to us
            report = alone(str(self.path), codes.INTERNAL_ERROR, our_fault(error))
            written = Written(check_text("").model, report)
            return written, [Problem(0, 0, d) for d in report.diagnostics]


@functools.lru_cache(maxsize=64)
def settings_for(folder: Path) -> Settings:
    """Return the settings of a folder; defaults if they cannot be read, see ``mistakes_in``."""
    try:
        return nearest(folder)
    except ConfigError:
        return Settings()


def mistakes_in(folder: Path, *, trusted: bool) -> list[str]:
    """Load the rules that the configuration of a folder names, and return what a person must hear of it.

    Python rules run where the editor's user said that the workspace is ``trusted``, or trusted the files.
    """
    try:
        load_rules_of(nearest(folder), trusted=trusted)
    except ConfigError as error:
        return [f"invalid configuration: {line}" for line in error.lines(folder)]
    except Untrusted as found:
        files = ", ".join(printable(str(file)) for file in found.files)
        return [f"Python rules are not loaded, since neither the workspace nor these files are trusted: {files}"]
    except (ValueError, OSError) as error:
        return [f"cannot load the rules of the configuration: {printable(str(error))}"]
    return []


def judged_report(report: Report, path: Path) -> Report:
    """Return the report of a model as the settings of its folder want it."""
    settings = settings_for(path.parent)
    return apply_settings(report, settings, settings.of(str(path)))
