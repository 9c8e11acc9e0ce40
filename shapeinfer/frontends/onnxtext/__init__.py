"""ONNX's text syntax: read a model that is written in it, with the places of all that it says."""

from shapeinfer.frontends.onnxtext.load import graph_of, load, parse

__all__ = ["graph_of", "load", "parse"]
