"""``infer``: a model is written with its types, whole or not at all."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import onnx
import pytest

from shapeinfer.api.report import Report
from shapeinfer.frontends import files
from tests.command import BAD, BAD_LINE, GOOD, Shell, model_bytes

CHAIN = GOOD.replace("y = Flatten", "t = Relu (x)\n    y = Flatten").replace("> (x)", "> (t)")
NAMED = """<ir_version: 10, opset_import: ["" : 20]>
main (float[N] x) => (float[total] y) { y = Concat<axis = 0> (x, x) }"""
EXTERNAL = """<ir_version: 10, opset_import: ["" : 20]>
main (float[N, 3] x) => (float[N, 3] y) <float[3] w = ["location": "weights.bin", "length": "12"]> {
    y = Mul (x, w)
}"""
POSIX = pytest.mark.skipif(os.name == "nt", reason="modes and links of POSIX")


def types(path: Path) -> dict[str, str]:
    graph = onnx.load(path, load_external_data=False).graph
    found = {}
    for value in (*graph.value_info, *graph.output):
        dims = [d.dim_param or str(d.dim_value) for d in value.type.tensor_type.shape.dim]
        found[value.name] = f"{value.type.tensor_type.elem_type}[{', '.join(dims)}]"
    return found


def test_it_writes_value_info_and_the_types_of_outputs(shell: Shell) -> None:
    ended = shell("infer", shell.save("m.onnx", CHAIN), "-o", "out.onnx")
    assert types(shell.folder / "out.onnx") == {"t": "1[N, 3, 4]", "y": "1[N, 12]"}
    assert (ended.code, ended.out, ended.err) == (0, "", "")


def test_the_formula_of_an_output_stands_there_if_asked_for(shell: Shell) -> None:
    shell("infer", shell.save("m.onnx", NAMED), "-o", "kept.onnx")
    shell("infer", "m.onnx", "-o", "out.onnx", "--output-dims", "expression")
    assert types(shell.folder / "kept.onnx") == {"y": "1[total]"}
    assert types(shell.folder / "out.onnx") == {"y": "1[2*N]"}


def test_sizes_are_bound(shell: Shell) -> None:
    shell("infer", shell.save("m.onnx", CHAIN), "-o", "out.onnx", "--bind", "N=2")
    assert types(shell.folder / "out.onnx") == {"t": "1[2, 3, 4]", "y": "1[2, 12]"}


def test_unknown_weights_and_fields_pass_through(shell: Shell) -> None:
    unknown = b"\xfa\x3e\x03abc"  # field 1007, which onnx.proto does not have
    weights = bytes(range(40))
    model = onnx.parser.parse_model(CHAIN)
    model.graph.initializer.add(name="w", data_type=1, dims=[10], raw_data=weights)
    (shell.folder / "m.onnx").write_bytes(model.SerializeToString() + unknown)
    assert shell("infer", "m.onnx", "-o", "out.onnx").code == 0
    assert unknown in (shell.folder / "out.onnx").read_bytes()
    assert onnx.load(shell.folder / "out.onnx").graph.initializer[0].raw_data == weights


def test_a_broken_model_is_written_as_far_as_it_is_known(shell: Shell) -> None:
    ended = shell("infer", shell.save("bad.onnx", BAD), "-o", "out.onnx")
    assert ended.err.startswith(f"{BAD_LINE}\n  bad.onnx: Add (node 1)\n")
    assert types(shell.folder / "out.onnx")["t"] == "1[N, 128]"
    assert (ended.code, ended.out) == (1, "")


def test_a_fault_in_a_text_has_its_line_as_in_a_check(shell: Shell) -> None:
    (shell.folder / "bad.onnxtxt").write_text(BAD)
    ended = shell("infer", "bad.onnxtxt", "-o", "out.onnx")
    assert ended.err == shell("check", "bad.onnxtxt").out
    assert "\n  bad.onnxtxt:" in ended.err


def test_a_wrong_binding_writes_nothing(shell: Shell) -> None:
    ended = shell("infer", shell.save("m.onnx"), "-o", "out.onnx", "--bind", "K=2")
    assert "error[unknown-binding]: K is not a dim of any input; the input dims are N\n" in ended.err
    assert ended.code == 2
    assert not (shell.folder / "out.onnx").exists()


class TestOntoTheInput:
    def test_it_replaces_the_file_and_may_be_repeated(self, shell: Shell) -> None:
        path = shell.folder / shell.save("m.onnx", CHAIN)
        assert shell("infer", "m.onnx", "-o", "m.onnx").code == 0
        once = path.read_bytes()
        assert types(path)["t"] == "1[N, 3, 4]"
        assert shell("infer", "m.onnx", "-o", "m.onnx").code == 0
        assert path.read_bytes() == once
        assert [p.name for p in shell.folder.iterdir()] == ["m.onnx"]

    @POSIX
    def test_the_old_file_s_mode_is_kept(self, shell: Shell) -> None:
        path = shell.folder / shell.save("m.onnx", CHAIN)
        path.chmod(0o640)
        shell("infer", "m.onnx", "-o", "m.onnx")
        assert stat.S_IMODE(path.stat().st_mode) == 0o640

    @POSIX
    def test_a_link_stays_a_link(self, shell: Shell) -> None:
        shell.save("m.onnx", CHAIN)
        (shell.folder / "link.onnx").symlink_to("m.onnx")
        shell("infer", "link.onnx", "-o", "link.onnx")
        assert (shell.folder / "link.onnx").is_symlink()
        assert "t" in types(shell.folder / "m.onnx")


@POSIX
def test_a_new_file_has_the_mode_that_the_umask_leaves(shell: Shell) -> None:
    before = os.umask(0o027)
    try:
        shell("infer", shell.save("m.onnx"), "-o", "out.onnx")
    finally:
        os.umask(before)
    assert stat.S_IMODE((shell.folder / "out.onnx").stat().st_mode) == 0o640


class TestWhatCannotBeWritten:
    @pytest.fixture(autouse=True)
    def nothing_is_left_behind(self, shell: Shell) -> Iterator[None]:
        yield
        assert [p.name for p in shell.folder.iterdir() if p.name.endswith(".tmp")] == []

    def test_a_missing_directory_is_named(self, shell: Shell) -> None:
        ended = shell("infer", shell.save("m.onnx"), "-o", "no/such/out.onnx")
        assert ended.err == "Error: no/such/out.onnx was not written: the directory no/such does not exist\n"
        assert ended.code == 2

    def test_a_directory_in_place_of_a_file_is_named(self, shell: Shell) -> None:
        (shell.folder / "out").mkdir()
        ended = shell("infer", shell.save("m.onnx"), "-o", "out")
        assert ended.err == "Error: out was not written: it is a directory\n"
        assert ended.code == 2

    def test_a_directory_that_may_not_be_written_is_named(self, shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
        def refuse(**options: object) -> None:
            raise PermissionError(13, "Permission denied")

        monkeypatch.setattr("tempfile.mkstemp", refuse)
        ended = shell("infer", shell.save("m.onnx"), "-o", "out.onnx")
        assert ended.err == "Error: out.onnx was not written: you may not write in the directory .\n"
        assert ended.code == 2

    def test_a_full_disk_leaves_the_old_file(self, shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
        def full(_handle: int) -> None:
            raise OSError(28, "No space left on device")

        path = shell.folder / shell.save("m.onnx", CHAIN)
        monkeypatch.setattr("os.fsync", full)
        ended = shell("infer", "m.onnx", "-o", "m.onnx")
        assert ended.err == "Error: m.onnx was not written: No space left on device\n"
        assert (ended.code, path.read_bytes()) == (2, model_bytes(CHAIN))

    def test_a_model_that_does_not_fit_into_a_file_leaves_the_old_one(
        self, shell: Shell, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        class TooLarge:
            def SerializeToString(self) -> bytes:  # noqa: N802 - protobuf's name
                raise ValueError("Message onnx.ModelProto exceeds maximum protobuf size of 2GB")

        path = shell.folder / shell.save("m.onnx", CHAIN)
        monkeypatch.setattr("shapeinfer.cli.infer.annotated_model", lambda *a, **o: (TooLarge(), Report(())))
        ended = shell("infer", "-", "-o", "m.onnx", stdin=model_bytes(CHAIN))
        assert "m.onnx was not written: the model does not fit into one file" in ended.err
        assert "2GB" in ended.err
        assert (ended.code, path.read_bytes()) == (2, model_bytes(CHAIN))


def test_what_is_unknown_is_copied(shell: Shell) -> None:
    """A field that this version of ONNX does not have, and weights whatever their size, byte for byte."""
    data = model_bytes(CHAIN) + b"\xca\x3e\x03abc"
    (shell.folder / "m.onnx").write_bytes(data)
    assert shell("infer", "m.onnx", "-o", "m.onnx").code == 0
    once = (shell.folder / "m.onnx").read_bytes()
    assert once.endswith(b"\xca\x3e\x03abc")
    assert shell("infer", "m.onnx", "-o", "m.onnx").code == 0
    assert (shell.folder / "m.onnx").read_bytes() == once


def test_weights_of_a_large_file_are_copied_into_bodies_and_beside_functions(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = onnx.parser.parse_model("""<ir_version: 10, opset_import: ["" : 20, "my" : 1]>
    main (float[N, 300] x, bool c) => (float[a, b] y) {
        h = my.f(x)
        y = If(c) <then_branch = t () => (float[] r) { r = MatMul(h, k) },
                   else_branch = f () => (float[] e) { e = Neg(h) }>
    }
    <domain: "my", opset_import: ["" : 20]> f (a) => (b) { t = Neg(a) b = Abs(t) }""")
    weight = onnx.numpy_helper.from_array(np.ones((300, 300), np.float32), "k")
    next(a.g for a in model.graph.node[1].attribute if a.name == "then_branch").initializer.append(weight)
    (shell.folder / "m.onnx").write_bytes(model.SerializeToString())
    shell("infer", "m.onnx", "-o", "whole.onnx")
    monkeypatch.setattr(files, "LARGE", 0)
    assert shell("infer", "m.onnx", "-o", "out.onnx").code == 0
    out = onnx.load(shell.folder / "out.onnx")
    assert out == onnx.load(shell.folder / "whole.onnx")
    assert out.functions[0].value_info
    assert next(a.g for a in out.graph.node[1].attribute if a.name == "then_branch").initializer[0] == weight


class TestWeightsInOtherFiles:
    def test_beside_the_model_they_need_no_word(self, shell: Shell) -> None:
        ended = shell("infer", shell.save("m.onnx", EXTERNAL), "-o", "out.onnx")
        assert (ended.code, ended.err) == (0, "")
        entry = onnx.load(shell.folder / "out.onnx", load_external_data=False).graph.initializer[0].external_data[0]
        assert (entry.key, entry.value) == ("location", "weights.bin")

    def test_in_another_directory_they_are_missing_and_it_states_so(self, shell: Shell) -> None:
        (shell.folder / "elsewhere").mkdir()
        ended = shell("infer", shell.save("m.onnx", EXTERNAL), "-o", "elsewhere/m.onnx")
        assert ended.err == (
            "warning: elsewhere/m.onnx reads its weights from files beside it (weights.bin); copy them there too\n"
        )
        assert ended.code == 0
