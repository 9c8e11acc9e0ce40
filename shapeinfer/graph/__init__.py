"""What do we check? A graph of calls over named values, in no file's format."""

from shapeinfer.graph.call import NO_ATTRIBUTES, Attributes, AttributeType, Call, FunctionKey
from shapeinfer.graph.graph import UNNAMED, Declaration, Function, Functions, Graph, Node, Source

__all__ = [
    "NO_ATTRIBUTES",
    "UNNAMED",
    "AttributeType",
    "Attributes",
    "Call",
    "Declaration",
    "Function",
    "FunctionKey",
    "Functions",
    "Graph",
    "Node",
    "Source",
]
