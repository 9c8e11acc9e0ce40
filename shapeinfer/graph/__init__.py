"""What do we check? A graph of calls over named values, in no file's format."""

from shapeinfer.graph.call import NO_ATTRIBUTES, Attributes, AttributeType, Call, Profile
from shapeinfer.graph.graph import UNNAMED, Declaration, Function, Graph, Node, Source
from shapeinfer.graph.wiring import Inlet, Outlet, Slices, Wiring

__all__ = [
    "NO_ATTRIBUTES",
    "UNNAMED",
    "AttributeType",
    "Attributes",
    "Call",
    "Declaration",
    "Function",
    "Graph",
    "Inlet",
    "Node",
    "Outlet",
    "Profile",
    "Slices",
    "Source",
    "Wiring",
]
