"""The command ``lsp``: serve an editor."""

from __future__ import annotations

import click

from shapeinfer.cli.terminal import Failure


@click.command(epilog="Example: shapeinfer lsp --stdio")
@click.option("--stdio", is_flag=True, help="Use standard input and output (always the case).")
def lsp(stdio: bool) -> None:  # noqa: ARG001 - editors always pass it
    """Serve an editor through the Language Server Protocol.

    Editors start it; see examples/editors. It serves ONNX text (.onnxtxt, .onnxtext) on standard input and output, with
    diagnostics, types beside each value, documentation and completion.

    It also shows binary models as text or as a page, and shapes in the Python programs that models were exported from.
    """
    try:
        from shapeinfer.editors.server import start
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] not in ("pygls", "lsprotocol"):
            raise
        raise Failure("the language server needs pygls: pip install 'shapeinfer[lsp]'") from None
    start()
