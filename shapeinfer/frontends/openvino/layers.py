"""The layers and edges of a <net> or a body, as they stand in the file."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from attrs import define, field, frozen

from shapeinfer.diagnostics import codes
from shapeinfer.diagnostics.codes import Code
from shapeinfer.diagnostics.diagnostic import Diagnostic, NodeRef
from shapeinfer.facts.openvino import OPENVINO
from shapeinfer.frontends.openvino.tree import Element

_OPSET = re.compile(r"opset(\d{1,4})")


MOST_LISTED = 16
"""So many ids of ports are listed in a message."""


def places(ids: Sequence[str]) -> dict[str, int]:
    """Return where each id stands first."""
    found: dict[str, int] = {}
    for place, key in enumerate(ids):
        found.setdefault(key, place)
    return found


def listed(ports: Sequence[str]) -> str:
    """Return the ids of ports for a message, the first few of many."""
    more = ", ..." if len(ports) > MOST_LISTED else ""
    return (", ".join(ports[:MOST_LISTED]) or "none") + more


@frozen(eq=False)
class Layer:
    """One layer: the place of its node in the file, its operator, and the ids of its ports in their order."""

    name: str
    line: int
    type: str
    domain: str
    opset: int
    element: Element
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    input_places: Mapping[str, int] = field(init=False)
    """The place of the first input with each id; a layer may have as many as the file has bytes for."""
    output_places: Mapping[str, int] = field(init=False)

    @input_places.default
    def _find_inputs(self) -> Mapping[str, int]:
        return places(self.inputs)

    @output_places.default
    def _find_outputs(self) -> Mapping[str, int]:
        return places(self.outputs)

    @property
    def is_ambiguous(self) -> bool:
        """Whether several of its inputs have one id, so that edges to it are ambiguous."""
        return len(self.input_places) < len(self.inputs)

    def value(self, output: int) -> str:
        """The name of the value that an output gives."""
        return f"{self.name}:{output}"

    @property
    def data(self) -> Mapping[str, str]:
        """The attributes of the operator, as text."""
        found = self.element.first("data")
        return {} if found is None else found.attributes


@define(eq=False)
class Net:
    """The layers of a graph by their ids, and for each input port the layer and the output that it is joined to."""

    layers: dict[str, Layer]
    sources: dict[tuple[str, str], str]
    """Value names by layer and port id; none of a layer that is ambiguous."""


class Faults:
    """Collects what is wrong with the layers of one graph."""

    def __init__(self, path: tuple[str, ...], found: list[Diagnostic]) -> None:
        self.path = path
        self.found = found

    def at(self, code: Code, message: str, line: int, name: str = "", kind: str = "", domain: str = "") -> None:
        """Record a fault at a line of the file."""
        place = NodeRef(-1, name, kind, domain, self.path, line=line)
        self.found.append(Diagnostic(code, code.severity, message, place, line=line))

    def in_layer(self, code: Code, message: str, layer: Layer) -> None:
        """Record a fault of a layer."""
        self.at(code, message, layer.line, layer.name, layer.type or "layer", layer.domain)


def read_net(element: Element, faults: Faults) -> Net:
    """Return the layers and edges below an element; what does not fit is recorded and left out."""
    layers: dict[str, Layer] = {}
    names: set[str] = set()
    for found in element.below("layers", "layer"):
        key = found.attributes.get("id", "").strip()
        layer = _layer(found, key, names)
        if not key or not layer.type:
            absent = "type" if key else "id"
            faults.in_layer(codes.MALFORMED_LAYER, f"the layer has no {absent}", layer)
        elif key in layers:
            message = f"duplicate layer id {key}; layer {layers[key].name} in line {layers[key].line} has it too"
            faults.in_layer(codes.MALFORMED_LAYER, message, layer)
        else:
            layers[key] = layer
            names.add(layer.name)
            if layer.is_ambiguous:
                twice = next(port for i, port in enumerate(layer.inputs) if layer.input_places[port] < i)
                faults.in_layer(codes.MALFORMED_LAYER, f"several input ports have the id {twice or '?'}", layer)
    return Net(layers, _sources(element, layers, faults))


def _layer(found: Element, key: str, names: set[str]) -> Layer:
    kind = found.attributes.get("type", "").strip()
    name = found.attributes.get("name") or f"{kind or 'layer'}_{key}"
    if name in names:
        name = f"{name} ({key})"
    version = found.attributes.get("version", "opset1")
    opset = _OPSET.fullmatch(version)
    domain, number = (OPENVINO, int(opset[1])) if opset else (version, 1)
    return Layer(name, found.line, kind, domain, number, found, _ports(found, "input"), _ports(found, "output"))


def _ports(layer: Element, side: str) -> tuple[str, ...]:
    return tuple(port.attributes.get("id", "") for port in layer.below(side, "port"))


def _sources(element: Element, layers: Mapping[str, Layer], faults: Faults) -> dict[tuple[str, str], str]:
    sources: dict[tuple[str, str], str] = {}
    for edge in element.below("edges", "edge"):
        producer, output, user, port = (
            edge.attributes.get(a, "") for a in ("from-layer", "from-port", "to-layer", "to-port")
        )
        problem = _problem(layers, producer, output, outputs=True)
        if user in layers and layers[user].is_ambiguous and not problem:
            continue
        problem = problem or _problem(layers, user, port, outputs=False)
        if not problem and (user, port) in sources:
            problem = f"port {port} of layer {user} is joined to two outputs"
        if problem:
            faults.at(codes.BROKEN_EDGE, problem, edge.line, kind="edge")
            continue
        sources[user, port] = layers[producer].value(layers[producer].output_places[output])
    return sources


def _problem(layers: Mapping[str, Layer], key: str, port: str, *, outputs: bool) -> str:
    """Return what is wrong with one end of an edge, empty if nothing is."""
    end = "comes from" if outputs else "leads to"
    if key not in layers:
        return f"the edge {end} layer {key or '?'}, which there is not"
    if port in (layers[key].output_places if outputs else layers[key].input_places):
        return ""
    side, ports = ("output", layers[key].outputs) if outputs else ("input", layers[key].inputs)
    return f"the edge {end} {side} port {port or '?'} of layer {key}, which has {listed(ports)}"
