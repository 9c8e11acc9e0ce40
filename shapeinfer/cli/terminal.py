"""Write to the terminal, or to whatever stands in its place."""

from __future__ import annotations

import math
import os
import shutil
import signal
import sys
from collections.abc import Iterable
from typing import NoReturn

import click
from attrs import define

from shapeinfer.budget import MEGABYTE
from shapeinfer.diagnostics.printable import inert
from shapeinfer.report.paint import Paint, printable

STDIN = "-"
_STDIN_NAME = "<stdin>"


PIPED = 120
"""The width of a listing, in columns, where the output is no terminal."""
MAX_OUTPUT = 64
"""So many megabytes are written of one model: a thousand times what most take."""
PIECE = 1 << 16
"""So many characters are written at once."""


class Failure(click.ClickException):
    """The command cannot do its work; ends with exit code 2."""

    exit_code = 2


class OutputEnds(click.ClickException):
    """More would be written than may be; ends with exit code 3."""

    exit_code = 3

    def __init__(self, megabytes: float) -> None:
        super().__init__(f"the output was cut at {megabytes:g} megabytes per model; raise --max-output for more")


def name_of(path: str) -> str:
    """Return what a path is called in text."""
    return _STDIN_NAME if path == STDIN else path


def shown(text: str) -> str:
    """Return text that is safe to print, quotes for none."""
    return printable(text) or "''"


def quoted(path: str) -> str:
    """Return a path as a shell reads it back, so that a line with it may be copied whatever the path is."""
    import shlex

    return shlex.quote(path if path.isprintable() and not path.startswith("-") else f"./{printable(path)}")


def paint(*, err: bool = False, notes: bool = False, all_sizes: bool = False, piped: int | None = None) -> Paint:
    """Colours on a terminal, unless the user disables them (https://no-color.org), and lines that fit it.

    If the output is no terminal, lines fit ``piped`` columns, which COLUMNS overrides; without ``piped`` they are not
    limited.
    """
    stream = sys.stderr if err else sys.stdout
    is_terminal = stream.isatty()
    coloured = is_terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    width = shutil.get_terminal_size((piped or 80, 24)).columns if is_terminal or piped else None
    return Paint(coloured, width, notes, all_sizes)


def write(lines: str, *, err: bool = False, commands: bool = False) -> None:
    """Write whole lines at once; a reader that has gone away ends the program without a word.

    Workflow commands in them are made inert, unless ``commands``: a model must not steer the CI server.
    """
    lines, over = _room.part_of(lines if commands else inert(lines))
    try:
        click.echo(lines, nl=False, err=err)
    except BrokenPipeError:
        _reader_gone()
    if over:
        raise OutputEnds(_room.megabytes)


def write_each(lines: Iterable[str]) -> None:
    """Write lines as they are produced, in batches: together they may not fit into memory."""
    held: list[str] = []
    size = 0
    for line in lines:
        held.append(f"{line}\n")
        size += len(line)
        if size > PIECE:
            write("".join(held))
            held, size = [], 0
    if held:
        write("".join(held))


def _bytes(lines: str) -> int:
    return len(lines) if lines.isascii() else len(lines.encode("utf-8", "replace"))


@define(repr=False)
class _Room:
    """How much may still be written."""

    megabytes: float = MAX_OUTPUT
    left: float = math.inf

    def part_of(self, lines: str) -> tuple[str, bool]:
        """Return what may be written of lines, whole ones, and whether that is not all."""
        size = _bytes(lines)
        if size <= self.left:
            self.left -= size
            return lines, False
        kept = lines.encode("utf-8", "replace")[: int(self.left)]
        self.left = 0
        return kept[: kept.rfind(b"\n") + 1].decode("utf-8"), True


_room = _Room()


def limit_output(megabytes: float) -> None:
    """Let so much be written of a model, from now on."""
    _room.megabytes = megabytes
    make_room(1)


def max_output() -> float:
    """Return how many megabytes may be written of a model."""
    return _room.megabytes


def make_room(models: int) -> None:
    """Let as much be written as so many models may take."""
    _room.left = _room.megabytes * MEGABYTE * max(1, models)


def _reader_gone() -> NoReturn:
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(128 + getattr(signal, "SIGPIPE", 13))
