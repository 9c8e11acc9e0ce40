"""A message that is read piece by piece is the one that protobuf reads at once."""

from __future__ import annotations

from pathlib import Path

import onnx
import pytest
from google.protobuf.message import DecodeError

from shapeinfer import check
from shapeinfer.frontends import files
from shapeinfer.frontends.onnx import pieces
from shapeinfer.frontends.onnx.pieces import merge
from shapeinfer.frontends.onnx.wire import Malformed
from tests.each import each
from tests.models import floats, made, node, parsed, texts

EXAMPLES = sorted((Path(__file__).parents[2] / "examples" / "models").glob("*.onnx"))
CONTROL = parsed("""g (float[N] x, bool c) => (y) {
    y = If (c) <then_branch = t () => (p) { p = Relu (x) q = Neg (p) }, else_branch = e () => (r) { r = Abs (x) }>
}""").SerializeToString()


@pytest.fixture(params=[1, 7, 100, 10_000], autouse=True)
def small_pieces(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pieces, "PIECE", request.param)


def in_pieces(data: bytes) -> onnx.ModelProto:
    out = onnx.ModelProto()
    merge(out, memoryview(data))
    return out


@pytest.mark.parametrize(
    "data", [CONTROL, *(p.read_bytes() for p in EXAMPLES)], ids=["If", *(p.stem for p in EXAMPLES)]
)
def test_all_of_it_is_there(data: bytes) -> None:
    assert in_pieces(data) == onnx.ModelProto.FromString(data)


@each(range(1, len(CONTROL), 7))
def test_what_protobuf_refuses_is_refused(cut: int) -> None:
    try:
        wanted = onnx.ModelProto.FromString(CONTROL[:cut])
    except DecodeError:
        with pytest.raises((DecodeError, Malformed)):
            in_pieces(CONTROL[:cut])
    else:
        assert in_pieces(CONTROL[:cut]) == wanted


def test_a_large_file_is_read_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "LARGE", 0)
    model = made([node("Relu", "x", "h"), node("Neg", "h")], [floats("x", "N")])
    assert texts(check(model.SerializeToString())) == {"x": "f32[N]", "h": "f32[N]", "y": "f32[N]"}
