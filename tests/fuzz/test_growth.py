"""Twice the input takes no more than three times the effort; ``python -m tests.fuzz growth`` looks for what does.

Effort is how often each function is called, which is the same on every machine. What happens inside of a regular
expression is no call: there the input is so long that the square of its length would take minutes.
"""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from tests.fuzz.growth import TRIPLED, Growth, Part, Plan, each, in_calls, seconds
from tests.fuzz.pieces import HEADER, READERS, Reader

GRAPH = (f"{HEADER}g (float[N, M] x0) => (y) {{ ", "}")
VALUES = (f"{HEADER}g (float[N] x0) => (y) <", "> { y = Relu (x0) }")
NET = READERS["ir"].frames[0]
CHANGE = READERS["messages"].frames[1]


def fixed(text: str) -> Part:
    return Part(text, grows=False)


FAMILIES: dict[str, tuple[str, tuple[str, ...], tuple[tuple[Part, ...], ...]]] = {
    "nodes in a chain": ("onnxtxt", GRAPH, ((Part("x§ = Relu (x¶)\n"),),)),
    "nodes in reverse": ("onnxtxt", GRAPH, ((Part("x¶ = Relu (x§)\n"),),)),
    "broken statements whose braces never close": ("onnxtxt", GRAPH, ((Part("x§ = R (x¶)\ny = (a { \n"),),)),
    "one undefined value that many nodes read": ("onnxtxt", GRAPH, ((Part("x§ = Relu (unknown)\n"),),)),
    "values": ("onnxtxt", VALUES, ((Part("float[N§] a§, "), fixed("float b")),)),
    "axes": (
        "onnxtxt",
        (f"{HEADER}g (float[N", "] x0) => (y) { z = Transpose (x0) y = Relu (z) }"),
        ((Part(", N§"),),),
    ),
    "functions": ("onnxtxt", (*GRAPH[:1], "y = Relu (x0) } ", ""), ((), (Part("f§ (a) => (b) { b = Relu (a) }\n"),))),
    "layers": ("ir", NET, ((Part('<layer id="§" name="n§" type="ReLU"><input><port id="0"/></input></layer>'),), ())),
    "ports of a layer": (
        "ir",
        NET,
        (
            (fixed('<layer id="0" name="n" type="Add"><input>'), Part('<port id="§"/>'), fixed("</input></layer>")),
            (Part('<edge from-layer="0" from-port="x" to-layer="0" to-port="§"/>'),),
        ),
    ),
    "fields of a graph": ("onnx", READERS["onnx"].frames[0], ((Part("13{1:x§;2{1{1#1;2{1{2:N§;}}}}}"),),)),
    "nodes that wait for themselves": ("onnxtxt", GRAPH, ((Part("x§ = Relu (x§)\n"),),)),
    "conditions": ("conditions", ("a == 1", ""), ((Part(" and a§ == §"),),)),
    "wrong keys": ("config", ("", ""), ((Part("a§ = 1\n"),),)),
    "entries for models": ("config", ("", ""), ((Part("[[models]]\npath = 'a§'\n"),),)),
    "operands": ("formulas", ("my::Op(x[N]", ") -> [N]"), ((Part(", x§[N, M§]"),),)),
    "names of a model": ("query", ("x[0]\nx", ""), ((Part("\nx§"),),)),
    "names in every format": ("names", ("a", ""), ((Part("\nb§|"),),)),
    "known findings": ("baseline", ('{"version": 1, "models": {', '"z": []}}'), ((Part('"x§": [], '),),)),
    "edits of one line": ("messages", CHANGE, ((fixed('\\"é\\" '), Part("x§ = Relu (x) ")), ())),
}


@pytest.mark.parametrize("family", FAMILIES)
def test_twice_the_input_takes_no_more_than_three_times_the_calls(family: str) -> None:
    name, frame, gaps = FAMILIES[family]
    grown = in_calls(READERS[name], Plan(frame, gaps), 120, least=200)
    assert grown.exponent < TRIPLED, grown


LONG: dict[str, tuple[str, Callable[[int], str]]] = {
    "a brace that never closes, and again": ("onnxtxt", lambda n: GRAPH[0] + "x = (a { \n" * (n // 10)),
    "graphs in broken nodes": (
        "onnxtxt",
        lambda n: GRAPH[0] + "x = Relu (x0)\ny = If (c) <b = g () => (y) { z = R (z)\n" * (n // 52),
    ),
    "blanks behind a broken statement": ("onnxtxt", lambda n: f"{GRAPH[0]}x = R (\n{' ' * n}}}"),
    "a word that is no value": ("onnxtxt", lambda n: VALUES[0] + "0x" * n + "é" + VALUES[1]),
    "blanks behind dims": ("onnxtxt", lambda n: f"{VALUES[0]}x[a]{' ' * n}y{VALUES[1]}"),
    "a rank of thousands": ("onnx", lambda n: "7{5{8:w;2#1;" + "1#9;" * (n // 4) + "}}"),
    "cycles of one node": ("onnxtxt", lambda n: GRAPH[0] + "".join(f"x{i} = N (x{i})\n" for i in range(n // 20)) + "}"),
    "stars": ("globs", lambda n: "*a" * 40 + "b\n" + "a" * 250),
    "folders": ("globs", lambda n: "**/a/" * 40 + "b\n" + "a/" * 1000),
    "a bracket that never closes": ("globs", lambda n: "[" * n + "\na"),
    "a table's name of blanks": ("config", lambda n: f"x = '''\n[{' ' * n}\n'''\ny = 1"),
    "a key of many parts": ("config", lambda n: "a." * n + "b = 1"),
    "a long glob": ("config", lambda n: f"exclude = '{'[' * n}'"),
    "commas": ("formulas", lambda n: f"my::Op(x[{', ' * n}"),
    "arrows": ("formulas", lambda n: "my::Op(" + ")->" * n + "\n where\n"),
    "an operand of blanks": ("formulas", lambda n: f"my::Op(x{' ' * n}) -> [N]"),
}


@pytest.mark.parametrize("kind", LONG)
def test_what_is_long_is_read_soon(kind: str) -> None:
    name, text = LONG[kind]
    assert seconds(READERS[name], text(60_000)) < 5  # it raises TooSlow before


# The search


def reader(read: Callable[[str], None]) -> Reader:
    return Reader(lambda text: read(str(text)), ("a", "b§"))


def test_growth_is_found_and_named() -> None:
    def looked_through(text: str) -> None:
        for i in range(len(text) // 20):
            for _ in range(i):
                text.startswith("b")

    def looked_at_once(text: str) -> None:
        for c in text:
            c.isalpha()

    plain, square = reader(looked_at_once), reader(looked_through)
    simple = list(each(plain))
    assert len(simple) == 3
    assert in_calls(plain, simple[0]).exponent < 1.1
    grown = in_calls(square, simple[0])
    assert grown.exponent > 1.8
    assert grown.what == "calls of str.startswith"


def test_few_calls_are_not_judged() -> None:
    def seldom(text: str) -> None:
        for _ in range((len(text) // 500) ** 2):
            text.upper()

    assert in_calls(reader(seldom), Plan(("", ""), ((Part("a"),),))) == Growth(0, "")


def test_numbers_run_and_nests_close_in_reverse() -> None:
    assert Part("x§ = (x¶)\n").text(2) == "x1 = (x0)\nx2 = (x1)\n"
    assert Part("<a§>", "-", "</a§>").text(2) == "<a1><a2>-</a2></a1>"
    assert Plan(("(", "|", ")"), ((Part("a"),), (fixed("b"),))).text(3) == "(aaa|b)"


@pytest.mark.parametrize("name", READERS)
def test_every_reader_takes_its_pieces(name: str) -> None:
    plans = list(each(READERS[name]))
    for plan in random.Random(name).sample(plans, 6):
        READERS[name].read(READERS[name].prepared(plan.text(2)))
