"""The wiring of If, Loop and TensorIterator: which value of the node is which of the body."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from shapeinfer.diagnostics import codes
from shapeinfer.diagnostics.codes import Code
from shapeinfer.frontends.openvino.layers import Faults, Layer, Net, listed, places
from shapeinfer.frontends.openvino.tree import Element
from shapeinfer.graph.wiring import Inlet, Outlet, Slices, Wiring

BODIES = {"body": "port_map", "then_body": "then_port_map", "else_body": "else_port_map"}
"""The elements that hold a graph, and those that say how it is connected."""

_SLICES = {"axis": "axis", "start": "start", "end": "end", "stride": "stride", "part_size": "part"}


def wiring(layer: Layer, body: str, net: Net, results: Sequence[str], faults: Faults) -> Wiring:
    """Return how a body is connected; ``results`` are the ids of its Result layers. What does not fit is recorded."""
    inlets: list[Inlet] = []
    outlets: list[Outlet] = []
    at_results = places(results)
    for part in layer.element.below(BODIES[body]):
        for entry in part.children:
            found = _connection(layer, entry, net, at_results, faults)
            if isinstance(found, Inlet):
                inlets.append(found)
            elif found is not None:
                outlets.append(found)
    back = [
        (at_results[edge.attributes["from-layer"]], net.layers[edge.attributes["to-layer"]].value(0))
        for edge in (layer.element.below("back_edges", "edge") if body == "body" else ())
        if _is_back_edge(edge, net.layers, at_results, faults)
    ]
    return Wiring(tuple(inlets), tuple(outlets), tuple(back))


def _connection(
    layer: Layer, entry: Element, net: Net, results: Mapping[str, int], faults: Faults
) -> Inlet | Outlet | None:
    """Read one entry of a port map, None where it does not fit."""

    def wrong(code: Code, message: str) -> None:
        faults.at(code, message, entry.line, layer.name, layer.type, layer.domain)

    enters = entry.tag == "input"
    port, inner = entry.attributes.get("external_port_id", ""), entry.attributes.get("internal_layer_id", "")
    ports = layer.input_places if enters else layer.output_places
    if port != "-1" and port not in ports:
        known_ports = listed(layer.inputs if enters else layer.outputs)
        wrong(codes.BROKEN_EDGE, f"the port map names port {port or '?'}, the layer has {known_ports}")
        return None
    known = net.layers.get(inner)
    if known is None or (known.type != "Parameter" if enters else inner not in results):
        kind = "Parameter" if enters else "Result"
        wrong(codes.BROKEN_EDGE, f"the port map names layer {inner or '?'} of the body, which is not a {kind}")
        return None
    try:
        slices = _slices(entry)
    except ValueError:
        wrong(codes.MALFORMED_LAYER, "axis, start, end, stride and part_size of a port map must be numbers")
        return None
    outside = None if port == "-1" else ports[port]
    if enters:
        return Inlet(known.value(0), outside, slices)
    return Outlet(results[inner], outside, slices)


def _slices(entry: Element) -> Slices | None:
    numbers = {name: int(entry.attributes[key]) for key, name in _SLICES.items() if key in entry.attributes}
    return Slices(**numbers) if "axis" in numbers else None


def _is_back_edge(edge: Element, layers: Mapping[str, Layer], results: Mapping[str, int], faults: Faults) -> bool:
    producer, user = edge.attributes.get("from-layer", ""), edge.attributes.get("to-layer", "")
    if producer in results and user in layers and layers[user].type == "Parameter":
        return True
    message = (
        f"the back edge from layer {producer or '?'} to layer {user or '?'} does not lead from a Result to a Parameter"
    )
    faults.at(codes.BROKEN_EDGE, message, edge.line, kind="edge")
    return False
