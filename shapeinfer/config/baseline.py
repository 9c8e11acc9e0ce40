"""Baselines: a file of known findings that later runs suppress."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from attrs import evolve, field, frozen

from shapeinfer import regular
from shapeinfer.api.report import Report
from shapeinfer.config.globs import is_url
from shapeinfer.config.policy import not_checked
from shapeinfer.diagnostics import codes
from shapeinfer.diagnostics.diagnostic import Diagnostic

VERSION = 1
MOST = 1 << 28
"""No baseline has more bytes than this."""


class BaselineError(Exception):
    """A file is not a valid baseline."""


@frozen
class Known:
    """Findings of one model with one fingerprint: their number, and the message of the first."""

    code: str
    message: str
    count: int = 1


@frozen
class Baseline:
    """Known findings by model and fingerprint; models are named from the folder of the baseline's file."""

    folder: Path
    models: Mapping[str, Mapping[str, Known]] = field(factory=dict)

    def without_known(self, report: Report, path: str, wanted: Callable[[str], bool]) -> Report:
        """Return a report without known findings, and a warning for each known finding that no longer occurs.

        ``wanted`` says of which codes findings were looked for at all.
        """
        known = self.models.get(self.key(path))
        if not known:
            return report
        left = Counter({mark: k.count for mark, k in known.items()})
        new: list[Diagnostic] = []
        old: list[Diagnostic] = []
        for diagnostic in report.diagnostics:
            mark = diagnostic.fingerprint
            is_known = left[mark] > 0 and not not_checked(diagnostic)
            left[mark] -= is_known
            (old if is_known else new).append(diagnostic)
        if not any(map(not_checked, new)):
            new += [_outdated(k) for mark, k in known.items() if left[mark] > 0 and wanted(k.code)]
        return evolve(report, diagnostics=tuple(new), suppressed=(*report.suppressed, *old))

    def missing_models(self) -> list[str]:
        """Return the models in the baseline that no longer exist."""
        return [name for name in self.models if not is_url(name) and not (self.folder / name).exists()]

    def key(self, path: str) -> str:
        """Return the name of a model in the baseline."""
        if is_url(path) or path == "-":
            return path
        return Path(os.path.relpath(path, self.folder)).as_posix()


def _outdated(known: Known) -> Diagnostic:
    message = f"the baseline lists a {known.code} here that no longer occurs: {known.message}"
    return Diagnostic(codes.BASELINE_OUTDATED, codes.BASELINE_OUTDATED.severity, message)


def recorded(found: Iterable[tuple[str, Iterable[Diagnostic]]], folder: Path) -> Baseline:
    """Return the baseline that knows all findings of models, except those of models that could not be checked."""
    baseline = Baseline(folder)
    models = {}
    for path, diagnostics in found:
        kept = [d for d in diagnostics if not not_checked(d) and d.code is not codes.BASELINE_OUTDATED]
        counts = Counter(d.fingerprint for d in kept)
        first = {d.fingerprint: d for d in reversed(kept)}
        if counts:
            models[baseline.key(path)] = {
                mark: Known(d.code.name, d.message, counts[mark]) for mark, d in first.items()
            }
    return evolve(baseline, models=models)


def written(baseline: Baseline) -> bytes:
    """Return a baseline as the bytes of its file: sorted, so that two of them compare line by line."""
    models = {
        name: sorted(
            (
                {"code": k.code, "message": k.message, "count": k.count, "fingerprint": mark}
                for mark, k in known.items()
            ),
            key=lambda entry: (entry["code"], entry["message"], entry["fingerprint"]),
        )
        for name, known in sorted(baseline.models.items())
    }
    return (json.dumps({"version": VERSION, "models": models}, indent=2) + "\n").encode("ascii")


def read(file: Path) -> Baseline:
    """Return the baseline of a file. Raises BaselineError."""
    try:
        whole = json.loads(regular.read(file, MOST))
    except OSError as error:
        raise BaselineError(f"{file} cannot be read: {error.strerror or error}") from None
    except (ValueError, RecursionError):
        raise BaselineError(f"{file} is not a baseline: invalid JSON") from None
    if not isinstance(whole, dict) or "version" not in whole or not isinstance(whole.get("models"), dict):
        raise BaselineError(f"{file} is not a baseline: it has no version and models; create one with --write-baseline")
    if whole["version"] != VERSION:
        raise BaselineError(
            f"{file} is a baseline of version {whole['version']}; this shapeinfer supports version {VERSION}"
        )
    try:
        models = {name: dict(map(_known, entries)) for name, entries in whole["models"].items()}
    except (KeyError, TypeError, ValueError):
        raise BaselineError(f"{file} is not a valid baseline; create it again with --write-baseline") from None
    return Baseline(file.parent, models)


def _known(entry: Any) -> tuple[str, Known]:
    mark, code, message, count = (entry[key] for key in ("fingerprint", "code", "message", "count"))
    if not (isinstance(mark, str) and isinstance(code, str) and isinstance(message, str) and isinstance(count, int)):
        raise TypeError(entry)
    return mark, Known(code, message, count)
