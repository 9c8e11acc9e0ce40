"""The kinds of hostile files, an example of each, and what is said of it and where."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import numpy as np
import onnx
from attrs import frozen
from onnx import TensorProto, helper, numpy_helper

from tests.ir import layer, net, parameter, result
from tests.models import floats, made, node, parsed

MOST = 2**63 - 1
Make: TypeAlias = Callable[[Path], Path]


@frozen
class Hostile:
    """How a kind of file is made in a folder, and the faults that are found in it, as ``tests.models.fault`` says."""

    name: str
    make: Make
    faults: tuple[str, ...]
    value: tuple[str, str] | None = None
    """A value and its type: what is known in spite of all."""


KINDS: list[Hostile] = []


def kind(
    name: str, *faults: str, value: tuple[str, str] | None = None
) -> Callable[[Callable[[], onnx.ModelProto | bytes]], Callable[[], onnx.ModelProto | bytes]]:
    """Add a kind whose example is a model or the bytes of one."""

    def added(make: Callable[[], onnx.ModelProto | bytes]) -> Callable[[], onnx.ModelProto | bytes]:
        def written(folder: Path) -> Path:
            model = make()
            data = model if isinstance(model, bytes) else model.SerializeToString()
            path = folder / ("model.xml" if data[:4] in (b"<net", b"<?xm") else "model.onnx")
            path.write_bytes(data)
            return path

        KINDS.append(Hostile(name, written, faults, value))
        return make

    return added


def with_numbers(nodes: list[onnx.NodeProto], **numbers: int | list[int]) -> onnx.ModelProto:
    """A model of an input ``x`` and integers known by name."""
    stored = [numpy_helper.from_array(np.array(n, np.int64), name) for name, n in numbers.items()]
    return made(nodes, [floats("x", "N", 3)], [nodes[-1].output[0]], initializers=stored)


def stored(dims: list[int], **fields: object) -> TensorProto:
    """An initializer ``w`` that says these dims, whatever it holds."""
    return TensorProto(name="w", dims=dims, data_type=1, **fields)  # type: ignore[arg-type]


def of_tensor(tensor: TensorProto) -> onnx.ModelProto:
    return made([node("Mul", "w w")], initializers=[tensor])


def sum_of(op: str, count: int) -> onnx.ModelProto:
    lines = " ".join(f"x{i + 1} = {op} (x{i}, x{i})" for i in range(count))
    return parsed(f"g (float[N, M] x0) => (y) {{ {lines} y = Relu (x{count}) }}")


# Work and memory


@kind("a giant tensor of contents", value=("y", f"i64[{2**50}]"))
def _() -> onnx.ModelProto:
    return with_numbers([node("ConstantOfShape", "s", "c"), node("Cast", "c", to=7)], s=[2**50])


@kind("a giant rank, known", "error element-count-overflow @ 0", value=("y", f"f32[2, {2**1999}]"))
def _() -> onnx.ModelProto:
    return made([node("Flatten", "x")], [floats("x", *[2] * 2_000)])


@kind(
    "a rank whose product has more digits than Python writes",
    "error element-count-overflow @ 0",
    value=("y", "f32[7, Flatten_0]"),
)
def _() -> onnx.ModelProto:
    return made([node("Flatten", "x")], [floats("x", *[7] * 6_000)])


@kind("a giant rank of 3,000 symbols", "note expression-too-large @ 0", value=("y", "f32[d0, Flatten_0]"))
def _() -> onnx.ModelProto:
    return made([node("Flatten", "x")], [floats("x", *(f"d{i}" for i in range(3_000)))])


@kind("a rank of 2^31", "warning budget-exceeded @ 0")
def _() -> onnx.ModelProto:
    return made([node("ConstantOfShape", "s")], [helper.make_tensor_value_info("s", 7, [2**31])])


@kind("a giant range", value=("y", f"i64[{2**62}]"))
def _() -> onnx.ModelProto:
    return with_numbers([node("Range", "a b c", "r"), node("Neg", "r")], a=0, b=2**62, c=1)


@kind("a giant repeat", value=("y", f"i64[{3 * 2**50}]"))
def _() -> onnx.ModelProto:
    return with_numbers([node("Tile", "c r")], c=[1, 2, 3], r=[2**50])


@kind("a product of 2^63 elements", "error element-count-overflow @ 0")
def _() -> onnx.ModelProto:
    return with_numbers([node("ConstantOfShape", "s")], s=[2**32, 2**31])


@kind("a length of 2^63", "error element-count-overflow @ 0", value=("y", f"f32[{2 * MOST}]"))
def _() -> onnx.ModelProto:
    return made([node("Concat", "x x", axis=0)], [floats("x", MOST)])


@kind("a number of 2^63", "warning integer-overflow @ 0")
def _() -> onnx.ModelProto:
    return with_numbers([node("Mul", "a a")], a=[2**32])


@kind("an expression tower", value=("y", "f32[2*`9**9**9**9`, 2]"))
def _() -> onnx.ModelProto:
    return made([node("Concat", "x x", axis=0)], [floats("x", "9**9**9**9", 2)])


@kind("3,000 nested parentheses")
def _() -> onnx.ModelProto:
    return made([node("Concat", "x x", axis=0)], [floats("x", "(" * 3_000 + "N" + ")" * 3_000)])


@kind("16 halves that are joined again", *(f"note expression-too-large @ {i}" for i in (32, 62)))
def _() -> onnx.ModelProto:
    lines = ["two = Constant <value = int64[1] {2}> () one = Constant <value = int64[1] {1}> ()"]
    lines += ["zero = Constant <value = int64[1] {0}> ()"]
    for i in range(16):
        lines += [f"s{i} = Shape (x{i}) p{i} = Add (s{i}, one) h{i} = Div (p{i}, two)"]
        lines += [f"c{i} = Slice (x{i}, zero, h{i}) x{i + 1} = Concat <axis = 0> (c{i}, x{i})"]
    return parsed(f"g (float[n] x0) => (y) {{ {' '.join(lines)} y = Relu (x16) }}")


@kind("24 pools and resizes in each other", value=("u0", "f32[N, 8, H, W]"))
def _() -> onnx.ModelProto:
    depth = 24
    lines = ["s = Constant <value = float[4] {1.0, 1.0, 2.0, 2.0}> ()"]
    lines += [f"d{i + 1} = MaxPool <kernel_shape = [2, 2], strides = [2, 2]> (d{i})" for i in range(depth)]
    lines += [f"u{depth} = Relu (d{depth})"]
    for i in reversed(range(depth)):
        lines += [f'r{i} = Resize (u{i + 1}, "", s) u{i} = Add (r{i}, d{i})']
    return parsed(f"g (float[N, 8, H, W] d0) => (u0) {{ {' '.join(lines)} }}")


@kind("sharing: 200 times a value with itself", value=("y", f"f32[{2**200}*N, M]"))
def _() -> onnx.ModelProto:
    return sum_of("Concat <axis = 0>", 200)


@kind("sharing: 200 times a product with itself", "note expression-too-large @ 8")
def _() -> onnx.ModelProto:
    lines = " ".join(f"s{i + 1} = Mul (s{i}, s{i})" for i in range(200))
    return parsed(f"g (float[N] x) => (y) {{ s0 = Shape (x) {lines} y = Expand (x, s200) }}")


@kind(
    "functions that call the next one twice",
    f"warning budget-exceeded @ {' / '.join(f'f::F{i}' for i in range(28))} / 0",
)
def _() -> onnx.ModelProto:
    imports = [helper.make_opsetid("", 20), helper.make_opsetid("f", 1)]
    model = made([node("F0", "x", domain="f")], [floats("x", "N")], opsets={"": 20, "f": 1})
    for i in range(30):
        body = [node(f"F{i + 1}", a, b, domain="f") for a, b in (("a", "m"), ("m", "b"))]
        model.functions.append(helper.make_function("f", f"F{i}", ["a"], ["b"], body, imports))
    model.functions.append(helper.make_function("f", "F30", ["a"], ["b"], [node("NonZero", "a", "b")], imports))
    return model


@kind("names of a megabyte", "error unknown-attribute @ 0")
def _() -> onnx.ModelProto:
    long = "onnx::_dim_" * 100_000
    call = node("Relu", f"x{long}")
    call.name = long
    call.attribute.append(helper.make_attribute(long, 1))
    return made([call], [floats(f"x{long}", long)])


@kind("a chain of 30,000 nodes", value=("y", "f32[N, 3]"))
def _() -> onnx.ModelProto:
    count = 30_000
    nodes = [node("Relu", f"x{i}", f"x{i + 1}") for i in range(count - 1)]
    return made([*nodes, node("Neg", f"x{count - 1}")], [floats("x0", "N", 3)])


@kind("subgraphs as deep as protobuf reads", value=("y", "f32[N]"))
def _() -> onnx.ModelProto:
    flat = helper.make_graph([node("Relu", "x", "e")], "g", [], [onnx.ValueInfoProto(name="e")])
    inner = flat
    for depth in range(30):
        call = helper.make_node("If", ["c"], [f"o{depth}"], then_branch=inner, else_branch=flat)
        inner = helper.make_graph([call], "g", [], [onnx.ValueInfoProto(name=f"o{depth}")])
    outer = helper.make_node("If", ["c"], ["y"], then_branch=inner, else_branch=flat)
    return made([outer], [floats("x", "N"), helper.make_tensor_value_info("c", TensorProto.BOOL, [])])


@kind("subgraphs deeper than protobuf reads", "error not-a-model")
def _() -> bytes:
    data = b""
    for _ in range(1_000):  # a graph's node's attribute's graph ...
        for number in (6, 5, 1):
            data = helper_field(number, data)
    return helper_field(7, data)


def helper_field(number: int, data: bytes) -> bytes:
    from shapeinfer.frontends.onnx.wire import varint

    return varint(number << 3 | 2) + varint(len(data)) + data


def calling(**bodies: str) -> onnx.ModelProto:
    """A model that calls ``A``, of functions each of which calls another."""
    imports = [helper.make_opsetid("", 20), helper.make_opsetid("f", 1)]
    model = made([node("A", "x", domain="f")], [floats("x", "N")], opsets={"": 20, "f": 1})
    for name, other in bodies.items():
        body = [node(other, "a", "b", domain="f")]
        model.functions.append(helper.make_function("f", name, ["a"], ["b"], body, imports))
    return model


@kind("a recursive function", "error recursive-function @ f::A / 0")
def _() -> onnx.ModelProto:
    return calling(A="A")


@kind("functions that call each other", "error recursive-function @ f::A / f::B / f::C / 0")
def _() -> onnx.ModelProto:
    return calling(A="B", B="C", C="A")


@kind("nodes in no order", *(f"error used-before-made @ {i}" for i in range(499)), value=("x0", "f32[N]"))
def _() -> onnx.ModelProto:
    nodes = [node("Relu", f"x{i + 1}", f"x{i}") for i in range(500)]
    return made(nodes, [floats("x500", "N")], ["x0"])


@kind("a cycle", "error cycle @ 0")
def _() -> onnx.ModelProto:
    nodes = [node("Add", f"x v{(i + 1) % 50}", f"v{i}") for i in range(50)]
    return made(nodes, [floats("x", "N")], ["v0"])


@kind("one name in two scopes", "warning shadowed-name @ 1")
def _() -> onnx.ModelProto:
    return parsed("""g (float[N] x, bool c) => (y) {
        h = Relu (x)
        y = If (c) <then_branch = t () => (h) { h = Neg (x) }, else_branch = e () => (h) { h = Abs (x) }>
    }""")


@kind("one name made twice", "error made-twice @ 1")
def _() -> onnx.ModelProto:
    return made([node("Relu", "x"), node("Neg", "x")], [floats("x", "N")])


@kind("negative dims", "warning negative-dim-value", value=("y", "f32[x_dim_0, 3]"))
def _() -> onnx.ModelProto:
    return made([node("Relu", "x")], [floats("x", -5, 3)])


@kind("control characters in names", "error inner-dim-mismatch @ 0")
def _() -> onnx.ModelProto:
    model = made([node("MatMul", "x x")], [floats("x", 2, 3)])
    model.graph.node[0].name = "\x1b[2J\r\u202e"
    return model


# Bytes

WHOLE = parsed("g (float[N, 3] x) => (y) { h = Relu (x) y = Abs (h) }").SerializeToString()


@kind("a file that ends in the middle", "error truncated-model")
def _() -> bytes:
    return bytes(WHOLE[: len(WHOLE) // 2])


@kind("a corrupt file", "error not-a-model")
def _() -> bytes:
    return bytes(byte ^ 0xFF for byte in WHOLE)


@kind("a wrong wire type", "error not-a-model")
def _() -> bytes:
    return bytes([WHOLE[0] | 7, *WHOLE[1:]])


@kind("data that does not fill its dims", "error invalid-tensor")
def _() -> onnx.ModelProto:
    return of_tensor(stored([3], raw_data=b"\0" * 8))


@kind("an initializer of absurd dims", "error invalid-tensor")
def _() -> onnx.ModelProto:
    return of_tensor(stored([2**31] * 2_000, raw_data=b"\0" * 8))


@kind("an initializer of a negative dim", "error invalid-tensor")
def _() -> onnx.ModelProto:
    return of_tensor(stored([-1, MOST], float_data=[1.0]))


def outside(**entries: str) -> TensorProto:
    found = stored([4], data_location=TensorProto.EXTERNAL)
    for key, value in entries.items():
        found.external_data.add(key=key, value=value)
    return found


@kind("a negative offset", "error invalid-external-data")
def _() -> onnx.ModelProto:
    return of_tensor(outside(location="w.bin", offset="-8", length="16"))


@kind("offsets that overlap", value=("y", "f32[4]"))
def _() -> onnx.ModelProto:
    second = outside(location="w.bin", offset="8", length="16")
    second.name = "v"
    return made([node("Add", "w v")], initializers=[outside(location="w.bin", offset="0", length="16"), second])


@kind("an absolute path", "error unsafe-external-data")
def _() -> onnx.ModelProto:
    return of_tensor(outside(location="/dev/zero"))


@kind("a path that climbs", "error unsafe-external-data")
def _() -> onnx.ModelProto:
    return of_tensor(outside(location="a/../../w.bin"))


def linked(folder: Path) -> Path:
    """A model whose weights lie behind a link to what never ends."""
    (folder / "w.bin").symlink_to("/dev/zero")
    path = folder / "model.onnx"
    path.write_bytes(of_tensor(outside(location="w.bin", length="16")).SerializeToString())
    return path


KINDS.append(Hostile("a link in the place of weights", linked, (), ("y", "f32[4]")))


@kind("text: an equation of a megabyte", "error invalid-equation @ 0")
def _() -> onnx.ModelProto:
    return made([node("Einsum", "x", equation="i" * 1_000_000 + "!")], [floats("x", "N")])


@kind("text: a dim of 100,000 terms", value=("y", "f32[N]"))
def _() -> onnx.ModelProto:
    return made([node("Relu", "x")], [floats("x", "N"), floats("z", "+".join(f"n{i}" for i in range(100_000)))])


@kind("XML: entities that double", "error not-a-model")
def _() -> bytes:
    entities = "".join(f'<!ENTITY e{i + 1} "&e{i};&e{i};">' for i in range(60))
    return f'<?xml version="1.0"?><!DOCTYPE net [<!ENTITY e0 "x">{entities}]><net name="&e60;"/>'.encode()


@kind("XML: 100,000 elements in each other", "error empty-graph")
def _() -> bytes:
    return b'<net name="n" version="11">' + b"<a>" * 100_000 + b"</a>" * 100_000 + b"</net>"


@kind("XML: a length of 4,000 digits", "error malformed-layer @ -1", "error malformed-layer @ -1")
def _() -> bytes:
    far = "9" * 4_000
    return net(parameter("x", far, out=f"FP32 {far}"), layer("y", "ReLU", "x", out=f"FP32 {far}"), result("y"))
