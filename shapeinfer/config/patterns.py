"""Globs as regular expressions that take no longer than a path times a glob, whatever both are.

pathspec writes ``.*`` for each star. Where a path does not match, ``re`` tries all the ways to divide it among them,
which are more than anybody has time for: a glob of a strange repository would hold a check for ever. Of all stars but
the last of a part the shortest match will do, since what comes after it may begin nowhere earlier; so nothing else is
tried. The same holds for the folders that ``**`` stands for.
"""

from __future__ import annotations

import re
from typing import Any

from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

_STAR, _ANY_FOLDERS, _FIRST_FOLDERS = "[^/]*", "(?:/.+)?", "^(?:.+/)?"
_END = "(?:(?P<ps_d>/)"
_SLASH = re.compile(r"(?<!\[\^)(?<!\(\?!)/")
_CHARACTERS = re.compile(r"\\.|\[\^/\]|\[\^?\]?[^\]]*\]", re.DOTALL)
_DOUBTFUL = re.compile(r"(?<!^)[\[&~|]")
"""What ``re`` warns of between brackets: it may mean something else one day."""


class Pattern(GitIgnoreSpecPattern):
    """A glob as pathspec reads it, in a form that is matched soon."""

    __slots__ = ()

    @classmethod
    def pattern_to_regex(cls, pattern: Any) -> tuple[Any, bool | None]:
        """Return the regular expression of a glob, and whether what it matches is included."""
        regex, included = super().pattern_to_regex(pattern)
        return regex and soon(regex), included


def soon(regex: str) -> str:
    """Return a regular expression that matches what one of pathspec does, and tries no division of a text twice."""
    at = regex.find(_END)
    body, end = (regex, "") if at < 0 else (regex[:at], regex[at:])
    body = _CHARACTERS.sub(_within_part, body)
    first = _FIRST_FOLDERS if body.startswith(_FIRST_FOLDERS) else ""
    *early, last = body[len(first) :].split(_ANY_FOLDERS)
    groups = _Groups()
    out = ""
    for i, piece in enumerate(early):
        before = (first and "^(?:.+?/)??") if i == 0 else "(?:/.+?)??"
        out += groups.shortest(f"{before}{groups.parts(piece)}(?=/)")
    return out + (_ANY_FOLDERS if early else first) + groups.parts(last) + end


def _within_part(found: re.Match[str]) -> str:
    """Return characters in brackets so that a slash is none of them, as in Git."""
    listed = found[0]
    return listed if listed[0] == "\\" or listed == "[^/]" else "(?!/)" + _DOUBTFUL.sub(r"\\\g<0>", listed)


class _Groups:
    """Groups of which each matches in one way only, what ``(?>...)`` is from Python 3.11 on."""

    def __init__(self) -> None:
        self._count = 0

    def shortest(self, regex: str) -> str:
        self._count += 1
        return f"(?=(?P<s{self._count}>{regex}))(?P=s{self._count})"

    def parts(self, regex: str) -> str:
        return "/".join(map(self._part, _SLASH.split(regex)))

    def _part(self, regex: str) -> str:
        first, *rest = regex.split(_STAR)
        early = "".join(self.shortest(f"[^/]*?{piece}") for piece in rest[:-1])
        return first + early + "".join(_STAR + piece for piece in rest[-1:])
