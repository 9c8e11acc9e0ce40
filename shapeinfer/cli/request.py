"""The options and settings of each model: those of the configuration, overridden by the command line."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attrs import evolve, frozen

from shapeinfer import regular
from shapeinfer.api.options import Options
from shapeinfer.api.report import Report
from shapeinfer.batch.one import check_one
from shapeinfer.budget import MAX_MEMORY, MEGABYTE
from shapeinfer.cli.terminal import STDIN, Failure, quoted, shown
from shapeinfer.config.policy import apply_settings, is_wanted
from shapeinfer.config.settings import ModelSettings, Settings
from shapeinfer.facts import Profile

if TYPE_CHECKING:
    from shapeinfer.config.rules import Untrusted


@frozen(repr=False)
class Request:
    """Settings for all models, and the command line's for each; it can be sent to another process."""

    settings: Settings
    command_line: ModelSettings
    rules: tuple[str, ...] = ()
    profile: Profile = "spec"

    def of(self, path: str) -> ModelSettings:
        """Return the settings of one model."""
        return self.command_line.over(self.settings.of(path))

    def options(self, path: str) -> Options:
        """Return the options of ``check`` for one model."""
        return Options(**self.of(path).sizes, **self.settings.limits, profile=self.profile)

    def check(self, path: str) -> Report:
        """Check one model and apply the settings to what was found."""
        data = self.standard_input() if path == STDIN else None
        return self.judged(check_one(path, data, options=self.options(path)), path)

    def standard_input(self) -> bytes:
        """Return what standard input holds. Raises Failure for more than half the memory allowed."""
        most = min(self.settings.limits.get("max_memory", MAX_MEMORY) / 2, MAX_MEMORY / 2)
        try:
            return regular.read_rest(sys.stdin.buffer, int(most * MEGABYTE), size=0)
        except regular.TooLarge:
            raise Failure(f"standard input has more than {most:g} megabytes, the limit") from None

    def check_apart(self, path: str, *, contract: bool = True) -> Report:
        """Check one model in another process, which sends back what formats need, the contract only if they do."""
        return self.check(path).light(contract=contract)

    def judged(self, report: Report, path: str) -> Report:
        """Return a report as the settings want it."""
        return apply_settings(report, self.settings, self.of(path))

    def wants(self, path: str, code: str) -> bool:
        """Whether the settings report a code."""
        return is_wanted(code, self.settings, self.of(path))

    def overridden(self, **settings: Any) -> Request:
        """Return the request with settings of the command line in place of the file's; None leaves those."""
        return evolve(self, settings=self.settings.overridden(**settings))


def configured(file: str | None, isolated: bool) -> Settings:
    """Return the settings that apply here, their rules loaded. Raises Failure with all that is wrong with them."""
    settings = _settings(file, isolated)
    if settings.rules:
        _load_rules(settings)
    return settings


def _load_rules(settings: Settings) -> None:
    from shapeinfer.config.rules import Untrusted, load_rules_of

    try:
        load_rules_of(settings)
    except Untrusted as found:
        raise Failure(_untrusted_message(found)) from None
    except (ValueError, OSError) as error:
        raise Failure(f"cannot load the rules that the configuration names: {error}") from None


def _untrusted_message(found: Untrusted) -> str:
    """The message about Python rules that a found configuration names and that are not trusted."""
    files = [_from_here(file) for file in found.files]
    config = _from_here(found.config)
    return "\n  ".join(
        [
            f"{shown(config)} names Python rules that you have not allowed to run:",
            *(f"  {shown(file)}" for file in files),
            f"to allow them as they are now:    shapeinfer trust {' '.join(map(quoted, files))}",
            f"to trust this configuration:      --config {quoted(config)}",
            "to ignore the configuration:      --isolated",
        ]
    )


def _from_here(file: Path) -> str:
    try:
        return os.path.relpath(file)
    except ValueError:  # it is on another drive
        return str(file)


def _settings(file: str | None, isolated: bool) -> Settings:
    from shapeinfer.config.discovery import ConfigError, nearest, settings_from

    if isolated:
        return Settings()
    try:
        here = Path.cwd()
    except OSError as error:
        raise Failure(f"the working directory cannot be used: {error.strerror}") from None
    try:
        return nearest(here) if file is None else settings_from(Path(file))
    except ConfigError as error:
        raise Failure("\n  ".join(["the configuration cannot be used", *error.lines(here)])) from None
