"""Bytes that are nearly a model: wrong wire types, lengths that lie, numbers without end, messages in messages."""

from __future__ import annotations

from pathlib import Path

import pytest

from shapeinfer import check
from shapeinfer.frontends import files
from shapeinfer.frontends.onnx.lean import HEAVY, without_weights
from shapeinfer.frontends.onnx.wire import Malformed, varint
from tests.effort import within
from tests.models import parsed

DATA = parsed("g (float[N, 3] x) => (float[N, 3] y) { h = Relu (x) y = Abs (h) }").SerializeToString()


def codes(data: bytes) -> list[str]:
    return [d.code.name for d in check(data).diagnostics]


def field(number: int, data: bytes) -> bytes:
    return varint(number << 3 | 2) + varint(len(data)) + data


@pytest.mark.parametrize("kind", range(8))
@pytest.mark.parametrize("number", [1, 7, 8])
def test_a_field_of_another_wire_type(number: int, kind: int) -> None:
    for rest in (b"", b"\0" * 16, b"\xff" * 16):
        found = codes(DATA + varint(number << 3 | kind) + rest)
        assert "internal-error" not in found


@pytest.mark.parametrize("at", range(0, len(DATA), 3))
def test_a_wrong_wire_type_anywhere(at: int) -> None:
    for kind in (1, 3, 4, 5, 6, 7):
        assert "internal-error" not in codes(DATA[:at] + bytes([DATA[at] & 0xF8 | kind]) + DATA[at + 1 :])


@pytest.fixture
def lean_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read files of any size as if they were large."""
    monkeypatch.setattr(files, "LARGE", 0)


@pytest.mark.usefixtures("lean_reading")
class TestLargeFiles:
    @pytest.mark.parametrize(
        "data",
        [
            field(7, b"")[:1] + b"\xff" * 9 + b"\x01",  # a length of 2^63 and more
            field(7, b"")[:1] + b"\xff" * 10 + b"\x01",  # a number of eleven bytes
            b"\x80" * 100,
            b"\x3a\xff\xff\xff\xff\x0f",
            b"\x3a\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00",  # 0, spelled in ten bytes
            b"\x3b\x3c",
        ],
    )
    def test_what_is_no_message_is_refused(self, data: bytes) -> None:
        assert codes(data) in (["not-a-model"], ["truncated-model"])
        assert codes(DATA + data) != []

    def test_a_length_that_ends_outside_its_message(self) -> None:
        weights = field(9, b"\0" * (HEAVY + 1))
        for lie in (1, 100, 1 << 40):
            inner = varint(9 << 3 | 2) + varint(HEAVY + 1 + lie) + b"\0" * (HEAVY + 1)
            assert len(inner) >= len(weights) - 8
            assert codes(field(7, field(5, inner))) in (["not-a-model"], ["truncated-model"])

    @pytest.mark.parametrize("depth", [50, 90, 110, 1_000])
    def test_graphs_in_graphs_around_heavy_data(self, depth: int) -> None:
        data = field(5, field(9, b"\0" * (HEAVY + 1)))
        for _ in range(depth):
            data = field(1, field(5, field(6, data)))
        with within(500_000):
            found = codes(field(7, data))
        assert found != []
        assert "internal-error" not in found

    def test_a_file_of_nothing_but_fields(self, tmp_path: Path) -> None:
        path = tmp_path / "m.onnx"
        path.write_bytes(b"\x08\x01" * 50_000)
        assert [d.code.name for d in check(path).diagnostics] == ["not-a-model"]


def test_deep_nesting_is_malformed_where_a_reader_would_give_up() -> None:
    data = field(9, b"\0" * (HEAVY + 1))
    for _ in range(500):
        data = field(1, field(5, field(6, data)))
    with pytest.raises(Malformed):
        without_weights(memoryview(field(7, data)))
