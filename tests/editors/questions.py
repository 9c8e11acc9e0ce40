"""What an editor asks of a text, all of it: nothing of that may fail."""

from __future__ import annotations

import json

from shapeinfer.editors.actions import actions
from shapeinfer.editors.completion import completions
from shapeinfer.editors.folding import folds
from shapeinfer.editors.highlights import highlights
from shapeinfer.editors.hints import hints
from shapeinfer.editors.hover import hover
from shapeinfer.editors.lenses import details, lenses, title
from shapeinfer.editors.outline import outline
from shapeinfer.editors.positions import Positions
from shapeinfer.editors.problems import problems
from shapeinfer.editors.signatures import signature_help
from shapeinfer.editors.symbols import Symbols
from shapeinfer.editors.tokens import Tokens
from shapeinfer.text import Written


def ask(written: Written) -> None:
    """Ask everything."""
    text = written.text
    found = problems(written)
    for at in {0, len(text) // 2, len(text), *(p.start for p in found[:3])}:
        completions(written, at)
        hover(written, at)
        signature_help(written, at)
        for action in actions(written, at, at, found):
            assert 0 <= action.edit.start <= action.edit.end <= len(text) + 1, action.title
    hints(written)
    highlights(written)
    assert all(fold.first < fold.last <= text.count("\n") + text.count("\r") for fold in folds(written))
    for lens in lenses(written):
        title(written, lens.kind, lens.number)
        details(written, lens.kind, lens.number)
    sent = json.loads("".join(Symbols().parts(written, Positions(text))))
    assert len(sent) == len(outline(written))
    json.loads("".join(Tokens().all(written, Positions(text))))
