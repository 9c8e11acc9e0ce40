"""Settings as data: those of a whole project, and those of the models that a glob names."""

from __future__ import annotations

import enum
import functools
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from attrs import evolve, field, frozen

from shapeinfer.api.options import DefaultInputs
from shapeinfer.config.globs import matches
from shapeinfer.diagnostics.codes import Severity
from shapeinfer.infer.constraints.redeclared import GivenShapes


class FailOn(str, enum.Enum):
    """The level at which a run fails: each level includes those before it."""

    ERROR = "error"
    WARNING = "warning"
    INCOMPLETE = "incomplete"

    def __str__(self) -> str:
        return self.value


@frozen(repr=False)
class ModelSettings:
    """Settings of the models that globs match: sizes, ignored codes, expected contract."""

    paths: tuple[str, ...] = ()
    bind: Mapping[str, int] = field(factory=dict)
    shapes: GivenShapes = field(factory=dict)
    ranges: Mapping[str, tuple[int, int | None]] = field(factory=dict)
    assume: tuple[str, ...] = ()
    ignore: frozenset[str] = frozenset()
    contract: tuple[str, ...] | None = None
    default_inputs: DefaultInputs | None = None

    @property
    def sizes(self) -> dict[str, Any]:
        """The keywords of ``check`` about the inputs."""
        said = {"bind": self.bind, "shapes": self.shapes, "ranges": self.ranges, "assume": self.assume}
        return said | {"default_inputs": self.default_inputs or "free"}

    def over(self, before: ModelSettings) -> ModelSettings:
        """Return these settings, completed by those of ``before``."""
        return ModelSettings(
            self.paths,
            {**before.bind, **self.bind},
            {**before.shapes, **self.shapes},
            {**before.ranges, **self.ranges},
            tuple(dict.fromkeys((*before.assume, *self.assume))),
            before.ignore | self.ignore,
            before.contract if self.contract is None else self.contract,
            self.default_inputs or before.default_inputs,
        )


@frozen(repr=False)
class Settings:
    """The settings of a configuration file; globs and paths are relative to ``folder``.

    ``models`` are also those that the language server shows in the programs that they were exported from.
    ``select`` is None where all codes are wanted, a limit where nothing is said of it. ``severity`` has None for a
    code that is turned off.
    """

    folder: Path | None = None
    found: Path | None = field(default=None, eq=False)
    """The file if it was discovered, not named by the user: then it is data, and nothing that it names is run."""
    select: frozenset[str] | None = None
    ignore: frozenset[str] = frozenset()
    severity: Mapping[str, Severity | None] = field(factory=dict)
    fail_on: FailOn = FailOn.ERROR
    suppressions: bool = True
    """Whether a model may suppress findings in its metadata."""
    max_seconds: float | None = None
    max_memory: float | None = None
    max_expression: int | None = None
    exclude: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    models: tuple[ModelSettings, ...] = ()
    default_inputs: DefaultInputs | None = None

    def of(self, path: str) -> ModelSettings:
        """Return the settings of one model: all matching entries merged; later ones override."""
        named = (m for m in self.models if matches(m.paths, path, self.folder))
        of_all = ModelSettings(default_inputs=self.default_inputs)
        return functools.reduce(lambda before, m: m.over(before), named, of_all)

    @property
    def limits(self) -> dict[str, Any]:
        """The keywords of ``check`` about limits, without those that are not set."""
        said = {name: getattr(self, name) for name in ("max_seconds", "max_memory", "max_expression")}
        return {name: limit for name, limit in said.items() if limit is not None}

    def excludes(self, path: str) -> bool:
        """Whether a model that was found in a directory or by a glob is left out."""
        return bool(self.exclude) and matches(self.exclude, path, self.folder)

    def overridden(self, **given: Any) -> Settings:
        """Return the settings with overrides; None keeps the value of the file."""
        return evolve(self, **{name: value for name, value in given.items() if value is not None})

    @property
    def rule_files(self) -> tuple[str, ...]:
        """The files of rules, whose names are relative to the configuration's folder."""
        return tuple(str((self.folder or Path()) / rule) for rule in self.rules)
