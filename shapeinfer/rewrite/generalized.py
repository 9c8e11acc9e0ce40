"""The result of generalizing: which static input dims became free, what blocks the others, and the contract."""

from __future__ import annotations

from typing import Any

import onnx
from attrs import field, frozen

from shapeinfer.diagnostics.diagnostic import NodeRef
from shapeinfer.infer.constraints.contract import Contract


@frozen
class FreeDim:
    """A dim of an input that was ``size`` and is free now.

    ``name`` is the dim's name in the new model. Dims that must be equal have one name; where a dim follows from others
    it is an expression, such as ``past + seq``.
    """

    input: str
    axis: int
    size: int
    name: str

    def to_dict(self) -> dict[str, Any]:
        return {"input": self.input, "axis": self.axis, "size": self.size, "name": self.name}


@frozen
class BlockedDim:
    """A dim of an input that stays ``size``, why, and the node that requires it; None where that is no single node."""

    input: str
    axis: int
    size: int
    message: str
    node: NodeRef | None

    @property
    def text(self) -> str:
        """The reason and its node in one line."""
        return self.message if self.node is None else f"{self.message}, at {self.node.text}"

    def to_dict(self) -> dict[str, Any]:
        node = None if self.node is None else self.node.to_dict()
        return {"input": self.input, "axis": self.axis, "size": self.size, "message": self.message, "node": node}


@frozen
class Generalized:
    """A model whose static input dims are free where that is proved to run."""

    model: onnx.ModelProto = field(repr=False)
    dims: tuple[FreeDim, ...]
    """The dims that became free, in the order of the inputs."""
    blocked: tuple[BlockedDim, ...]
    """The static dims that stay, and why."""
    contract: Contract = field(repr=False)
    """The conditions on the input dims under which the model runs."""

    def to_dict(self) -> dict[str, Any]:
        """Return all but the model in the form that ``shapeinfer generalize --format json`` prints."""
        return {
            "dims": [d.to_dict() for d in self.dims],
            "blocked": [d.to_dict() for d in self.blocked],
            "contract": [r.to_dict() for r in self.contract],
        }
