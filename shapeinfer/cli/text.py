"""The command ``text``: a model in ONNX's text syntax."""

from __future__ import annotations

import sys

import click

from shapeinfer.cli.terminal import Failure, name_of, paint, shown, write, write_each
from shapeinfer.diagnostics.errors import ModelError
from shapeinfer.report import text as in_words


@click.command(epilog="Example: shapeinfer text model.onnx")
@click.argument("path", metavar="PATH")
def text(path: str) -> None:
    """Print an ONNX model as text, without its weights.

    The output is in ONNX's text syntax. Long data is replaced by the name of the file that contains it. The lines of
    the Python program that the model was exported from, where the exporter recorded them, are comments above their
    nodes. Editors show binary models the same way.
    """
    from shapeinfer.api.report import Report
    from shapeinfer.text import text_of_file

    try:
        found = text_of_file(path)
    except ModelError as error:
        findings = [(name_of(path), Report(error.diagnostics))]
        write("".join(in_words.render(findings, several=False, paint=paint(err=True))), err=True)
        sys.exit(2)
    except ValueError as error:
        raise Failure(f"{shown(path)} cannot be printed: {error}") from None
    write_each(found.rstrip("\n").split("\n"))
