"""What an editor shows of a text: hints, what the pointer is on, symbols and colours."""

from __future__ import annotations

from itertools import pairwise

import pytest

from shapeinfer.editors.highlights import highlights
from shapeinfer.editors.hints import LONGEST, hints
from shapeinfer.editors.hover import hover
from shapeinfer.editors.outline import Symbol, outline
from shapeinfer.editors.problems import problems
from tests.editors.texts import marked, written

NET = """\
net (bool c, float[N, 64] x, u) => (float[N, 8] y, v)
<float[64, 8] w = ["location": "w.bin"], int64[2] s = {1, -1}, float[N, 64] h>
{
    h = If (c) <
        then_branch = yes () => (a) { a = Relu (x) },
        else_branch = no () => (b) { b = Tanh (x) }
    >
    [last] y = MatMul (h, w)
    p, = my.F (h)
    v = Reshape (y, s)
}
<domain: "my", opset_import: ["" : 20]> F (k) => (m) { m = Sigmoid (k) }
"""


def hinted(text: str, start: str = "", end: str = "") -> dict[str, str]:
    """The hints by the text before them, from one piece of the text to another."""
    found = written(text)
    first = found.text.index(start) if start else 0
    last = found.text.index(end) if end else None
    return {found.text[: h.at].split()[-1].lstrip("({"): h.label[2:] for h in hints(found, first, last)}


class TestHints:
    def test_every_value_that_a_node_makes_has_its_type(self) -> None:
        assert hinted(NET) == {
            "v": "f32[1, 8*N]",
            "h": "f32[N, 64]",
            "a": "f32[N, 64]",
            "b": "f32[N, 64]",
            "y": "f32[N, 8]",
            "p": "f32[N, 64]",
            "k": "f32[N, 64]",
            "m": "f32[N, 64]",
        }

    def test_only_those_between_two_places_are_given(self) -> None:
        assert list(hinted(NET, "then_branch", "[last]")) == ["a", "b"]
        assert list(hinted(NET, "[last]", "p, =")) == ["y"]

    def test_what_a_broken_statement_makes_has_none(self) -> None:
        assert hinted("net (float[2] x) => (z) { y = Relu (x\n z = Tanh (x) }") == {"z": "f32[2]"}

    def test_a_long_type_is_cut_short_and_the_tooltip_has_it_whole(self) -> None:
        dims = ", ".join(f"a_long_name_of_a_dim_{i}" for i in range(9))
        (hint,) = hints(written(f"net (float[{dims}] x) => () {{ y = Relu (x) }}"))
        assert len(hint.label) == LONGEST + 2
        assert hint.tooltip == f"f32[{dims}]"

    def test_the_tooltip_has_small_contents(self) -> None:
        found = hints(written("net (float[N, 3] x) => () { s = Shape (x) }"))
        assert [h.tooltip for h in found] == ["i64[2]{N, 3}"]


class TestHover:
    @pytest.mark.parametrize(
        ("text", "told"),
        [
            ("net (float[N, 4] x) => () { h = Relu (|x) }", ["x: f32[N, 4]", "an input"]),
            ("net (float[N, 4] x) => () { |h = Relu (x) }", ["h: f32[N, 4]", "computed by `Relu`"]),
            ("net (float[N, 4] x) => () { h = Re|lu (x) }", ["Y: T = Relu (X: T)", "ONNX, since opset 14"]),
            ("net (float[N, 4] x) => () { h = LeakyRelu <al|pha = 0.1> (x) }", ["`alpha: float = 0.0", "leakage"]),
            ("net (float[N, 4] x) => () { s = Shape (x) t = Cast <to = 1> (|s) }", ["s: i64[2]", "holds `{N, 4}`"]),
            ("net (float[N, 4] x) => () { h = my.F| (x) }\n<domain: \"my\"> F <a> (k) => (m) { m = Relu (k) }",
             ["m = my.F <a> (k)", "a function of this model"]),
            ("net (float[|N, 64] x) => (y) <int64[2] s = {-1, 32}> { y = Reshape (x, s) }",
             ["dim `N`"]),
            ("net (float[H] x) => (y) <int64[1] s = {-1}> { y = Reshape (x, s) |z = Concat <axis = 0> (x, y) }",
             ["z: f32[2*H]", "`axis 0 of z is 2*H`:", "- `H: axis 0 of input x`"]),
        ],
    )  # fmt: skip
    def test_it_describes_what_is_named(self, text: str, told: list[str]) -> None:
        found = hover(*marked(text))
        assert found is not None
        for part in told:
            assert part in found.markdown

    def test_a_function_is_that_of_the_overload_called(self) -> None:
        found = hover(
            *marked("""net (float[N, 4] x) => () { h = my.F|:two (x) }
            <domain: "my", overload: "one"> F (k) => (m) { m = Relu (k) }
            <domain: "my", overload: "two"> F (p) => (q) { q = Relu (p) }""")
        )
        assert found is not None
        assert "q = my.F (p)" in found.markdown

    def test_a_dim_shows_what_the_model_asks_of_it(self) -> None:
        found = hover(*marked("net (float[N|, 3] x) => (y) <int64[2] s = {-1, 6}> { y = Reshape (x, s) }"))
        assert found is not None
        assert "- `N % 2 == 0`" in found.markdown

    def test_an_input_shows_what_the_model_asks_of_its_dims(self) -> None:
        found = hover(*marked("net (float[N, 3] |x) => (y) <int64[2] s = {-1, 6}> { y = Reshape (x, s) }"))
        assert found is not None
        assert "- `N % 2 == 0`" in found.markdown

    @pytest.mark.parametrize("text", ["|net () => () {}", "net () => () { y = Unknown.Op| () }", "net () => () {} # |"])
    def test_there_may_be_nothing_to_tell(self, text: str) -> None:
        assert hover(*marked(text)) is None


def named(symbol: Symbol) -> list[object]:
    return [symbol.name, symbol.kind, [named(child) for child in symbol.children]]


def test_the_outline_has_graphs_and_functions_and_what_is_in_them() -> None:
    net, function = outline(written(NET))
    assert named(function) == ["my.F", "function", [["m", "node", []]]]
    names = [child.name for child in net.children]
    assert names == ["c", "x", "u", "y", "v", "w", "s", "h", "last", "p", "v"]
    assert named(net.children[7]) == [
        "h",
        "node",
        [
            ["yes", "graph", [["a", "output", []], ["a", "node", []]]],
            ["no", "graph", [["b", "output", []], ["b", "node", []]]],
        ],
    ]
    assert net.children[8].detail == "MatMul  f32[N, 8]"


def test_a_symbol_s_name_lies_inside_it() -> None:
    def check(symbol: Symbol) -> None:
        assert symbol.span[0] <= symbol.name_span[0] <= symbol.name_span[1] <= symbol.span[1]
        for child in symbol.children:
            check(child)

    for symbol in outline(written(NET)):
        check(symbol)


def test_names_are_coloured_by_what_they_are() -> None:
    found = written(NET)
    kinds = {found.text[h.start : h.end]: (h.kind, h.readonly) for h in highlights(found)}
    assert kinds["x"] == ("parameter", False)
    assert kinds["w"] == ("variable", True)
    assert kinds["h"] == ("variable", False)
    assert kinds["N"] == ("typeParameter", False)
    assert kinds["MatMul"] == ("function", False)
    assert kinds["then_branch"] == ("property", False)
    assert kinds["float"] == ("type", False)
    assert kinds["last"] == ("label", False)


def test_colours_do_not_overlap() -> None:
    found = highlights(written(NET))
    assert all(a.end <= b.start for a, b in pairwise(found))
    inside = highlights(written(NET), 100, 200)
    assert inside == [h for h in found if h.start < 200 and h.end > 100]


@pytest.mark.parametrize(
    ("text", "underlined"),
    [
        ("net (float[2] x, float[3] u) => () { y = Add (x, u) }", "Add"),
        ("net (float[2, 3] x) => () { y = Transpose <perm = [0, 0]> (x) }", "x"),
        ("net (float[2] x) => () { y = Conv (x, x) }", "Conv"),
        ("net (float[2] x) => () { y = Relu (nothing) }", "nothing"),
        ("net (float[2] x) => (float[3] y) { y = Relu (x) }", "Relu"),
        ("net (float[2] x, z) => () { y = Relu (x) }", "z"),
        ("net (float[2] x) => () { y = Relu x }", "x"),
        ("net (float[2] x) => (q) { y = Relu (x) }", "q"),
    ],
)
def test_what_is_wrong_is_underlined(text: str, underlined: str) -> None:
    found = written(text)
    first = next(p for p in problems(found) if p.code.name not in ("unused-node", "unused-input"))
    assert found.text[first.start : first.end] == underlined


def test_the_operand_that_is_alone_to_blame_is_underlined() -> None:
    found = written("net (float[2] x) => () { y = Transpose <perm = [0, 1]> (x) z = Squeeze <axes = [0]> (x) }")
    spots = {found.text[p.start : p.end] for p in problems(found) if p.severity.value == "error"}
    assert spots <= {"x", "Transpose", "Squeeze"}
    assert "x" in spots
