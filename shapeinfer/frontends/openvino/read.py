"""Read an IR from a path or bytes; anything else ends in a ModelError with the reason."""

from __future__ import annotations

import os
from pathlib import Path

from attrs import frozen

from shapeinfer.diagnostics import codes
from shapeinfer.frontends.files import fail, written
from shapeinfer.frontends.openvino.tree import Element, XmlError, parse

VERSIONS = (10, 11)


@frozen(eq=False)
class Document:
    """An IR as it was read: its bytes, its root element, and the file of its constants if there is one."""

    data: bytes
    root: Element
    path: str | None = None

    @property
    def weights(self) -> Path | None:
        """The file that holds the constants, None where it is not known which that would be."""
        return None if self.path is None else Path(self.path).with_suffix(".bin")


def load(model: str | os.PathLike[str] | bytes) -> Document:
    """Return the document; its constants stay unread. Raises ModelError for a file or bytes that hold no IR."""
    data, where = written(model)
    try:
        root = parse(data)
    except XmlError as error:
        if error.cut:
            fail(codes.TRUNCATED_MODEL, f"the model ends in the middle, in line {error.line}", where)
        fail(codes.NOT_A_MODEL, f"not an OpenVINO IR: line {error.line}: {error}", where)
    if root.tag != "net":
        fail(codes.NOT_A_MODEL, f"not an OpenVINO IR: its root element is {root.tag!r}, not 'net'", where)
    _check_version(root, where)
    if not root.below("layers", "layer"):
        fail(codes.EMPTY_GRAPH, "the model is empty: it has no layers", where)
    return Document(data, root, where)


def _check_version(root: Element, where: str | None) -> None:
    version = root.attributes.get("version", "")
    if version in map(str, VERSIONS):
        return
    known = " and ".join(map(str, VERSIONS))
    found = f"version {version}" if version else "without a version"
    fail(
        codes.NOT_A_MODEL,
        f"this is an OpenVINO IR {found}; versions {known} are supported, so convert the model again",
        where,
    )
