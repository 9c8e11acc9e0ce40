"""ONNX's text syntax: read a model that is written in it, with the places of all that it says.

What ``onnx.parser`` takes is read as it reads it, but for what it takes by oversight: an operator without a name, a
list with references to a function's attributes, and a broken default of a function's attribute. Beyond it, lists of
tensors, graphs and types keep their entries, and tensors in attributes may have quoted names and lie in other files.
"""

from shapeinfer.frontends.onnxtext.load import graph_of, load, parse, to_model

__all__ = ["graph_of", "load", "parse", "to_model"]
