"""A model is read from a path, bytes or a proto; anything else ends in a ModelError that says what it is."""

from __future__ import annotations

from pathlib import Path

import onnx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import shapeinfer
from shapeinfer import ModelError, check
from shapeinfer.frontends.onnx.read import load
from tests.models import faults, parsed, texts

MODEL = parsed("g (float[N, 3] x) => (float[N, 3] y) { h = Relu(x) y = Abs(h) }")
DATA = MODEL.SerializeToString()


def refused(model: str | Path | bytes | onnx.ModelProto) -> str:
    """The code that both the reader and the check end in."""
    with pytest.raises(ModelError) as caught:
        load(model)
    report = check(model)
    assert [d.code.name for d in report.diagnostics] == [caught.value.code]
    assert not report.ok
    return caught.value.code


def test_a_model_is_read_from_a_path_bytes_or_a_proto(tmp_path: Path) -> None:
    path = tmp_path / "model.onnx"
    path.write_bytes(DATA)
    for model in (path, str(path), DATA, MODEL):
        assert load(model) == MODEL
        report = check(model)
        assert texts(report) == {"x": "f32[N, 3]", "h": "f32[N, 3]", "y": "f32[N, 3]"}
    assert check(path).path == str(path)
    assert check(DATA).path is None


def test_what_is_neither_is_refused_before_anything_is_read() -> None:
    with pytest.raises(TypeError, match="a model is a path, bytes or a ModelProto, not int"):
        check(7)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("data", "code", "says"),
    [
        (b"", "not-a-model", "the file is empty"),
        (b"hello, world", "not-a-model", "protobuf"),
        (b"\x89PNG\r\n\x1a\n" + bytes(40), "not-a-model", "protobuf"),
        (
            b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 7\n",
            "git-lfs-pointer",
            "git lfs pull",
        ),
        (onnx.ModelProto(ir_version=9).SerializeToString(), "not-a-model", "it has no graph"),
        (onnx.ModelProto(graph=onnx.GraphProto(name="g")).SerializeToString(), "empty-graph", "no nodes"),
    ],
)
def test_what_holds_no_model(data: bytes, code: str, says: str, tmp_path: Path) -> None:
    assert refused(data) == code
    path = tmp_path / "model.onnx"
    path.write_bytes(data)
    assert refused(path) == code
    (diagnostic,) = check(path).diagnostics
    assert says in diagnostic.message
    assert diagnostic.path == str(path)


def test_what_cannot_be_read(tmp_path: Path) -> None:
    assert refused(tmp_path / "none.onnx") == "unreadable"
    assert refused(tmp_path) == "unreadable"
    assert refused("model\0.onnx") == "unreadable"
    assert [d.message for d in check(tmp_path / "none.onnx").diagnostics] == ["no such file"]
    assert "directory" in check(tmp_path).diagnostics[0].message


def test_a_model_cut_at_any_byte_is_read_or_refused() -> None:
    seen = set()
    for length in range(len(DATA)):
        try:
            load(DATA[:length])
        except ModelError as error:
            seen.add(error.code)
        check(DATA[:length])
    assert seen == {"not-a-model", "truncated-model"}


def test_a_model_cut_inside_its_graph_is_called_truncated() -> None:
    cut = DATA.index(b"Abs")
    assert refused(DATA[:cut]) == "truncated-model"
    assert f"only {cut} bytes are there" in check(DATA[:cut]).diagnostics[0].message


def test_a_whole_file_with_nonsense_in_its_graph_is_not_called_truncated() -> None:
    nonsense = onnx.ModelProto(ir_version=9).SerializeToString() + b"\x3a\x04\xff\xff\xff\xff"
    assert refused(nonsense) == "not-a-model"


@settings(derandomize=True, deadline=None, max_examples=300, database=None, suppress_health_check=list(HealthCheck))
@given(st.binary(max_size=200))
def test_garbage_ends_in_a_report(data: bytes) -> None:
    report = check(data)
    assert isinstance(report, shapeinfer.Report)


@settings(derandomize=True, deadline=None, max_examples=500, database=None, suppress_health_check=list(HealthCheck))
@given(st.integers(0, len(DATA) - 1), st.integers(0, 255))
def test_a_model_with_one_wrong_byte_ends_in_a_report(at: int, byte: int) -> None:
    report = check(DATA[:at] + bytes([byte]) + DATA[at + 1 :])
    assert "internal-error" not in [d.code.name for d in report.diagnostics]


def test_names_that_are_no_text_end_in_a_report() -> None:
    for name in (b"Abs", b"Relu", b"h", b"N"):
        at = DATA.index(name, DATA.index(b"Relu") if name == b"h" else 0)
        check(DATA[:at] + b"\xff" + DATA[at + 1 :])


def test_a_graph_without_nodes_that_hands_its_input_on_is_a_model() -> None:
    model = parsed("g (float[N] x) => (float[N] x) { }")
    assert faults(check(model)) == []
