"""A call of an operator without its inputs: name, version, attributes, and which outputs are used."""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from attrs import Factory, frozen

from shapeinfer.diagnostics.codes import Code
from shapeinfer.facts.openvino import Profile

FunctionKey: TypeAlias = "tuple[str, str, str]"
"""Domain, name and overload, which identify a model-local function."""


class AttributeType(enum.IntEnum):
    """The kind of an attribute's value, numbered as ``onnx.AttributeProto.AttributeType``, those below 0 apart."""

    TEXT = -3
    """Text, whose type the operator's signature tells."""
    ELEMENT_TYPE = -2
    BOOL = -1
    UNDEFINED = 0
    FLOAT = 1
    INT = 2
    STRING = 3
    TENSOR = 4
    GRAPH = 5
    FLOATS = 6
    INTS = 7
    STRINGS = 8
    TENSORS = 9
    GRAPHS = 10
    SPARSE_TENSOR = 11
    SPARSE_TENSORS = 12
    TYPE_PROTO = 13
    TYPE_PROTOS = 14

    @property
    def text(self) -> str:
        return self.name.lower().replace("_", " ")


@frozen(eq=False, repr=False)
class Attributes:
    """A node's attributes by name: Python values and their kinds. Compared by identity, so share equal ones.

    Tensors are facts with their small contents; subgraphs are left to the node that holds them.
    """

    values: Mapping[str, Any] = Factory(dict)
    types: Mapping[str, AttributeType] = Factory(dict)
    faults: Sequence[tuple[Code, str]] = ()
    """What the frontend found wrong with how they are stored, the tensors among them too."""


NO_ATTRIBUTES = Attributes()


@frozen(eq=False, repr=False)
class Call:
    """An operator with everything but its inputs: what a memo key holds beside the inputs' facts."""

    op_type: str
    domain: str = ""
    opset: int = 1
    """The version of the domain that the model imports."""
    attributes: Attributes = NO_ATTRIBUTES
    outputs: tuple[bool, ...] = (True,)
    """Which outputs the node names."""
    profile: Profile = "spec"
    """Which to follow where a specification and its implementation differ."""
    overload: str = ""
    """Which of the model's functions of that name is meant; operators have none."""

    @property
    def function(self) -> FunctionKey:
        """The key of the model-local function that is called, if there is one."""
        return self.domain, self.op_type, self.overload


def spelled_function(key: FunctionKey) -> str:
    """Return the name of a function as messages have it: ``domain::name:overload``, without the parts it lacks."""
    domain, name, overload = key
    return "::".join(filter(None, (domain, name))) + (f":{overload}" if overload else "")
