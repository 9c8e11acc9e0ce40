"""The configuration on the command line: where it comes from, and what overrides it."""

from __future__ import annotations

import pytest

from tests.command import BAD, GOOD, Shell

UNKNOWN = GOOD.replace('"" : 20', '"" : 20, "my" : 1').replace("Flatten <axis = 1>", "my.F")
EVEN = """<ir_version: 10, opset_import: ["" : 20]>
main (float[N, 6] x) => (float[M, 4] y) {
    s = Constant <value = int64[2] {-1, 4}> ()
    y = Reshape (x, s)
}"""


def configure(shell: Shell, text: str, name: str = "shapeinfer.toml") -> None:
    (shell.folder / name).write_text(text, encoding="utf-8")


class TestWhereItComesFrom:
    def test_the_nearest_file_holds(self, shell: Shell) -> None:
        configure(shell, '[tool.shapeinfer]\nignore = ["not-broadcastable"]', "pyproject.toml")
        assert shell("check", shell.save("m.onnx", BAD)).code == 0

    def test_another_may_be_named(self, shell: Shell) -> None:
        configure(shell, 'ignore = ["not-broadcastable"]')
        configure(shell, "", "empty.toml")
        assert shell("check", "--config", "empty.toml", shell.save("m.onnx", BAD)).code == 1

    def test_isolated_reads_none(self, shell: Shell) -> None:
        configure(shell, 'ignore = ["not-broadcastable"]')
        assert shell("check", "--isolated", shell.save("m.onnx", BAD)).code == 1

    def test_both_are_refused(self, shell: Shell) -> None:
        ended = shell("check", "--isolated", "--config", "a.toml", "m.onnx")
        assert "--isolated and --config FILE exclude each other" in ended.err
        assert ended.code == 2

    def test_a_folder_that_is_gone_has_none(self, shell: Shell) -> None:
        model = str(shell.folder / shell.save("m.onnx"))
        (shell.folder / "gone").mkdir()
        shell.monkeypatch.chdir(shell.folder / "gone")
        (shell.folder / "gone").rmdir()
        ended = shell("check", model)
        shell.monkeypatch.chdir(shell.folder)
        assert ended.err == "Error: the working directory cannot be used: No such file or directory\n"
        assert ended.code == 2

    @pytest.mark.parametrize("command", [["check"], ["show"], ["contract"], ["infer", "-o", "out.onnx"]])
    def test_mistakes_end_every_command_with_exit_code_2(self, shell: Shell, command: list[str]) -> None:
        configure(shell, 'selct = []\nignore = ["cycel"]')
        ended = shell(*command, shell.save("m.onnx"))
        assert ended.err == (
            "Error: the configuration cannot be used\n"
            "  shapeinfer.toml:1: selct: unknown key; did you mean select?\n"
            "  shapeinfer.toml:2: ignore[0]: unknown code 'cycel'; did you mean cycle?\n"
        )
        assert (ended.code, ended.out) == (2, "")


class TestWhatStandsOverIt:
    @pytest.mark.parametrize(
        ("options", "code"),
        [
            ([], 0),
            (["--ignore", "cycle"], 1),
            (["--severity", "not-broadcastable=note"], 0),
            (["--ignore", "cycle", "--severity", "not-broadcastable=off"], 0),
            (["--ignore", "cycle", "--select", "cycle,made-twice"], 0),
        ],
    )
    def test_codes(self, shell: Shell, options: list[str], code: int) -> None:
        configure(shell, 'ignore = ["not-broadcastable"]')
        assert shell("check", *options, shell.save("m.onnx", BAD)).code == code

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            (["--select", "cycel"], "unknown code 'cycel'; did you mean cycle?"),
            (["--ignore", "unreadable"], "unreadable cannot be turned off"),
            (["--severity", "cycel=note"], "unknown code 'cycel'; did you mean cycle?"),
            (["--severity", "unreadable=off"], "unreadable cannot be turned off"),
            (["--severity", "cycle=fatal"], "'cycle=fatal' is not of the form CODE=LEVEL, such as label-conflict=note"),
            (["--fail-on", "notes"], "'notes' is not one of"),
        ],
    )
    def test_mistakes_are_bad_usage(self, shell: Shell, options: list[str], message: str) -> None:
        ended = shell("check", *options, shell.save("m.onnx"))
        assert message in ended.err
        assert ended.code == 2

    def test_sizes_stand_over_those_of_the_file_by_name(self, shell: Shell) -> None:
        configure(shell, '[[models]]\npath = "m.onnx"\nbind = { N = 2 }')
        shell.save("m.onnx")
        assert "y: f32[2, 12]" in shell("show", "m.onnx").out
        assert "y: f32[5, 12]" in shell("show", "--bind", "N=5", "m.onnx").out


class TestFailOn:
    @pytest.mark.parametrize(
        ("level", "text", "code"),
        [
            ("error", UNKNOWN, 0),
            ("warning", UNKNOWN, 1),
            ("warning", GOOD, 0),
            ("incomplete", GOOD, 0),
            ("incomplete", UNKNOWN.replace("float[N, 12] y", "y"), 1),
        ],
    )
    def test_it_states_from_where_on_a_run_fails(self, shell: Shell, level: str, text: str, code: int) -> None:
        assert shell("check", "--fail-on", level, shell.save("m.onnx", text)).code == code

    def test_it_may_stand_in_the_file(self, shell: Shell) -> None:
        configure(shell, 'fail-on = "warning"')
        assert shell("check", shell.save("m.onnx", UNKNOWN)).code == 1


def test_rules_are_found_from_the_file(shell: Shell) -> None:
    (shell.folder / "below").mkdir()
    configure(shell, 'rules = ["mine.toml"]')
    configure(shell, 'operators = ["my::Never(x[N, K]) -> [N, 12]"]', "mine.toml")
    model = shell.save("below/m.onnx", UNKNOWN.replace("my.F", "my.Never").replace("N, 3, 4", "N, 3"))
    shell.monkeypatch.chdir(shell.folder / "below")
    assert "no errors, 2 values" in shell("check", model.removeprefix("below/")).out


def test_rules_that_cannot_be_used_are_named(shell: Shell) -> None:
    configure(shell, 'rules = ["none.toml"]')
    ended = shell("check", shell.save("m.onnx"))
    assert ended.err.startswith("Error: cannot load the rules that the configuration names: ")
    assert "none.toml" in ended.err
    assert ended.code == 2


def test_an_expected_contract_that_the_model_breaks_fails_the_run(shell: Shell) -> None:
    configure(shell, '[[models]]\npath = "*.onnx"\ncontract = ["N >= 2"]')
    ended = shell("check", shell.save("m.onnx", EVEN))
    assert ended.out.startswith(
        "error[contract-narrowed]: the model requires N % 2 == 0, but the expected contract allows N = 3"
    )
    assert ended.code == 1


def test_excluded_models_are_skipped_unless_named(shell: Shell) -> None:
    configure(shell, 'exclude = ["old/"]')
    shell.save("d/a.onnx")
    old = shell.save("d/old/b.onnx", BAD)
    assert shell("check", "d").code == 0
    assert shell("check", old).code == 1
    assert shell("check", "--exclude", "a.onnx", "d").code == 1


def test_a_directory_of_which_all_is_excluded_is_an_error(shell: Shell) -> None:
    shell.save("d/a.onnx")
    ended = shell("check", "--exclude", "*.onnx", "d")
    assert "error[unreadable]: the only model here is excluded" in ended.out
    assert ended.code == 2


def test_a_bad_glob_is_bad_usage(shell: Shell) -> None:
    ended = shell("check", "--exclude", "a[", ".")
    assert "'a[' is not a glob: [ is not closed" in ended.err
    assert ended.code == 2
