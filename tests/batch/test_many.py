"""Many models: in order, on any executor, whatever happens to one of them."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, NoReturn

import pytest

import shapeinfer
from shapeinfer import Report, check, check_many
from shapeinfer.batch.many import MAX_PENDING
from shapeinfer.batch.one import check_one
from shapeinfer.batch.processes import each_on_processes
from tests.command import BAD, GOOD, model_bytes
from tests.models import faults

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted(str(path) for path in (ROOT / "examples").rglob("*.onnx"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Ten models, of which the fourth is broken."""
    for i in range(10):
        (tmp_path / f"m{i}.onnx").write_bytes(model_bytes(BAD if i == 3 else GOOD))
    return tmp_path


def outcome(reports: Iterator[tuple[str, Report]]) -> list[tuple[str, list[str]]]:
    return [(Path(path).name, faults(report)) for path, report in reports]


EXPECTED = [(f"m{i}.onnx", ["error not-broadcastable @ 1"] if i == 3 else []) for i in range(10)]


class TestCheckMany:
    def test_without_an_executor(self, folder: Path) -> None:
        assert outcome(check_many([folder])) == EXPECTED

    def test_on_threads(self, folder: Path) -> None:
        with ThreadPoolExecutor(3) as executor:
            assert outcome(check_many([folder], executor=executor)) == EXPECTED

    def test_globs_and_paths_that_find_nothing(self, folder: Path) -> None:
        found = outcome(check_many([folder / "m[34].onnx", folder / "x*.onnx"]))
        assert found == [*EXPECTED[3:5], ("x*.onnx", ["error unreadable"])]

    def test_sizes_hold_for_all(self, folder: Path) -> None:
        reports = dict(check_many([folder / "m0.onnx", folder / "m1.onnx"], bind={"N": 5}))
        assert [r.values["y"].text for r in reports.values()] == ["f32[5, 12]"] * 2

    def test_reports_are_those_of_check_but_light(self) -> None:
        for path, report in check_many(EXAMPLES):
            alone = check(path)
            assert report.to_dict() == alone.to_dict()
            assert report.contract == alone.contract
            assert report.result is None

    def test_it_hands_out_reports_before_all_models_are_submitted(self, tmp_path: Path) -> None:
        (tmp_path / "m.onnx").write_bytes(model_bytes())
        submitted: list[str] = []

        class Now(Executor):
            def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
                submitted.append(args[-1])
                future: Future[Any] = Future()
                future.set_result(fn(*args, **kwargs))
                return future

        paths = [str(tmp_path / "m.onnx") + "/." * i for i in range(MAX_PENDING + 20)]
        next(check_many(paths, executor=Now()))
        assert len(submitted) == MAX_PENDING

    def test_an_executor_that_breaks_is_told_of_each_model(self, folder: Path) -> None:
        class Broken(Executor):
            def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
                raise BrokenExecutor

        found = list(check_many([folder / "m0.onnx"], executor=Broken()))
        assert [faults(report) for _, report in found] == [["error internal-error"]]


class TestOneOfThem:
    @pytest.mark.parametrize(
        ("error", "fault", "message"),
        [
            (MemoryError(), "warning budget-exceeded", "there was not enough memory to check this model"),
            (ZeroDivisionError("no way"), "error internal-error", "shapeinfer failed with ZeroDivisionError: no way ("),
        ],
    )
    def test_what_happens_to_it_is_its_report(
        self, monkeypatch: pytest.MonkeyPatch, error: Exception, fault: str, message: str
    ) -> None:
        def fail(*_: object, **__: object) -> NoReturn:
            raise error

        monkeypatch.setattr("shapeinfer.batch.one.check", fail)
        report = check_one("m.onnx")
        assert faults(report) == [fault]
        assert report.diagnostics[0].message.startswith(message)
        assert report.path == "m.onnx"


class TestAReportThatTravels:
    def test_it_keeps_what_formats_read(self) -> None:
        for path in EXAMPLES:
            whole = check(path)
            assert whole.graph is not None
            came = pickle.loads(pickle.dumps(whole))
            assert came.to_dict() == whole.to_dict()
            assert came.contract == whole.contract
            assert came.values == whole.values
            assert (came.graph.inputs, came.graph.outputs) == (whole.graph.inputs, whole.graph.outputs)

    def test_of_a_file_that_cannot_be_read_too(self) -> None:
        report = check("none.onnx")
        assert pickle.loads(pickle.dumps(report)) == report

    def test_what_is_suppressed_stays_so(self) -> None:
        fault = check("none.onnx").diagnostics
        report = Report((), suppressed=fault)
        assert pickle.loads(pickle.dumps(report)).suppressed == fault


def dies(path: str) -> Report:
    """Check a model, unless its name says that the process is to die of it."""
    if "killer" in path:
        os._exit(9)
    return check(path).light()


def unsendable(path: str) -> Any:
    return lambda: path


class TestProcesses:
    @pytest.fixture(autouse=True)
    def children_find_the_tests(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """A process that starts afresh has this one's path, and imports the functions here by name."""
        monkeypatch.syspath_prepend(str(ROOT))

    def test_reports_come_in_order(self, folder: Path) -> None:
        models = [(str(path), None) for path in sorted(folder.iterdir())]
        assert outcome(each_on_processes(dies, models, 2)) == EXPECTED

    def test_one_that_dies_takes_only_its_model_with_it(self, folder: Path) -> None:
        models = [(str(path), None) for path in sorted(folder.iterdir())]
        models.insert(2, ("killer.onnx", None))
        found = outcome(each_on_processes(dies, models, 2))
        assert found == [*EXPECTED[:2], ("killer.onnx", ["error internal-error"]), *EXPECTED[2:]]

    def test_reports_that_are_there_already_keep_their_place(self, folder: Path) -> None:
        fault = check("none.onnx")
        models = [("none.onnx", fault), (str(folder / "m3.onnx"), None), ("none.onnx", fault)]
        found = outcome(each_on_processes(dies, models, 0))
        assert found == [("none.onnx", ["error unreadable"]), EXPECTED[3], ("none.onnx", ["error unreadable"])]

    def test_what_cannot_be_sent_back_is_told(self, folder: Path) -> None:
        found = list(each_on_processes(unsendable, [(str(folder / "m0.onnx"), None)], 1))
        assert [faults(report) for _, report in found] == [["error internal-error"]]

    def test_each_knows_the_rules(self, tmp_path: Path) -> None:
        (tmp_path / "r.toml").write_text('operators = ["my::F(x[N, A, B]) -> [N, A*B]"]', encoding="utf-8")
        model = GOOD.replace('"" : 20', '"" : 20, "my" : 1').replace("Flatten <axis = 1>", "my.F")
        (tmp_path / "m.onnx").write_bytes(model_bytes(model))
        models = [(str(tmp_path / "m.onnx"), None)]
        assert outcome(each_on_processes(dies, models, 1, [str(tmp_path / "r.toml")])) == [("m.onnx", [])]


def test_what_it_needs_is_not_imported_before_it_is_used() -> None:
    code = "import shapeinfer, shapeinfer.cli, sys; print([m for m in sys.modules if m in {!r}])"
    heavy = ("fsspec", "distributed", "multiprocessing", "concurrent.futures.process", "rich.progress", "pathspec")
    ended = subprocess.run(
        [sys.executable, "-c", code.format(heavy)], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert ended.stdout == "[]\n"
    assert shapeinfer.check_many is check_many


def test_processes_find_no_modules_where_the_models_are(tmp_path: Path) -> None:
    """``python -c``, as processes are started, looks for modules in the working directory first."""
    for name in ("multiprocessing", "pickle", "onnx", "shapeinfer"):
        (tmp_path / f"{name}.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w').close()\n", encoding="utf-8")
    for name in ("a.onnx", "b.onnx"):
        (tmp_path / name).write_bytes(model_bytes())
    script = tmp_path / "bin" / "shapeinfer"
    script.parent.mkdir()
    start = "from shapeinfer.__main__ import main\nif __name__ == '__main__':\n    main()\n"
    script.write_text(f"import sys\nsys.path.append({str(ROOT)!r})\n{start}", encoding="utf-8")
    command = [sys.executable, str(script), "check", "--jobs", "2", "a.onnx", "b.onnx"]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ended.stdout.endswith("2 models: 2 clean, 0 with errors, 0 unreadable\n")
    assert (ended.returncode, ended.stderr) == (0, "")
    assert not (tmp_path / "ran").exists()
