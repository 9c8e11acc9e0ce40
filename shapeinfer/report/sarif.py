"""SARIF 2.1.0, which code scanning services take: results with their rules, places and fingerprints."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePath, PurePosixPath, PureWindowsPath
from typing import Any
from urllib.parse import quote

from shapeinfer.api.report import Report
from shapeinfer.diagnostics.codes import Code
from shapeinfer.diagnostics.diagnostic import Diagnostic
from shapeinfer.report.json import pieces
from shapeinfer.report.location import Location, file_location, model_location, own_location, shown_location
from shapeinfer.report.paint import Paint, plain, printable
from shapeinfer.report.text import details, place
from shapeinfer.version import __version__

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
MOST_LINKS = 20
"""So many of the places of one cause are linked from its message."""

_BRACKETS, _ESCAPED = re.compile(r"[\\\[\]]"), r"\\\g<0>"


def render(reports: Iterable[tuple[str, Report]], *, several: bool, paint: Paint = plain) -> Iterator[str]:  # noqa: ARG001 - a Format
    """Write one run over all models, with the rules of its results."""
    rules: dict[Code, int] = {}
    seen: Counter[str] = Counter()
    artifacts: dict[str, dict[str, Any]] = {}
    results: list[dict[str, Any]] = []
    for name, report in reports:
        path = file_location(name).path
        artifacts[path] = {"location": _artifact(path), "roles": ["analysisTarget"]}
        results += [_result(name, report, d, rules.setdefault(d.code, len(rules)), seen) for d in report.diagnostics]
    driver = {"name": "shapeinfer", "version": __version__, "rules": [_rule(code) for code in rules]}
    run: dict[str, Any] = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints"}
    run |= {"artifacts": list(artifacts.values()), "results": results}
    if _has_absolute(run):
        # GitHub refuses absolute URIs unless it is told where the checkout was.
        run["invocations"] = [{"executionSuccessful": True, "workingDirectory": _artifact(f"{Path.cwd().as_posix()}/")}]
    yield from pieces({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]})


def _has_absolute(part: object) -> bool:
    if isinstance(part, list):
        return any(map(_has_absolute, part))
    return isinstance(part, dict) and (
        str(part.get("uri", "")).startswith("file:") or any(map(_has_absolute, part.values()))
    )


def _rule(code: Code) -> dict[str, Any]:
    page = code.page
    return {
        "id": code.name,
        "shortDescription": {"text": code.title},
        "fullDescription": {"text": code.title},
        "help": {"text": page, "markdown": page},
        "defaultConfiguration": {"level": code.severity.value},
    }


def _result(name: str, report: Report, diagnostic: Diagnostic, rule: int, seen: Counter[str]) -> dict[str, Any]:
    shown = shown_location(name, diagnostic)
    related = {"exported from this line": own_location(diagnostic), "the model": model_location(name, diagnostic)}
    others = [(what, at) for what, at in related.items() if at is not None and at != shown]
    placed = enumerate(diagnostic.related[:MOST_LINKS], len(others) + 1)
    links = [_link(d, i) for i, d in placed if d.line is not None]
    also = [f"  also at {', '.join(links)}"] if links else []
    fits = [] if diagnostic.fix is None else [f"  help: {printable(diagnostic.fix.text)}"]
    text = "\n".join([printable(diagnostic.message), *details(name, diagnostic), *also, *fits])
    fingerprint = diagnostic.fingerprint
    alike = f"{name}\0{fingerprint}"
    seen[alike] += 1
    return {
        "ruleId": diagnostic.code.name,
        "ruleIndex": rule,
        "level": diagnostic.severity.value,
        "message": {"text": text},
        "locations": [_location(shown) | _logical(report, diagnostic)],
        "relatedLocations": [
            {"id": i, "message": {"text": what}} | _location(at) for i, (what, at) in enumerate(others, 1)
        ]
        + [
            {"id": i, "message": {"text": printable(d.message)}}
            | _location(shown_location(name, d))
            | _logical(report, d)
            for i, d in enumerate(diagnostic.related, len(others) + 1)
        ],
        **_fixes(name, diagnostic),
        # GitHub identifies alerts by the first key; without it, it would hash the file's bytes.
        "partialFingerprints": {
            "primaryLocationLineHash": f"{fingerprint}:{seen[alike]}",
            "shapeinfer/v1": fingerprint,
        },
    }


def _link(related: Diagnostic, number: int) -> str:
    """A link to a related location: GitHub shows those that the message links to."""
    label = printable(place(related.node) or related.message)
    return f"[{_BRACKETS.sub(_ESCAPED, label)}]({number})"


def _fixes(name: str, diagnostic: Diagnostic) -> dict[str, Any]:
    """The edit that would fit, for a model that has text; empty for others, of which the message says it."""
    fix = diagnostic.fix
    if fix is None or fix.edit is None:
        return {}
    edit = fix.edit
    region = {
        "startLine": edit.line,
        "startColumn": edit.column,
        "endLine": edit.end_line,
        "endColumn": edit.end_column,
    }
    change = {
        "artifactLocation": _artifact(file_location(name).path),
        "replacements": [{"deletedRegion": region, "insertedContent": {"text": edit.text}}],
    }
    return {"fixes": [{"description": {"text": printable(fix.text)}, "artifactChanges": [change]}]}


def _location(at: Location) -> dict[str, Any]:
    # GitHub shows no result without a line, so that a binary file is pointed at by its first.
    region = {"startLine": at.line or 1} | ({} if at.column is None else {"startColumn": at.column})
    return {"physicalLocation": {"artifactLocation": _artifact(at.path), "region": region}}


def _logical(report: Report, diagnostic: Diagnostic) -> dict[str, Any]:
    """The node with the graphs around it, then the program's module; empty for a file without a graph."""
    if report.graph is None:
        return {}
    node = diagnostic.node
    names = [("graph", report.graph.name or "graph")]
    if node is not None:
        names += [("graph", graph) for graph in node.graph]
        names.append(("node", node.name or node.output or node.operator))
    path = [printable(name) for _, name in names]
    name, kind = path[-1], names[-1][0]
    places = [{"name": name, "fullyQualifiedName": " / ".join(path), "kind": kind}]
    if diagnostic.module:
        module = printable(diagnostic.module)
        places.append({"name": module.rpartition(".")[2], "fullyQualifiedName": module, "kind": "module"})
    return {"logicalLocations": places}


def _artifact(path: str) -> dict[str, str]:
    """A file as a URI; a path that is not absolute stays so."""
    if PurePosixPath(path).is_absolute():
        return {"uri": "file://" + quote(path, errors="surrogatepass")}
    if PureWindowsPath(path).is_absolute():
        return {"uri": "file:///" + quote(PureWindowsPath(path).as_posix(), safe="/:", errors="surrogatepass")}
    return {"uri": quote(PurePath(path).as_posix(), errors="surrogatepass")}
