"""Many models on the command line: one summary, jobs, a bar on a terminal only, and watching."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from shapeinfer.batch.progress import FEWEST
from shapeinfer.cli import watch
from shapeinfer.cli.request import Request
from shapeinfer.config.settings import ModelSettings, Settings
from tests.command import BAD, GOOD, Shell, model_bytes

ROOT = Path(__file__).parents[1]
WARNED = GOOD.replace('"" : 20', '"" : 20, "my" : 1').replace("Flatten <axis = 1>", "my.F")


def last(text: str) -> str:
    return text.splitlines()[-1]


class TestTheSummary:
    def test_it_counts_models_by_what_became_of_them(self, shell: Shell) -> None:
        for name, text in (("a", GOOD), ("b", BAD), ("c", WARNED), ("d", GOOD)):
            shell.save(f"d/{name}.onnx", text)
        (shell.folder / "d" / "e.onnx").write_bytes(b"")
        assert last(shell("check", "d").out) == "5 models: 2 clean, 1 with warnings, 1 with errors, 1 unreadable"

    def test_a_directory_of_one_has_one_too(self, shell: Shell) -> None:
        shell.save("d/a.onnx")
        assert last(shell("check", "d").out) == "1 model: 1 clean, 0 with errors, 0 unreadable"

    def test_one_file_has_none(self, shell: Shell) -> None:
        assert "1 model" not in shell("check", shell.save("a.onnx")).out

    def test_programs_get_none(self, shell: Shell) -> None:
        shell.save("d/a.onnx")
        assert list(json.loads(shell("check", "--format", "json", "d").out)) == ["files"]


class TestJobs:
    def test_the_output_is_that_of_one_process(self, shell: Shell) -> None:
        for i in range(6):
            shell.save(f"d/m{i}.onnx", BAD if i == 2 else GOOD)
        (shell.folder / "shapeinfer.toml").write_text(
            '[[models]]\npath = "m1.onnx"\nbind = { N = 4 }', encoding="utf-8"
        )
        alone, together = (shell("check", "--jobs", jobs, "d", "-", stdin=model_bytes()) for jobs in ("1", "2"))
        assert together == alone
        assert together.code == 1

    def test_a_process_works_out_no_contract_that_nobody_reads(
        self, shell: Shell, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def refused(*asked: object) -> object:
            raise AssertionError("nobody reads the contract")

        monkeypatch.setattr("shapeinfer.infer.result.contract_of", refused)
        asked = Request(Settings(), ModelSettings())
        assert asked.check_apart(shell.save("m.onnx"), contract=False).contract == ()

    @pytest.mark.parametrize("jobs", ["-1", "two"])
    def test_another_number_is_bad_usage(self, shell: Shell, jobs: str) -> None:
        assert shell("check", "--jobs", jobs, ".").code == 2


class TestTheBar:
    def start(self, tmp_path: Path, count: int, *, terminal: bool) -> bytes:
        """What a run over models writes to its standard error."""
        pty = pytest.importorskip("pty")
        for i in range(count):
            (tmp_path / f"m{i}.onnx").write_bytes(model_bytes())
        command = [sys.executable, "-m", "shapeinfer", "check", "--format", "json", str(tmp_path)]
        here, there = pty.openpty()
        environment = os.environ | {"TERM": "xterm", "COLUMNS": "60"}
        with subprocess.Popen(
            command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=there if terminal else subprocess.PIPE
        ) as process:
            os.close(there)
            out, err = process.communicate(timeout=60)
        assert len(json.loads(out)["files"]) == count
        seen = err or b""
        try:
            while chunk := os.read(here, 65536):
                seen += chunk
        except OSError:
            pass  # the other end is closed and nothing is left
        os.close(here)
        return seen

    def test_a_terminal_gets_one(self, tmp_path: Path) -> None:
        assert b"checking" in self.start(tmp_path, FEWEST, terminal=True)

    def test_nothing_else_does(self, tmp_path: Path) -> None:
        assert self.start(tmp_path, FEWEST, terminal=False) == b""

    def test_a_few_models_need_none(self, tmp_path: Path) -> None:
        assert self.start(tmp_path, FEWEST - 1, terminal=True) == b""


class TestWatching:
    def test_each_change_is_checked_and_ctrl_c_ends_it(self, shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
        model = shell.folder / shell.save("d/a.onnx")
        edits: list[Callable[[], object]] = [
            lambda: None,
            lambda: model.write_bytes(model_bytes(BAD)),
            lambda: shell.save("d/b.onnx"),
            model.unlink,
        ]

        def sleep(_seconds: float) -> None:
            if not edits:
                raise KeyboardInterrupt
            edits.pop(0)()

        monkeypatch.setattr(time, "sleep", sleep)
        ended = shell("check", "--watch", "d")
        counts = [line for line in ended.out.splitlines() if line.endswith("unreadable")]
        assert counts == [
            "1 model: 1 clean, 0 with errors, 0 unreadable",
            "1 model: 0 clean, 1 with errors, 0 unreadable",
            "2 models: 1 clean, 1 with errors, 0 unreadable",
            "1 model: 1 clean, 0 with errors, 0 unreadable",
        ]
        assert ended.err.count("Ctrl-C ends") == 4
        assert ended.code == 0

    def test_standard_input_cannot_be_watched(self, shell: Shell) -> None:
        assert shell("check", "--watch", "-").code == 2

    def test_it_looks_often_enough(self) -> None:
        assert 0.1 <= watch.INTERVAL <= 1
