"""What others plug in: the pre-commit hook, the GitHub action, and the pipelines that examples/ci.md shows."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import pytest
from packaging.requirements import Requirement

from shapeinfer.cli import cli

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

yaml = pytest.importorskip("yaml")

ROOT = Path(__file__).parents[1]
ACTION = ROOT / ".github" / "actions" / "shapeinfer" / "action.yml"
PINNED = re.compile(r"^([\w.-]+)==([\w.]+)[^\n]*\\\n((?: +--hash=[^\n]*\n)+)", re.MULTILINE)
CI = (ROOT / "examples" / "ci.md").read_text(encoding="utf-8")


def read(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def test_the_hook_runs_a_command_that_there_is_on_models_only() -> None:
    (hook,) = read(ROOT / ".pre-commit-hooks.yaml")
    program, command = hook["entry"].split()
    assert f'\n[project.scripts]\n{program} = "' in (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert command in cli.list_commands(click.Context(cli))
    assert [name for name in ("a.onnx", "m/b.onnx", "a.onnx.txt", "onnx.py") if re.search(hook["files"], name)] == [
        "a.onnx",
        "m/b.onnx",
    ]


def test_the_hook_and_the_action_take_no_file_for_an_option() -> None:
    (hook,) = read(ROOT / ".pre-commit-hooks.yaml")
    assert hook["args"][-1] == "--"
    assert read(ACTION)["runs"]["steps"][1]["run"].splitlines()[-1].endswith(" -- $PATHS")


def test_the_action_installs_the_version_it_came_with() -> None:
    install, _ = read(ACTION)["runs"]["steps"]
    (place,) = re.findall(r'"\$GITHUB_ACTION_PATH/([./]+)"', install["run"])
    assert (ACTION.parent / place / "pyproject.toml").resolve() == ROOT / "pyproject.toml"


def test_the_action_installs_what_is_pinned_by_digest_and_nothing_else() -> None:
    install, _ = read(ACTION)["runs"]["steps"]
    pinned: dict[str, list[str]] = {}
    for name, version, digests in PINNED.findall((ACTION.parent / "requirements.txt").read_text(encoding="utf-8")):
        assert digests.count("--hash=sha256:") >= 1
        pinned.setdefault(name, []).append(version)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    for needed in map(Requirement, [*project["project"]["dependencies"], *project["build-system"]["requires"]]):
        assert pinned.get(needed.name), needed.name
        assert all(needed.specifier.contains(version) for version in pinned[needed.name])
    commands = [line for line in install["run"].splitlines() if " pip install " in line]
    assert [set(line.split()) & {"--require-hashes", "--no-deps", "--no-build-isolation"} for line in commands] == [
        {"--require-hashes"},
        {"--no-deps", "--no-build-isolation"},
    ]


def test_the_action_finds_no_module_in_what_it_checks() -> None:
    """``-m`` puts the working directory on Python's path, which here is a pull request's; ``-I`` leaves it out."""
    scripts = "".join(step["run"] for step in read(ACTION)["runs"]["steps"])
    assert re.findall(r" -m (\w+)", scripts) == re.findall(r"(?:python3|\$python\") -I -m (\w+)", scripts)
    assert re.findall(r" -m (\w+)", scripts) == ["venv", "pip", "pip", "shapeinfer"]


@pytest.mark.parametrize(
    ("inputs", "words"),
    [
        ({}, ["--", "."]),
        ({"args": "--jobs 0", "paths": "a 'b*.onnx"}, ["--jobs", "0", "--", "a", "'b*.onnx"]),
        ({"paths": "$(touch made) ; touch made"}, ["--", "$(touch", "made)", ";", "touch", "made"]),
    ],
)
def test_the_action_hands_over_words_and_nothing_is_run_of_them(
    tmp_path: Path, inputs: dict[str, str], words: list[str]
) -> None:
    action = read(ACTION)
    step = action["runs"]["steps"][1]
    given = {name: inputs.get(name, spec["default"]) for name, spec in action["inputs"].items()}
    environment = {k: re.sub(r"\$\{\{ inputs\.(\w+) \}\}", lambda m: given[m[1]], v) for k, v in step["env"].items()}
    program = tmp_path / "shapeinfer" / "bin" / "python"
    program.parent.mkdir(parents=True)
    program.write_text('#!/bin/sh\nfor word; do echo "$word"; done\n', encoding="utf-8")
    program.chmod(0o755)
    (tmp_path / "b1.onnx").touch()
    environment |= {"PATH": "/usr/bin:/bin", "RUNNER_TEMP": str(tmp_path)}
    ended = subprocess.run(
        ["bash", "-e", "-c", step["run"]], env=environment, cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert ended.stdout.splitlines() == ["-I", "-m", "shapeinfer", "check", "--format", "github", *words]
    assert not (tmp_path / "made").exists()


def test_the_pipelines_shown_are_yaml_and_use_what_there_is() -> None:
    shown = (yaml.safe_load(text) for text in re.findall(r"^```yaml\n(.*?)^```$", CI, re.M | re.S))
    github, scanning, gitlab, hooks = shown
    assert [s["with"]["sarif_file"] in scanning[0]["run"] for s in scanning if "with" in s] == [True]
    (step,) = [s for s in github["jobs"]["models"]["steps"] if "shapeinfer" in s.get("uses", "")]
    assert step["uses"].split("@")[0].removeprefix("OWNER/shapeinfer/") == str(ACTION.parent.relative_to(ROOT))
    assert set(step["with"]) <= set(read(ACTION)["inputs"])
    assert github["permissions"] == {"contents": "read"}
    assert gitlab["shapeinfer"]["artifacts"]["reports"]["junit"] in gitlab["shapeinfer"]["script"][-1]
    assert hooks["repos"][0]["hooks"][0]["id"] == read(ROOT / ".pre-commit-hooks.yaml")[0]["id"]


@pytest.mark.parametrize("line", re.findall(r"^ *(?:- )?shapeinfer (\w+ .*)$", CI, re.MULTILINE))
def test_the_options_shown_there_are(line: str) -> None:
    command, *words = line.split()
    named = cli.get_command(click.Context(cli), command)
    assert named is not None
    known = {name for parameter in named.params for name in parameter.opts}
    assert {word for word in words if word.startswith("-")} <= known
