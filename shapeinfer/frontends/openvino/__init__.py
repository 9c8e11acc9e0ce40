"""OpenVINO IR: read a model from a .xml file with its .bin, and write inferred dims back into its ports."""

from shapeinfer.frontends.openvino.model import graph_of
from shapeinfer.frontends.openvino.read import Document, is_ir, load

__all__ = ["Document", "graph_of", "is_ir", "load"]
