"""The context of a rule: the ledger, the operator version, and helpers for its operands."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from shapeinfer.diagnostics.ledger import Ledger
from shapeinfer.dims import Size
from shapeinfer.facts import Shape, Tensor
from shapeinfer.facts.openvino import Profile
from shapeinfer.shapes import contents
from shapeinfer.shapes.elementwise import broadcast as broadcasting
from shapeinfer.shapes.movement import axes as axis_arithmetic


class Context(Ledger):
    """The ledger of one call, with the call's version and shorthands for what most rules need."""

    def __init__(self, version: int, outputs: int = 1, domain: str = "", profile: Profile = "spec") -> None:
        super().__init__()
        self.version = version
        """The schema version in force: the opset that brought the operator's current definition."""
        self.outputs = outputs
        """How many outputs the node names, counting gaps."""
        self.named: Sequence[bool] = (True,) * outputs
        """Which of these it names."""
        self.domain = domain
        self.profile = profile
        """Which one to follow where the specification and the implementation differ."""
        self.parameters: tuple[str, ...] = ()
        """The rule's names for its inputs, as used in ``at=``."""
        self.formals: Mapping[str, str] = {}
        """The schema's names for them, which people know."""

    def port_name(self, port: str) -> str:
        name, _, index = port.partition(".")
        return f"{self.formals.get(name, name)} {index}".strip()

    def axis(self, axis: int, rank: int, *, end: bool = False, negative: bool | None = None, at: str = "") -> int:
        """Return the axis counted from the front; ``end`` also allows ``rank`` itself.

        ONNX allows negative axes from opset 11; ``negative`` overrides that.
        """
        return axis_arithmetic.normal(self, axis, rank, end=end, negative=self._negative(negative), at=at)

    def axes(self, axes: Iterable[int], rank: int, *, negative: bool | None = None, at: str = "") -> tuple[int, ...]:
        """Return several axes counted from the front; naming one twice is a fault."""
        return axis_arithmetic.normal_all(self, axes, rank, negative=self._negative(negative), at=at)

    def _negative(self, negative: bool | None) -> bool:
        return (bool(self.domain) or self.version >= 11) if negative is None else negative

    def broadcast(self, *shapes: Shape, at: Sequence[str] = ()) -> Shape:
        """Broadcast shapes in both directions; ``at`` names their ports, the rule's own parameters by default."""
        return broadcasting.both_ways(self, shapes, at or self.parameters)

    def ints(self, x: Tensor, at: str = "") -> tuple[Size, ...]:
        """Return the entries of a 1-D integer tensor, unknown ones fresh; ends the rule if their number is unknown."""
        return contents.entries(self, x, at)

    def dims(self, x: Tensor, at: str = "") -> Shape:
        """Return the entries of a 1-D tensor that holds a shape: like ``ints``, none negative."""
        return contents.sizes_in(self, x, at)
