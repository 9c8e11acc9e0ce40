"""Servers of CI obey lines that a job prints: nothing that a model, a file or a configuration names is such a line."""

from __future__ import annotations

import json
from pathlib import Path

import onnx
import pytest

from shapeinfer.diagnostics.printable import inert
from shapeinfer.report import FORMATS
from tests.command import Ended, Shell

GITHUB = ("::error::forged", "##[error]forged")
AZURE = "##vso[task.setvariable variable=x]forged"
HOSTILE = [*GITHUB, AZURE]
NAMED = ["  ::add-mask::x", "###[group]x", "a##[debug]", "a##teamcity[x]"]


def obeyed(line: str) -> bool:
    """Whether a server takes a line for a command, as actions/runner and azure-pipelines-agent look for one."""
    return line.lstrip().startswith("::") or any(mark in line for mark in ("##[", "##vso[", "##teamcity["))


def model(name: str) -> bytes:
    """A model that bears a name wherever one may stand, and is wrong: its lines of a program, too."""
    helper = onnx.helper
    dims: list[tuple[str, list[str | int | None]]] = [(name, [name, 3]), ("b", [name, 4])]
    inputs = [helper.make_tensor_value_info(value, 1, shape) for value, shape in dims]
    outputs = [helper.make_tensor_value_info("y", 1, None)]
    nodes = [helper.make_node("Add", [name, "b"], [f"{name} y"], name=name), helper.make_node(name, ["b"], ["y"])]
    nodes += [helper.make_node("Op", ["b"], [], domain=name), helper.make_node(name, [], [], domain=name)]
    for node in nodes:
        node.metadata_props.add(key="pkg.torch.onnx.stack_trace", value=f'File "{name}", line 7, in f\n    {name}')
    made = helper.make_model(helper.make_graph(nodes, name, inputs, outputs), opset_imports=[])
    made.opset_import.add(domain="", version=20)
    made.opset_import.add(domain=name, version=1)
    return bytes(made.SerializeToString())


COMMANDS = [
    *(["check", "--notes", "--format", form] for form in FORMATS),
    ["show"],
    ["contract"],
    ["cost"],
    ["cost", "--format", "json"],
    ["diff", "other.onnx"],
    ["diff", "--format", "json", "other.onnx"],
    ["fold", "-o", "out.onnx", "--format", "json"],
    ["generalize", "-o", "out.onnx"],
    ["generalize", "--format", "json"],
    ["infer", "-o", "out.onnx"],
]


def lines_of(ended: Ended) -> list[str]:
    return [*ended.out.splitlines(), *ended.err.splitlines()]


@pytest.mark.parametrize("name", [*HOSTILE, *NAMED])
@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_no_name_in_a_model_is_obeyed(shell: Shell, command: list[str], name: str) -> None:
    (shell.folder / "m.onnx").write_bytes(model(name))
    (shell.folder / "other.onnx").write_bytes(model("plain"))
    lines = lines_of(shell(*command, "m.onnx"))
    ours = ("::error file=", "::warning file=", "::notice file=") if "github" in command else ()
    assert [line for line in lines if obeyed(line) and not line.startswith(ours or ("no",))] == []
    assert lines


@pytest.mark.parametrize("name", HOSTILE)
def test_why_prints_no_name_that_is_obeyed(shell: Shell, name: str) -> None:
    dims: list[str | int | None] = [name, 3]
    value = [onnx.helper.make_tensor_value_info(n, 1, dims) for n in (name, "y")]
    graph = onnx.helper.make_graph([onnx.helper.make_node("Relu", [name], ["y"])], "g", value[:1], value[1:])
    (shell.folder / "m.onnx").write_bytes(onnx.helper.make_model(graph).SerializeToString())
    assert [line for line in lines_of(shell("why", "m.onnx", "y[0]")) if obeyed(line)] == []


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("name", ["::error::x", "##[error]x", "##vso[x]"])
def test_no_name_of_a_file_is_obeyed(shell: Shell, form: str, name: str) -> None:
    lines = lines_of(shell("check", "--format", form, shell.save(f"{name}.onnx"), f"{name} none.onnx"))
    assert [line for line in lines if obeyed(line) and not line.startswith("::error file=")] == []


@pytest.mark.parametrize(
    "argument", ["--x\n::error::forged", "--x##[error]y", "--bind=##[error]y", "--x\x1b]0;title\x07"]
)
def test_no_argument_is_obeyed_and_none_moves_the_cursor(shell: Shell, argument: str) -> None:
    ended = shell("check", argument, "m.onnx")
    assert ended.code == 2
    assert [line for line in lines_of(ended) if obeyed(line) or not line.isprintable()] == []


@pytest.mark.parametrize("key", ["a\\n::error::forged", "##[error]x", "\\u001b[2J"])
def test_no_key_of_a_configuration_is_obeyed(shell: Shell, key: str) -> None:
    (shell.folder / "shapeinfer.toml").write_text(f'"{key}" = 1\n', encoding="utf-8")
    ended = shell("check", "m.onnx")
    assert [line for line in lines_of(ended) if obeyed(line) or not line.isprintable()] == []
    assert ended.code == 2


@pytest.mark.parametrize("name", HOSTILE)
def test_programs_read_names_as_they_are(shell: Shell, name: str) -> None:
    (shell.folder / "m.onnx").write_bytes(model(name))
    assert name in json.loads(shell("check", "--format", "json", "m.onnx").out)["values"]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("::error::x\n a::b", "\\x3a:error::x\n a::b"),
        ("a\n  ::b", "a\n  \\x3a:b"),
        ("a ##[b] ###[c] ####vso[d]", "a \\x23#[b] #\\x23#[c] ##\\x23#vso[d]"),
        ("## [a] #[b] ##c a:: :b", "## [a] #[b] ##c a:: :b"),
    ],
)
def test_nothing_else_changes(text: str, shown: str) -> None:
    assert inert(text) == shown


def test_the_pages_that_explain_codes_are_printed_as_they_are() -> None:
    folder = Path(__file__).parents[2] / "shapeinfer" / "diagnostics" / "explain"
    texts = [page.read_text(encoding="utf-8") for page in folder.glob("*.md")]
    assert all(inert(text) == text for text in texts)
