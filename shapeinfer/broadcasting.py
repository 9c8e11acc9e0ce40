"""Broadcasting for programs that have no model."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress

from shapeinfer.diagnostics.codes import LENGTH_MISMATCH, Severity
from shapeinfer.diagnostics.diagnostic import Diagnostic, Operand
from shapeinfer.diagnostics.errors import error_for
from shapeinfer.diagnostics.finding import Claim, Finding, Port
from shapeinfer.diagnostics.ledger import Ledger, RuleStopped
from shapeinfer.dims import Dim, Size, substitute
from shapeinfer.dims.notation.arguments import DimLike, read_shape
from shapeinfer.facts import Shape
from shapeinfer.infer.constraints.contract import Requirement
from shapeinfer.infer.constraints.one_call import Assumptions, Known, assumed, conditions_of
from shapeinfer.shapes.elementwise.broadcast import Side, along, joined, onto, side


class BroadcastShape(tuple[Size, ...]):
    """The shape that shapes broadcast to, a tuple of sizes, and the conditions under which they do.

    Each of ``conditions`` has the condition as text (``condition``) and as data (``asked``), the operands that it is
    about, a message, and a smallest binding that breaks it. None follows from others. There are none for shapes that
    always fit.
    """

    conditions: tuple[Requirement, ...]

    def __new__(cls, sizes: Iterable[Size] = (), conditions: Iterable[Requirement] = ()) -> BroadcastShape:
        made = super().__new__(cls, sizes)
        made.conditions = tuple(conditions)
        return made


def broadcast_shapes(*shapes: Iterable[DimLike], assume: Assumptions = (), strict: bool = False) -> BroadcastShape:
    """Return the shape that shapes broadcast to, in both directions, aligned at their last axes.

    A size is an int, a Dim, a sympy expression or text such as ``"N + 1"``. Where nothing decides between two symbols,
    the result holds their ``broadcast(a, b)``. ``conditions`` of the result has what the sizes must satisfy: ``["N"]``
    and ``[3]`` broadcast to ``(3,)`` where ``N == 1 or N == 3``. ``assume`` has conditions that hold, such as
    ``"N == 3"``: what they decide is no condition any more. With ``strict`` a condition that remains is an error.

    Raises BroadcastError if two sizes can never agree; its operands are ``shape 0``, ``shape 1`` and so on; and
    ValueError for what is no size and for an assumption that cannot be read. ``broadcast_to`` goes in one direction
    only.
    """
    read = {f"shape.{i}": read_shape(s, f"shape {i}") for i, s in enumerate(shapes)}
    call = _Call(read, assume)
    return call.outcome(joined(call.ledger, list(call.sides.values())).shape, strict=strict)


def broadcast_to(
    shape: Iterable[DimLike],
    target: Iterable[DimLike],
    *,
    axes: Iterable[int] | None = None,
    assume: Assumptions = (),
    strict: bool = False,
) -> BroadcastShape:
    """Return ``target``, onto which ``shape`` is broadcast: each of its sizes is 1 or that of the target.

    They are aligned at their last axes (ONNX, "Unidirectional Broadcasting"); or ``axes`` has for each axis of
    ``shape`` the one of ``target`` that it lies along, counted from the front and in ascending order, as in
    OpenVINO's explicit mode and XLA's ``broadcast_in_dim``. Lengths, ``assume``, ``strict`` and the ``conditions`` of
    the result are as for ``broadcast_shapes``; a symbol of the target that can only be a number of ``shape`` is
    returned as that.

    Raises BroadcastError if a size can never fit, RankError for a shape of more axes than the target or another number
    of ``axes``, AxisError for one that the target does not have or that is out of order, and ValueError for what is no
    size and for an assumption that cannot be read. The operands of errors are ``shape``, ``target`` and ``axes``.
    """
    call = _Call({"shape": read_shape(shape, "shape"), "target": read_shape(target, "target")}, assume)
    by, to = call.sides.values()
    if axes is None:
        return call.outcome(onto(call.ledger, to, by), strict=strict)
    mapping = call.sides["axes"] = side(tuple(axes), "axes{}")
    out = to.shape
    if len(mapping.shape) != len(by.shape):
        message = f"axes has {len(mapping.shape)} entries; expected {len(by.shape)}, one per axis of shape"
        call.ledger.report(LENGTH_MISMATCH, message, "axes shape")
    else:
        with suppress(RuleStopped):
            out = along(call.ledger, to, by, mapping.shape, "axes")
    return call.outcome(out, strict=strict)


class _Call:
    """Shapes under what the caller assumes, and what broadcasting them requires."""

    def __init__(self, shapes: dict[str, Shape], assume: Assumptions) -> None:
        self.ledger = Ledger()
        symbols = {s for shape in shapes.values() for size in shape if isinstance(size, Dim) for s in size.symbols}
        self.known: Known = assumed(assume, symbols)
        self.sides: dict[str, Side] = {
            port: side(tuple(substitute(size, self.known.sizes) for size in shape), port)
            for port, shape in shapes.items()
        }

    def outcome(self, shape: Shape, *, strict: bool) -> BroadcastShape:
        """Return a shape with the conditions of the ledger. Raises the ShapeInferError of the first fault."""
        if self.ledger.findings:
            raise error_for([self._diagnosed(self.ledger.findings[0], self.known.notes)])
        conditions = conditions_of(self.ledger.claims, self.known, self._diagnosed, strict=strict)
        return BroadcastShape((substitute(size, self.known.declared) for size in shape), conditions)

    def _diagnosed(self, fault: Finding | Claim, notes: Sequence[str] = ()) -> Diagnostic:
        operands = tuple(self._operand(port) for port in fault.ports)
        axis = operands[0].axis if operands else None
        severity = fault.severity if isinstance(fault, Finding) else Severity.ERROR
        return Diagnostic(
            fault.code, severity, fault.message, None, None, axis, operands, tuple(notes), detail=fault.detail
        )

    def _operand(self, port: Port) -> Operand:
        shape = self.sides[port.text].shape
        name, at = self.ledger.port_name(port.text), port.entry if port.axis is None else port.axis
        dim = None if at is None else shape[at]
        return Operand(name, name, f"[{', '.join(map(str, shape))}]", port.axis, entry=port.entry, dim=dim)
