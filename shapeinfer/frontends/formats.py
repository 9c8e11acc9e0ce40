"""Which format is a model of? Told without importing what reads it."""

from __future__ import annotations

import os
import re
from pathlib import Path

from shapeinfer import regular

_LOOKED_AT = 4096
TEXT = (".onnxtxt", ".onnxtext")
"""What the names of files end with that hold a model in ONNX's text syntax."""
_HEADER = re.compile(
    rb"(?:\xef\xbb\xbf)?(?:\s|#[^\n]*\n)*<(?:\s|#[^\n]*\n)*(?:ir_version|opset_import|producer_name|producer_version"
    rb"|domain|model_version|doc_string|metadata_props)\s*:"
)
_OPENING = re.compile(rb"(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]*>\s*)?(?:<!--(?:(?!-->).)*-->\s*)*<net[\s>]", re.DOTALL)


def is_ir(model: object) -> bool:
    """Whether a model is an IR rather than an ONNX file: a path that ends in .xml, or bytes that open as XML does."""
    if isinstance(model, bytes):
        return model.removeprefix(b"\xef\xbb\xbf").lstrip()[:5] in (b"<?xml", b"<net ", b"<net>")
    return isinstance(model, (str, os.PathLike)) and os.fspath(model).lower().endswith(".xml")


def is_text(model: object) -> bool:
    """Whether a model is in ONNX's text syntax: a path that says so, or bytes that open with its header."""
    if isinstance(model, bytes):
        return _HEADER.match(model) is not None
    return isinstance(model, (str, os.PathLike)) and os.fspath(model).lower().endswith(TEXT)


def holds_ir(path: Path) -> bool:
    """Whether a file opens as an IR does; other XML files are nobody's business. False for one that cannot be read."""
    try:
        with regular.opened(path) as file:
            return _OPENING.match(file.read(_LOOKED_AT)) is not None
    except OSError:
        return False
