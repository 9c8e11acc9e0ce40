"""Code lenses and what can be folded."""

from __future__ import annotations

import pytest

pytest.importorskip("pygls")

from shapeinfer.editors.folding import folds
from shapeinfer.editors.lenses import details, lenses, title
from shapeinfer.text import Written, check_text
from tests.editors.played import URI, Played, play
from tests.editors.texts import HEADER, written

NET = """net (float[N, 64] x) => (y)
<float[64, 8] w = ["location": "w.bin"], int64[2] s = {-1, 6}>
{
    h = MatMul (x, w)
    a = my.F (h)
    b = my.F (a)
    y = Reshape (b, s)
}
<domain: "my", opset_import: ["" : 20]> F (k) => (m) { m = Sigmoid (k) }
<domain: "my", opset_import: ["" : 20]> G (k) => (m) { m = Sigmoid (k) }
"""


def titles(found: Written) -> list[str]:
    return [title(found, lens.kind, lens.number) for lens in lenses(found)]


def test_a_graph_has_what_it_requires_and_costs_and_a_function_its_uses() -> None:
    found = written(NET)
    assert titles(found) == [
        "requires N % 3 == 0",
        "514 parameters, 512*N multiply-adds",
        "2 uses",
        "1 node",
        "0 uses",
        "cost unknown",
    ]
    assert [found.text[lens.start : lens.end] for lens in lenses(found)] == ["net", "net", "F", "F", "G", "G"]


def test_a_lens_leads_to_all_of_it() -> None:
    found = written(NET)
    assert details(found, "contract", 0) == "net runs only where\nN % 3 == 0"
    assert details(found, "uses", 1) == "F is called at\nline 6\nline 7"
    assert details(found, "uses", 2) == "G is never called"
    assert details(found, "cost", 0).splitlines()[:3] == [
        "net takes",
        "514 parameters (2,064 bytes)",
        "512*N multiply-adds",
    ]


def test_conditions_of_small_sizes_count_and_a_model_with_errors_has_none() -> None:
    assert titles(written("net (float[N, 3] x) => (y) { y = Relu (x) }"))[0] == "runs for all sizes"
    assert titles(written("net (float[N] x) => (y) { y = MaxPool <kernel_shape = [2]> (x) }"))[0] == "1 error"
    small = "net (float[1, 1, N] x) => (y) { y = MaxPool <kernel_shape = [2]> (x) }"
    assert titles(written(small))[0].startswith("requires N >= ")


def test_a_lens_of_a_text_that_changed_since_says_nothing() -> None:
    assert title(written("net () => () {}"), "uses", 3) == ""
    assert details(written("net () => () {}"), "cost", -1) == ""


def test_an_editor_asks_what_a_lens_says_and_runs_what_it_leads_to() -> None:
    async def session(editor: Played) -> None:
        editor.open(HEADER + NET)
        contract, *_ = await editor.answer(editor.ask_of_text("codeLens"))
        assert contract["range"]["start"] == {"line": 1, "character": 0}
        assert "command" not in contract
        command = (await editor.answer(editor.ask("codeLens/resolve", **contract)))["command"]
        assert command["title"] == "requires N % 3 == 0"
        ran = editor.ask("workspace/executeCommand", command=command["command"], arguments=command["arguments"])
        assert await editor.answer(ran) == "net runs only where\nN % 3 == 0"
        assert [m["params"]["message"] for m in editor.heard if m.get("method") == "window/showMessage"] == [
            "net runs only where\nN % 3 == 0"
        ]
        for data in (None, [], [URI, "none", 0], ["file:///gone", "cost", 0], [URI, "cost", 99]):
            answered = await editor.answer(editor.ask("codeLens/resolve", **{**contract, "data": data}))
            assert not answered.get("command", {}).get("title")

    play(session)


def test_graphs_headers_lists_and_comments_fold() -> None:
    text = """# a net
# of two lines
<ir_version: 10,
 opset_import: ["" : 20]
>
net (bool c,
     float[N] x) => (y)
{
    y = If (c) <
        then_branch = yes () => (a) {
            a = Relu (x)
        },
        else_branch = no () => (b) { b = Tanh (x) }
    >
}
"""
    assert [tuple(fold) for fold in folds(check_text(text))] == [
        (0, 1, "comment"),
        (2, 4, "imports"),
        (5, 6, "region"),
        (7, 13, "region"),
        (8, 13, "region"),
        (9, 10, "region"),
    ]


def test_nothing_folds_in_a_single_line() -> None:
    assert folds(written(f"{HEADER.strip()} net () => () {{ y = Relu (x) }}")) == []
