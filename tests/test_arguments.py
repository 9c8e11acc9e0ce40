"""Names of files that read as options: where a repository names the files, it must not choose what is done."""

from __future__ import annotations

import pytest

from tests.command import BAD, Shell

AS_OPTIONS = [
    "--config=c.onnx",
    "--write-baseline=w.onnx",
    "--baseline=b.onnx",
    "--isolated",
    "--rules=r.py",
    "-j2",
    "--no-suppressions",
    "--exclude=*.onnx",
    "--help",
    "--",
]


class TestFilesNamedAsOptions:
    @pytest.mark.parametrize("name", AS_OPTIONS[:-1])
    def test_what_may_be_either_is_asked_about(self, shell: Shell, name: str) -> None:
        shell.save(name)
        ended = shell("check", name, shell.save("m.onnx"))
        assert f"is {name} an option or the file of that name? write -- before file names" in ended.err
        assert (ended.code, ended.out) == (2, "")

    @pytest.mark.parametrize("name", AS_OPTIONS)
    def test_behind_the_mark_it_is_a_file(self, shell: Shell, name: str) -> None:
        ended = shell("check", "--", shell.save(name, BAD))
        assert ended.out.startswith("error[not-broadcastable]: ")
        assert f"1 error in {name}\n" in ended.out
        assert sorted(path.name for path in shell.folder.iterdir()) == [name]

    def test_an_option_beside_other_files_is_one(self, shell: Shell) -> None:
        assert shell("check", "--isolated", shell.save("m.onnx")).code == 0

    def test_a_value_may_be_anything(self, shell: Shell) -> None:
        shell.save("m.onnx")
        assert shell("check", "--exclude", "*.onnx", "--", "m.onnx").code == 0
        assert shell("infer", "m.onnx", "-oout.onnx").code == 0
        assert (shell.folder / "out.onnx").exists()


class TestFilesThatAreGone:
    """Lists of changed files name those that were deleted, too."""

    @pytest.mark.parametrize("option", ["config", "baseline", "write-baseline"])
    @pytest.mark.parametrize("name", ["x.onnx", "x.ONNX", "x.onnxtxt", "x.xml"])
    def test_what_is_named_as_a_model_is_no_value_of_an_option_that_takes_another_file(
        self, shell: Shell, option: str, name: str
    ) -> None:
        model = shell.save("m.onnx")
        for words in ([f"--{option}={name}"], [f"--{option}", name]):
            ended = shell("check", *words, model)
            assert f"{name} looks like a model; write -- before file names" in ended.err
            assert ended.code == 2
        assert [path.name for path in shell.folder.iterdir()] == ["m.onnx"]

    @pytest.mark.parametrize("name", ["-x.onnx", "--models/x.onnx", "-.xml"])
    def test_what_is_no_option_is_taken_for_a_file(self, shell: Shell, name: str) -> None:
        ended = shell("check", name, shell.save("m.onnx"))
        assert f"unknown option {name}; write -- before file names" in ended.err
        assert ended.code == 2


def test_a_page_does_not_take_the_place_of_a_model(shell: Shell) -> None:
    model = shell.save("m.onnx")
    before = (shell.folder / model).read_bytes()
    assert "m.onnx looks like a model" in shell("report", model, "-o", model).err
    assert (shell.folder / model).read_bytes() == before
