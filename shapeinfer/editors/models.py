"""Model files as an editor shows them: as a page, and as text."""

from __future__ import annotations

from pathlib import Path
from typing import TypedDict

from shapeinfer.api.report import Report
from shapeinfer.batch.one import check_one
from shapeinfer.diagnostics.errors import ModelError
from shapeinfer.editors.documents import judged_report
from shapeinfer.report.concise import render
from shapeinfer.report.paint import printable
from shapeinfer.text import text_of_file


class Content(TypedDict):
    """What to show of a model file, or why nothing can be shown; the other is empty."""

    content: str
    error: str


def text_of(path: Path) -> Content:
    """Return the text of a model."""
    try:
        return Content(content=text_of_file(str(path)), error="")
    except ModelError as error:
        return Content(content="", error=_findings(path, Report(error.diagnostics)))
    except ValueError as error:
        return Content(content="", error=f"{path.name}: {printable(str(error))}")


def page_of(path: Path) -> Content:
    """Return the page that ``shapeinfer report`` writes of a model, in HTML that runs no script but its own."""
    from shapeinfer.report import page

    report = judged_report(check_one(str(path)), path)
    if report.result is None:
        return Content(content="", error=_findings(path, report))
    return Content(content=page.render(path.name, report, None if report.errors else report.cost()), error="")


def _findings(path: Path, report: Report) -> str:
    return "".join(render([(path.name, report)], several=False))
