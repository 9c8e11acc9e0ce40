"""What holds for the repository as a whole: one version, one set of commands, names and sizes."""

import os
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "shapeinfer"
CI = ROOT / ".ci" / "run"

MAX_LINES = 400
# Path under shapeinfer -> why it may be longer.
LONG_MODULES: dict[str, str] = {}

NAMES_THAT_SAY_NOTHING = {"utils", "util", "helpers", "helper", "common", "core", "base", "misc", "manager"}

# Put together here, so that this file does not contain what it looks for.
UNWANTED = [f"/{folder}/" for folder in ("work", "root")] + [
    ".".join(host) for host in (("pypi", "org"), ("pythonhosted", "org"))
]


def tracked_files() -> list[Path]:
    if not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    listing = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True)
    paths = [ROOT / name for name in listing.stdout.split("\0") if name]
    return [path for path in paths if path.is_file()]


def readme_commands(marker: str) -> str:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    fences = re.findall(rf"^<!-- ci: {marker} -->\n```sh\n(.*?)^```$", readme, re.MULTILINE | re.DOTALL)
    assert len(fences) == 1, f"README.md marks {len(fences)} fences with {marker!r}"
    commands: str = fences[0]
    return commands


def test_the_version_is_stated_once() -> None:
    pyproject = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    (version,) = re.findall(r'^version = "(\d+\.\d+\.\d+[^"]*)"$', pyproject, re.MULTILINE)
    restated = re.compile(rf"""["']{re.escape(version)}["']|^__version__\b.*=\s*["']""", re.MULTILINE)
    sources = sorted(PACKAGE.rglob("*.py"))
    assert sources
    assert [str(path) for path in sources if restated.search(path.read_text(encoding="utf-8"))] == []


@pytest.mark.parametrize(("marker", "needed"), [("run", "shapeinfer check "), ("test", "pytest -n 2")])
def test_ci_runs_what_the_readme_says(marker: str, needed: str) -> None:
    shown = subprocess.run(["bash", CI, "--show", marker], check=True, capture_output=True, text=True)
    assert shown.stdout == readme_commands(marker)
    assert needed in shown.stdout


def test_ci_can_be_started_and_has_no_install_command_of_its_own() -> None:
    assert os.access(CI, os.X_OK)
    script = CI.read_text(encoding="utf-8")
    assert "pip install" not in script
    for marker in ("run", "test"):
        assert f"readme_commands {marker}" in script


def test_an_unknown_marker_is_refused() -> None:
    shown = subprocess.run(["bash", CI, "--show", "nothing"], check=False, capture_output=True, text=True)
    assert shown.returncode == 1
    assert shown.stdout == ""
    assert shown.stderr == "README.md has no commands marked <!-- ci: nothing -->\n"


def test_the_models_that_the_readme_names_exist() -> None:
    models = re.findall(r"\S+\.onnx", readme_commands("run"))
    assert len(models) == 4
    assert [name for name in models if not (ROOT / name).is_file()] == []


def test_no_file_names_a_machine() -> None:
    found = []
    for path in tracked_files():
        content = path.read_bytes()
        found += [f"{path.relative_to(ROOT)}: {word}" for word in UNWANTED if word.encode() in content]
    assert found == []


def test_every_module_has_a_name_that_says_something() -> None:
    modules = [path.relative_to(ROOT) for path in tracked_files() if path.suffix == ".py"]
    refused = [
        str(module)
        for module in modules
        if any(part.strip("_") in NAMES_THAT_SAY_NOTHING for part in module.with_suffix("").parts)
    ]
    assert refused == []


def test_no_module_is_too_long() -> None:
    lengths = {
        path.relative_to(PACKAGE).as_posix(): len(path.read_text(encoding="utf-8").splitlines())
        for path in (*PACKAGE.rglob("*.py"), *PACKAGE.rglob("*.js"))
    }
    too_long = {name for name, length in lengths.items() if length > MAX_LINES}
    assert too_long == set(LONG_MODULES), "split it, or fix the list of reasoned exceptions"


def test_nothing_else_lies_at_the_top() -> None:
    """Readers find the package, its tests, the examples and the pages that every project has."""
    pages = {"README.md", "LICENSE", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "pyproject.toml"}
    folders = {"shapeinfer", "tests", "examples"}
    tops = {path.relative_to(ROOT).parts[0] for path in tracked_files()}
    assert {name for name in tops if not name.startswith(".")} <= pages | folders
