"""ONNX's text syntax: read a model that is written in it, with the places of all its parts.

What ``onnx.parser`` takes is read as it reads it, but for what it takes by oversight: an operator without a name, a
list with references to a function's attributes, and a broken default of a function's attribute. Beyond it, lists of
tensors, graphs and types keep their entries, and tensors in attributes may have quoted names and lie in other files.
"""

import re

from shapeinfer.frontends.formats import ONNX, Format, register

ONNXTEXT = "onnxtext"
_HEADER = re.compile(
    rb"(?:\xef\xbb\xbf)?(?:\s|#[^\n]*\n)*<(?:\s|#[^\n]*\n)*(?:ir_version|opset_import|producer_name|producer_version"
    rb"|domain|model_version|doc_string|metadata_props)\s*:"
)

register(
    Format(
        name=ONNXTEXT,
        title="an ONNX model as text",
        suffixes=(".onnxtxt", ".onnxtext"),
        sniff=lambda data: _HEADER.match(data) is not None,
        frontend="shapeinfer.frontends.onnxtext.frontend",
        family=ONNX,
        is_edited=True,
    )
)
