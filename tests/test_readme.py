"""What README shows is what happens: its sessions, its Python, its table of codes, the example scripts."""

from __future__ import annotations

import ast
import importlib.util
import re
import shlex
import subprocess
import sys
from pathlib import Path

import onnx
import pytest

from shapeinfer.config.discovery import settings_from
from shapeinfer.diagnostics.codes import CODES
from shapeinfer.rewrite.folded import REWRITES
from tests.command import Shell

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


EXAMPLES = (ROOT / "examples" / "README.md").read_text(encoding="utf-8")


def blocks(language: str, page: str = README) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)


OPTIMIZERS = (ROOT / "examples" / "optimizers.md").read_text(encoding="utf-8")
PROGRAMS = [*blocks("python"), *blocks("python", OPTIMIZERS)]
SIMPLIFIERS = "onnxoptimizer", "onnxsim", "onnxslim"
SESSIONS = [*blocks("console"), *blocks("console", EXAMPLES)]


@pytest.mark.parametrize("session", SESSIONS, ids=lambda text: text.splitlines()[0])
def test_a_session_prints_what_it_shows(session: str, shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    _, *commands = re.split(r"^\$ ", session, flags=re.MULTILINE)
    assert commands
    for command in commands:
        line, _, shown = command.partition("\n")
        program, *args = shlex.split(line)
        assert program == "shapeinfer"
        ended = shell(*args)
        assert (ended.out + ended.err).rstrip("\n") == shown.rstrip("\n")


@pytest.mark.parametrize("number", range(len(PROGRAMS)))
def test_python_gives_what_its_comments_say(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    source = PROGRAMS[number]
    for tool in set(SIMPLIFIERS) & set(re.findall(r"^import (\w+)", source, re.MULTILINE)):
        if importlib.util.find_spec(tool) is None:
            pytest.skip(f"{tool} is not installed: pip install 'shapeinfer[simplifiers]'")
    lines = source.splitlines()
    names: dict[str, object] = {}
    for statement in ast.parse(source).body:
        code = ast.unparse(statement)
        _, marked, comment = lines[(statement.end_lineno or 0) - 1].partition("  # ")
        if isinstance(statement, ast.Expr):
            assert marked, f"{code} says nothing of its value"
            assert str(eval(code, names)) == comment
        else:
            exec(code, names)


def test_the_configuration_is_one(tmp_path: Path) -> None:
    file = tmp_path / "shapeinfer.toml"
    file.write_text("".join(blocks("toml")), encoding="utf-8")
    assert settings_from(file).of("bert_base.onnx").contract == ("seq <= 512",)


def test_the_table_names_every_code_once() -> None:
    table = README[README.index("## What it checks") : README.index("## Limits")]
    named = re.findall(r"`([a-z-]+)`", table)
    assert sorted(named) == sorted(CODES)


def test_the_page_for_optimizers_names_every_rewrite_once() -> None:
    assert re.findall(r"^\| `([a-z-]+)` \|", OPTIMIZERS, re.MULTILINE) == list(REWRITES)


def test_every_file_that_it_links_to_exists() -> None:
    links = re.findall(r"\]\(([^)#:]+)\)", README)
    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []


def annotate(source: Path, target: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "examples/annotate.py", str(source), str(target)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def test_annotate_writes_a_model_with_all_types(tmp_path: Path) -> None:
    source, target = ROOT / "examples" / "models" / "unet.onnx", tmp_path / "unet.onnx"
    ended = annotate(source, target)
    typed = onnx.load(target, load_external_data=False).graph
    count = len(typed.value_info)
    assert ended.stdout.startswith(f"{target}: {count} values have a type, ")
    assert {o for n in typed.node for o in n.output} <= {v.name for v in (*typed.value_info, *typed.output)}


def test_annotate_stops_at_a_fault(tmp_path: Path) -> None:
    source, target = ROOT / "examples" / "broken" / "unet_wrong_channels.onnx", tmp_path / "out.onnx"
    ended = annotate(source, target)
    assert ended.returncode == 1
    assert ended.stderr.startswith("error[channel-mismatch]: ")
    assert not target.exists()
