"""--output-file: a second format of the same run, in a file that is whole or not there."""

from __future__ import annotations

import json

import pytest

from shapeinfer.batch import one
from shapeinfer.cli.output_files import SUFFIXES
from tests.command import BAD, GOOD, Shell


def text_of(shell: Shell, name: str) -> str:
    return (shell.folder / name).read_text(encoding="utf-8")


@pytest.fixture
def models(shell: Shell) -> list[str]:
    return [shell.save("good.onnx"), shell.save("bad.onnx", BAD)]


class TestFormats:
    @pytest.mark.parametrize(("suffix", "form"), SUFFIXES.items())
    def test_the_suffix_says_which_and_it_is_what_format_prints(
        self, shell: Shell, models: list[str], suffix: str, form: str
    ) -> None:
        printed = shell("check", "--format", form, *models)
        ended = shell("check", "--format", "concise", "--output-file", f"report{suffix}", *models)
        assert text_of(shell, f"report{suffix}") == printed.out
        assert ended.out == shell("check", "--format", "concise", *models).out
        assert ended.code == printed.code == 1

    def test_a_prefix_says_it_for_any_other_name(self, shell: Shell, models: list[str]) -> None:
        shell("check", "--output-file", "github=log", "--output-file", "json=b.txt", *models)
        assert text_of(shell, "log").startswith("::error")
        assert set(json.loads(text_of(shell, "b.txt"))["files"]) == set(models)

    def test_a_single_model_is_written_as_one(self, shell: Shell, models: list[str]) -> None:
        shell("check", "--output-file", "r.json", models[0])
        assert json.loads(text_of(shell, "r.json"))["ok"]

    def test_another_suffix_is_refused_with_the_ones_there_are(self, shell: Shell, models: list[str]) -> None:
        ended = shell("check", "--output-file", "report.html", *models)
        assert "the format of report.html is unknown; end it with .sarif, .json, .xml" in ended.err
        assert ended.code == 2

    def test_contracts_are_in_the_file_whatever_is_printed(self, shell: Shell, models: list[str]) -> None:
        shell.save("two.onnx", GOOD.replace("[N, 3, 4] x", "[N, 3, 4] x, float[M, 12] z").replace(
            "y = Flatten <axis = 1> (x)", "f = Flatten <axis = 1> (x) y = Add (f, z)"))  # fmt: skip
        shell("check", "--format", "concise", "--jobs", "2", "--output-file", "r.json", "two.onnx", models[0])
        printed = json.loads(shell("check", "--format", "json", "two.onnx", models[0]).out)
        assert json.loads(text_of(shell, "r.json")) == printed
        assert printed["files"]["two.onnx"]["contract"]


class TestOneRun:
    def test_each_model_is_checked_once(self, shell: Shell, models: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
        seen: list[str] = []
        real = one.check_one

        def counting(path: str, *args: object, **options: object) -> object:
            seen.append(path)
            return real(path, *args, **options)  # type: ignore[arg-type]

        monkeypatch.setattr("shapeinfer.cli.request.check_one", counting)
        shell("check", "--output-file", "r.sarif", "--output-file", "r.md", *models)
        assert seen == models

    def test_terminal_and_colours_change_nothing_in_it(
        self, shell: Shell, models: list[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        plain = shell("check", *models).out
        monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
        monkeypatch.setenv("COLUMNS", "20")
        shell("check", "--output-file", "r.txt", *models)
        assert text_of(shell, "r.txt") == plain

    def test_the_baseline_holds_for_it_too(self, shell: Shell, models: list[str]) -> None:
        shell("check", "--write-baseline", "known.json", *models)
        shell("check", "--baseline", "known.json", "--output-file", "r.sarif", *models)
        assert json.loads(text_of(shell, "r.sarif"))["runs"][0]["results"] == []


class TestWhole:
    def test_what_cannot_be_written_is_a_failure_with_its_reason(self, shell: Shell, models: list[str]) -> None:
        ended = shell("check", "--output-file", "gone/r.json", *models)
        assert ended.err == "Error: gone/r.json was not written: the directory gone does not exist\n"
        assert ended.code == 2

    def test_one_that_is_too_large_is_not_written(self, shell: Shell, models: list[str]) -> None:
        (shell.folder / "r.json").write_text("before", encoding="utf-8")
        size = len(shell("check", "--format", "concise", *models).out)
        limit = str((size + 20) / len(models) / 2**20)
        ended = shell("check", "--format", "concise", "--max-output", limit, "--output-file", "r.json", *models)
        assert ended.err.endswith("megabytes per model; raise --max-output for more\n")
        assert (ended.code, text_of(shell, "r.json")) == (3, "before")

    def test_output_that_ends_leaves_the_file_whole(self, shell: Shell, models: list[str]) -> None:
        whole = shell("check", "--format", "concise", *models).out
        limit = str((len(whole) + 20) / len(models) / 2**20)
        ended = shell("check", "--max-output", limit, "--output-file", "concise=r", *models)
        assert (ended.code, text_of(shell, "r")) == (3, whole)


class TestFilesThatAreKept:
    """A model must not be lost for a report."""

    @pytest.mark.parametrize("option", ["m.onnx", "json=m.onnx", "m.onnxtxt"])
    def test_a_name_of_a_model_is_refused(self, shell: Shell, option: str) -> None:
        assert shell("check", "--output-file", option, shell.save("good.onnx")).code == 2

    def test_an_xml_that_is_no_report_is_refused(self, shell: Shell, models: list[str]) -> None:
        (shell.folder / "net.xml").write_text("<?xml version='1.0'?><net/>", encoding="utf-8")
        ended = shell("check", "--output-file", "net.xml", *models)
        assert "net.xml exists and is no report; write junit=net.xml to replace it" in ended.err

    def test_a_report_is_replaced(self, shell: Shell, models: list[str]) -> None:
        shell("check", "--output-file", "r.xml", *models)
        assert shell("check", "--output-file", "r.xml", models[0]).code == 0
        assert "bad.onnx" not in text_of(shell, "r.xml")

    def test_a_model_that_is_checked_is_refused(self, shell: Shell) -> None:
        shell.save("model.txt")
        ended = shell("check", "--output-file", "./model.txt", "model.txt")
        assert ended.err == "Error: model.txt is a model to check; name another --output-file\n"

    def test_a_file_named_twice_is_refused(self, shell: Shell, models: list[str]) -> None:
        assert shell("check", "--output-file", "r.txt", "--output-file", "json=r.txt", *models).code == 2
