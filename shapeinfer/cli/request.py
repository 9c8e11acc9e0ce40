"""What is asked of every model: what the configuration says, and what the command line says over it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from attrs import evolve, frozen

from shapeinfer.api import Report
from shapeinfer.batch.one import checked
from shapeinfer.cli.terminal import STDIN, Failure
from shapeinfer.config.policy import is_wanted, judged
from shapeinfer.config.settings import ModelSettings, Settings
from shapeinfer.graph import Profile


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
        data = sys.stdin.buffer.read() if path == STDIN else None
        return self.judged(checked(path, data, **self.sizes(path)), path)

    def check_apart(self, path: str, *, contract: bool = True) -> Report:
        """Check one model in another process, which sends back what formats need, the contract only if they do."""
        return self.check(path).light(contract=contract)

    def judged(self, report: Report, path: str) -> Report:
        """Return a report as the settings want it."""
        return judged(report, self.settings, self.of(path))

    def wants(self, path: str, code: str) -> bool:
        """Whether the settings want to hear of a code."""
        return is_wanted(code, self.settings, self.of(path))

    def overridden(self, **given: Any) -> Request:
        """Return the request with settings of the command line in place of the file's; None leaves those."""
        return evolve(self, settings=self.settings.overridden(**given))


def configured(file: str | None, isolated: bool) -> Settings:
    """Return the settings that hold here. Raises Failure that tells all that is wrong with them."""
    from shapeinfer.config.finding import ConfigError, nearest, settings_from

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
