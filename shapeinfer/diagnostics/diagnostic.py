"""A finding with its place in a model, the input of every output format."""

from __future__ import annotations

import re
from typing import Any

from attrs import field, frozen

from shapeinfer.diagnostics.codes import Code, Severity
from shapeinfer.diagnostics.detail import NOTHING, Detail
from shapeinfer.diagnostics.fix import Fix
from shapeinfer.diagnostics.printable import printable
from shapeinfer.dims import Size
from shapeinfer.facts import OPENVINO

_NUMBER = re.compile(r"(?<=_)\d+\b|(?<=node )\d+\b")
"""The numbers of made-up names (``NonZero_0``), of nodes without a name (``If_3.then_branch``) and of nodes."""


@frozen(repr=False)
class SourceLine:
    """A line of the program that a model was exported from."""

    file: str
    line: int
    code: str = ""
    function: str = field(default="", eq=False)
    """The name of the function that it is in, where the exporter wrote it down."""

    @property
    def text(self) -> str:
        return f"{self.file}:{self.line}" + (f": {self.code}" if self.code else "")

    def to_dict(self) -> dict[str, Any]:
        return {"file": self.file, "line": self.line, "code": self.code}


@frozen(repr=False)
class Origin:
    """Where something was written down: its place in the model file, where that has lines, and the user's own line."""

    line: int | None = None
    column: int | None = None
    """Counted from 1, as lines are."""
    source: SourceLine | None = None
    module: str = ""
    """The path of the module of the program that it is in, such as ``blocks.0.mlp``."""


@frozen(repr=False)
class NodeRef:
    """The place of a node: the names of the enclosing graphs, outermost first, and its index in the innermost one.

    ``output`` is the first value that it makes, which tells nodes without a name apart.
    What a frontend found at a place that became no node has the index -1.
    """

    index: int
    name: str
    op_type: str
    domain: str = ""
    graph: tuple[str, ...] = ()
    output: str = ""
    line: int | None = None
    """The line of the file, for formats that have lines."""

    def __repr__(self) -> str:
        return printable(f"<NodeRef: {self.text}>")

    @property
    def text(self) -> str:
        place = f"node {self.index}" if self.line is None else f"line {self.line}"
        inside = f" in {' / '.join(self.graph)}" if self.graph else ""
        return f"{self.title} ({place}{inside})"

    @property
    def title(self) -> str:
        """The operator and the node's name."""
        return f'{self.operator} "{self.name}"' if self.name else self.operator

    @property
    def operator(self) -> str:
        return self.op_type if self.domain in ("", OPENVINO) else f"{self.domain}::{self.op_type}"

    def to_dict(self) -> dict[str, Any]:
        return {
            "index": self.index,
            "name": self.name,
            "op_type": self.op_type,
            "domain": self.domain,
            "graph": list(self.graph),
            "output": self.output,
        }


@frozen(repr=False)
class Operand:
    """An operand of a diagnostic, and the dim in question: that of an axis, or an entry of the operand.

    ``port`` is the operator's name for it, ``value`` the model's, empty for an input that is absent, and ``fact`` its
    type as text. ``axis`` is counted from the front of this operand, whatever that of others and of the output is;
    ``entry`` is the index of the length among its entries, for an operand that holds a shape. ``dim`` is the length
    itself, a number or a formula, and ``origin`` says where it came from.
    """

    port: str
    value: str
    fact: str
    axis: int | None = None
    origin: str = ""
    entry: int | None = None
    dim: Size | None = None

    def __repr__(self) -> str:
        return printable(f"<Operand: {self.text}>")

    @property
    def text(self) -> str:
        return f"{self.port}  {self.value}  {self.fact}" + (f"  {self.origin}" if self.origin else "")

    def to_dict(self) -> dict[str, Any]:
        """Return the operand in the published JSON form; a length that is a formula is text."""
        return {
            "port": self.port,
            "value": self.value,
            "fact": self.fact,
            "axis": self.axis,
            "entry": self.entry,
            "dim": self.dim if self.dim is None or isinstance(self.dim, int) else self.dim.text,
            "origin": self.origin,
        }


@frozen
class Diagnostic:
    """One fault, in data: code, severity, message, place, operands, notes and help.

    ``port`` and ``axis`` are those of the first operand: the axis is counted from its front, and None where the
    operand is meant as a whole or by an entry. ``detail`` has what else the message says, such as the attribute.
    ``line`` and ``column`` are the place in the model file, where that has lines, and ``source`` is the line of the
    user's own program that the node was exported from, in the module of the path ``module``, where the exporter wrote
    them down. ``value`` names what a fault
    without a node speaks of. ``related`` has the findings of the same cause, here or at other nodes: the severity is
    that of the worst of them. ``fix`` is the edit of the node, or of the one before it, that would fit.
    """

    code: Code
    severity: Severity
    message: str
    node: NodeRef | None = None
    port: str | None = None
    axis: int | None = None
    operands: tuple[Operand, ...] = ()
    notes: tuple[str, ...] = ()
    path: str | None = None
    line: int | None = None
    source: SourceLine | None = None
    column: int | None = field(default=None, kw_only=True)
    value: str | None = field(default=None, kw_only=True)
    detail: Detail = field(default=NOTHING, kw_only=True)
    related: tuple[Diagnostic, ...] = field(default=(), kw_only=True)
    fix: Fix | None = field(default=None, kw_only=True)
    module: str = field(default="", kw_only=True)
    help: str = field()

    def __repr__(self) -> str:
        return printable(f"<Diagnostic: {self.text}>")

    def _repr_html_(self) -> str:
        """Return the diagnostic as a notebook shows it."""
        from shapeinfer.diagnostics.markup import finding_of

        return finding_of(self)

    @help.default
    def _usual_help(self) -> str:
        return f"shapeinfer explain {self.code.name}"

    @property
    def shown(self) -> tuple[Operand, ...]:
        """The operands without absent ones, which only the message mentions."""
        return tuple(o for o in self.operands if o.value)

    @property
    def program_place(self) -> str:
        """The module and the line of the user's program, empty where neither is known."""
        module = f"in {self.module}" if self.module else ""
        return ", ".join(filter(None, (module, self.source.text if self.source else "")))

    @property
    def elsewhere(self) -> tuple[NodeRef, ...]:
        """The other nodes of the same cause, each once."""
        return tuple(dict.fromkeys(d.node for d in self.related if d.node is not None and d.node != self.node))

    @property
    def text(self) -> str:
        """One line: severity, code, message and node."""
        where = f", at {self.node.text}" if self.node else ""
        return f"{self.severity}[{self.code.name}]: {self.message}{where}"

    @property
    def fingerprint(self) -> str:
        """Return an identifier that is stable across versions of the model: 32 hexadecimal digits.

        It is a hash of the code, the first output of the node, the operand and the message, but not of where the
        node is: numbers in generated names are ignored. Two faults of one model may share it.
        """
        from hashlib import sha256

        node = self.node
        graph, value = ("", "") if node is None else ("/".join(node.graph), node.output or node.name)
        parts = (self.code.name, _numberless(graph), value, self.port or "", str(self.axis), _numberless(self.message))
        return sha256("\0".join(parts).encode("utf-8", "backslashreplace")).hexdigest()[:32]

    def to_dict(self) -> dict[str, Any]:
        """Return the diagnostic in the published JSON form."""
        return {
            "code": self.code.name,
            "severity": self.severity.value,
            "message": self.message,
            "node": self.node.to_dict() if self.node else None,
            "port": self.port,
            "axis": self.axis,
            "operands": [o.to_dict() for o in self.operands],
            "detail": self.detail.to_dict(),
            "notes": [o.text for o in self.shown] + list(self.notes),
            "help": self.help,
            "line": self.line,
            "column": self.column,
            "source": self.source.to_dict() if self.source else None,
            "module": self.module or None,
            "fingerprint": self.fingerprint,
            "fix": None if self.fix is None else self.fix.to_dict(),
            "related": [
                {"code": d.code.name, "message": d.message, "node": d.node.to_dict() if d.node else None}
                for d in self.related
            ],
        }


def _numberless(text: str) -> str:
    return _NUMBER.sub("#", text)
