"""A format is added by one module that registers it: no command and no function tests for a format."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from shapeinfer import ModelError, Session, check, check_many, fold
from shapeinfer.editors.server import watched_globs
from shapeinfer.frontends.formats import Format, _load_plugins, format_of, formats, register, suffixes, unregister
from tests.command import Shell
from tests.frontends.toy import TOY

MODEL = """TOY
input x N 3
input w 3 4
MatMul h x w
Relu y h
output y
"""
BROKEN = MODEL.replace("input w 3 4", "input w 5 4")


@pytest.fixture
def toy() -> Iterator[Format]:
    register(TOY)
    yield TOY
    unregister(TOY.name)


def saved(shell: Shell, name: str, text: str = MODEL) -> str:
    (shell.folder / name).parent.mkdir(exist_ok=True)
    (shell.folder / name).write_text(text, encoding="utf-8")
    return name


@pytest.mark.usefixtures("toy")
class TestAFormatOfAnotherPackage:
    def test_check_reads_a_path_and_bytes(self, tmp_path: Path) -> None:
        path = tmp_path / "m.toy"
        path.write_text(MODEL, encoding="utf-8")
        for model in (path, MODEL.encode()):
            report = check(model, bind={"N": 2})
            assert {name: str(fact) for name, fact in report.values.items()} == {
                "x": "f32[2, 3]",
                "w": "f32[3, 4]",
                "h": "f32[2, 4]",
                "y": "f32[2, 4]",
            }
            assert report.graph is not None
            assert report.graph.format == "toy"
            assert report.light().graph.format == "toy"  # type: ignore[union-attr]

    def test_the_command_reports_its_faults(self, shell: Shell) -> None:
        ended = shell("check", saved(shell, "m.toy", BROKEN))
        assert ended.code == 1
        assert ended.out.startswith("error[inner-dim-mismatch]: ")
        assert '  m.toy:4: MatMul "h"\n' in ended.out
        assert shell("check", "-", stdin=BROKEN.encode()).out == ended.out.replace("m.toy", "<stdin>")

    def test_what_is_none_is_said_to_be_none(self, shell: Shell) -> None:
        ended = shell("check", saved(shell, "m.toy", "hello"))
        assert (ended.code, ended.out.splitlines()[0]) == (2, "error[not-a-model]: not a toy model")

    def test_directories_are_searched_for_it(self, shell: Shell) -> None:
        shell.save("d/a.onnx")
        saved(shell, "d/b.toy")
        saved(shell, "d/c.txt")
        assert [path for path, _ in check_many(["d"])] == ["d/a.onnx", "d/b.toy"]

    def test_infer_writes_it(self, shell: Shell) -> None:
        ended = shell("infer", saved(shell, "m.toy"), "-o", "out.toy", "--bind", "N=2")
        assert (ended.code, ended.err) == (0, "")
        assert (shell.folder / "out.toy").read_text(encoding="utf-8") == MODEL.replace(
            "MatMul h x w", "MatMul h x w # f32[2, 4]"
        ).replace("Relu y h", "Relu y h # f32[2, 4]")

    def test_show_lists_it(self, shell: Shell) -> None:
        assert "y = Relu (h)" in shell("show", saved(shell, "m.toy")).out

    @pytest.mark.parametrize("function", [fold, Session])
    def test_what_takes_onnx_models_refuses_it(self, function: type[Session]) -> None:
        with pytest.raises(ModelError, match="this is a toy model, not an ONNX model"):
            function(MODEL.encode())

    def test_a_file_that_reads_as_an_option_is_refused(self, shell: Shell) -> None:
        ended = shell("check", "--m.toy")
        assert (ended.code, "unknown option --m.toy" in ended.err) == (2, True)

    def test_editors_watch_it(self) -> None:
        assert "**/*.toy" in watched_globs()

    @pytest.mark.parametrize("taken", ["toy", "other"])
    def test_a_name_or_a_suffix_is_one_formats(self, taken: str) -> None:
        new = Format(name=taken, title="", suffixes=(".toy",), sniff=lambda _: False, frontend="")
        with pytest.raises(ValueError, match=f"^the format {taken} has the name or a suffix of the format toy$"):
            register(new)


def test_packages_bring_formats_by_an_entry_point(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "mine-1.0.dist-info"
    package.mkdir()
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: mine\nVersion: 1.0\n", encoding="utf-8")
    (package / "entry_points.txt").write_text("[shapeinfer.frontends]\nmine = my_own_format\n", encoding="utf-8")
    (tmp_path / "my_own_format.py").write_text("", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    _load_plugins.__wrapped__()
    assert sys.modules.pop("my_own_format").__file__ == str(tmp_path / "my_own_format.py")


def test_without_it_its_models_are_none() -> None:
    assert ".toy" not in suffixes()
    assert format_of("m.toy").name == "onnx"


def test_the_formats_of_the_package_by_their_suffixes() -> None:
    known = {f.name: f.suffixes for f in formats()}
    assert known["onnx"] == (".onnx",)
    assert known["onnxtext"] == (".onnxtxt", ".onnxtext")
    assert known["openvino"] == (".xml",)
    assert list(known) == sorted(known)


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        ("m.onnx", "onnx"),
        ("M.ONNXTXT", "onnxtext"),
        (Path("d.onnx") / "m.xml", "openvino"),
        ("m.pb", "onnx"),
        (b"\x08\x07", "onnx"),
        (b'# a comment\n<opset_import: ["" : 20]> g () => () {}', "onnxtext"),
        (b"<net name='n'/>", "openvino"),
        (b"", "onnx"),
        (None, "onnx"),
    ],
)
def test_a_suffix_tells_the_format_of_a_path_and_the_first_bytes_that_of_bytes(model: object, expected: str) -> None:
    assert format_of(model).name == expected


@pytest.mark.parametrize(
    ("source", "out", "written"),
    [
        ("m.onnx", "o.onnxtxt", "onnxtext"),
        ("m.onnxtxt", "o.onnx", "onnx"),
        ("m.xml", "o.onnx", "openvino"),
        ("m.onnx", "o.xml", "onnx"),
    ],
)
def test_a_model_is_written_in_the_notation_that_the_new_name_tells(source: str, out: str, written: str) -> None:
    assert format_of(source).written_as(out).name == written


def test_a_check_imports_no_other_formats_reader(tmp_path: Path) -> None:
    Shell(tmp_path, None, None).save("m.onnx")  # type: ignore[arg-type]
    program = f"""
import sys
import shapeinfer
shapeinfer.check({str(tmp_path / "m.onnx")!r})
print(sorted(m for m in sys.modules if m.startswith("shapeinfer.frontends.o") and m.endswith((".read", ".frontend"))))
"""
    out = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert out == "['shapeinfer.frontends.onnx.frontend', 'shapeinfer.frontends.onnx.read']\n"
