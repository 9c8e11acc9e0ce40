"""OpenVINO IRs for tests: layers in a line each, their ids and edges filled in."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from attrs import frozen


@frozen
class Layer:
    """One layer: ``out`` lists its output ports as ``FP32 2,-1``, ``inner`` is XML that stands before its ports."""

    name: str
    kind: str
    inputs: tuple[str, ...] = ()
    out: tuple[str, ...] = ()
    version: str = "opset1"
    attributes: tuple[tuple[str, str], ...] = ()
    inner: str = ""
    names: str = ""


def layer(
    name: str,
    kind: str,
    *inputs: str,
    out: str | Sequence[str] = (),
    version: str = "opset1",
    inner: str = "",
    names: str = "",
    **attributes: object,
) -> Layer:
    """Describe a layer; ``inputs`` are names of layers, or ``name:1`` for another output than the first."""
    outs = (out,) if isinstance(out, str) else tuple(out)
    given = tuple((key.replace("__", "."), str(value)) for key, value in attributes.items())
    return Layer(name, kind, inputs, outs, version, given, inner, names)


def parameter(name: str, shape: str = "?,8", element_type: str = "f32", out: str = "FP32", names: str = "") -> Layer:
    return layer(name, "Parameter", out=out, shape=shape, element_type=element_type, names=names)


def result(of: str, name: str = "") -> Layer:
    return layer(name or f"{of}/sink", "Result", of)


def graph(*layers: Layer) -> str:
    """Return the <layers> and <edges> of a net or a body; a layer's id is its place in the list."""
    ids = {made.name: i for i, made in enumerate(layers)}
    edges = []
    for i, user in enumerate(layers):
        for port, source in enumerate(user.inputs):
            name, _, index = source.rpartition(":") if source not in ids else (source, "", "0")
            maker = layers[ids[name]]
            where = f'from-layer="{ids[name]}" from-port="{len(maker.inputs) + int(index)}"'
            edges.append(f'<edge {where} to-layer="{i}" to-port="{port}"/>')
    written = "\n".join(_written(i, made) for i, made in enumerate(layers))
    return f"<layers>\n{written}\n</layers>\n<edges>\n" + "\n".join(edges) + "\n</edges>"


def net(*layers: Layer, version: int = 11) -> bytes:
    """Return a whole IR. Its layer of index i stands in line 3 + i, if those before it have no ``inner``."""
    return f'<net name="made" version="{version}">\n{graph(*layers)}\n</net>\n'.encode()


def _written(key: int, made: Layer) -> str:
    data = "".join(f' {name}="{value}"' for name, value in made.attributes)
    inputs = "".join(f'<port id="{i}" precision="FP32"/>' for i in range(len(made.inputs)))
    ports = "".join(_port(len(made.inputs) + i, text, made.names) for i, text in enumerate(made.out))
    return (
        f'<layer id="{key}" name="{made.name}" type="{made.kind}" version="{made.version}">'
        + (f"<data{data}/>" if data else "")
        + made.inner
        + (f"<input>{inputs}</input>" if inputs else "")
        + (f"<output>{ports}</output>" if ports else "")
        + "</layer>"
    )


def _port(key: int, text: str, names: str) -> str:
    precision, _, dims = text.partition(" ")
    listed = "".join(f"<dim>{d}</dim>" for d in dims.split(",") if d)
    called = f' names="{names}"' if names else ""
    return f'<port id="{key}" precision="{precision}"{called}>{listed}</port>'


def saved(folder: Path, xml: bytes, weights: bytes | None = b"", name: str = "model") -> Path:
    """Write an IR and its constants; return the path of the .xml file."""
    path = folder / f"{name}.xml"
    path.write_bytes(xml)
    if weights is not None:
        path.with_suffix(".bin").write_bytes(weights)
    return path
