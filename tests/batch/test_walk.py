"""What globs name, compared with Python's own, and with links that lead round in circles."""

from __future__ import annotations

import glob
import inspect
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from shapeinfer.batch.walk import files_below, matching
from tests.effort import within

FILES = ("a.onnx", "b.txt", "d/a.onnx", "d/sub/c.onnx", "d/sub/.x.onnx", "e[1]/f.onnx", ".git/g.onnx", "d/.h/i.onnx")
PATTERNS = [
    *("*", "*.onnx", "**", "**/*", "**/*.onnx", "**/**/*.onnx", "d/**", "d/**/*.onnx", "*/*", "*/*/*", "*/", "d/*/"),
    *("**/sub/*", "**/sub/**/c.onnx", "**/c.onnx", "d/../d/*.onnx", "./d/*.onnx", ".*", ".*/*", "d/.h/*", "**/.h/*"),
    *("e[[]1]/*", "[a-c]*", "?.onnx", "none/*", "a.onnx/*", "*/none", "**/d", "***.onnx", "d/[!a]*"),
]


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in FILES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    monkeypatch.chdir(tmp_path)


def by_python(pattern: str) -> list[str]:
    return files(glob.glob(pattern, recursive=True))  # noqa: PTH207 - Path.glob names files in another way


def files(names: list[str]) -> list[str]:
    return sorted({name for name in names if not Path(name).is_dir()})


@pytest.mark.parametrize("pattern", PATTERNS)
def test_where_there_are_no_links_it_is_python_s(pattern: str, tmp_path: Path) -> None:
    assert files(matching(pattern)) == by_python(pattern)
    whole = f"{tmp_path}/{pattern}"
    assert files(matching(whole)) == by_python(whole)


def test_two_stars_follow_no_link() -> None:
    Path("link").symlink_to("d")
    assert files(matching("**/*.onnx")) == ["a.onnx", "d/a.onnx", "d/sub/c.onnx", "e[1]/f.onnx"]


def test_a_link_that_is_named_is_followed() -> None:
    Path("link").symlink_to("d")
    assert matching("link/*.onnx") == ["link/a.onnx"]
    assert matching("l*/*.onnx") == ["link/a.onnx"]


@pytest.mark.parametrize("pattern", ["**/*.onnx", "**/**/x/**/y", "*/*/*/*/*/*/*/*/*/*/*/*/*.onnx", "**/*/**/*/**/*/*"])
def test_links_that_lead_back_cost_nothing(pattern: str) -> None:
    for name in "pqrstuv":
        Path(name).symlink_to(".")
    with within(5000):
        matching(pattern)


def test_each_directory_is_searched_once_by_whatever_name() -> None:
    Path("c").symlink_to("d")
    assert matching("[cd]/*.onnx") == ["c/a.onnx"]


@pytest.fixture
def few_calls() -> Iterator[int]:
    """How many calls may be nested, from now on."""
    before, few = sys.getrecursionlimit(), 60
    sys.setrecursionlimit(len(inspect.stack(0)) + few)
    yield few
    sys.setrecursionlimit(before)


def test_directories_may_be_nested_deeper_than_calls(tmp_path: Path, few_calls: int) -> None:
    folder = tmp_path
    for _ in range(3 * few_calls):
        folder /= "n"
        folder.mkdir()
    (folder / "a.onnx").touch()
    failed: list[OSError] = []
    assert str(folder / "a.onnx") in set(files_below(str(tmp_path), failed))
    assert failed == []


def test_all_files_are_below_a_directory_and_links_lead_nowhere(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(".")
    (tmp_path / "file").symlink_to("b.txt")
    assert sorted(files_below(".", [])) == sorted(f"./{name}" for name in (*FILES, "file"))
