"""The command line: one small module for each command, and what they share."""

from __future__ import annotations

import io
import signal
import sys
from typing import NoReturn

import click

from shapeinfer.api import version
from shapeinfer.batch.one import our_fault
from shapeinfer.cli import check, cost, diff, explain, infer, lsp, reading
from shapeinfer.report.paint import printable


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(version(), prog_name="shapeinfer", message="%(prog)s %(version)s")
def cli() -> None:
    """Infer the shapes of ONNX models and OpenVINO IRs and check them, without running them."""


for command in (
    check.check,
    cost.cost,
    diff.diff,
    infer.infer,
    reading.show,
    reading.contract,
    reading.why,
    explain.explain,
    lsp.lsp,
):
    cli.add_command(command)


def main(args: list[str] | None = None) -> NoReturn:
    """Run the command line and exit; every way out is an exit code, and none a traceback."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        sys.exit(cli.main(args, prog_name="shapeinfer", standalone_mode=False))
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        sys.exit(128 + signal.SIGINT)
    except Exception as error:  # noqa: BLE001 - the last resort
        click.echo(f"Error: {printable(our_fault(error))}", err=True)
        sys.exit(2)
