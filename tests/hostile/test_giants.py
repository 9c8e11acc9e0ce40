"""A list as long as an int32 can say is never written out, whichever operator is given it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import onnx
from onnx.defs import OpSchema

from shapeinfer import check
from tests.each import each
from tests.effort import within
from tests.models import made

GIANT = 2**31
OTHERS: tuple[list[int], ...] = ([2, 3, 4, 4], [4], [])
REQUIRED = {"INT": 1, "INTS": [1, 1], "FLOAT": 1.0, "FLOATS": [1.0], "STRING": "x", "STRINGS": ["x"]}
SCHEMAS = sorted(onnx.defs.get_all_schemas(), key=lambda s: (s.domain, s.name))


def value(schema: OpSchema, index: int, shape: list[int], first: tuple[str, ...]) -> onnx.ValueInfoProto | None:
    """An input of the first of these element types that the operator takes; None where it takes no tensor."""
    formal = schema.inputs[index]
    allowed = {c.type_param_str: c.allowed_type_strs for c in schema.type_constraints}.get(
        formal.type_str, [formal.type_str]
    )
    kind = next((t for t in (f"tensor({name})" for name in first) if t in allowed), min(allowed))
    if not kind.startswith("tensor("):
        return None
    element = onnx.TensorProto.DataType.Value(kind[7:-1].upper())
    return onnx.helper.make_tensor_value_info(f"i{index}", element, shape)


def models(schema: OpSchema) -> Iterator[onnx.ModelProto]:
    """Calls of an operator with one giant input."""
    attributes: dict[str, Any] = {
        a.name: REQUIRED.get(str(a.type).rpartition(".")[2]) for a in schema.attributes.values() if a.required
    }
    if None in attributes.values():
        return
    for giant in range(min(len(schema.inputs), 6)):
        for other in OTHERS:
            inputs = [
                value(schema, i, [GIANT], ("int64", "int32", "float"))
                if i == giant
                else value(schema, i, other, ("float", "int64", "bool"))
                for i in range(max(schema.min_input, giant + 1))
                if i < len(schema.inputs)
            ]
            if None not in inputs:
                given = [i for i in inputs if i is not None]
                outputs = [f"o{i}" for i in range(max(1, schema.min_output))]
                call = onnx.helper.make_node(
                    schema.name, [i.name for i in given], outputs, domain=schema.domain, **attributes
                )
                yield made([call], given, outputs[:1], opsets={"": 20, schema.domain: schema.since_version})


@each(SCHEMAS, name=lambda s: f"{s.domain}.{s.name}")
def test_a_giant_input(schema: OpSchema) -> None:
    for model in models(schema):
        with within(400_000):
            report = check(model)
        assert "internal-error" not in [d.code.name for d in report.diagnostics], onnx.printer.to_text(model)
