"""The engine: drives rules over a graph, remembers what it inferred, and settles what rules ask."""
