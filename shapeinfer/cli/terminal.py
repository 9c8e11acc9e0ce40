"""Write to the terminal, or to whatever stands in its place."""

from __future__ import annotations

import os
import shutil
import signal
import sys
from typing import NoReturn

import click

from shapeinfer.diagnostics.printable import inert
from shapeinfer.report.paint import Paint, printable

STDIN = "-"
_STDIN_NAME = "<stdin>"


class Failure(click.ClickException):
    """What the command was asked for cannot be done; ends with exit code 2."""

    exit_code = 2


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


def paint(*, err: bool = False, notes: bool = False) -> Paint:
    """Colours on a terminal, unless the user asks for none (https://no-color.org), and lines that fit it."""
    stream = sys.stderr if err else sys.stdout
    wanted = stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return Paint(bool(wanted), shutil.get_terminal_size().columns if stream.isatty() else None, notes)


def write(lines: str, *, err: bool = False, commands: bool = False) -> None:
    """Write whole lines at once; a reader that has gone away ends the program without a word.

    What they hold is no command of the server that runs the job, unless it says ``commands``.
    """
    try:
        click.echo(lines if commands else inert(lines), nl=False, err=err)
    except BrokenPipeError:
        _reader_gone()


def _reader_gone() -> NoReturn:
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(128 + getattr(signal, "SIGPIPE", 13))
