"""Bytes that are nearly a model: wrong wire types, lengths that lie, numbers without end, messages in messages."""

from __future__ import annotations

from pathlib import Path

import onnx
import pytest
from google.protobuf.message import DecodeError

from shapeinfer import check
from shapeinfer.frontends import files
from shapeinfer.frontends.onnx.lean import HEAVY, without_weights
from shapeinfer.frontends.onnx.wire import Malformed, varint
from tests.effort import within
from tests.models import parsed

DATA = parsed("g (float[N, 3] x) => (float[N, 3] y) { h = Relu (x) y = Abs (h) }").SerializeToString()


def codes(data: bytes) -> list[str]:
    return [d.code.name for d in check(data).diagnostics]


def agrees_with_protobuf(data: bytes) -> None:
    """What protobuf cannot read is no model, and what it can is none only where it has no graph."""
    found = set(codes(data))
    try:
        model = onnx.ModelProto.FromString(data)
    except DecodeError:
        assert found in ({"not-a-model"}, {"truncated-model"})
        return
    assert not found & {"truncated-model", "internal-error"}
    assert ("not-a-model" in found) is not model.HasField("graph")


def field(number: int, data: bytes) -> bytes:
    return varint(number << 3 | 2) + varint(len(data)) + data


@pytest.mark.parametrize("kind", range(8))
@pytest.mark.parametrize("number", [1, 7, 8])
def test_a_field_of_another_wire_type(number: int, kind: int) -> None:
    for rest in (b"", b"\0" * 16, b"\xff" * 16):
        agrees_with_protobuf(DATA + varint(number << 3 | kind) + rest)


@pytest.mark.parametrize("at", range(0, len(DATA), 3))
def test_a_wrong_wire_type_anywhere(at: int) -> None:
    for kind in (1, 3, 4, 5, 6, 7):
        agrees_with_protobuf(DATA[:at] + bytes([DATA[at] & 0xF8 | kind]) + DATA[at + 1 :])


@pytest.fixture
def lean_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read files of any size as if they were large."""
    monkeypatch.setattr(files, "LARGE", 0)


@pytest.mark.usefixtures("lean_reading")
class TestLargeFiles:
    @pytest.mark.parametrize(
        "data",
        [
            b"\x3a" + b"\xff" * 9 + b"\x01",  # a length of 2^63 and more
            b"\x3a" + b"\x80" * 9 + b"\x02",  # a length of 2^64
            b"\x3a" + b"\xff" * 10 + b"\x01",  # a number of eleven bytes
            b"\x3a\xff\xff\xff\xff\x0f",
            b"\x3a" + b"\x80" * 9 + b"\x00",  # a length of 0, spelled in ten bytes
            b"\xba" + b"\x80" * 8 + b"\x00\x00",  # a tag, spelled in ten bytes
            b"\x80" * 100,
            b"\x3b\x3c",
        ],
    )
    def test_what_is_no_message_is_refused(self, data: bytes) -> None:
        assert codes(data) in (["not-a-model"], ["truncated-model"])
        assert codes(DATA + data) in (["not-a-model"], ["truncated-model"])

    @pytest.mark.parametrize(
        "data",
        [
            b"\x08\x89" + b"\x80" * 8 + b"\x00",  # the version 9, in ten bytes
            b"\x08\x89" + b"\x80" * 8 + b"\x7e",  # bits beyond the 64th, which protobuf drops
            b"\x88\x80\x80\x80\x00\x09",  # its tag, in five
        ],
    )
    def test_numbers_may_be_spelled_longer_than_they_need(self, data: bytes) -> None:
        assert codes(DATA + data) == []

    @pytest.mark.parametrize("spelled", [b"\x4a", b"\xca\x80\x80\x80\x80\x00", b"\xca" + b"\x80" * 8 + b"\x00"])
    def test_heavy_data_is_left_out_only_where_protobuf_would_read_it(self, spelled: bytes) -> None:
        """What is written anew must not become readable by that: nobody else could read the file."""
        heavy = field(7, field(5, spelled + varint(HEAVY + 1) + b"\0" * (HEAVY + 1)))
        found = codes(DATA + heavy)
        assert ("not-a-model" in found) is (len(spelled) > 1)

    def test_a_length_that_ends_outside_its_message(self) -> None:
        weights = field(9, b"\0" * (HEAVY + 1))
        for lie in (1, 100, 1 << 40):
            inner = varint(9 << 3 | 2) + varint(HEAVY + 1 + lie) + b"\0" * (HEAVY + 1)
            assert len(inner) >= len(weights) - 8
            assert codes(field(7, field(5, inner))) in (["not-a-model"], ["truncated-model"])

    @pytest.mark.parametrize("depth", [30, 40, 110, 1_000])
    def test_graphs_in_graphs_around_heavy_data(self, depth: int) -> None:
        data = field(5, field(9, b"\0" * (HEAVY + 1)))
        for _ in range(depth):
            data = field(1, field(5, field(6, data)))
        with within(500_000):
            found = codes(field(7, data))
        assert ("not-a-model" in found) is (depth > 30)

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
