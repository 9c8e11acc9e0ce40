"""The command ``trust``: allow Python rules to run that a configuration names."""

from __future__ import annotations

from pathlib import Path

import click

from shapeinfer.cli.terminal import Failure, shown, write
from shapeinfer.config import trust as lists


@click.command(epilog="Example: shapeinfer trust my_rules.py")
@click.argument("files", nargs=-1, metavar="[FILE]...")
@click.option("--remove", is_flag=True, help="Remove the files from the list.")
def trust(files: tuple[str, ...], remove: bool) -> None:
    """Allow a configuration to run files of Python rules.

    Only a configuration that is found, not one named with --config, needs this. Formulas (.toml) never do. A file is
    allowed as it is: once it changes or moves, it must be allowed again; what it imports is not checked. Without FILE,
    list the files that are allowed.
    """
    try:
        if not files:
            write("".join(f"{digest[:16]}  {shown(file)}\n" for file, digest in lists.trusted().items()))
        for file in files:
            write(f"{_removed(file) if remove else _added(file)}\n")
    except lists.TrustError as error:
        raise Failure(shown(str(error))) from None


def _added(file: str) -> str:
    if Path(file).suffix != ".py":
        raise click.UsageError(f"{shown(file)} does not end in .py; only Python rules need to be trusted")
    digest = lists.trust(Path(file))
    return f"{shown(file)} may run as it is now (SHA-256 {digest[:16]}...); recorded in {shown(str(lists.list_file()))}"


def _removed(file: str) -> str:
    return f"{shown(file)} {'may no longer run' if lists.distrust(Path(file)) else 'was not trusted'}"
