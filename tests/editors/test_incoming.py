"""Messages that are too large are skipped; the session goes on with the next."""

from __future__ import annotations

import io

import pytest

from shapeinfer.editors.incoming import Incoming

NEXT = b"Content-Length: 2\r\n\r\n{}"


def heard(data: bytes) -> bytes:
    """All that the server reads of what an editor sends, of at most 10 bytes each."""
    incoming = Incoming(io.BytesIO(data), largest=10)
    lines = b""
    while line := incoming.readline():
        lines += line
    return lines


def test_messages_that_are_not_too_large_are_handed_on() -> None:
    incoming = Incoming(io.BytesIO(b"Content-Length: 10\r\n\r\n0123456789" + NEXT), largest=10)
    assert [incoming.readline(), incoming.readline(), incoming.read(10)] == [
        b"Content-Length: 10\r\n",
        b"\r\n",
        b"0123456789",
    ]
    assert incoming.readline() == b"Content-Length: 2\r\n"


@pytest.mark.parametrize("header", [b"Content-Length: 11\r\n", b"content-length:11\r\nContent-Type: x\r\n"])
def test_the_session_goes_on_after_one_that_is(header: bytes, capsys: pytest.CaptureFixture[str]) -> None:
    assert heard(header + b"\r\n0123456789a" + NEXT) == NEXT
    assert capsys.readouterr().err == "shapeinfer: skipped a message of 11 bytes: the limit is 10\n"


@pytest.mark.parametrize("digits", ["99999999999", "9" * 5000])
def test_one_that_never_comes_ends_with_the_stream(digits: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert heard(f"Content-Length: {digits}\r\n\r\n".encode() + NEXT) == b""
    assert "skipped a message" in capsys.readouterr().err


def test_a_line_without_an_end_comes_in_pieces() -> None:
    assert len(Incoming(io.BytesIO(b"x" * (1 << 20))).readline()) == 1 << 16
