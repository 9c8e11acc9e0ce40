"""From a file to a Graph, and back: one package for each format."""
