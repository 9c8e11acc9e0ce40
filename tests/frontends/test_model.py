"""Imports, attributes and functions of a model."""

from __future__ import annotations

from typing import Any

import onnx
import pytest
from onnx import AttributeProto

from shapeinfer import check
from shapeinfer.frontends.onnx.attributes import read_attributes
from shapeinfer.frontends.onnx.external import external_files
from shapeinfer.frontends.onnx.model import graph_of
from shapeinfer.graph import AttributeType
from tests.models import checked, clean, contract, fault, faults, floats, made, node, parsed, texts


class TestImports:
    def test_a_domain_that_is_not_imported_is_reported_once_at_its_first_node(self) -> None:
        nodes = [node("Relu", "x", "a"), node("Op", "a", "b", domain="my"), node("Op", "b", domain="my")]
        report = check(made(nodes, [floats("x", "N")], opsets={"": 20}))
        assert faults(report) == ["error missing-opset-import @ 1"]
        assert [fault(d) for d in report.diagnostics[0].related] == [
            "warning unknown-operator @ 1",
            "warning unknown-operator @ 2",
        ]
        assert (
            report.diagnostics[0].message == "Op is in domain my, which the model does not import; opset 1 is assumed"
        )

    def test_a_model_that_imports_nothing_is_inferred_all_the_same(self) -> None:
        model = made([node("Relu", "x", "a"), node("Flatten", "a")], [floats("x", "N", 2, 3)])
        del model.opset_import[:]
        report = check(model)
        assert faults(report) == ["error missing-opset-import @ 0"]
        assert texts(report)["y"] == "f32[N, 6]"

    def test_before_ir_version_3_there_were_no_imports_and_the_version_was_1(self) -> None:
        model = made([node("Relu", "x")], [floats("x", "N")], ir_version=2)
        del model.opset_import[:]
        report = check(model)
        assert faults(report) == []
        assert texts(report)["y"] == "f32[N]"
        assert graph_of(model).opsets == {"": 1}

    def test_it_is_found_inside_bodies_and_functions(self) -> None:
        report = checked("""<ir_version: 9, opset_import: ["" : 20, "f" : 1]>
            g (float[N] x, bool c) => (float[] y) {
                h = f.F(x)
                y = If(c) <then_branch = t () => (a) { a = my.Op(h) }, else_branch = e () => (b) { b = Relu(h) }>
            }
            <domain: "f", opset_import: ["" : 20]>
            F (p) => (q) { q = other.Op(p) }""")
        assert faults(report)[:2] == [
            "error missing-opset-import @ If_1.then_branch / 0",
            "error missing-opset-import @ f::F / 0",
        ]

    def test_a_function_may_import_what_the_model_does_not(self) -> None:
        report = checked("""<ir_version: 9, opset_import: ["" : 20, "f" : 1]>
            g (float[N] x) => (float[] y) { y = f.F(x) }
            <domain: "f", opset_import: ["" : 20, "my" : 1]>
            F (p) => (q) { q = my.Op(p) }""")
        assert faults(report) == ["warning unknown-operator @ f::F / 0"]

    def test_ai_onnx_is_the_default_domain(self) -> None:
        model = made([node("Relu", "x", "a", domain="ai.onnx"), node("Relu", "a")], [floats("x", "N")])
        assert texts(check(model))["y"] == "f32[N]"
        model.opset_import[0].domain = "ai.onnx"
        assert faults(check(model)) == []


class TestAttributes:
    def test_every_kind(self) -> None:
        given = {"i": 1, "f": 1.5, "s": "text", "ints": [1, 2], "floats": [0.5], "strings": ["a", "b"]}
        read = read_attributes([onnx.helper.make_attribute(k, v) for k, v in given.items()])
        assert read.values == {**given, "ints": (1, 2), "floats": (0.5,), "strings": ("a", "b")}
        assert {k: t.text for k, t in read.types.items()} == {
            "i": "int",
            "f": "float",
            "s": "string",
            "ints": "ints",
            "floats": "floats",
            "strings": "strings",
        }

    @pytest.mark.parametrize(
        ("field", "kind"),
        [({"i": 0}, "INT"), ({"f": 0.0}, "FLOAT"), ({"s": b""}, "STRING"), ({"ints": [1]}, "INTS")],
    )
    def test_a_kind_that_is_not_said_is_seen_from_the_field(self, field: dict[str, Any], kind: str) -> None:
        read = read_attributes([AttributeProto(name="a", **field)])
        assert read.types["a"] is AttributeType[kind]
        assert "a" in read.values

    def test_a_model_of_the_first_ir_version_may_leave_it_out(self) -> None:
        flatten = node("Flatten", "x")
        flatten.attribute.append(AttributeProto(name="axis", i=0))
        assert clean(made([flatten], [floats("x", "N", 3)], opsets={"": 1}, ir_version=1))["y"] == "f32[1, 3*N]"
        assert faults(check(made([flatten], [floats("x", "N", 3)]))) == ["error attribute-type @ 0"]

    def test_a_kind_of_another_time_counts_as_not_said(self) -> None:
        proto = AttributeProto(name="a", i=1)
        proto.MergeFromString(b"\xa0\x01\x63")  # field 20, type: 99
        assert read_attributes([proto]).types["a"] is AttributeType.INT

    def test_several_graphs_in_one_read_what_is_around_them(self) -> None:
        """No operator of ONNX has such an attribute, but one of another domain may."""
        built = parsed("g (float[N] x) => (y) { h = Relu(x) k = Neg(x) y = my.Switch(x) }")
        graphs = [onnx.parser.parse_graph(f"b () => (float[N] r) {{ r = Abs({name}) }}") for name in "hk"]
        built.graph.node[2].attribute.append(onnx.helper.make_attribute("branches", graphs))
        assert [d.code.name for d in check(built).diagnostics] == ["unknown-operator"]

    def test_text_that_is_not_utf8_does_no_harm(self) -> None:
        read = read_attributes([AttributeProto(name="a", s=b"\xff", type=AttributeProto.STRING)])
        assert read.values["a"] == "�"

    def test_a_graph_that_is_named_but_not_there(self) -> None:
        for op, names in (("If", ("then_branch", "else_branch")), ("Loop", ("body",)), ("Scan", ("body",))):
            broken = node(op, "_ c" if op == "Loop" else "c")
            broken.attribute.extend(AttributeProto(name=n, type=AttributeProto.GRAPH) for n in names)
            if op == "Scan":
                broken.attribute.append(onnx.helper.make_attribute("num_scan_inputs", 1))
            report = check(made([broken], [onnx.helper.make_tensor_value_info("c", 9, [])]))
            assert "error missing-attribute @ 0" in faults(report), op


FUNCTION = """<ir_version: 9, opset_import: ["" : 20, "f" : 1]>
g (float[N, 3] x, float[M] z) => (float[] y) {{ {call} }}
<domain: "f", opset_import: ["" : 20]>
{function}"""


def call(function: str, call: str = "y = f.F(x)") -> dict[str, str]:
    return clean(FUNCTION.format(call=call, function=function))


class TestFunctions:
    def test_shapes_flow_through(self) -> None:
        body = "F (p) => (q) { s = Shape(p) e = Expand(p, s) q = Concat<axis=0>(e, p) }"
        assert call(body)["y"] == "f32[2*N, 3]"

    def test_contents_flow_through(self) -> None:
        body = "F (p) => (q) { s = Shape(p) o = Constant<value = int64[1] {1}>() q = Concat<axis=0>(s, o) }"
        assert call(body, "s = f.F(x) y = ConstantOfShape(s)")["y"] == "f32[N, 3, 1]"

    def test_an_attribute_is_handed_on(self) -> None:
        body = "F <axis: int> (p) => (q) { q = Flatten<axis: int = @axis>(p) }"
        assert call(body.replace("<axis: int>", "<axis>"), "y = f.F<axis=0>(x)")["y"] == "f32[1, 3*N]"

    def test_an_attribute_may_have_a_default(self) -> None:
        body = "F <axis: int = 2> (p) => (q) { q = Flatten<axis: int = @axis>(p) }"
        assert call(body)["y"] == "f32[3*N, 1]"
        assert call(body, "y = f.F<axis=0>(x)")["y"] == "f32[1, 3*N]"

    def test_one_function_gives_each_call_its_own(self) -> None:
        body = "F <axis: int = 2> (p) => (q) { q = Flatten<axis: int = @axis>(p) }"
        found = call(body, "a = f.F<axis=0>(x) b = f.F(x) y = MatMul(b, a)")
        assert (found["a"], found["b"]) == ("f32[1, 3*N]", "f32[3*N, 1]")

    def test_a_required_attribute_that_is_missing(self) -> None:
        report = checked(
            FUNCTION.format(call="y = f.F(x)", function="F <axis> (p) => (q) { q = Flatten<axis: int = @axis>(p) }")
        )
        assert faults(report) == ["error missing-attribute @ 0"]
        assert report.diagnostics[0].message == "function f::F requires the attribute axis"

    def test_attributes_reach_functions_inside(self) -> None:
        body = """F <axis> (p) => (q) { q = f.G<k: int = @axis>(p) }
        <domain: "f", opset_import: ["" : 20]>
        G <k> (p) => (q) { q = Flatten<axis: int = @k>(p) }"""
        assert call(body, "y = f.F<axis=0>(x)")["y"] == "f32[1, 3*N]"

    def test_references_inside_a_body_of_a_function(self) -> None:
        body = """F <axis> (p) => (q) {
            c = Constant<value = bool {1}>()
            q = If(c) <then_branch = t () => (a) { a = Flatten<axis: int = @axis>(p) },
                       else_branch = e () => (b) { b = Identity(p) }>
        }"""
        assert call(body, "y = f.F<axis=0>(x)")["y"] == "f32[1, 3*N]"

    def test_a_graph_is_handed_on(self) -> None:
        body = """F <body> (p) => (q) {
            c = Constant<value = bool {1}>()
            q = If(c) <then_branch: graph = @body, else_branch = e () => (b) { b = Identity(p) }>
        }"""
        constant = "t () => (u) { u = Constant<value = float[1] {1.0}>() }"
        assert call(body, f"y = f.F<body = {constant}>(x)")["y"] == "f32[1]"

    def test_inputs_may_be_left_out(self) -> None:
        body = "F (p, min, max) => (q) { q = Clip(p, min, max) }"
        assert call(body)["y"] == "f32[N, 3]"

    @pytest.mark.parametrize(
        ("nodes", "code", "says"),
        [
            ("y = f.F(x, x)", "too-many-inputs", "function f::F takes 1 inputs, the node has 2"),
            ("y, w = f.F(x)", "too-many-outputs", "function f::F has 1 outputs, the node names 2"),
        ],
    )
    def test_a_call_that_does_not_fit(self, nodes: str, code: str, says: str) -> None:
        report = checked(FUNCTION.format(call=nodes, function="F (p) => (q) { q = Relu(p) }"))
        assert faults(report) == [f"error {code} @ 0"]
        assert report.diagnostics[0].message == says
        assert texts(report)["y"] == "f32[N, 3]"

    def test_a_function_that_calls_itself(self) -> None:
        body = """F (p) => (q) { q = f.G(p) }
        <domain: "f", opset_import: ["" : 20]>
        G (p) => (q) { q = f.F(p) }"""
        report = checked(FUNCTION.format(call="y = f.F(x)", function=body))
        assert faults(report) == ["error recursive-function @ f::F / f::G / 0"]

    def test_a_fault_inside_tells_the_way_there(self) -> None:
        body = """F (p, q) => (r) { r = f.G(p, q) }
        <domain: "f", opset_import: ["" : 20]>
        G (p, q) => (r) { t = Relu(q) r = MatMul(t, p) }"""
        report = checked(FUNCTION.format(call="y = f.F(x, x)", function=body))
        assert faults(checked(FUNCTION.format(call="w = Transpose(x) y = f.F(w, x)", function=body))) == []
        assert report.ok, "a product of N by 3 with N by 3 is a condition"
        assert contract(report) == ["N == 3"]
        narrow = FUNCTION.replace("float[N, 3] x", "float[2, 3] x")
        report = checked(narrow.format(call="y = f.F(x, x)", function=body))
        assert faults(report) == ["error inner-dim-mismatch @ f::F / f::G / 1"]

    @pytest.mark.parametrize("branch", ["then_branch", "else_branch"])
    def test_what_a_call_needs_is_said_wherever_it_was_looked_at_before(self, branch: str) -> None:
        """A call in a branch that is never taken has the same operands as one outside."""
        other = "else_branch" if branch == "then_branch" else "then_branch"
        condition = int(other == "then_branch")
        report = checked(f"""<ir_version: 9, opset_import: ["" : 20, "f" : 1]>
            g (float[N] a, float[M] b) => (float[] y, float[] z) {{
                c = Constant<value = bool {{{condition}}}>()
                y = If(c) <{branch} = t () => (u) {{ u = f.F(a, b) }}, {other} = e () => (v) {{ v = Relu(a) }}>
                z = f.F(a, b)
            }}
            <domain: "f", opset_import: ["" : 20]>
            F (p, q) => (r) {{ r = Add(p, q) }}""")
        assert contract(report) == ["M == N or M == 1 or N == 1"]

    def test_an_output_that_the_function_does_not_make(self) -> None:
        report = checked(FUNCTION.format(call="y = f.F(x)", function="F (p) => (q) { r = Relu(p) }"))
        assert faults(report) == ["error missing-output @ 0"]
        assert report.diagnostics[0].message == "output q of function f::F is not computed by its body"

    def test_a_function_of_the_default_domain_may_be_called_by_either_of_its_names(self) -> None:
        model = made([node("Mine", "x", "a"), node("Mine", "a", domain="ai.onnx")], [floats("x", "N")])
        imports = [onnx.helper.make_opsetid("", 20)]
        model.functions.append(
            onnx.helper.make_function("ai.onnx", "Mine", ["p"], ["q"], [node("Relu", "p", "q")], imports)
        )
        assert clean(model)["y"] == "f32[N]"


def test_external_files_are_listed_with_those_of_bodies_and_attributes() -> None:
    weight = onnx.TensorProto(name="w", data_type=1, dims=[2], data_location=onnx.TensorProto.EXTERNAL)
    weight.external_data.add(key="location", value="b.bin")
    held = onnx.TensorProto()
    held.CopyFrom(weight)
    held.external_data[0].value = "a.bin"
    branch = onnx.helper.make_graph([node("Constant", "", "k", value=held)], "b", [], [onnx.ValueInfoProto(name="k")])
    choice = onnx.helper.make_node("If", ["c"], ["y"], then_branch=branch, else_branch=branch)
    assert external_files(made([choice], initializers=[weight])) == ["a.bin", "b.bin"]
