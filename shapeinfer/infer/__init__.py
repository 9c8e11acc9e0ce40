"""The engine: drives rules over a graph, remembers what it inferred, and decides what rules claim."""
