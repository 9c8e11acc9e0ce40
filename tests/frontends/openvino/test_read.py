"""What is no IR is refused with the reason; nothing that an XML document may do to its reader is done."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from shapeinfer import check
from shapeinfer.frontends.formats import format_of, is_model_file
from tests.ir import net, parameter, result

WHOLE = net(parameter("x"), result("x"))
BOMB = b"""<?xml version="1.0"?>
<!DOCTYPE net [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>
<net name="&b;" version="11"><layers/></net>"""


def fault(model: bytes | Path) -> tuple[str, str]:
    """The code and the message of the one fault."""
    (found,) = check(model).diagnostics
    return found.code.name, found.message


@pytest.mark.parametrize("version", [10, 11])
def test_two_versions_are_read(version: int) -> None:
    assert check(net(parameter("x"), result("x"), version=version)).ok


@pytest.mark.parametrize(
    ("data", "code", "said"),
    [
        (net(parameter("x"), version=7), "not-a-model", "OpenVINO IR version 7; versions 10 and 11 are supported"),
        (WHOLE.replace(b' version="11"', b""), "not-a-model", "without a version"),
        (WHOLE[:60], "truncated-model", "ends in the middle, in line 3"),
        (b"<?xml version='1.0'?>", "truncated-model", "ends in the middle"),
        (b"<net version='11'><layers></net>", "not-a-model", "line 1: mismatched tag"),
        (b"<?xml version='1.0'?><html/>", "not-a-model", "its root element is 'html'"),
        (b"<net name='m' version='11'><layers/></net>", "empty-graph", "no layers"),
        (BOMB, "not-a-model", "line 2: it declares a document type"),
        (b"<?xml version='1.0'?><!DOCTYPE net SYSTEM 'file:///etc/passwd'><net/>", "not-a-model", "document type"),
        (b"<net version='11' name='\xff'/>", "not-a-model", "not well-formed"),
    ],
)
def test_what_is_no_ir_is_refused_with_the_reason(data: bytes, code: str, said: str) -> None:
    found, message = fault(data)
    assert found == code
    assert said in message


@pytest.mark.parametrize(
    ("data", "code"),
    [(b"", "not-a-model"), (b" \n", "not-a-model"), (b"version https://git-lfs.example/v1\n", "git-lfs-pointer")],
)
def test_a_file_without_xml_is_refused(tmp_path: Path, data: bytes, code: str) -> None:
    path = tmp_path / "m.xml"
    path.write_bytes(data)
    assert fault(path)[0] == code


def test_a_file_that_is_not_there_is_said_so(tmp_path: Path) -> None:
    assert fault(tmp_path / "m.xml") == ("unreadable", "no such file")


@pytest.mark.parametrize("cut", range(0, len(WHOLE), 23))
def test_no_part_of_a_file_is_a_model_or_ends_in_a_traceback(cut: int, tmp_path: Path) -> None:
    path = tmp_path / "m.xml"
    path.write_bytes(WHOLE[:cut])
    assert fault(path)[0] in ("truncated-model", "not-a-model")


def test_an_ir_is_known_by_its_path_or_by_how_it_opens(tmp_path: Path) -> None:
    for ir in ("m.XML", WHOLE, b"\xef\xbb\xbf<?xml version='1.0'?><net/>"):
        assert format_of(ir).name == "openvino"
    for other in ("m.onnx", b"\x08\x07"):
        assert format_of(other).name == "onnx"
    for name, data, holds in [
        ("a.xml", WHOLE, True),
        ("b.xml", b"<?xml version='1.0'?>\n<!-- made -->\n<net version='11'>", True),
        ("c.xml", b"<network/>", False),
    ]:
        (tmp_path / name).write_bytes(data)
        assert is_model_file(tmp_path / name) is holds
    assert not is_model_file(tmp_path / "none.xml")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes")
def test_a_directory_is_no_ir(tmp_path: Path) -> None:
    (tmp_path / "d.xml").mkdir()
    assert not is_model_file(tmp_path / "d.xml")
    assert fault(tmp_path / "d.xml")[0] == "unreadable"
