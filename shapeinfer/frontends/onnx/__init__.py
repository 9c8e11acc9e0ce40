"""ONNX: read a model from a file, bytes or a ModelProto, and write inferred types back into one."""

from shapeinfer.frontends.onnx.model import graph_of, reader_of_nodes
from shapeinfer.frontends.onnx.read import load
from shapeinfer.frontends.onnx.write import annotate

__all__ = ["annotate", "graph_of", "load", "reader_of_nodes"]
