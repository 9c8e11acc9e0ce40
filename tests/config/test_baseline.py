"""A baseline holds what is known; only what is new is told, and what is known and gone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.command import BAD, GOOD, Shell

TWICE = BAD.replace("y = Add (a, t)", "y = Add (a, t)\n    z = Add (c, t)").replace(" b)", " b, float[N, 32] c)")
"""A second fault of another operand."""


def text(shell: Shell, name: str = "known.json") -> str:
    return (shell.folder / name).read_text(encoding="ascii")


@pytest.fixture
def known(shell: Shell) -> Shell:
    """A shell with a broken model and a baseline that knows its fault."""
    shell("check", shell.save("d/bad.onnx", BAD), "--write-baseline", "known.json")
    return shell


class TestWriting:
    def test_it_holds_every_finding_by_model(self, known: Shell) -> None:
        whole = json.loads(text(known))
        (entry,) = whole["models"]["d/bad.onnx"]
        assert whole["version"] == 1
        assert sorted(entry) == ["code", "count", "fingerprint", "message"]
        assert (entry["code"], entry["count"]) == ("not-broadcastable", 1)

    def test_what_goes_into_it_fails_the_run_no_more(self, shell: Shell) -> None:
        ended = shell("check", shell.save("bad.onnx", BAD), "--write-baseline", "known.json")
        assert ended.out == "bad.onnx: no errors, 4 values, no conditions\n1 finding suppressed\n"
        assert ended.code == 0

    def test_a_model_that_cannot_be_read_is_never_known(self, shell: Shell) -> None:
        ended = shell("check", "none.onnx", "--write-baseline", "known.json")
        assert json.loads(text(shell))["models"] == {}
        assert ended.code == 2

    def test_models_are_named_from_its_folder(self, shell: Shell) -> None:
        (shell.folder / "ci").mkdir()
        shell("check", str(shell.folder / shell.save("d/bad.onnx", BAD)), "--write-baseline", "ci/known.json")
        assert list(json.loads(text(shell, "ci/known.json"))["models"]) == ["../d/bad.onnx"]

    def test_the_order_of_the_models_changes_nothing(self, shell: Shell) -> None:
        names = [shell.save("a.onnx", BAD), shell.save("b.onnx", TWICE)]
        shell("check", *names, "--write-baseline", "one.json")
        shell("check", *reversed(names), "--write-baseline", "two.json")
        assert text(shell, "one.json") == text(shell, "two.json")

    def test_a_place_that_is_none_is_reported(self, shell: Shell) -> None:
        ended = shell("check", shell.save("m.onnx"), "--write-baseline", "none/known.json")
        assert "none/known.json was not written: the directory none does not exist" in ended.err
        assert ended.code == 2


class TestReading:
    def test_what_is_known_is_counted_and_not_reported(self, known: Shell) -> None:
        ended = known("check", "d/bad.onnx", "--baseline", "known.json")
        assert ended.out == "d/bad.onnx: no errors, 4 values, no conditions\n1 finding suppressed\n"
        assert ended.code == 0

    def test_from_another_folder_too(self, known: Shell) -> None:
        known.monkeypatch.chdir(known.folder / "d")
        assert known("check", "bad.onnx", "--baseline", "../known.json").code == 0

    def test_nodes_that_were_added_before_change_nothing(self, known: Shell) -> None:
        known.save("d/bad.onnx", BAD.replace("t = Relu (b)", "r = Relu (a)\n    t = Relu (b)"))
        assert known("check", "d/bad.onnx", "--baseline", "known.json").code == 0

    def test_a_second_of_the_same_is_new(self, known: Shell) -> None:
        known.save("d/bad.onnx", TWICE)
        ended = known("check", "d/bad.onnx", "--baseline", "known.json")
        assert "1 error in d/bad.onnx\n1 finding suppressed\n" in ended.out
        assert ended.code == 1

    def test_the_same_in_another_model_is_new(self, known: Shell) -> None:
        assert known("check", known.save("other.onnx", BAD), "--baseline", "known.json").code == 1

    def test_what_no_longer_occurs_is_a_note(self, known: Shell) -> None:
        known.save("d/bad.onnx", GOOD)
        ended = known("check", "d/bad.onnx", "--baseline", "known.json")
        assert ended.out.startswith(
            "warning[baseline-outdated]: the baseline lists a not-broadcastable here that no longer occurs: "
        )
        assert ended.code == 0

    def test_what_was_not_looked_for_is_not_said_to_be_gone(self, known: Shell) -> None:
        ended = known("check", "d/bad.onnx", "--baseline", "known.json", "--ignore", "not-broadcastable")
        assert "baseline-outdated" not in ended.out

    def test_of_a_model_that_cannot_be_read_nothing_is_reported_to_be_gone(self, known: Shell) -> None:
        (known.folder / "d" / "bad.onnx").write_bytes(b"")
        ended = known("check", "d/bad.onnx", "--baseline", "known.json")
        assert "baseline-outdated" not in ended.out
        assert ended.code == 2

    def test_a_model_that_is_gone_is_a_note(self, known: Shell) -> None:
        (known.folder / "d" / "bad.onnx").unlink()
        ended = known("check", known.save("m.onnx"), "--baseline", "known.json")
        assert ended.err == "note: known.json lists d/bad.onnx, which no longer exists\n"
        assert ended.code == 0

    def test_another_may_be_written_from_it(self, known: Shell) -> None:
        known.save("d/bad.onnx", TWICE)
        known("check", "d/bad.onnx", "--baseline", "known.json", "--write-baseline", "known.json")
        entries = json.loads(text(known))["models"]["d/bad.onnx"]
        assert sum(entry["count"] for entry in entries if entry["code"] == "not-broadcastable") == 2

    @pytest.mark.parametrize(
        ("content", "message"),
        [
            (None, "known.json cannot be read: No such file or directory"),
            ("{", "known.json is not a baseline: invalid JSON"),
            ("[]", "known.json is not a baseline: it has no version and models; create one with --write-baseline"),
            ('{"version": 1, "models": []}', "known.json is not a baseline: it has no version and models"),
            (
                '{"version": 2, "models": {}}',
                "known.json is a baseline of version 2; this shapeinfer supports version 1",
            ),
            (
                '{"version": 1, "models": {"m": 1}}',
                "known.json is not a valid baseline; create it again with --write-baseline",
            ),
            (
                '{"version": 1, "models": {"m": [{"fingerprint": 1}]}}',
                "known.json is not a valid baseline; create it again",
            ),
        ],
    )
    def test_what_is_no_baseline_is_refused(self, shell: Shell, content: str | None, message: str) -> None:
        if content is not None:
            Path("known.json").write_text(content, encoding="ascii")
        ended = shell("check", shell.save("m.onnx"), "--baseline", "known.json")
        assert message in ended.err
        assert (ended.code, ended.out) == (2, "")
