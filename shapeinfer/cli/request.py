"""What is asked of every model: what the configuration says, and what the command line says over it."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attrs import evolve, frozen

from shapeinfer import regular
from shapeinfer.api.report import Report
from shapeinfer.batch.one import check_one
from shapeinfer.budget import MAX_MEMORY, MEGABYTE
from shapeinfer.cli.terminal import STDIN, Failure, quoted, shown
from shapeinfer.config.policy import apply_settings, is_wanted
from shapeinfer.config.settings import ModelSettings, Settings
from shapeinfer.graph import Profile

if TYPE_CHECKING:
    from shapeinfer.config.rules import Untrusted


@frozen(repr=False)
class Request:
    """Settings for all models, and what the command line says of each; it can be sent to another process."""

    settings: Settings
    given: ModelSettings
    rules: tuple[str, ...] = ()
    profile: Profile = "spec"

    def of(self, path: str) -> ModelSettings:
        """Return what is said of one model."""
        return self.given.over(self.settings.of(path))

    def sizes(self, path: str) -> dict[str, Any]:
        """Return the keywords of ``check`` for one model."""
        return {**self.of(path).sizes, **self.settings.limits, "profile": self.profile}

    def check(self, path: str) -> Report:
        """Check one model and choose and weigh what was found."""
        data = self.standard_input() if path == STDIN else None
        return self.judged(check_one(path, data, **self.sizes(path)), path)

    def standard_input(self) -> bytes:
        """Return what standard input holds. Raises Failure for more than the memory allowed has room for, twice."""
        most = min(self.settings.limits.get("max_memory", MAX_MEMORY) / 2, MAX_MEMORY / 2)
        try:
            return regular.read_rest(sys.stdin.buffer, int(most * MEGABYTE), size=0)
        except regular.TooLarge:
            raise Failure(f"standard input has more than {most:g} megabytes, which are not read") from None

    def check_apart(self, path: str, *, contract: bool = True) -> Report:
        """Check one model in another process, which sends back what formats need, the contract only if they do."""
        return self.check(path).light(contract=contract)

    def judged(self, report: Report, path: str) -> Report:
        """Return a report as the settings want it."""
        return apply_settings(report, self.settings, self.of(path))

    def wants(self, path: str, code: str) -> bool:
        """Whether the settings want to hear of a code."""
        return is_wanted(code, self.settings, self.of(path))

    def overridden(self, **given: Any) -> Request:
        """Return the request with settings of the command line in place of the file's; None leaves those."""
        return evolve(self, settings=self.settings.overridden(**given))


def configured(file: str | None, isolated: bool) -> Settings:
    """Return the settings that hold here, their rules loaded. Raises Failure that tells all that is wrong with them."""
    settings = _settings(file, isolated)
    if settings.rules:
        _load_rules(settings)
    return settings


def _load_rules(settings: Settings) -> None:
    from shapeinfer.config.rules import Untrusted, load_rules_of

    try:
        load_rules_of(settings)
    except Untrusted as found:
        raise Failure(_offered(found)) from None
    except (ValueError, OSError) as error:
        raise Failure(f"the rules that the configuration names cannot be used: {error}") from None


def _offered(found: Untrusted) -> str:
    """What to say of Python rules that were found with a repository, and that nobody allowed to run."""
    files = [_from_here(file) for file in found.files]
    config = _from_here(found.config)
    return "\n  ".join(
        [
            f"{shown(config)} names Python rules, which run code that you have not allowed:",
            *(f"  {shown(file)}" for file in files),
            f"to allow them as they are now:        shapeinfer trust {' '.join(map(quoted, files))}",
            f"to run what the configuration names:  --config {quoted(config)}",
            "to do without the configuration:      --isolated",
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
