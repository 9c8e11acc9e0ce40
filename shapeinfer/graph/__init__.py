"""What do we check? A graph of nodes over named values, in no file's format."""

from shapeinfer.graph.graph import Declaration, Function, Graph, Node, Source

__all__ = ["Declaration", "Function", "Graph", "Node", "Source"]
