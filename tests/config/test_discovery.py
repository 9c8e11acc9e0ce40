"""Which file holds, and how each mistake in it is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from shapeinfer.config.discovery import ConfigError, nearest, settings_from
from shapeinfer.config.settings import FailOn, ModelSettings, Settings
from shapeinfer.diagnostics.codes import Severity

WHOLE = """
select = ["not-broadcastable", "label-conflict"]
ignore = ["label-conflict"]
fail-on = "warning"
max-seconds = 2.5
max-memory = 512
max-expression = 99
suppressions = false
exclude = ["vendored/", "*_old.onnx"]
rules = ["rules.toml"]

[severity]
label-conflict = "note"
cycle = "off"

[[models]]
path = "bert*.onnx"
bind = { batch = 1 }
shapes = { x = [1, 3] }
range = { seq = "1..512", past = "0.." }
assume = ["seq % 8 == 0"]
ignore = ["cycle"]
contract = ["seq <= 512"]
"""


def written(folder: Path, text: str, name: str = "shapeinfer.toml") -> Path:
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return file


def mistakes(folder: Path, text: str, name: str = "shapeinfer.toml") -> list[str]:
    with pytest.raises(ConfigError) as error:
        settings_from(written(folder, text, name))
    return error.value.lines(folder)


def test_every_key_is_read(tmp_path: Path) -> None:
    assert settings_from(written(tmp_path, WHOLE)) == Settings(
        folder=tmp_path,
        select=frozenset({"not-broadcastable", "label-conflict"}),
        ignore=frozenset({"label-conflict"}),
        severity={"label-conflict": Severity.NOTE, "cycle": None},
        fail_on=FailOn.WARNING,
        max_seconds=2.5,
        max_memory=512,
        max_expression=99,
        suppressions=False,
        exclude=("vendored/", "*_old.onnx"),
        rules=("rules.toml",),
        models=(
            ModelSettings(
                ("bert*.onnx",),
                {"batch": 1},
                {"x": (1, 3)},
                {"seq": (1, 512), "past": (0, None)},
                ("seq % 8 == 0",),
                frozenset({"cycle"}),
                ("seq <= 512",),
            ),
        ),
    )


def test_a_glob_is_a_model_without_settings_of_its_own(tmp_path: Path) -> None:
    settings = settings_from(written(tmp_path, 'models = ["out/*.onnx", { path = "a.onnx", bind = { N = 1 } }]'))
    assert settings.models == (ModelSettings(("out/*.onnx",)), ModelSettings(("a.onnx",), {"N": 1}))


class TestWhichFileHolds:
    def test_none_is_no_settings(self, tmp_path: Path) -> None:
        assert nearest(tmp_path) == Settings()

    def test_the_nearest_and_nothing_of_those_above(self, tmp_path: Path) -> None:
        written(tmp_path, 'ignore = ["cycle"]')
        written(tmp_path / "a", 'fail-on = "warning"')
        assert nearest(tmp_path / "a" / "b") == Settings(folder=tmp_path / "a", fail_on=FailOn.WARNING)

    def test_a_pyproject_counts_where_it_has_a_section(self, tmp_path: Path) -> None:
        written(tmp_path, '[tool.shapeinfer]\nfail-on = "warning"', "pyproject.toml")
        written(tmp_path / "a", "[project]", "pyproject.toml")
        assert nearest(tmp_path / "a").folder == tmp_path

    def test_a_file_of_its_own_comes_before_pyproject(self, tmp_path: Path) -> None:
        written(tmp_path, '[tool.shapeinfer]\nfail-on = "warning"', "pyproject.toml")
        written(tmp_path, 'fail-on = "incomplete"')
        assert nearest(tmp_path).fail_on is FailOn.INCOMPLETE

    def test_a_pyproject_that_is_asked_for_needs_a_section(self, tmp_path: Path) -> None:
        assert mistakes(tmp_path, "[project]", "pyproject.toml") == [
            "pyproject.toml: the section [tool.shapeinfer] is missing"
        ]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("selct = []", ":1: selct: unknown key; did you mean select?"),
        (
            "\nzzz = 1",
            ":2: zzz: unknown key; expected one of select, ignore, severity, fail-on, strict, ",
        ),
        ('select = "cycle"', """:1: select: expected a list of codes, such as ["not-broadcastable"], found 'cycle'"""),
        ("select = [1]", ":1: select[0]: expected text, found 1"),
        ('ignore = ["cycel"]', ":1: ignore[0]: unknown code 'cycel'; did you mean cycle?"),
        (
            'ignore = ["unreadable"]',
            ":1: ignore[0]: unreadable cannot be turned off: it means that the model was not checked",
        ),
        ("severity = 1", ":1: severity: expected a table, found 1"),
        (
            '[severity]\n\ncycle = "fatal"',
            ":3: severity.cycle: expected one of error, warning, note, off, found 'fatal'",
        ),
        ('severity = { cycel = "off" }', ":1: severity.cycel: unknown code 'cycel'; did you mean cycle?"),
        ('severity.unreadable = "off"', ":1: severity.unreadable: unreadable cannot be turned off: it means that"),
        ("suppressions = 1", ":1: suppressions: expected true or false, found 1"),
        ("max-memory = 0", ":1: max-memory: a limit must be greater than 0, found 0"),
        ("max-seconds = nan", ":1: max-seconds: a limit must be greater than 0, found nan"),
        ("max-expression = 2.5", ":1: max-expression: expected an integer, found 2.5"),
        ('max-seconds = "long"', ":1: max-seconds: expected a number, found 'long'"),
        ("fail-on = true", ":1: fail-on: expected text, found true"),
        ('exclude = ["a["]', ":1: exclude[0]: 'a[' is not a valid glob: [ is not closed"),
        (
            'exclude = "../m"',
            ":1: exclude: '../m' is not a valid glob: it points outside the folder of its configuration file",
        ),
        (
            "models = 1",
            ':1: models: expected a list of globs, such as ["models/*.onnx"], or of tables under [[models]], found 1',
        ),
        ('models = ["a["]', ":1: models[0]: 'a[' is not a valid glob: [ is not closed"),
        ("[[models]]", ':1: models[0]: missing path, such as path = "models/*.onnx"'),
        ('[[models]]\npath = ""', ":2: models[0].path: '' is not a valid glob: it is empty"),
        ('[[models]]\npath = "a"\n[[models]]\npaht = "b"\npath = "b"', ":4: models[1].paht: unknown key; did"),
        ('[[models]]\npath = "a"\n[models.bind]\nN = 2.5', ":4: models[0].bind.N: expected a dim size, found 2.5"),
        ('[[models]]\npath = "a"\nbind = { N = true }', ":3: models[0].bind.N: expected a dim size, found true"),
        ('[[models]]\npath = "a"\nbind = { N = -1 }', ":3: models[0].bind.N: a dim size must be at least 0, found -1"),
        (
            '[[models]]\npath = "a"\nshapes = { x = 3 }',
            ":3: models[0].shapes.x: expected a list of dim sizes, such as [1",
        ),
        (
            '[[models]]\npath = "a"\nrange = { N = "8" }',
            """:3: models[0].range.N: expected a range, such as "1..8" or""",
        ),
        ('[[models]]\npath = "a"\nassume = ["N >"]', ":3: models[0].assume[0]: 'N >' is no condition such as"),
        (
            '[[models]]\npath = "a"\ncontract = ["N % 0 == 0 == 1"]',
            ":3: models[0].contract[0]: 'N % 0 == 0 == 1' is no",
        ),
        ("a = 1979-05-27", ":1: a: unknown key"),
        ("a = =", ":1: invalid TOML: Invalid value"),
    ],
)
def test_a_mistake_is_located_and_explained(tmp_path: Path, text: str, line: str) -> None:
    (said,) = mistakes(tmp_path, text)
    assert said.startswith(f"shapeinfer.toml{line}")


def test_in_a_pyproject_keys_are_named_in_full(tmp_path: Path) -> None:
    said = mistakes(tmp_path, "[tool.shapeinfer.severity]\n# why\n'a b' = 1", "pyproject.toml")
    assert said[0] == 'pyproject.toml:3: tool.shapeinfer.severity."a b": expected text, found 1'


def test_all_mistakes_are_reported_at_once(tmp_path: Path) -> None:
    assert len(mistakes(tmp_path, 'selct = []\nignore = ["cycel", "cycle", 1]\nfail-on = "never"')) == 4


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"\xff", "it is not UTF-8"),
        (b"a = " + b"[" * 5000, "invalid TOML: it is nested too deeply"),
        (b"a = " + b"9" * 5000, "a number in it has too many digits"),
    ],
)
def test_what_is_no_text_is_no_failure(tmp_path: Path, data: bytes, message: str) -> None:
    (tmp_path / "shapeinfer.toml").write_bytes(data)
    with pytest.raises(ConfigError, match=message):
        nearest(tmp_path)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"none\.toml: it cannot be read: No such file"):
        settings_from(tmp_path / "none.toml")
