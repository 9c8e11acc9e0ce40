"""Whatever is typed, what was read before changes nothing, and nothing that an editor asks ever fails."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shapeinfer.editors.actions import actions
from shapeinfer.editors.completion import completions
from shapeinfer.editors.highlights import highlights
from shapeinfer.editors.hints import hints
from shapeinfer.editors.hover import hover
from shapeinfer.editors.mentions import definition, occurrences, references
from shapeinfer.editors.outline import outline
from shapeinfer.editors.problems import problems
from shapeinfer.text import Written, check_text

NET = """\
# a net with a bit of everything
<ir_version: 10, opset_import: ["" : 20, "my" : 1], metadata_props: ["shapeinfer.ignore": "unused-node"]>
net (bool c, float[N, 64] x, seq(float[N]) "odd name", u) => (float[N, 8] y, v)
<float[64, 8] w = ["location": "w.bin"], int64[2] s = {1, -1}, float["N*1", 64] h>
{
    h = If (c) <
        then_branch = yes () => (a) { a = Relu (x) },
        else_branch = no () => (b) { b = Tanh (x) }
    >  # the same either way
    [last] y = MatMul (h, w)
    p, = my.F <alpha = 0.5, beta: ints = []> (h)
    v = Reshape (y, s)
    k = Constant <value = float[2] {1, nan}> ()
}
<domain: "my", opset_import: ["" : 20]>
F <alpha, beta: float = 1.0> (k) => (m) { m = Elu <alpha: float = @alpha> (k) }
"""
PIECES = (*'(){}<>[],=:."#\n @', "x", "Relu", "y = ", "-1", "float[N]", "=>", "{1}", "é", "\U0001f600", "\r\n", "\0")

edits = st.lists(
    st.tuples(st.integers(0, len(NET)), st.integers(0, 12), st.sampled_from(PIECES)), min_size=1, max_size=5
)


def edited(text: str, at: int, removed: int, added: str) -> str:
    at = min(at, len(text))
    return text[:at] + added + text[at + removed :]


def told(written: Written) -> list[str]:
    return [f"{d.line}:{d.column} {d.text}" for d in written.report.diagnostics]


@settings(derandomize=True, deadline=None, max_examples=100, database=None)
@given(edits)
def test_what_was_read_before_changes_nothing(made: list[tuple[int, int, str]]) -> None:
    text, before = NET, check_text(NET)
    for edit in made:
        text = edited(text, *edit)
        warm, cold = check_text(text, before), check_text(text)
        assert told(warm) == told(cold)
        assert hints(warm) == hints(cold)
        assert warm.model.faults == cold.model.faults
        before = warm


@settings(derandomize=True, deadline=None, max_examples=100, database=None)
@given(edits, st.integers(0, len(NET) + 10))
def test_every_question_has_an_answer(made: list[tuple[int, int, str]], at: int) -> None:
    text = NET
    for edit in made:
        text = edited(text, *edit)
    written = check_text(text)
    at = min(at, len(text))
    found = problems(written)
    spots = [(p.start, p.end) for p in found] + [(h.at, h.at) for h in hints(written)]
    spots += [(h.start, h.end) for h in highlights(written)] + occurrences(written, at)
    spots += [(m.start, m.end) for m in (*definition(written, at), *references(written, at))]
    spots += [s.span for s in outline(written)] + [(a.edit.start, a.edit.end) for a in actions(written, at, at, found)]
    assert all(0 <= start <= end <= len(text) + 1 for start, end in spots)
    hover(written, at)
    completions(written, at)


def typed(count: int) -> list[str]:
    """The text as it is typed, some of its prefixes."""
    chosen = random.Random(7).sample(range(len(NET)), count)
    return [NET[:end] for end in sorted(chosen)]


@pytest.mark.parametrize("text", typed(40), ids=len)
def test_a_text_that_is_being_written_describes_what_is_there(text: str) -> None:
    written = check_text(text)
    assert not written.report.ok
    if "v = Reshape (y, s)\n" in text:
        assert {"y", "v", "h"} <= {text[: h.at].split()[-1].lstrip("(") for h in hints(written)}
