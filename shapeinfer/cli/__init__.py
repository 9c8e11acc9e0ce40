"""The command line: one small module for each command, and what they share."""

from __future__ import annotations

import importlib
import io
import signal
import sys
from typing import NoReturn

import click

from shapeinfer.cli.arguments import refuse_names
from shapeinfer.diagnostics.printable import inert, printable

_COMMANDS = {
    "check": "check:check",
    "cost": "cost:cost",
    "diff": "diff:diff",
    "fold": "fold:fold",
    "generalize": "generalize:generalize",
    "hints": "hints:hints",
    "infer": "infer:infer",
    "report": "page:report",
    "show": "reading:show",
    "contract": "reading:contract",
    "why": "reading:why",
    "explain": "explain:explain",
    "lsp": "lsp:lsp",
    "text": "text:text",
    "trust": "trust:trust",
}
"""Each command's module here, and its name there."""


class _Commands(click.Group):
    """Loads a command on first use: most of the time of a small check goes into imports."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return sorted(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - likewise
        if cmd_name not in _COMMANDS:
            return None
        module, _, name = _COMMANDS[cmd_name].partition(":")
        command: click.Command = getattr(importlib.import_module(f"shapeinfer.cli.{module}"), name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            found = super().resolve_command(ctx, args)
        except click.UsageError as error:
            from shapeinfer.diagnostics.nearest import did_you_mean

            near = did_you_mean(args[0], _COMMANDS)
            if not near:
                raise
            raise click.UsageError(f"unknown command {args[0]!r}{near}", ctx) from error
        refuse_names(found[2])
        return found


def _print_version(ctx: click.Context, _param: click.Parameter, value: bool) -> None:
    if value:
        from shapeinfer.version import __version__

        click.echo(f"shapeinfer {__version__}")
        ctx.exit()


@click.group(
    epilog="Example: shapeinfer check model.onnx",
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.option(
    "--version", is_flag=True, expose_value=False, is_eager=True, callback=_print_version, help="Show the version."
)
def cli() -> None:
    """Infer the shapes of models and check them, without running them."""


def _show(error: click.ClickException) -> None:
    """Print an error to standard error; what click quotes may be a file's name, which is untrusted."""
    text = io.StringIO()
    error.show(text)
    click.echo(inert("\n".join(map(printable, text.getvalue().split("\n")))), err=True, nl=False)


def main(args: list[str] | None = None) -> NoReturn:
    """Run the command line and exit; every way out is an exit code, and none a traceback."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        sys.exit(cli.main(args, prog_name="shapeinfer", standalone_mode=False))
    except click.ClickException as error:
        _show(error)
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        sys.exit(128 + signal.SIGINT)
    except Exception as error:  # noqa: BLE001 - the last resort
        from shapeinfer.batch.one import our_fault

        click.echo(inert(f"Error: {printable(our_fault(error))}"), err=True)
        sys.exit(2)
