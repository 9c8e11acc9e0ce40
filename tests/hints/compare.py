"""Hints against what statements held when their program ran."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from attrs import field, frozen

from shapeinfer import Report, check
from shapeinfer.report.source_hints import NoHints, source_hints
from shapeinfer.report.source_hints.hint import Hint

ANYTHING = r"(?:\w+(?:\[[^\[\]]*\])?|\((?:[^()]|\([^()]*\))*\))"
"""What a ``?`` may stand for: a tensor, None, or a tuple of them. Of several, no two match the same text."""


@frozen
class Compared:
    """How many statements computed tensors, those with a hint for all of them, and the hints that are not true."""

    name: str
    computing: int
    hinted: int
    wrong: tuple[str, ...]
    without: tuple[str, ...] = field(repr=False)

    @property
    def share(self) -> float:
        return self.hinted / self.computing

    def __str__(self) -> str:
        return f"{self.name}: {self.hinted} of {self.computing} ({self.share:.0%}), wrong: {list(self.wrong)}"


def summary(name: str, model: bytes, runs: Sequence[Mapping[str, Any]], texts: Mapping[str, bytes]) -> Compared:
    """Compare the hints of a model with its program at every size that it ran at; ``texts`` are the program's files."""
    computing: set[str] = set()
    without: set[str] = set()
    wrong: list[str] = []
    report = check(model)
    shown = {file: _hints(report, file, text) for file, text in texts.items()}
    for run in runs:
        for file, lines in run["files"].items():
            by_line = {hint.first: {_sized(t, run["sizes"]) for t in hint.text.split(" | ")} for hint in shown[file]}
            text = texts[file].decode().split("\n")
            for line, held in lines.items():
                ran = {_text(value) for _, value in held if _has_tensor(value)}
                said = by_line.pop(int(line), None)
                where = f"{file}:{line}: {text[int(line) - 1].strip()}"
                if not ran:
                    wrong += [f"{where}: {said}, but there is no tensor"] * (said is not None)
                    continue
                computing.add(where)
                if said is None or not all(any(_covers(s, r) for s in said) for r in ran):
                    without.add(where)
                if said is not None and not all(any(_is_true(s, r) for r in ran) for s in said):
                    wrong.append(f"{where}: {said}, not {ran}")
            wrong += [f"{file}:{line}: {said}, but it did not run" for line, said in by_line.items()]
    return Compared(name, len(computing), len(computing - without), tuple(wrong), tuple(sorted(without)))


def _hints(report: Report, file: str, text: bytes) -> Sequence[Hint]:
    try:
        return source_hints(report, f"/somewhere/{file}", text).hints
    except NoHints:
        return ()


def _sized(text: str, sizes: Mapping[str, int]) -> str:
    """A hint with numbers in the place of its formulas, which are Python's."""
    return re.sub(r"\b([a-z]+[0-9]*)\[([^\[\]]+)\]", lambda m: f"{m[1]}{eval(f'[{m[2]}]', {}, dict(sizes))}", text)


def _is_true(said: str, ran: str) -> bool:
    return re.fullmatch(re.escape(said).replace(r"\?", ANYTHING), ran) is not None


def _covers(said: str, ran: str) -> bool:
    """Whether a hint has every tensor of what a statement held; ``?`` stands for anything else."""
    return re.fullmatch(re.escape(said).replace(r"\?", "None"), ran) is not None


def _has_tensor(held: Any) -> bool:
    return isinstance(held, str) or (isinstance(held, list) and any(map(_has_tensor, held)))


def _text(held: Any) -> str:
    return ", ".join(map(_part, held)) if isinstance(held, list) else str(held)


def _part(held: Any) -> str:
    return f"({', '.join(map(_part, held))})" if isinstance(held, list) else str(held)
