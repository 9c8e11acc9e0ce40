"""The source files that a model was exported from, found without inference."""

from __future__ import annotations

import os

from shapeinfer.api.options import DEFAULTS, Options
from shapeinfer.frontends.formats import Reading, format_of
from shapeinfer.graph import Graph


def recorded_files(path: str | os.PathLike[str], *, options: Options = DEFAULTS) -> frozenset[str]:
    """Return the source files whose lines the exporter recorded at a model's nodes, by their recorded names.

    Weights are not read and nothing is inferred, so this takes a fraction of the time of a check. Nodes of the model's
    functions are skipped. Raises ModelError for a file that is no model, or is too large for the options.
    """
    from shapeinfer.api import spending_on

    found: set[str] = set()
    with spending_on(options.budget, os.fspath(path)):
        pending: list[Graph] = [format_of(path).load(os.fspath(path), Reading(thorough=False)).graph()]
        while pending:
            graph = pending.pop()
            for node in graph.nodes:
                operation = graph.operation(node) if graph.operation is not None else None
                if operation is not None:
                    found.update(line.file for line in operation.stack)
                pending += (node.graphs or {}).values()
    return frozenset(found)
