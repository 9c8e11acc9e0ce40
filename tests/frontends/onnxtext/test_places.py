"""Every diagnostic of a text model says its line and column, in every format."""

from __future__ import annotations

from pathlib import Path

import onnx
import pytest

from shapeinfer import Report, check, infer_shapes
from shapeinfer.api import annotated
from shapeinfer.diagnostics.errors import ModelError
from shapeinfer.report import FORMATS
from tests.command import Shell

NET = """\
# two faults
<ir_version: 10, opset_import: ["" : 20, "my" : 1, "my" : 2]>
net (float[N, 64] x, float[3] u, bool c, float[-1] n, t) => (float[N, 32] y, q)
<float[64, 8] w = {0}>
{
    h = If (c) <
        then_branch = yes () => (float[N, 64] a) {
            a = Relu (x)
        },
        else_branch = no () => (b) { b = Add (x, u) }
    >
    y = my.F (h, w)
    s = Relu (y)
}
<domain: "my", opset_import: ["" : 20]>
F (a, b) => (o)
{
    m = MatMul (a, b)
    o = Add (m, a)
}
"""
BROKEN = """<ir_version: 10, opset_import: ["" : 20]>
net (float[N, 64] x, float[32, 8] w) => (y)
{
    h = Relu (x
    y = Add (h, x)
    z = MatMul (x, w)
}
"""


def found(text: str) -> dict[str, list[str]]:
    """The codes of what is said, each with the text that starts at its place."""
    lines = text.splitlines()
    said: dict[str, list[str]] = {}
    for d in check(text.encode()).diagnostics:
        assert d.line is not None, d.text
        assert d.column is not None, d.text
        said.setdefault(d.code.name, []).append(lines[d.line - 1][d.column - 1 :].strip())
    return said


def test_faults_stand_where_their_nodes_and_values_do() -> None:
    said = found(NET)
    assert said["not-broadcastable"] == ["Add (x, u) }", "Add (m, a)"]
    assert said["invalid-tensor"] == ["w = {0}>"]
    assert said["negative-dim-value"] == ["n, t) => (float[N, 32] y, q)"]
    assert said["untyped-input"] == ["t) => (float[N, 32] y, q)"]
    assert said["missing-output"] == ["q)"]
    assert said["conflicting-imports"][0].startswith("ir_version")
    assert said["unused-node"] == ["Relu (y)"]


def test_what_a_broken_statement_makes_is_unknown_and_no_fault_of_who_reads_it() -> None:
    said = found(BROKEN)
    assert said == {"syntax-error": ["x"], "inner-dim-mismatch": ["MatMul (x, w)"]}


def test_nothing_is_said_of_no_use_where_the_text_is_broken() -> None:
    text = BROKEN.replace("    z = MatMul (x, w)\n", "")
    assert set(found(text)) == {"syntax-error"}


def test_a_model_that_is_fine_has_nothing_to_say() -> None:
    text = '<ir_version: 10, opset_import: ["" : 20]> net (float["N + 1"] x) => (float["N + 1"] y) { y = Relu (x) }'
    report = check(text.encode())
    assert [d.code.name for d in report.diagnostics] == ["expression-as-dim-name"]
    assert report.values["y"].text == "f32[N + 1]"


@pytest.mark.parametrize(
    ("form", "place"),
    [
        ("text", "  net.onnxtxt:12:9: my::F (node 1)"),
        ("concise", "net.onnxtxt:12:9: my::F (node 1): "),
        ("github", "file=net.onnxtxt,line=12,col=9,"),
        ("junit", "net.onnxtxt:12:9"),
        ("markdown", "net.onnxtxt:12:9"),
        ("json", '"line": 12,\n      "column": 9,'),
        ("sarif", '"startLine": 12,\n                  "startColumn": 9\n'),
    ],
)
def test_every_format_tells_the_line_and_column(form: str, place: str) -> None:
    text = NET.replace("float[N, 32] y", "float[N, 33] y").replace("o = Add (m, a)", "o = Relu (m)")
    report = check(text.encode())
    written = "".join(FORMATS[form]([("net.onnxtxt", report)], several=False))
    assert place in written


class TestFiles:
    @pytest.mark.parametrize("name", ["net.onnxtxt", "net.onnxtext", "NET.ONNXTXT"])
    def test_a_file_is_known_by_its_name(self, tmp_path: Path, name: str) -> None:
        (tmp_path / name).write_text("net (float[N] x) => (float[N] y) { y = Relu (x) }")
        report = check(tmp_path / name)
        assert [d.code.name for d in report.diagnostics] == ["missing-ir-version"]

    def test_a_directory_s_text_models_are_found(self, shell: Shell) -> None:
        (shell.folder / "net.onnxtxt").write_text(BROKEN)
        ended = shell("check", "--format", "concise", ".")
        assert ended.code == 2
        assert "net.onnxtxt:4:15: error[syntax-error]: expected ) to end the inputs of Relu" in ended.out

    def test_standard_input_is_known_by_its_header(self, shell: Shell) -> None:
        assert shell("check", "-", stdin=NET.encode()).out.startswith("warning[conflicting-imports]")

    def test_infer_writes_the_model(self, shell: Shell) -> None:
        (shell.folder / "net.onnxtxt").write_text(BROKEN.replace("Relu (x", "Relu (x)").replace("32, 8", "64, 8"))
        ended = shell("infer", "net.onnxtxt", "-o", "net.onnx")
        assert ended.code == 0
        assert [v.name for v in onnx.load(shell.folder / "net.onnx").graph.value_info] == ["h", "z"]

    def test_infer_writes_text(self, shell: Shell) -> None:
        (shell.folder / "net.onnxtxt").write_text(BROKEN.replace("Relu (x", "Relu (x)").replace("32, 8", "64, 8"))
        assert shell("infer", "net.onnxtxt", "-o", "typed.onnxtxt").code == 0
        assert "<float[N,64] h, float[N,8] z>" in (shell.folder / "typed.onnxtxt").read_text()
        assert shell("check", "typed.onnxtxt").code == 0

    def test_fold_reads_and_writes_text(self, shell: Shell) -> None:
        nodes = "a = Identity (x)\n b = Relu (a)"
        text = f'<ir_version: 10, opset_import: ["" : 20]> net (float[N] x) => (float[N] b) {{ {nodes} }}'
        (shell.folder / "net.onnxtxt").write_text(text)
        assert shell("fold", "net.onnxtxt", "-o", "less.onnxtxt").code == 0
        assert "Identity" not in (shell.folder / "less.onnxtxt").read_text()
        assert shell("check", "less.onnxtxt").code == 0

    def test_what_text_cannot_hold_is_not_written(self, shell: Shell) -> None:
        tensor = onnx.TensorProto(name="w", data_type=onnx.TensorProto.INT4, dims=[2], raw_data=b"\x21")
        graph = onnx.helper.make_graph([], "net", [], [onnx.ValueInfoProto(name="w")], initializer=[tensor])
        onnx.save(onnx.helper.make_model(graph), shell.folder / "net.onnx")
        ended = shell("infer", "net.onnx", "-o", "net.onnxtxt")
        assert ended.code == 2
        assert "net.onnxtxt was not written: ONNX's text syntax cannot hold the model" in ended.err
        assert not (shell.folder / "net.onnxtxt").exists()

    def test_data_that_is_not_what_its_shape_says_is_not_written(self, shell: Shell) -> None:
        tensor = onnx.TensorProto(name="w", data_type=onnx.TensorProto.FLOAT, dims=[3], raw_data=b"12345")
        graph = onnx.helper.make_graph([], "net", [], [onnx.ValueInfoProto(name="w")], initializer=[tensor])
        onnx.save(onnx.helper.make_model(graph), shell.folder / "net.onnx")
        ended = shell("infer", "net.onnx", "-o", "net.onnxtxt")
        assert ended.code == 2
        assert "net.onnxtxt was not written" in ended.err
        assert "w has 5 bytes" in ended.err
        assert "report it" not in ended.err
        assert not (shell.folder / "net.onnxtxt").exists()

    def test_a_broken_text_is_no_model_to_what_needs_one(self, tmp_path: Path) -> None:
        (tmp_path / "net.onnxtxt").write_text(BROKEN)
        with pytest.raises(ModelError) as caught:
            infer_shapes(tmp_path / "net.onnxtxt")
        assert (caught.value.code, caught.value.diagnostic.line) == ("syntax-error", 4)
        with pytest.raises(ModelError) as of_annotated:
            annotated(tmp_path / "net.onnxtxt")
        assert of_annotated.value.diagnostics == caught.value.diagnostics

    @pytest.mark.parametrize(
        ("data", "says"),
        [
            (b"", "the file is empty"),
            (b"net (float x)\n\xff", "not an ONNX model as text: line 2 is not UTF-8"),
            (b"version https://git-lfs", "this is a Git LFS pointer, not the model; run git lfs pull"),
            (b"net () => () {}", "the model's graph is empty: it has no nodes and no outputs"),
        ],
    )
    def test_what_is_no_text_is_told(self, tmp_path: Path, data: bytes, says: str) -> None:
        path = tmp_path / "net.onnxtxt"
        path.write_bytes(data)
        (fault,) = self.checked(path).diagnostics
        assert fault.message == says

    @staticmethod
    def checked(path: Path) -> Report:
        return check(path)

    def test_a_byte_order_mark_is_stepped_over(self) -> None:
        assert check(b"\xef\xbb\xbf" + NET.encode()).graph is not None
