"""The commands: what they print, where, and with which exit code."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import IO, NoReturn

import onnx
import pytest

import shapeinfer
from shapeinfer import regular
from shapeinfer.diagnostics.codes import CODES
from shapeinfer.frontends.formats import suffixes
from shapeinfer.version import __version__
from tests.command import BAD, BAD_TEXT, GOOD, Shell, model_bytes

ROOT = Path(__file__).parents[1]
LFS = b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 102531\n"


def test_a_clean_model_is_one_line_and_exit_code_0(shell: Shell) -> None:
    ended = shell("check", shell.save("good.onnx"))
    assert ended.out == "good.onnx: no errors, 2 values, no conditions\n"
    assert (ended.code, ended.err) == (0, "")


def test_an_error_says_what_where_between_which_operands_and_where_to_read_on(shell: Shell) -> None:
    ended = shell("check", shell.save("bad.onnx", BAD))
    assert ended.out == BAD_TEXT.format(path="bad.onnx")
    assert (ended.code, ended.err) == (1, "")


def test_conditions_are_listed_with_the_node_that_needs_them(shell: Shell) -> None:
    pool = "MaxPool <kernel_shape = [4], strides = [4]> (x)"
    text = GOOD.replace("(float[N, 3, 4] x)", "(float[N, 3, L] x)").replace("Flatten <axis = 1> (x)", pool)
    ended = shell("check", shell.save("m.onnx", text.replace("float[N, 12] y", "float[N, 3, K] y")))
    assert ended.out == "m.onnx runs only where\n  L >= 4  MaxPool (node 0)\nm.onnx: no errors, 2 values, 1 condition\n"
    assert ended.code == 0


SUMMARY = "\n2 models: 1 clean, 1 with errors, 0 unreadable\n"


class TestSeveralFiles:
    def test_each_is_reported_and_the_worst_decides_the_exit_code(self, shell: Shell) -> None:
        good, bad = shell.save("good.onnx"), shell.save("bad.onnx", BAD)
        ended = shell("check", good, bad)
        assert ended.out == (
            "good.onnx: no errors, 2 values, no conditions\n\n" + BAD_TEXT.format(path="bad.onnx") + SUMMARY
        )
        assert ended.code == 1

    def test_one_that_cannot_be_read_is_worst_and_the_others_are_still_checked(self, shell: Shell) -> None:
        ended = shell("check", "missing.onnx", shell.save("bad.onnx", BAD), shell.save("good.onnx"))
        assert "error[unreadable]: no such file\n  missing.onnx\n" in ended.out
        assert "1 error in bad.onnx\n" in ended.out
        assert "good.onnx: no errors" in ended.out
        assert ended.code == 2

    def test_one_named_twice_is_checked_once(self, shell: Shell) -> None:
        good = shell.save("good.onnx")
        assert shell("check", good, good).out.count("no errors") == 1

    def test_a_directory_stands_for_every_model_below_it_sorted(self, shell: Shell) -> None:
        for name in ("d/b.onnx", "d/a.onnx", "d/sub/c.ONNX"):
            shell.save(name)
        shell.save("d/notes.txt")
        names = [line.partition(":")[0] for line in shell("check", "d").out.splitlines()]
        assert names == ["d/a.onnx", "d/b.onnx", "d/sub/c.ONNX", "", "3 models"]

    def test_a_directory_without_models_is_an_error(self, shell: Shell) -> None:
        (shell.folder / "empty").mkdir()
        ended = shell("check", "empty")
        message = f"no model ({', '.join(suffixes())}) in this directory or below it"
        assert f"error[unreadable]: {message}\n  empty\n" in ended.out
        assert ended.code == 2


def test_what_a_model_asks_to_ignore_is_counted(shell: Shell) -> None:
    model = onnx.parser.parse_model(BAD)
    onnx.helper.set_model_props(model, {"shapeinfer.ignore": "not-broadcastable"})
    (shell.folder / "m.onnx").write_bytes(model.SerializeToString())
    ended = shell("check", "m.onnx")
    assert ended.out == "m.onnx: no errors, 4 values, no conditions\n1 finding suppressed\n"
    assert ended.code == 0
    assert shell("check", "--no-suppressions", "m.onnx").out == BAD_TEXT.format(path="m.onnx")
    assert shell("check", "m.onnx", shell.save("good.onnx")).out.endswith(
        "\n2 models: 2 clean, 0 with errors, 0 unreadable; 1 finding suppressed\n"
    )


class TestJson:
    def test_one_path_gives_the_report_itself(self, shell: Shell) -> None:
        ended = shell("check", "--format", "json", shell.save("bad.onnx", BAD))
        assert json.loads(ended.out) == shapeinfer.check(shell.folder / "bad.onnx").to_dict()
        assert ended.code == 1

    def test_several_give_an_object_keyed_by_path(self, shell: Shell) -> None:
        ended = shell("check", "--format", "json", shell.save("good.onnx"), shell.save("bad.onnx", BAD))
        files = json.loads(ended.out)["files"]
        assert {path: report["ok"] for path, report in files.items()} == {"good.onnx": True, "bad.onnx": False}

    def test_a_directory_counts_as_several_however_many_models_it_holds(self, shell: Shell) -> None:
        shell.save("d/a.onnx")
        assert list(json.loads(shell("check", "--format", "json", "d").out)["files"]) == ["d/a.onnx"]

    def test_an_unreadable_file_is_in_the_json_too(self, shell: Shell) -> None:
        ended = shell("check", "--format", "json", "missing.onnx")
        (fault,) = json.loads(ended.out)["diagnostics"]
        assert (fault["code"], fault["message"], ended.code) == ("unreadable", "no such file", 2)


@pytest.mark.parametrize(
    ("content", "code", "message"),
    [
        (b"", "not-a-model", "the file is empty"),
        (b"\x89PNG\r\n\x1a\n not a model", "not-a-model", "not an ONNX model"),
        (LFS, "git-lfs-pointer", "this is a Git LFS pointer, not the model; run git lfs pull"),
        (model_bytes()[:-20], "truncated-model", "the model ends in the middle"),
        (onnx.ModelProto(ir_version=10).SerializeToString(), "not-a-model", "it has no graph"),
        (model_bytes("<ir_version: 10> main () => () { }"), "empty-graph", "it has no nodes and no outputs"),
    ],
    ids=["empty", "garbage", "lfs", "truncated", "no-graph", "empty-graph"],
)
class TestAFileThatHoldsNoModel:
    def test_check_and_show_say_why(self, shell: Shell, content: bytes, code: str, message: str) -> None:
        (shell.folder / "m.onnx").write_bytes(content)
        for ended in (shell("check", "m.onnx"), shell("check", "-", stdin=content), shell("show", "m.onnx")):
            said = ended.out or ended.err
            assert said.startswith(f"error[{code}]: ")
            assert message in said.splitlines()[0]
            assert f"  help: shapeinfer explain {code}\n" in said
            assert ended.code == 2

    def test_infer_says_why_and_writes_nothing(self, shell: Shell, content: bytes, code: str, message: str) -> None:
        (shell.folder / "m.onnx").write_bytes(content)
        ended = shell("infer", "m.onnx", "-o", "out.onnx")
        assert message in ended.err
        assert (ended.code, ended.out) == (2, "")
        assert not (shell.folder / "out.onnx").exists()


@pytest.mark.skipif(os.name == "nt" or not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read all")
def test_a_file_that_may_not_be_read_is_named(shell: Shell) -> None:
    (shell.folder / shell.save("secret.onnx")).chmod(0)
    ended = shell("check", "secret.onnx")
    assert "error[unreadable]: the file cannot be read: Permission denied\n  secret.onnx\n" in ended.out
    assert ended.code == 2


def test_what_the_system_refuses_is_told_in_its_words(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_path: Path) -> IO[bytes]:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(regular, "opened", refuse)
    ended = shell("check", "secret.onnx")
    assert "error[unreadable]: the file cannot be read: Permission denied\n  secret.onnx\n" in ended.out


class TestStandardInput:
    def test_check_reads_a_model_from_it(self, shell: Shell) -> None:
        ended = shell("check", "-", stdin=model_bytes(BAD))
        assert ended.out == BAD_TEXT.format(path="<stdin>")
        assert ended.code == 1

    def test_show_reads_a_model_from_it(self, shell: Shell) -> None:
        assert "y = Flatten <axis: int = 1> (x)  # y: f32[N, 12]\n" in shell("show", "-", stdin=model_bytes()).out


class TestSizes:
    def test_a_bound_dim_is_a_number_everywhere(self, shell: Shell) -> None:
        ended = shell("check", "--format", "json", "--bind", "N=7", shell.save("m.onnx"))
        assert json.loads(ended.out)["values"]["y"]["shape"] == [7, 12]
        assert ended.code == 0

    def test_a_shape_binds_all_dims_of_an_input(self, shell: Shell) -> None:
        ended = shell("check", "--format", "json", "--shape", "x=5,3,4", shell.save("m.onnx"))
        assert json.loads(ended.out)["values"]["y"]["shape"] == [5, 12]

    def test_a_name_that_no_input_bears_is_bad_usage(self, shell: Shell) -> None:
        ended = shell("check", "--bind", "n=7", shell.save("m.onnx"))
        assert "error[unknown-binding]: n is not a dim of any input; the input dims are N\n" in ended.out
        assert ended.code == 2

    def test_a_size_that_the_model_does_not_take_is_an_error(self, shell: Shell) -> None:
        ended = shell("check", "--shape", "x=5,3,5", shell.save("m.onnx"))
        assert "error[binding-conflict]: axis 2 of x is declared 4; it cannot be 5\n" in ended.out
        assert ended.code == 1

    @pytest.mark.parametrize("text", ["N", "N=", "N=four", "=4", "N=-1", "N=1.5", "N=²"])
    def test_another_form_of_bind_is_refused_with_the_one_expected(self, shell: Shell, text: str) -> None:
        ended = shell("check", "--bind", text, shell.save("m.onnx"))
        assert f"{text!r} is not of the form NAME=SIZE, such as N=4" in ended.err
        assert (ended.code, ended.out) == (2, "")

    @pytest.mark.parametrize("text", ["x", "x=1,,2", "x=a b", "=1", "x=1 2"])
    def test_another_form_of_shape_is_refused_with_the_one_expected(self, shell: Shell, text: str) -> None:
        ended = shell("check", "--shape", text, shell.save("m.onnx"))
        assert f"{text!r} is not of the form INPUT=DIM,..., such as x=1,3,224,224 or x=batch,3,H,W" in ended.err
        assert ended.code == 2

    def test_a_name_bound_twice_is_refused(self, shell: Shell) -> None:
        ended = shell("check", "--bind", "N=1", "--bind", "N=2", shell.save("m.onnx"))
        assert "N is set twice, to 1 and 2" in ended.err
        assert ended.code == 2


def test_a_run_that_gives_up_ends_with_exit_code_3(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shapeinfer.infer.state.MAX_WORK", -1)
    ended = shell(
        "check",
        shell.save(
            "m.onnx",
            (
                GOOD.replace('"" : 20', '"" : 20, "d" : 1').replace("Flatten", "d.f")
                + '<domain: "d", opset_import: ["" : 20]> f <axis> (x) => (y) { y = Flatten <axis: int = @axis> (x) }'
            ),
        ),
    )
    assert "warning[budget-exceeded]: " in ended.out
    assert "m.onnx: no errors, 1 warning, " in ended.out
    assert ended.code == 3


@pytest.mark.parametrize(("word", "hint"), [("chekc", "did you mean check?"), ("quux", "No such command")])
def test_an_unknown_command_is_answered_with_the_nearest(shell: Shell, word: str, hint: str) -> None:
    ended = shell(word, "m.onnx")
    assert hint in ended.err
    assert (ended.code, ended.out) == (2, "")


class TestExplain:
    def test_it_prints_the_page_of_a_code(self, shell: Shell) -> None:
        ended = shell("explain", "not-broadcastable")
        assert ended.out == CODES["not-broadcastable"].page
        assert ended.code == 0

    def test_without_a_code_it_lists_all(self, shell: Shell) -> None:
        ended = shell("explain")
        assert [line.split()[0] for line in ended.out.splitlines()] == list(CODES)
        assert ended.code == 0

    def test_an_unknown_code_gets_close_matches_and_the_list(self, shell: Shell) -> None:
        ended = shell("explain", "not-brodcastable")
        first, blank, *listed = ended.err.splitlines()
        assert first == "Error: unknown code not-brodcastable; did you mean not-broadcastable?"
        assert (blank, len(listed)) == ("", len(CODES))
        assert (ended.code, ended.out) == (2, "")


class TestUsage:
    def test_the_version_is_the_package_s(self, shell: Shell) -> None:
        assert shell("--version").out == f"shapeinfer {__version__}\n"

    @pytest.mark.parametrize("args", [["check"], ["check", "--format", "xml", "m.onnx"], ["infer", "m.onnx"], ["sing"]])
    def test_bad_usage_is_exit_code_2_and_names_the_help(self, shell: Shell, args: list[str]) -> None:
        ended = shell(*args)
        assert "Usage: shapeinfer" in ended.err
        assert "--help" in ended.err
        assert ended.code == 2

    def test_help_tells_the_exit_codes(self, shell: Shell) -> None:
        ended = shell("check", "--help")
        assert "Exit code" in ended.out
        assert ended.code == 0


class TestWhenWeFail:
    def test_one_line_asks_for_a_report_and_the_other_files_are_checked(
        self, shell: Shell, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def fail() -> NoReturn:
            raise ZeroDivisionError("no\nway")

        def check(model: str, **sizes: dict[str, int]) -> shapeinfer.Report:
            return fail() if model == "bug.onnx" else shapeinfer.check(model)

        monkeypatch.setattr("shapeinfer.batch.one.check", check)
        ended = shell("check", shell.save("bug.onnx"), shell.save("good.onnx"))
        first = ended.out.splitlines()[0]
        assert first.startswith(
            "error[internal-error]: shapeinfer failed with ZeroDivisionError: no\\nway (test_cli.py:"
        )
        assert first.endswith("; please report it, with the model if you can")
        assert "good.onnx: no errors" in ended.out
        assert ended.code == 2

    def test_the_last_resort_is_a_line_and_no_traceback(self, shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("shapeinfer.cli.infer.annotated_model", lambda *a, **o: dict[str, int]()["x"])
        ended = shell("infer", shell.save("m.onnx"), "-o", "out.onnx")
        assert ended.err.startswith("Error: shapeinfer failed with KeyError: 'x' (test_cli.py:")
        assert ended.err.count("\n") == 1
        assert ended.code == 2

    def test_ctrl_c_ends_without_a_word(self, shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
        def interrupt(*args: object, **options: object) -> None:
            raise KeyboardInterrupt

        monkeypatch.setattr("shapeinfer.batch.one.check", interrupt)
        ended = shell("check", shell.save("m.onnx"))
        assert (ended.code, ended.out, ended.err.strip()) == (128 + signal.SIGINT, "", "")


class TestAsAProcess:
    """What only a process of its own can show."""

    def start(self, *args: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
        command = [sys.executable, "-m", "shapeinfer", *args]
        return subprocess.run(command, cwd=ROOT, env=os.environ | environment, capture_output=True, check=False)

    @pytest.mark.parametrize("form", ["text", "json"])
    def test_output_does_not_depend_on_the_hash_seed(self, form: str) -> None:
        args = ("check", "--format", form, "examples")
        outputs = {self.start(*args, PYTHONHASHSEED=seed).stdout for seed in ("1", "2")}
        assert len(outputs) == 1
        assert b"unet" in outputs.pop()

    def test_show_does_not_depend_on_the_hash_seed(self) -> None:
        outputs = {self.start("show", "examples/models/unet.onnx", PYTHONHASHSEED=s).stdout for s in ("1", "2")}
        assert len(outputs) == 1

    def test_a_locale_without_the_characters_of_a_name_is_no_failure(self, tmp_path: Path) -> None:
        (tmp_path / "modèle-模型.onnx").write_bytes(b"")
        ended = self.start("check", str(tmp_path), LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0")
        assert b"error[not-a-model]: the file is empty" in ended.stdout
        assert (ended.returncode, ended.stderr) == (2, b"")

    @pytest.mark.skipif(os.name == "nt", reason="pipes of POSIX")
    def test_a_reader_that_goes_away_ends_it_without_a_word(self) -> None:
        command = [sys.executable, "-m", "shapeinfer", "show", "examples/models/llama_kv.onnx"]
        process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert process.stdout is not None
        process.stdout.close()
        _, err = process.communicate(timeout=60)
        assert (process.returncode, err) == (128 + signal.SIGPIPE, b"")
