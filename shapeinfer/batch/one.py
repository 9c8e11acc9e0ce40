"""Check one of many models: whatever happens to it becomes its report, so that the others are still checked."""

from __future__ import annotations

from pathlib import Path

from attrs import evolve

from shapeinfer.api import check, spending_on
from shapeinfer.api.options import DEFAULTS, Options
from shapeinfer.api.report import Report
from shapeinfer.batch.remote import is_remote, read
from shapeinfer.diagnostics import codes
from shapeinfer.diagnostics.codes import Code
from shapeinfer.diagnostics.diagnostic import Diagnostic
from shapeinfer.diagnostics.errors import ModelError


def check_one(path: str, data: bytes | None = None, *, options: Options = DEFAULTS) -> Report:
    """Check the model at a path or URL, or the one whose bytes are passed; never raises an Exception."""
    try:
        if data is None and is_remote(path):
            with spending_on(options.budget, path):
                data = read(path)
        report = check(path if data is None else data, options=options)
    except ModelError as error:
        return Report(error.diagnostics, path=path)
    except MemoryError:
        return alone(path, codes.BUDGET_EXCEEDED, "there was not enough memory to check this model")
    except Exception as error:  # noqa: BLE001 - one file that we fail on must not hide the others
        return alone(path, codes.INTERNAL_ERROR, our_fault(error))
    return report if data is None else evolve(report, path=path)


def alone(path: str, code: Code, message: str) -> Report:
    """Return the report of a model with one finding."""
    return Report((Diagnostic(code, code.severity, message, path=path),), path=path)


def our_fault(error: BaseException) -> str:
    """Return the message for a failure of ours."""
    import traceback  # only after a fault of our own

    frames = traceback.extract_tb(error.__traceback__)
    where = f" ({Path(frames[-1].filename).name}:{frames[-1].lineno})" if frames else ""
    error_text = f"{type(error).__name__}: {error}".removesuffix(": ")
    return f"shapeinfer failed with {error_text}{where}; please report it, with the model if you can"
