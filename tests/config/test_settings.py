"""What is said of a model by the entries that name it."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from pathspec import GitIgnoreSpec

from shapeinfer.config.globs import fault_of, matches
from shapeinfer.config.patterns import Pattern
from shapeinfer.config.settings import ModelSettings, Settings


@pytest.mark.parametrize(
    ("glob", "path", "named"),
    [
        ("*.onnx", "m/sub/a.onnx", True),
        ("bert*.onnx", "m/bert_base.onnx", True),
        ("bert*.onnx", "m/robert.onnx", False),
        ("m/*.onnx", "m/a.onnx", True),
        ("m/*.onnx", "m/sub/a.onnx", False),
        ("./m/*.onnx", "m/a.onnx", True),
        ("m/**/*.onnx", "m/sub/a.onnx", True),
        ("m/**/*.onnx", "m/a.onnx", True),
        ("m/", "m/sub/a.onnx", True),
        ("a[0-9].onnx", "a7.onnx", True),
        ("a.onnx", "s3://bucket/a.onnx", True),
        ("bucket/*.onnx", "s3://bucket/a.onnx", True),
    ],
)
def test_a_glob_names_models(tmp_path: Path, glob: str, path: str, named: bool) -> None:
    assert matches((glob,), path if "://" in path else str(tmp_path / path), tmp_path) is named


def test_of_globs_one_may_take_back_what_another_names(tmp_path: Path) -> None:
    assert not matches(("*.onnx", "!a.onnx"), str(tmp_path / "a.onnx"), tmp_path)


def test_outside_of_the_folder_globs_without_one_still_name(tmp_path: Path) -> None:
    assert matches(("a.onnx",), str(tmp_path / "a.onnx"), tmp_path / "project")


@pytest.mark.parametrize("glob", ["", " ", "a[", "#a", "../a", "a/../b", "!", "a\\"])
def test_what_is_no_glob_has_a_reason(glob: str) -> None:
    assert fault_of(glob)


@pytest.mark.parametrize("glob", ["[ab].onnx", "[]a].onnx", "[!a]*", "\\[a", "**"])
def test_a_glob_has_no_fault(glob: str) -> None:
    assert fault_of(glob) is None


def test_a_later_entry_wins_by_name_and_adds_to_lists() -> None:
    first = ModelSettings(
        ("*",), {"N": 1, "M": 2}, assume=("N >= 1",), ignore=frozenset({"cycle"}), contract=("N >= 1",)
    )
    second = ModelSettings(("a.onnx",), {"N": 4}, assume=("M >= 1", "N >= 1"))
    found = Settings(models=(first, second)).of("a.onnx")
    assert found.bind == {"N": 4, "M": 2}
    assert found.assume == ("N >= 1", "M >= 1")
    assert found.ignore == {"cycle"}
    assert found.contract == ("N >= 1",)


def test_an_entry_for_other_models_is_ignored() -> None:
    settings = Settings(models=(ModelSettings(("b.onnx",), {"N": 1}),))
    assert settings.of("a.onnx") == ModelSettings()


def test_globs_name_what_pathspec_says() -> None:
    """Its own expressions take a time that has no bound; ours must name the same files."""
    chance = random.Random(1)
    pieces = ["*", "**", "?", "a", "b", "/", "/**/", "**/", "a*", "*b", "[ab]", "[]!a]", "\\a", "a/", "!"]
    differing = []
    for _ in range(500):
        glob = "".join(chance.choice(pieces) for _ in range(chance.randrange(1, 8)))
        if fault_of(glob) is not None:
            continue
        theirs, ours = GitIgnoreSpec.from_lines([glob]), GitIgnoreSpec.from_lines([glob], Pattern)
        for _ in range(4):
            path = "/".join(chance.choice(("a", "b", "ab", "bba")) for _ in range(chance.randrange(1, 6)))
            if theirs.check_file(path) != ours.check_file(path):
                differing.append((glob, path))
    assert differing == []


def test_a_slash_is_none_of_the_characters_in_brackets(tmp_path: Path) -> None:
    assert not matches(("a[!b]c.onnx",), str(tmp_path / "a" / "c.onnx"), tmp_path)


@pytest.mark.parametrize("glob", ["[b-a]", "a" * 5000])
def test_a_range_that_runs_backwards_and_a_glob_longer_than_any_path_are_none(glob: str) -> None:
    assert fault_of(glob)
