"""OpenVINO IR: read a model from a .xml file with its .bin, and write inferred dims back into its ports."""

from shapeinfer.frontends.openvino.model import graph_of
from shapeinfer.frontends.openvino.read import Document, load
from shapeinfer.frontends.openvino.write import annotated

__all__ = ["Document", "annotated", "graph_of", "load"]
