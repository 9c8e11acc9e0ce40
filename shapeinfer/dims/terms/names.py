"""How names of symbols are written: bare where they read back as one name, in backticks otherwise."""

from __future__ import annotations

import re

SHOWN = 80
"""The longest expression, in characters, that a message shows whole."""
LONG = 200
"""The same for ``repr``."""
NAME = r"(?!(?:and|or)\b)[A-Za-z_][\w.:$@#]*"


def shortened(text: str, most: int = SHOWN) -> str:
    """Return the text of an expression, cut after ``most`` characters."""
    return text if len(text) <= most else f"{text[:most]}…"


def public_names(of: object, public: frozenset[str]) -> list[str]:
    """Return what ``dir`` lists for an object: its public names and the double-underscore ones."""
    return [name for name in object.__dir__(of) if name in public or name.startswith("__")]


def quoted(name: str) -> str:
    """Return any name in quotes: text that is no Python, so that Python refuses to run it."""
    return "`" + name.replace("`", "``") + "`"


def quoted_if_odd(name: str, is_fresh: bool) -> str:
    """Return a symbol's name as it can be read back within an expression."""
    plain = re.fullmatch(NAME, name) or (is_fresh and name.startswith("?"))
    return name if plain else quoted(name)
