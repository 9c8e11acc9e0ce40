"""The command ``lsp``: serve an editor."""

from __future__ import annotations

import click

from shapeinfer.cli.terminal import Failure


@click.command()
@click.option("--stdio", is_flag=True, help="Speak on standard input and output, as is done anyway; editors pass it.")
def lsp(stdio: bool) -> None:  # noqa: ARG001 - taken for the sake of editors that always pass it
    """Serve an editor with the Language Server Protocol, on standard input and output.

    Editors start it; examples/editors says how. It answers for models in ONNX's text syntax (.onnxtxt, .onnxtext) with
    diagnostics, types beside each value, documentation, completion and the like.
    """
    try:
        from shapeinfer.editors.server import start
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] not in ("pygls", "lsprotocol"):
            raise
        raise Failure("the language server needs pygls: pip install 'shapeinfer[lsp]'") from None
    start()
