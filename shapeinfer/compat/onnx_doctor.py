"""A provider of these checks for onnx-doctor (extra ``onnx-doctor``)."""

from __future__ import annotations

from collections.abc import Iterator

import onnx_doctor
import onnx_ir as ir

from shapeinfer.api import check
from shapeinfer.compat.onnx_ir import weights_as_external
from shapeinfer.diagnostics.codes import Severity
from shapeinfer.diagnostics.diagnostic import Diagnostic, NodeRef

_SEVERITIES = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "info"}


class ShapesProvider(onnx_doctor.DiagnosticsProvider):
    """Gives onnx-doctor what ``shapeinfer check`` finds: ``onnx_doctor.diagnose(model, [ShapesProvider()])``."""

    PRODUCER = "shapeinfer"

    def diagnose(self, model: ir.Model) -> Iterator[onnx_doctor.DiagnosticsMessage]:
        """Check a model, and yield what was found at its nodes and of the model as a whole."""
        with weights_as_external(model):
            report = check(ir.to_proto(model))
        for diagnostic in report.diagnostics:
            yield self._message(model, diagnostic)

    def _message(self, model: ir.Model, found: Diagnostic) -> onnx_doctor.DiagnosticsMessage:
        node = None if found.node is None else _node(model.graph, found.node)
        operands = (f"{o.port} is {o.value}: {o.fact}" for o in found.shown)
        return onnx_doctor.DiagnosticsMessage(
            target_type="model" if node is None else "node",
            target=model if node is None else node,
            message="; ".join((found.message, *operands, *found.notes)),
            severity=_SEVERITIES[found.severity],
            producer=self.PRODUCER,
            error_code=found.code.name,
            suggestion=found.help,
        )


def _node(graph: ir.Graph, place: NodeRef) -> ir.Node | None:
    """Return the node at a place, None for one in a function or one that is no node of the model."""
    for step in place.graph:
        inside = (
            attribute.as_graph()
            for index, node in enumerate(graph)
            for attribute in node.attributes.values()
            if attribute.type == ir.AttributeType.GRAPH
            and step == f"{node.name or f'{node.op_type}_{index}'}.{attribute.name}"
        )
        found = next(inside, None)
        if found is None:
            return None
        graph = found
    return graph[place.index] if 0 <= place.index < len(graph) else None
