"""Names in a model are untrusted: in no format does one become more than text."""

from __future__ import annotations

import ast
import json
import shlex
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

from shapeinfer import Report, check, render_contract
from shapeinfer.report.contract_formats import CONTRACT_FORMATS
from shapeinfer.report.contract_formats.expressions import identifiers, literal
from tests.report.contract_formats.modules import guard, module
from tests.report.contract_formats.protobuf import config

ATTACKS = [
    '__import__("os").system("touch taken")',
    '"\n)\nraise SystemExit(3)\n#',
    "'''\nraise SystemExit(3)\n'''",
    '"""\nraise SystemExit(3)\n"""',
    "\\",
    '\\"',
    "\\'\"",
    "{height}%s$(touch taken)`touch taken`",
    "a\rraise SystemExit(3)",
    "a\x0c\x85\u2028\u2029raise SystemExit(3)",
    "# type: ignore",
    "# -*- coding: utf-7 -*-",
    "+AG8-",
    "\u202e\u2066abc",
    "größe 😀",
    "x; touch taken",
    "' --fp16 --saveEngine=taken '",
    "##[error]x",
    "*/ //",
]
RESERVED = ["dims", "Dim", "dynamic_shapes", "check_inputs", "INPUTS", "print", "match", "l", "term_1", "dim_1"]


def hostile(name: str) -> onnx.ModelProto:
    """A model that has a name in every place: of the graph, inputs, dims, nodes, and the output."""
    make = onnx.helper.make_tensor_value_info
    inputs = [make(f"{name}a", 1, [name, f"{name}2", 4]), make(f"{name}b", 1, [f"{name}3", f"{name}2", 4])]
    weights = [onnx.numpy_helper.from_array(np.array([-1, 8], "int64"), f"{name}w")]
    nodes = [
        onnx.helper.make_node("Add", [f"{name}a", f"{name}b"], [f"{name}s"], name=name),
        onnx.helper.make_node("Reshape", [f"{name}s", f"{name}w"], [f"{name}y"], name=f"{name} reshape"),
    ]
    outputs = [make(f"{name}y", 1, None)]
    graph = onnx.helper.make_graph(nodes, name, inputs, outputs, initializer=weights)
    return onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 20)], ir_version=9)


@cache
def checked(name: str) -> Report:
    return check(hostile(name))


class _Shape(ast.NodeTransformer):
    """Replaces what names may be by one word: string constants, and the names of local variables for dims."""

    def visit_Constant(self, node: ast.Constant) -> ast.Constant:
        return ast.Constant("text") if isinstance(node.value, str) else node

    def visit_Name(self, node: ast.Name) -> ast.Name:
        return ast.Name("dim") if node.id.startswith("dim_") else node


def structure(source: str) -> str:
    """The syntax of a module without its texts."""
    return ast.dump(_Shape().visit(ast.parse(source)))


@pytest.mark.parametrize("form", ["python", "torch-export"])
@pytest.mark.parametrize("name", ATTACKS)
def test_a_module_has_the_same_syntax_for_every_name(name: str, form: Any) -> None:
    source = render_contract(checked(name), form, name=name)
    assert structure(source) == structure(render_contract(checked("an odd name "), form, name="an odd name"))
    source.encode()


@pytest.mark.parametrize("name", ATTACKS)
def test_a_guard_knows_inputs_and_dims_by_their_own_names(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    check_inputs = guard(checked(name))
    found = check_inputs({f"{name}a": (2, 3, 4), f"{name}b": (2, 3, 4)})
    assert found == {name: 2, f"{name}2": 3, f"{name}3": 2}
    with pytest.raises(ValueError, match=r".") as raised:
        check_inputs({f"{name}a": (2, 3, 4), f"{name}b": (3, 3, 4)})
    assert str(raised.value).isprintable()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", RESERVED)
def test_a_dim_may_have_the_name_of_anything_in_the_module(name: str) -> None:
    sizes = {f"{name}a": (2, 3, 4), f"{name}b": (2, 3, 4)}
    assert guard(checked(name))(sizes)[name] == 2


@pytest.mark.parametrize("name", ATTACKS)
def test_json_and_protobuf_give_the_names_back(name: str) -> None:
    report = checked(name)
    assert list(json.loads(render_contract(report, "json-schema", name=name))["properties"]) == [f"{name}a", f"{name}b"]
    found = config(render_contract(report, "triton", name=name))
    assert [value["name"] for value in found["input"]] == [f"{name}a", f"{name}b"]
    assert [value["name"] for value in found["output"]] == [f"{name}y"]


@pytest.mark.parametrize("name", ATTACKS)
def test_a_shell_reads_three_arguments_whatever_the_names_are(name: str) -> None:
    if "'" in name or "##[" in name or not name.isprintable():
        with pytest.raises(ValueError, match=r"^the name of input .* cannot be written in an argument of trtexec$"):
            render_contract(checked(name), "tensorrt", name=name)
        return
    line = render_contract(checked(name), "tensorrt", name=name)
    arguments = shlex.split(line)
    assert [a.partition("=")[0] for a in arguments] == ["--minShapes", "--optShapes", "--maxShapes"]
    assert line.count("\n") == 1


@pytest.mark.parametrize("form", CONTRACT_FORMATS)
def test_every_text_is_lines_of_printable_characters(form: Any) -> None:
    for name in ATTACKS:
        try:
            lines = render_contract(checked(name), form, name=name).split("\n")
        except ValueError:
            assert form == "tensorrt"
            continue
        assert [line for line in lines if not line.isprintable()] == []


def test_a_literal_is_read_back() -> None:
    assert [ast.literal_eval(literal(name)) for name in ATTACKS] == ATTACKS


def test_identifiers_are_plain_distinct_and_the_same_in_every_run() -> None:
    names = [*ATTACKS, *RESERVED, "n", "batch_size", "dim_2", "N", "été", "x" * 99]
    found = identifiers(names, ("dims", "dim_3"))
    assert list(found) == names
    assert len({*found.values()}) == len(names)
    assert all(text.isascii() and text.isidentifier() for text in found.values())
    assert [name for name, text in found.items() if text == name] == [
        "Dim", "dynamic_shapes", "check_inputs", "INPUTS", "n", "batch_size", "N"
    ]  # fmt: skip
    assert module("\n".join(f"{text} = 1" for text in found.values()))["dim_1"] == 1
