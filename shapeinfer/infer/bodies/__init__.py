"""Nodes that run graphs: subgraphs of If, Loop and Scan, and the bodies of functions."""
