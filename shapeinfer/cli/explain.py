"""The command ``explain``: what a code means and how to fix what it reports."""

from __future__ import annotations

import sys

import click

from shapeinfer.cli.terminal import shown, write
from shapeinfer.diagnostics import codes
from shapeinfer.diagnostics.codes import CODES
from shapeinfer.diagnostics.nearest import did_you_mean
from shapeinfer.report.json import schema as json_schema


@click.command(epilog="Example: shapeinfer explain not-broadcastable")
@click.argument("code", required=False)
@click.option("--schema", is_flag=True, help="Print the JSON Schema of --format json instead.")
def explain(code: str | None, schema: bool) -> None:
    """Explain a code of check or a rewrite of fold.

    CODE may also be the name of a rewrite; `shapeinfer fold --rewrites` lists them. Without CODE, list all codes.
    """
    if schema:
        write(json_schema())
    elif code is None:
        write(_list_of_codes())
    elif code in CODES:
        write(codes.explain(code))
    elif (page := _rewrite_page(code)) is not None:
        write(page)
    else:
        write(f"Error: unknown code {shown(code)}{did_you_mean(code, CODES, 3)}\n\n{_list_of_codes()}", err=True)
        sys.exit(2)


def _rewrite_page(name: str) -> str | None:
    """Return the explanation of a rewrite, None for another name."""
    from shapeinfer.rewrite.rules import BY_NAME  # loads the inference, which explaining a code does not need

    rule = BY_NAME.get(name)
    return None if rule is None else f"{rule.name}\n\n{rule.page}\n"


def _list_of_codes() -> str:
    width = max(map(len, CODES))
    return "".join(f"{c.name:{width}}  {c.severity.value:7}  {c.title}\n" for c in CODES.values())
