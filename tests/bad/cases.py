"""Models that are wrong in one way: the finding expected of each, its place, and the edit that fixes it.

The files beside this module hold them, one theme each, in blocks of lines between empty ones::

    a kernel longer than the padded input
      (float[1,3,2,8] x, float[6,3,3,3] w) => (y) { y = Conv(x, w) }
      error window-too-large @ y
      fix [1,3,2,8] -> [1,3,3,8]

The second part is a graph in ONNX's text syntax without its name, or a whole model. The fault is to be reported
at the node of that name or output, at none where there is no ``@``. A title may end in ``| opset 13``, ``| ir 3``.
"""

from __future__ import annotations

import re
from pathlib import Path

import onnx
from attrs import frozen

from shapeinfer import Report, check
from shapeinfer.diagnostics.codes import Severity
from shapeinfer.diagnostics.diagnostic import Diagnostic, NodeRef

FOLDER = Path(__file__).parent
OTHERS = '"ai.onnx.ml" : 4, "com.microsoft" : 1'
WEIGHTS = (Severity.ERROR, Severity.WARNING, Severity.NOTE)
_BLOCK = re.compile(
    r"(?P<title>[^\n|]+?)(?: \| opset (?P<opset>\d+))?(?: \| ir (?P<ir>\d+))?\n"
    r"(?P<text>.+?)\n"
    r"  (?P<fault>(?P<severity>error|warning|note) [\w-]+(?: @ \S+)?)"
    r"(?P<edits>(?:\n  fix [^\n]+)*)",
    re.DOTALL,
)
_EDIT = re.compile(r"  fix (.+?) ->(?: (.*))?")


@frozen
class Bad:
    """A model that is wrong in one way, and the edits that fix it."""

    title: str
    text: str
    fault: str
    severity: Severity
    opset: int = 20
    ir: int = 10
    edits: tuple[tuple[str, str], ...] = ()

    def model(self) -> onnx.ModelProto:
        return self._parsed(self.text)

    def fixed(self) -> onnx.ModelProto:
        text = self.text
        for old, new in self.edits:
            assert text.count(old) == 1, f"{old!r} is to be there once"
            text = text.replace(old, new)
        return self._parsed(text)

    def _parsed(self, text: str) -> onnx.ModelProto:
        head = f'<ir_version: {self.ir}, opset_import: ["" : {self.opset}, {OTHERS}]>\ng '
        return onnx.parser.parse_model(text if text.startswith("<") else head + text)


def read(theme: str) -> list[Bad]:
    """Return the cases of a theme."""
    return [_case(block) for block in (FOLDER / f"{theme}.txt").read_text(encoding="utf-8").strip().split("\n\n")]


def _case(block: str) -> Bad:
    m = _BLOCK.fullmatch(block)
    assert m is not None, f"not a case:\n{block}"
    edits = tuple((old, new) for old, new in _EDIT.findall(m["edits"]))
    severity = Severity(m["severity"])
    return Bad(m["title"], m["text"].strip(), m["fault"], severity, int(m["opset"] or 20), int(m["ir"] or 10), edits)


def reported(model: onnx.ModelProto, least: Severity = Severity.NOTE) -> list[str]:
    """What is reported of a model, as ``error cycle @ y``, of this weight or more."""
    report = check(model.SerializeToString())
    kept = WEIGHTS[: WEIGHTS.index(least) + 1]
    return [_text(report, d) for d in report.diagnostics if d.severity in kept]


def _text(report: Report, diagnostic: Diagnostic) -> str:
    where = "" if diagnostic.node is None else f" @ {_place(report, diagnostic.node)}"
    return f"{diagnostic.severity} {diagnostic.code.name}{where}"


def _place(report: Report, node: NodeRef) -> str:
    """The node's name, or else its first output; one inside another node has a name."""
    if node.name or node.graph or report.graph is None:
        return node.name
    return next(o for o in report.graph.nodes[node.index].outputs if o)
