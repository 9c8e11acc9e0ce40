"""What ``show`` prints: a graph in ONNX's text syntax, with types beside it."""

from __future__ import annotations

import itertools
from pathlib import Path

import onnx
import pytest
from onnx import helper

from shapeinfer.api import check
from shapeinfer.report.listing import listing
from shapeinfer.report.paint import Paint, columns
from tests.command import BAD, BAD_LINE, Shell
from tests.models import parsed

NETWORK = """<ir_version: 10, opset_import: ["" : 20, "com.example" : 1]>
net (float[N, 3] x, bool c) => (float[N, 3] y, float[N, 3] z) <float[3] w = {1, 2.5, 3}, int64[1] "the axes" = {1}> {
    a = Elu <alpha = 0.1> (x)
    y = Mul (a, w)
    z = If (c) <
        then_branch = yes () => (float[N, 3] t) { t = Relu (x) },
        else_branch = no () => (float[N, 3] e) { n = Neg (x)  e = Abs (n) }
    >
    "odd name" = com.example.Odd <names = ["p", "q"], on = 1> (x, "", "the axes")
}"""


def shown(text: str) -> list[str]:
    return list(listing(check(onnx.parser.parse_model(text))))


def test_a_whole_graph() -> None:
    assert shown(NETWORK) == [
        "# graph net, ai.onnx 20, com.example 1: nodes in ONNX's text syntax, inferred types as comments",
        "input x: f32[N, 3]",
        "input c: bool[]",
        "initializer w: f32[3] {1.0, 2.5, 3.0}",
        "initializer the axes: i64[1] {1}",
        "output y: f32[N, 3]",
        "output z: f32[N, 3]",
        "a = Elu <alpha: float = 0.1> (x)                                  # a: f32[N, 3]",
        "y = Mul (a, w)                                                    # y: f32[N, 3]",
        "z = If (c)                                                        # z: f32[N, 3]",
        "  then_branch yes",
        "    output t: f32[N, 3]",
        "    t = Relu (x)  # t: f32[N, 3]",
        "  else_branch no",
        "    output e: f32[N, 3]",
        "    n = Neg (x)  # n: f32[N, 3]",
        "    e = Abs (n)  # e: f32[N, 3]",
        '"odd name" = com.example.Odd <names: strings = ["p", "q"], on: int = 1> (x, "", "the axes")  # odd name: ?',
        "    # warning[unknown-operator]: no rule for Odd of domain com.example; its outputs are unknown",
        "    # note[unused-node]: output is never used",
    ]


def test_the_calls_are_onnx_text_that_parses_to_the_same_nodes() -> None:
    text = NETWORK[: NETWORK.index("    z = If")] + NETWORK[NETWORK.index('    "odd name"') :]
    text = text.replace(", float[N, 3] z)", ")")
    calls = "\n".join(line for line in shown(text) if " = " in line)
    original = onnx.parser.parse_model(text)
    again = onnx.parser.parse_model(text[: text.index("{\n")] + "{\n" + calls + "\n}")
    assert list(again.graph.node) == list(original.graph.node)


@pytest.mark.parametrize(
    "attribute",
    [
        "to: int = 9",
        "axes: ints = []",
        "values: floats = []",
        "beta: float = 1e-05",
        "names: strings = []",
        "value: tensor = int64 {2}",
        "value: tensor = float[1, 2] {1.0, 2.5}",
        "value: tensor = int64[0] {}",
        "type: type_proto = float[N, 3]",
        "type: type_proto = float",
        "type: type_proto = float[]",
        'type: type_proto = seq(int64["2*N", ?])',
        "type: type_proto = optional(map(int64, float[]))",
        "type: type_proto = sparse_tensor(float[2])",
    ],
)
def test_an_attribute_is_written_as_onnx_reads_it(attribute: str) -> None:
    call = f"y = my.Odd <{attribute}> (x)"
    text = f"""<ir_version: 10, opset_import: ["my" : 1]> g (float[N] x) => (y) {{ {call} }}"""
    assert shown(text)[3].startswith(call)


def test_a_finding_of_the_whole_model_is_reported_beside_the_listing_which_counts_nothing(shell: Shell) -> None:
    text = """<ir_version: 10, opset_import: ["" : 20]>
    main (float[N, M, "N + M"] x) => (float[N, "N*M + M*M"] y) <int64[2] t = {0, -1}> { y = Reshape (x, t) }"""
    ended = shell("show", shell.save("m.onnx", text))
    assert ended.out.splitlines()[-1].startswith("y = Reshape (x, t)")
    assert ended.err.splitlines() == [
        "note[expression-as-dim-name]: the dim name 'N + M' is read as an expression: the input must have that size",
        "  m.onnx",
        "  help: shapeinfer explain expression-as-dim-name",
    ]


def test_entries_that_later_shapes_are_made_of_are_shown() -> None:
    text = """<ir_version: 10, opset_import: ["" : 20]>
    main (float[N, 3] x) => (int64[2] s) { s = Shape (x) }"""
    assert shown(text)[-1] == "s = Shape (x)  # s: i64[2] {N, 3}"


def test_an_error_stands_below_its_node_and_decides_the_exit_code(shell: Shell) -> None:
    ended = shell("show", shell.save("bad.onnx", BAD))
    node, fault = ended.out.splitlines()[-2:]
    assert node.startswith("y = Add (a, t)")
    assert fault == f"    # {BAD_LINE}"
    assert (ended.code, ended.err) == (1, "")


def test_sizes_are_bound(shell: Shell) -> None:
    assert "input x: f32[2, 3, 4]\n" in shell("show", "--bind", "N=2", shell.save("m.onnx")).out


def test_long_lists_are_cut_short_and_odd_text_is_escaped() -> None:
    node = helper.make_node("Odd", ["x"], ["y\n"], domain="d", ints=list(range(100)), text='a"b\x1b')
    graph = helper.make_graph([node], "g", [helper.make_tensor_value_info("x", 1, [2])], [])
    lines = list(listing(check(helper.make_model(graph, opset_imports=[helper.make_opsetid("d", 1)]))))
    (call,) = [line for line in lines if line.startswith('"y')]
    assert "[0, 1, 2, ... 99]" in call
    assert '"a\\"b\\u001b"' in call
    assert '"y\\n" = d.Odd <' in call


# Lines that fit a width

LAYER = "/model/layers.{}/self_attn/q_proj/{}_output_0"


def deep(*names: str) -> str:
    """A chain of nodes whose values have these names."""
    before = ["x", *(f'"{name}"' for name in names)]
    calls = " ".join(f"{made} = Relu ({used})" for used, made in itertools.pairwise(before))
    return f"""<ir_version: 10, opset_import: ["" : 20]> g (float[N, 3] x) => ({before[-1]}) {{ {calls} }}"""


def fitted(text: str, width: int) -> list[str]:
    return list(listing(check(parsed(text)), Paint(width=width)))


def test_a_long_name_lacks_its_middle_and_its_type_stands_without_it() -> None:
    assert fitted(deep(LAYER.format(0, "MatMul")), 80) == [
        "# graph g, ai.onnx 20: nodes in ONNX's text syntax, inferred types as comments;",
        "#   long names shortened (--full)",
        "input x: f32[N, 3]",
        "output /model/l..._proj/MatMul_output_0: f32[N, 3]",
        '"/model/l..._proj/MatMul_output_0" = Relu (x)  # f32[N, 3]',
    ]


def test_names_that_differ_in_the_middle_keep_what_tells_them_apart() -> None:
    first, second = (LAYER.format(number, "MatMul") for number in (0, 1))
    lines = fitted(deep(first, second), 80)
    assert lines[-4:] == [
        '"/model/layers.0/s...proj/MatMul_output_0" = Relu (x)  # f32[N, 3]',
        '"/model/layers.1/s...proj/MatMul_output_0" = Relu',
        '    ("/model/layers.0/s...proj/MatMul_output_0")',
        "    # f32[N, 3]",
    ]


def test_what_does_not_fit_on_one_line_has_its_type_on_the_next() -> None:
    lines = fitted(deep("a" * 30, "b" * 30), 64)
    assert lines[-2:] == [
        f'"{"b" * 6}...{"b" * 16}" = Relu ("{"a" * 6}...{"a" * 16}")',
        "    # f32[N, 3]",
    ]


def test_a_line_is_broken_between_attributes_and_between_types() -> None:
    text = "g (float[N, 8, 32] heads) => (a, b) { a, b = Split <axis = 1, num_outputs = 2> (heads) }"
    assert fitted(text, 48)[-3:] == [
        "a, b = Split <axis: int = 1,",
        "    num_outputs: int = 2> (heads)",
        "    # a: f32[N, 4, 32], b: f32[N, 4, 32]",
    ]
    assert fitted(text, 36)[-2:] == ["    # a: f32[N, 4, 32],", "    #   b: f32[N, 4, 32]"]


def test_wide_characters_take_two_columns() -> None:
    name = "\u5c42" * 30
    assert columns(name) == 60
    assert columns("e\u0301") == 1
    (short,) = {line.split('"')[1] for line in fitted(deep(name), 80) if "Relu" in line}
    assert short == "\u5c42" * 4 + "..." + "\u5c42" * 10
    assert all(columns(line) <= 80 for line in fitted(deep(name, name + "\u5c42"), 80))


@pytest.mark.parametrize("width", [40, 80, 120])
def test_no_line_is_wider_than_it_may_be(example: Path, width: int) -> None:
    lines = list(listing(check(example), Paint(width=width)))
    longest_word = max(columns(word) for line in lines for word in line.split())
    assert max(map(columns, lines)) <= max(width, longest_word + 8)


def test_a_pipe_has_120_columns_unless_the_environment_or_full_says_otherwise(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = LAYER.format(0, "MatMul")
    path = shell.save("m.onnx", deep(name, name * 2))
    assert max(map(len, shell("show", path).out.splitlines())) in range(81, 121)
    assert max(map(len, shell("show", "--full", path).out.splitlines())) > 120
    assert f'"{name * 2}" = Relu ("{name}")' in shell("show", "--full", path).out
    monkeypatch.setenv("COLUMNS", "60")
    assert max(map(len, shell("show", path).out.splitlines())) <= 60
    assert f'"{name * 2}" = Relu ("{name}")' in shell("show", "--full", path).out


def test_nothing_is_shown_of_what_cannot_be_read() -> None:
    assert list(listing(check(b""))) == []
