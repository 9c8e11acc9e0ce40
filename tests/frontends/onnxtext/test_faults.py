"""What is wrong with a text is told at its place, and the rest is read all the same."""

from __future__ import annotations

import re

import pytest

from shapeinfer.frontends.onnxtext import landmarks, values
from shapeinfer.frontends.onnxtext.load import syntax_errors
from shapeinfer.frontends.onnxtext.read import complete, read_model

A_VALUE = "a value: a number, a string in quotes, a list, a tensor, a type or a graph"
HEADER = '<ir_version: 10, opset_import: ["" : 20]>\n'


def faults(text: str) -> list[str]:
    """The faults, with the text of the place where they are found."""
    return [f"{text[f.start : f.end]} | {f.message}" for f in read_model(text).faults]


def in_nodes(nodes: str) -> str:
    return f"{HEADER}net (float[N] x) => (float[N] y)\n{{\n{nodes}\n}}\n"


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", " | expected the name of a graph, but the text ends here"),
        ("<ir_version 7> net () => () {}", "7 | expected : after ir_version, found 7"),
        ("<ir_version: seven> net () => () {}", "seven | expected a version, found seven"),
        ("<ir_version: 7.5> net () => () {}", "7.5 | expected a version, found 7.5"),
        ("<version: 7> net () => () {}", "version | version is not a key of this header"),
        ('<opset_import: ["" 7]> net () => () {}', "7 | expected : between a domain and its version, found 7"),
        ("net () -> () {}", "- | expected => between a graph's inputs and outputs, found -"),
        ("net () => {}", "{ | expected ( before the outputs, found {"),
        ("net (float[N x) => () {}", "x | expected ] to end the dims, found x"),
        ("net (float[N+1] x) => () {}", "+ | expected ] to end the dims, found +"),
        ("net (float[2.5] x) => () {}", "2.5 | expected a dim: a number, a name or ?, found 2.5"),
        ("net (flaot[2] x) => () {}", "[ | expected , or ) after flaot, found ["),
        ("net (seq(float x) => () {}", "x | expected ) to end seq(...), found x"),
        ("net (map(N, float) x) => () {}", "N | expected an element type such as float or int64, found N"),
        ('net (float "x) => () {}', '"x) => () {} | a string opens here and is never closed'),
        ("net (float[N] w = {1}) => () {}", "float[N] | the dims of a tensor with data must be numbers"),
        ("net (float[] w = {1}) => () {}", "float[] | a tensor with data must give its dims"),
        ("net (w = {1}) => () {}", "w = | w has data and no type"),
        ("net (int64 w = {1.5}) => () {}", "1.5 | expected an integer, found 1.5"),
        ("net (int32 w = {3000000000}) => () {}",
         "3000000000 | 3000000000 does not fit here: the range is -2147483648 to 2147483647"),
        ("net (float w = {1e39}) => () {}", "1e39 | 1e39 is too large for 32 bits"),
        ("net (float[2] w = {1 2}) => () {}", "2 | expected } to end the data, found 2"),
        ("net (float[2] w = ...) => () {}", "... | the data is left out here"),
        ("net () => () { y = Relu (x)", "{ | the list of nodes that opens here is never closed"),
        ("net () => () {} }", "} | expected the name of a function, found }"),
    ],
)  # fmt: skip
def test_what_is_wrong_and_where(text: str, fault: str) -> None:
    assert faults(text)[0] == fault


@pytest.mark.parametrize(
    ("node", "fault"),
    [
        ("y = Relu x", "x | expected ( before the inputs of Relu, found x"),
        ("y = Relu (x", "x | expected ) to end the inputs of Relu, but the statement ends here"),
        ("y = Relu (x,", ", | expected ) to end the inputs of Relu, but the statement ends here"),
        ("y =", "= | expected the name of an operator, but the statement ends here"),
        ("y", "y | expected = after the outputs of a node, but the statement ends here"),
        ("y = (x)", "( | expected the name of an operator, found ("),
        ("y = 3 (x)", "3 | expected the name of an operator, found 3"),
        ("y = Relu <> (x)", "> | expected an attribute's name, found >"),
        ("y = Relu <alpha> (x)", "> | expected = after the attribute alpha, found >"),
        ("y = Relu <a = > (x)", f"> | expected {A_VALUE}, found >"),
        ("y = Relu <a: number = 1> (x)", "number | number is not an attribute type"),
        ("y = Relu <a: ints = 1> (x)", "1 | expected a value of type ints, found one of type int"),
        ("y = Relu <a = []> (x)", "[] | an empty list needs a type"),
        ("y = Relu <a = [1, 2.5]> (x)", "2.5 | expected a value of type int, found one of type float"),
        ("y = Relu <a: int = [1]> (x)", "[ | a is declared int, which is not a list"),
        ("y = Relu <a = 1 b = 2> (x)", "b | expected > to end the attributes, found b"),
        ("[name y = Relu (x)", "y | expected ] after the node's name, found y"),
        ("y ? Relu (x)", "? | expected = after the outputs of a node, found ?"),
    ],
)  # fmt: skip
def test_a_broken_node_leaves_the_others(node: str, fault: str) -> None:
    text = in_nodes(f"    a = Relu (x)\n    {node}\n    b = Tanh (a)")
    model = read_model(text)
    assert faults(text) == [fault]
    assert [n.op_type for n in complete(model).graph.node] == ["Relu", "Tanh"]


def test_several_broken_statements_are_each_told() -> None:
    text = in_nodes("a = Relu (x\nb = Tanh a)\nc = Add <(a, b)\nd = Relu (c)")
    assert [f.split(" | ")[0] for f in faults(text)] == ["x", "a", "("]
    assert [n.output[0] for n in complete(read_model(text)).graph.node] == ["d"]


def test_a_broken_statement_inside_a_branch_leaves_the_rest_of_the_branch_and_what_follows() -> None:
    text = in_nodes(
        """c = Cast <to = 9> (x)
        y = If (c) <
            then_branch = yes () => (a) {
                u = Relu x
                a = Relu (u)
            },
            else_branch = no () => (b) { b = Tanh (x) }
        >
        z = Add (y, y)"""
    )
    assert faults(text) == ["x | expected ( before the inputs of Relu, found x"]
    graph = complete(read_model(text)).graph
    assert [n.op_type for n in graph.node] == ["Cast", "If", "Add"]
    assert [n.op_type for n in graph.node[1].attribute[0].g.node] == ["Relu"]


def test_the_attributes_of_a_statement_over_several_lines_are_no_statements() -> None:
    text = in_nodes("y = Conv <\n    pads = [1, 1],\n    auto_pad = NOTSET,\n    group = 1\n> (x, x)\nz = Relu (y)")
    assert len(faults(text)) == 1
    assert [n.op_type for n in complete(read_model(text)).graph.node] == ["Relu"]


def test_a_broken_input_leaves_the_others() -> None:
    text = HEADER + "net (float[N x, float[M] z, seq(int w, float u) => (float y, flo[2] v) { y = Relu (z) }"
    graph = complete(read_model(text)).graph
    assert [v.name for v in graph.input] == ["z", "u"]
    assert [v.name for v in graph.output] == ["y"]
    assert len(faults(text)) == 3


def test_lines_and_columns_are_counted_from_one() -> None:
    (found,) = syntax_errors(read_model(in_nodes("    y = Relu x")), "net.onnxtxt")
    assert (found.path, found.line, found.column) == ("net.onnxtxt", 4, 14)


def test_a_fault_says_what_fixes_it() -> None:
    (found,) = syntax_errors(read_model("net (float[N+1] x) => () {}"))
    assert found.notes == ("to fix it, separate dims by commas, and quote one that is a formula",)


@pytest.mark.parametrize("opening", ["seq(", "y = If (c) <t = g () => () {", "<a = [", "{", "((("])
def test_deep_nesting_and_what_never_ends_is_told(opening: str) -> None:
    assert read_model(in_nodes(opening * 3000)).faults
    assert read_model(f"net ({opening * 3000}").faults


@pytest.mark.parametrize("junk", ["\0", "é = Relu (x)", '"', "\\", "}}}}", "= = =", "<<<>>>", "\U0001f600"])
def test_junk_is_told_and_nothing_is_raised(junk: str) -> None:
    assert read_model(in_nodes(junk)).faults
    assert read_model(junk + in_nodes("y = Relu (x)")).faults


@pytest.mark.parametrize("marks", [landmarks._BRACE, values._NEXT])
def test_a_quote_that_is_never_closed_is_read_once(marks: re.Pattern[str]) -> None:
    assert len(list(marks.finditer('"\\' * 1000))) == 1
    assert [m[0] for m in marks.finditer('"a { } "b" {\n}')] == ['"a { } "', '" {', "}"]
