"""OpenVINO IR: read a model from a .xml file with its .bin, and write inferred dims back into its ports."""

import re

from shapeinfer.facts.openvino import OPENVINO
from shapeinfer.frontends.formats import Format, register

_OPENING = re.compile(rb"(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]*>\s*)?(?:<!--(?:(?!-->).)*-->\s*)*<net[\s>]", re.DOTALL)


def _is_xml(data: bytes) -> bool:
    return data.removeprefix(b"\xef\xbb\xbf").lstrip()[:5] in (b"<?xml", b"<net ", b"<net>")


register(
    Format(
        name=OPENVINO,
        title="an OpenVINO IR",
        suffixes=(".xml",),
        sniff=_is_xml,  # no other format is XML, and this one's reader reports what is wrong with a file that is
        confirm=lambda data: _OPENING.match(data) is not None,
        frontend="shapeinfer.frontends.openvino.frontend",
        is_linted=False,
    )
)
