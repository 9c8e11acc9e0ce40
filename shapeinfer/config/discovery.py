"""Find and read the configuration of a folder; mistakes are reported with their lines."""

from __future__ import annotations

import itertools
import os
import re
from pathlib import Path
from typing import Any

from attrs import evolve, frozen

from shapeinfer import regular
from shapeinfer.config.reading import At, settings_of
from shapeinfer.config.settings import Settings
from shapeinfer.diagnostics.printable import printable

OWN_FILE, PROJECT_FILE = "shapeinfer.toml", "pyproject.toml"
ROOTS = (".git", ".hg")
"""Files and folders that mark the root of a repository."""
MOST = 1 << 20
"""No configuration has more bytes than this."""
_SECTION = ("tool", "shapeinfer")


@frozen(repr=False)
class Mistake:
    """One thing that is wrong with a configuration file."""

    file: Path
    line: int | None
    key: str
    message: str

    def text(self, folder: Path | None = None) -> str:
        """One line: file, line, key and message; the file is named from a folder if it is below it."""
        inside = folder is not None and self.file.is_relative_to(folder)
        file = self.file.relative_to(folder) if folder is not None and inside else self.file
        line = f":{self.line}" if self.line else ""
        key = f"{self.key}: " if self.key else ""
        return printable(f"{file}{line}: {key}{self.message}")


class ConfigError(Exception):
    """A configuration file cannot be used; ``mistakes`` has all that is wrong with it."""

    def __init__(self, *mistakes: Mistake) -> None:
        self.mistakes = mistakes
        super().__init__("\n".join(self.lines()))

    def lines(self, folder: Path | None = None) -> list[str]:
        """A line for each mistake."""
        return [m.text(folder) for m in self.mistakes]


def nearest(folder: Path) -> Settings:
    """Return the settings of the nearest file upward from a folder, not merged; defaults if there is none.

    That is ``shapeinfer.toml``, or ``pyproject.toml`` with a section ``[tool.shapeinfer]``. The search ends at the root
    of the repository that the folder is in, and at the person's home. Raises ConfigError, also for a file of another
    user.
    """
    home = _home()
    for place in (folder, *folder.parents):
        if _is_file(place / OWN_FILE):
            return _settings_if_owned(folder, place / OWN_FILE, settings_from(place / OWN_FILE))
        if _is_file(place / PROJECT_FILE):
            text, table = _read(place / PROJECT_FILE)
            section = _section(table)
            if section is not None:
                return _settings_if_owned(
                    folder, place / PROJECT_FILE, _settings(place / PROJECT_FILE, text, section, _SECTION)
                )
        if _is_same(place, home) or any(os.path.lexists(place / root) for root in ROOTS):
            break
    return Settings()


def _home() -> os.stat_result | None:
    try:
        return Path.home().stat()
    except (RuntimeError, OSError):  # there is none
        return None


def _is_same(place: Path, home: os.stat_result | None) -> bool:
    """Whether a folder is the person's home; asked of the system, which follows links faster than by their names."""
    try:
        return home is not None and os.path.samestat(place.stat(), home)
    except OSError:
        return False


def _settings_if_owned(folder: Path, file: Path, settings: Settings) -> Settings:
    if regular.is_foreign(file, folder):
        message = "ignored, since it belongs to another user; name it with --config to use it"
        raise ConfigError(Mistake(file, None, "", message))
    return evolve(settings, found=file)


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:
        return False  # a parent folder without read permission has no settings for us


def settings_from(file: Path) -> Settings:
    """Return the settings of one file. Raises ConfigError."""
    text, table = _read(file)
    if file.name != PROJECT_FILE:
        return _settings(file, text, table, ())
    section = _section(table)
    if section is None:
        raise ConfigError(Mistake(file, None, "", "the section [tool.shapeinfer] is missing"))
    return _settings(file, text, section, _SECTION)


def _read(file: Path) -> tuple[str, dict[str, Any]]:
    from shapeinfer import toml

    try:
        data = regular.read(file, MOST)
        return data.decode("utf-8"), toml.read(data)
    except OSError as error:
        raise ConfigError(Mistake(file, None, "", f"it cannot be read: {error.strerror or error}")) from None
    except UnicodeDecodeError:
        raise ConfigError(Mistake(file, None, "", "it is not UTF-8")) from None
    except toml.TOMLDecodeError as error:
        found = re.search(r" \(at line (\d+), column \d+\)$", str(error))
        said = str(error).removesuffix(found[0]) if found else str(error)
        raise ConfigError(Mistake(file, int(found[1]) if found else None, "", f"invalid TOML: {said}")) from None


def _section(table: dict[str, Any]) -> Any:
    tool = table.get("tool")
    return tool.get("shapeinfer") if isinstance(tool, dict) else None


def _settings(file: Path, text: str, table: object, above: At) -> Settings:
    settings, mistakes = settings_of(table, file.parent)
    if mistakes:
        lines = dict(reversed(_lines(text)))
        where = [(_line(lines, (*above, *at)), _spelled((*above, *at)), message) for at, message in mistakes]
        raise ConfigError(*(Mistake(file, *found) for found in where))
    return settings


def _spelled(at: At) -> str:
    """Keys as TOML spells them, entries of lists by their index."""
    out = ""
    for key in at:
        if isinstance(key, int):
            out += f"[{key}]"
        else:
            plain = re.fullmatch(r"[A-Za-z0-9_-]+", key)
            out += ("." if out else "") + (key if plain else f'"{key}"')
    return out


_DEEPEST = 8
"""Keys that lie deeper are none of ours, so nothing is wrong with them."""
_HEADER = re.compile(r"\s*(\[\[?)([^\[\]]+)\]\]?\s*(?:#.*)?")
_PART = re.compile(r"""("[^"]*"|'[^']*'|[\w-]+)""")
_KEY = re.compile(rf"\s*({_PART.pattern}(?:\s*\.\s*{_PART.pattern})*)\s*=")


def _lines(text: str) -> list[tuple[At, int]]:
    """The keys on the way to each table or value that a line of TOML opens or gives, and the number of the line."""
    found: list[tuple[At, int]] = []
    table: At = ()
    counts: dict[At, int] = {}
    for number, line in enumerate(text.splitlines(), 1):
        header, key = _HEADER.fullmatch(line), _KEY.match(line)
        if header is not None:
            table = _keys(header[2])
            if header[1] == "[[":
                index = counts[table] = counts.get(table, -1) + 1
                table = (*table, index)
            elif table[:-1] in counts:
                table = (*table[:-1], counts[table[:-1]], table[-1])
            found.append((table, number))
        elif key is not None:
            found.append(((*table, *_keys(key[1])), number))
    return found


def _keys(text: str) -> At:
    return tuple(part[0].strip("\"'") for part in itertools.islice(_PART.finditer(text), _DEEPEST))


def _line(lines: dict[At, int], at: At) -> int | None:
    """The line of a value: of the longest way to it that a line gives."""
    return next((lines[at[:k]] for k in range(len(at), 0, -1) if at[:k] in lines), None)
