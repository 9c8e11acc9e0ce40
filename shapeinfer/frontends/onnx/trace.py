"""The line of the user's program that a node was exported from."""

from __future__ import annotations

import re
from collections.abc import Iterable

from shapeinfer.diagnostics.diagnostic import Origin, SourceLine
from shapeinfer.frontends.onnx.names import as_text
from shapeinfer.graph import Node

TRACE = "pkg.torch.onnx.stack_trace"
"""Where torch's exporter keeps the Python stack of the call that became a node, outermost frame first."""

_FRAME = re.compile(
    r'^[ \t]*File "(?P<file>[^"\n]+)", line (?P<line>[0-9]{1,9}), in .*(?:\n(?![ \t]*File ")(?P<code>.*))?',
    re.MULTILINE,
)
_LIBRARY = re.compile(r"(^|/)(site-packages|dist-packages|lib/python3\.\d+)/|^torch/|/pytorch/torch/|^<")
"""Files of installed packages, of Python and of torch itself; the last are no files at all."""


def origin(what: Node | str | None) -> Origin:
    """Return the innermost line of a node's stack that is the user's own; nothing for what is no node."""
    properties: Iterable[object] = getattr(what.source, "metadata_props", ()) if isinstance(what, Node) else ()
    for p in properties:
        if getattr(p, "key", None) == TRACE:
            return Origin(source=own_line(as_text(getattr(p, "value", ""))))
    return Origin()


def own_line(trace: str) -> SourceLine | None:
    """Return the innermost frame of a Python stack that is in no installed package; None if there is none."""
    found = None
    for frame in _FRAME.finditer(trace):
        if int(frame["line"]) and not _LIBRARY.search(frame["file"].replace("\\", "/")):
            found = frame
    if found is None:
        return None
    return SourceLine(found["file"], int(found["line"]), (found["code"] or "").strip())
