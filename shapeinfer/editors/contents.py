"""Model files as an editor shows them: as a page, and as text."""

from __future__ import annotations

from pathlib import Path
from typing import TypedDict

from shapeinfer.api.report import Report
from shapeinfer.diagnostics.errors import ModelError
from shapeinfer.editors.sources.models import Models, stamp_of
from shapeinfer.editors.sources.serving import ProgramsServer, path_of
from shapeinfer.report.concise import render
from shapeinfer.report.paint import printable
from shapeinfer.text import text_of_file

MODEL_TEXT = "shapeinfer.modelText"
"""The command that returns a binary model as text, for an editor to show as a document of the language."""
MODEL_PAGE = "shapeinfer.modelPage"
"""The command that returns the page of a model."""


class Content(TypedDict):
    """The content to show for a model file, or an error message; the other is empty."""

    content: str
    error: str


def text_of(_models: Models, path: Path) -> Content:
    """Return a model in ONNX's text syntax."""
    try:
        return Content(content=text_of_file(str(path)), error="")
    except ModelError as error:
        return Content(content="", error=_findings(path, Report(error.diagnostics)))
    except ValueError as error:
        return Content(content="", error=f"{printable(path.name)}: {printable(str(error))}")


def page_of(models: Models, path: Path) -> Content:
    """Return the HTML page that ``shapeinfer report`` writes for a model; its policy allows only its own script."""
    from shapeinfer.report import page

    stamp = stamp_of(path)
    if stamp is None:
        return Content(content="", error=f"{printable(path.name)} does not exist")
    report = models.checked(path, stamp).report
    if report.result is None:
        return Content(content="", error=_findings(path, report))
    return Content(content=page.render(path.name, report, None if report.errors else report.cost()), error="")


def _findings(path: Path, report: Report) -> str:
    return "".join(render([(path.name, report)], several=False))


def content_commands(server: ProgramsServer) -> None:
    """Register the commands that return the text and the page of a model file."""

    @server.command(MODEL_TEXT)
    async def model_text(model: str) -> Content:
        found: Content = await server.programs.run(text_of, path_of(model))
        return found

    @server.command(MODEL_PAGE)
    async def model_page(model: str) -> Content:
        found: Content = await server.programs.run(page_of, path_of(model))
        return found
