"""What do we check? A graph of calls over named values, in no file's format."""

from shapeinfer.graph.call import NO_ATTRIBUTES, Attributes, AttributeType, Call, FunctionKey, Profile
from shapeinfer.graph.graph import UNNAMED, Declaration, DefaultInputs, Function, Functions, Graph, Node, Source

__all__ = [
    "NO_ATTRIBUTES",
    "UNNAMED",
    "AttributeType",
    "Attributes",
    "Call",
    "Declaration",
    "DefaultInputs",
    "Function",
    "FunctionKey",
    "Functions",
    "Graph",
    "Node",
    "Profile",
    "Source",
]
