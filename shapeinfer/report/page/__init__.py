"""The report of one model as a page: one file that needs no network, to be looked at in a browser."""

from __future__ import annotations

import base64
import hashlib
import html
import json
from importlib import resources

from shapeinfer.api.report import Report
from shapeinfer.cost import Cost
from shapeinfer.report.page.contents import contents
from shapeinfer.report.paint import printable

_SCRIPTS = (
    "formulas.js",
    "model.js",
    "folds.js",
    "layout.js",
    "scene.js",
    "drawing.js",
    "svg.js",
    "panel.js",
    "search.js",
    "findings.js",
    "page.js",
)


def render(name: str, report: Report, cost: Cost | None) -> str:
    """Write the page of an inferred model, with its costs if they are passed."""
    data = json.dumps(contents(name, report, cost), separators=(",", ":"))
    script = "\n".join(map(_part, _SCRIPTS))
    parts = {
        "title": html.escape(printable(name)),
        "script-hash": _hash(script),
        "style": _part("page.css"),
        "script": script,
        # Within a script element only "<" can end it or open a comment; JSON is ASCII besides.
        "data": data.replace("<", "\\u003c"),
    }
    before, *rest = _part("page.html").split("{{")
    return before + "".join(parts[key] + text for key, _, text in (piece.partition("}}") for piece in rest))


def _part(name: str) -> str:
    return (resources.files("shapeinfer.report.page") / name).read_text(encoding="utf-8")


def _hash(script: str) -> str:
    """The Content-Security-Policy hash of the one script."""
    return "sha256-" + base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
