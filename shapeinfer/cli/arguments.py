"""Names of files that read as options: who names a file must not choose what is done.

Shells, xargs and pre-commit hand over whatever names they find, and a repository may have a file ``--config=x.onnx``.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from itertools import takewhile

import click

from shapeinfer.diagnostics.printable import printable


def _is_named_as_model(name: str) -> bool:
    from shapeinfer.frontends.formats import suffixes  # most command lines have no such name

    return "." in name and name.lower().endswith(suffixes())


def refuse_names(arguments: Iterable[str]) -> None:
    """Raise a UsageError for an option that is a file's name as well, or ends as a model's does and takes no value."""
    for argument in takewhile(lambda argument: argument != "--", arguments):
        if not argument.startswith("-") or argument == "-":
            continue
        if os.path.lexists(argument):
            how = "write -- before file names, or rename it"
            raise click.UsageError(f"is {printable(argument)} an option or the file of that name? {how}")
        if "=" not in argument and not argument.startswith("-o") and _is_named_as_model(argument):
            raise click.UsageError(f"unknown option {printable(argument)}; write -- before file names")


def no_model(_ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    """Return the value of an option for a file that is no model. Raises BadParameter for what is named as one."""
    if value is not None and _is_named_as_model(value):
        message = f"{printable(value)} looks like a model; write -- before file names"
        raise click.BadParameter(message, param=param)
    return value
