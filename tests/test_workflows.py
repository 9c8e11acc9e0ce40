"""What the workflows may do and what they install, none of which changes unless a commit of this repository says so."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement

from tests import releases

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

yaml = pytest.importorskip("yaml")

ROOT = Path(__file__).parents[1]
GITHUB = ROOT / ".github"
WORKFLOWS = sorted((GITHUB / "workflows").glob("*.yml"))
STEPS = [*WORKFLOWS, *sorted((GITHUB / "actions").rglob("*.yml"))]
"""All that GitHub runs of this repository."""
PINNED = re.compile(r"[\w.-]+/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+")
OWN = "$/"
"""What is of the same commit as the workflow that names it."""
LOCKS = [ROOT / ".ci" / "requirements.txt", ROOT / ".ci" / "tools.txt", GITHUB / "actions/shapeinfer/requirements.txt"]
WRITES = {
    ("release.yml", "attest"): {"id-token", "attestations"},
    ("release.yml", "publish"): {"id-token"},
}
"""The jobs that may do more than read."""

named = pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)


def read(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def triggers(path: Path) -> dict[str, Any]:
    found = read(path)[True]  # YAML 1.1 reads on as true
    return found if isinstance(found, dict) else dict.fromkeys([found] if isinstance(found, str) else found)


def jobs(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = read(path)["jobs"]
    return found


def steps(path: Path) -> list[dict[str, Any]]:
    return [step for job in jobs(path).values() for step in job.get("steps", [])]


def locked(path: Path) -> dict[str, list[str]]:
    """The versions that a lock file pins for each name."""
    found: dict[str, list[str]] = {}
    for name, version in re.findall(r"^([\w.-]+)==([\w.]+)", path.read_text(encoding="utf-8"), re.MULTILINE):
        found.setdefault(name, []).append(version)
    return found


def test_there_are_workflows_to_look_at() -> None:
    assert {path.name for path in STEPS} == {"ci.yml", "audit.yml", "release.yml", "releases.yml", "action.yml"}


def test_every_action_is_pinned_by_the_digest_of_a_commit_and_says_its_version() -> None:
    used = [
        (path.name, line.partition("uses:")[2].strip())
        for path in STEPS
        for line in path.read_text(encoding="utf-8").splitlines()
        if re.match(r"\s*(- )?[\"']?uses\b", line)
    ]
    assert len(used) >= 9
    assert [what for what in used if not PINNED.fullmatch(what[1]) and not what[1].startswith(OWN)] == []


def test_an_action_is_pinned_to_one_commit() -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in STEPS)
    pins: dict[str, set[str]] = {}
    for name, rest in re.findall(r"uses: ([\w./-]+)@(.*)", text):
        pins.setdefault(name, set()).add(rest)
    assert {name: found for name, found in pins.items() if len(found) > 1} == {}


@named
def test_a_workflow_may_do_nothing_and_a_job_what_it_states(path: Path) -> None:
    assert read(path)["permissions"] == {}
    for name, job in jobs(path).items():
        granted = job["permissions"]
        assert set(granted.values()) <= {"read", "write"}, name
        assert {what for what, how in granted.items() if how == "write"} == WRITES.get((path.name, name), set()), name


@named
def test_what_strangers_wrote_runs_without_secrets(path: Path) -> None:
    assert triggers(path).keys() <= {"push", "pull_request", "schedule", "workflow_call", "workflow_dispatch"}
    assert "secrets" not in path.read_text(encoding="utf-8")


@named
def test_no_token_is_left_in_the_checkout(path: Path) -> None:
    for step in steps(path):
        if step.get("uses", "").startswith("actions/checkout@"):
            assert step["with"]["persist-credentials"] is False


def test_no_text_of_an_event_becomes_part_of_a_script() -> None:
    scripts = [step["run"] for path in WORKFLOWS for step in steps(path) if "run" in step]
    scripts += [step["run"] for path in STEPS if path not in WORKFLOWS for step in read(path)["runs"]["steps"]]
    assert len(scripts) >= 8
    assert [script for script in scripts if "${{" in script] == []


@named
def test_what_is_installed_is_checked_against_digests(path: Path) -> None:
    fetching = [step["run"] for step in steps(path) if re.search(r"\bpip (install|download)\b", step.get("run", ""))]
    assert [run for run in fetching if "--require-hashes --only-binary :all:" not in run] == []
    assert [run for run in fetching if ".ci/requirements.txt" not in run and ".ci/tools.txt" not in run] == []


@pytest.mark.parametrize("path", LOCKS, ids=lambda path: path.name)
def test_a_lock_file_has_digests_and_names_no_index(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    pins = re.split(r"\n(?=[\w.-]+==)", text)[1:]
    assert len(pins) > 10
    assert [pin.splitlines()[0] for pin in pins if not re.search(r"--hash=sha256:[0-9a-f]{64}", pin)] == []
    assert "://" not in text
    assert not re.search(r"^\s*-(-(extra-)?index|-find|i |f )", text, re.MULTILINE)


def test_the_lock_files_pin_what_is_needed() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    own, build = project["project"], project["build-system"]["requires"]
    needed = [*own["dependencies"], *own["optional-dependencies"]["test"], *build]
    for path, asked in ((LOCKS[0], needed), (LOCKS[1], ["build", "pip-audit", *build])):
        pins = locked(path)
        for requirement in map(Requirement, asked):
            assert pins.get(requirement.name), requirement.name
            assert all(requirement.specifier.contains(version) for version in pins[requirement.name])


def test_every_lock_file_is_audited_each_week() -> None:
    audit = GITHUB / "workflows" / "audit.yml"
    (script,) = (step["run"] for step in steps(audit) if "pip_audit" in step.get("run", ""))
    assert re.findall(r"--requirement (\S+)", script) == [path.relative_to(ROOT).as_posix() for path in LOCKS]
    assert "schedule" in triggers(audit)


def test_new_releases_with_operators_are_looked_for_each_day() -> None:
    path = GITHUB / "workflows" / "releases.yml"
    assert triggers(path).keys() == {"schedule", "workflow_dispatch"}
    assert [step["run"] for step in steps(path) if "run" in step] == ["python3 -I tests/releases.py"]
    lock = LOCKS[0].read_text(encoding="utf-8")
    assert {package: releases.pinned(package, lock) in locked(LOCKS[0])[package] for package in releases.PACKAGES} == {
        "onnx": True,
        "onnxruntime": True,
    }


@pytest.mark.parametrize(("newest", "is_newer"), [("1.9.0", False), ("1.32.0", False), ("1.32.1", True), ("2.0", True)])
def test_a_release_is_newer_by_its_numbers(newest: str, is_newer: bool) -> None:
    assert bool(releases.newer("onnxruntime", "1.32.0", newest)) is is_newer
    assert releases.pinned("onnx", "onnx==1.9.0 ; x\nonnx==1.23.2 \\\nonnx-ir==7.0\n") == "1.23.2"


def test_a_release_is_made_from_a_tag_that_was_checked_and_is_published_where_a_person_approves() -> None:
    release = GITHUB / "workflows" / "release.yml"
    assert triggers(release) == {"push": {"tags": ["v*"]}}
    found = jobs(release)
    assert [(name, job.get("needs")) for name, job in found.items()] == [
        ("checks", None),
        ("build", "checks"),
        ("attest", "build"),
        ("publish", "attest"),
    ]
    assert [name for name, job in found.items() if "environment" in job] == ["publish"]
    assert found["publish"]["environment"] == "release"


def test_each_python_that_the_project_names_is_checked() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    named = re.findall(r"Python :: (3\.\d+)", "\n".join(project["classifiers"]))
    for name, job in (("ci.yml", "checks"), ("audit.yml", "audit")):
        assert jobs(GITHUB / "workflows" / name)[job]["strategy"]["matrix"]["python"] == named
