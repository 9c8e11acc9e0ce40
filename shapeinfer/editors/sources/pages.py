"""HTML pages of models, to open in a browser at a value."""

from __future__ import annotations

import html
import tempfile
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

from shapeinfer.editors.sources.models import Models, stamp_of
from shapeinfer.report import page


class Pages:
    """Report pages in a temporary folder, deleted when the session ends."""

    def __init__(self) -> None:
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._written: dict[Path, tuple[object, Path]] = {}

    def at(self, models: Models, model: Path, value: str) -> Path:
        """Return an HTML file that redirects to a value on a model's page. Raises ValueError if it is no model.

        The redirect is a separate file since programs that open files for editors may drop the fragment of a URI.
        """
        written = self._page(models, model)
        target = f"{quote(written.name)}#value={quote(value, safe='')}"
        leads = written.with_name(f"show-{written.name}")
        leads.write_text("".join(_redirect(html.escape(target))), encoding="utf-8")
        return leads

    def _page(self, models: Models, model: Path) -> Path:
        stamp = stamp_of(model)
        if stamp is None:
            raise ValueError(f"there is no file {model}")
        known = self._written.get(model)
        if known is not None and known[0] == stamp:
            return known[1]
        report = models.checked(model, stamp).report
        if report.result is None:
            raise ValueError(f"{model} is no model")
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="shapeinfer-")
        written = Path(self._folder.name) / f"{len(self._written) if known is None else known[1].stem}.html"
        cost = None if report.errors else report.cost()
        written.write_text(page.render(model.name, report, cost), encoding="utf-8")
        self._written[model] = stamp, written
        return written


def _redirect(target: str) -> Iterator[str]:
    yield '<!doctype html><html lang="en"><meta charset="utf-8"><title>shapeinfer</title>'
    yield f'<meta http-equiv="refresh" content="0; url={target}"><a href="{target}">{target}</a></html>'
