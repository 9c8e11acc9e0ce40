"""The text syntax is read as onnx's own parser reads it, and what onnx's printer writes is read back."""

from __future__ import annotations

from pathlib import Path

import onnx
import pytest
from onnx import helper, numpy_helper, printer
from onnx.backend.test.case.test_case import TestCase

from shapeinfer.frontends.onnxtext.read import complete, read_model

of_today = pytest.mark.skipif(onnx.__version__ < "1.23", reason="the parser and the printer of an older onnx know less")
HEADER = '<ir_version: 10, opset_import: ["" : 20, "my" : 1]>\n'
EXAMPLES = sorted((Path(__file__).parents[3] / "examples").rglob("*.onnx"))


def read(text: str) -> onnx.ModelProto:
    model = read_model(text)
    assert model.faults == ()
    return complete(model)


def node(attributes: str) -> str:
    return f"{HEADER}net (float[N] x) => (float[N] y) {{ y = my.F {attributes} (x) }}"


def graph(values: str = "", nodes: str = "y = Relu (x)") -> str:
    return f"{HEADER}net (float[N] x) => (float[N] y) {values} {{ {nodes} }}"


def typed(name: str) -> str:
    return f"{HEADER}net ({name} x) => () {{}}"


FULL_HEADER = """<ir_version: 7, producer_name: "p", producer_version: "1", domain: "d", model_version: 3,
    doc_string: "two
    lines", opset_import: [], metadata_props: ["k": "v", "q\\"": "\\\\"]> net () => () {}"""
FUNCTIONS = """<domain: "my", opset_import: ["" : 20], doc_string: "twice", overload: "v">
F <alpha, beta: float = 1.0, "odd name"> (x, float[N] w) => (float[N] y) <float[N] h> { h = Mul (x, w) y = Add (h, h) }
<domain: "my", opset_import: ["" : 20]> "G h" () => () {}"""


@of_today
@pytest.mark.parametrize(
    "text",
    [
        "net (float[N] x) => (float[N] y) { y = Relu (x) }",
        "net => () {}",
        "# first\n" + graph() + "# last",
        FULL_HEADER,
        *map(typed, ("float", "float[]", "float[2, N, ?, -1]", 'bfloat16["N + 1", "a b"]', "float8e4m3fn[3]")),
        *map(typed, ("seq(float[N])", "optional(seq(int64))", "map(string, float[])", "sparse_tensor(double[2, N])")),
        *map(typed, ("opaque()", "opaque(a.b)", "opaque(a.b, c)")),
        f'{HEADER}"odd graph" (x, float[N] "odd/name:0") => ("y") {{ y = Relu ("odd/name:0") }}',
        f"{HEADER}net (float[1] x = {{2}}, int64 k = {{-3}}) => (float y) {{ y = Relu (x) }}",
        graph("<>"),
        graph("<float[2] w = {1, 2.5}, float[N] h, string[1] s = {\"a\\\"b\"}, bool[2] b = {0, 1}>"),
        graph("<double[1] d = {1e300}, float[3] f = {nan, -inf, Infinity}, complex64[1] c = {1, 2}>"),
        graph("<uint64[2] u = {18446744073709551615, -1}, int8[0] e = {}, float16[1] h = {15360}>"),
        graph(f"<int64[40] w = {{{', '.join(map(str, range(40)))}}}, float[20] v = {{{'1.5,' * 19}2}}>"),
        graph('<float[2] w = ["location": "weights.bin", "offset": "16"]>'),
        node("<a = 1, b = -2.5, c = \"s\", d = [1, 2], e = [0.5], f = [\"x\", \"y\"]>"),
        node("<a: float = 1, b: floats = [1, 2], c: ints = [], d: strings = [], e = 1., f = 1e5, g = inf>"),
        node("<t = float[2] {1, 2}, u = float[1] name {3}, v: tensor = int64 {4}, w = float[2] = {5, 6}>"),
        node("<t = float[N], s = seq(int64), u: type_proto = map(int64, string)>"),
        node("<a: int = @b, c = @d>"),
        node("<g = inner (float[N] a) => (float[N] b) { b = Relu (a) c = Relu (b) }>"),
        graph(nodes="[label] y = Relu (x)\n[\"odd label\"] z = Relu (y) [] u = Relu (z)"),
        graph(nodes="y, , z = my.Split (x, , \"\", x,)\n= my.Sink (x) q = my . deep . F : v (x) <a = 1>"),
        f"{graph()}\n{FUNCTIONS}",
    ],
)  # fmt: skip
def test_it_is_read_as_onnx_reads_it(text: str) -> None:
    assert read(text).SerializeToString() == onnx.parser.parse_model(text).SerializeToString()


@of_today
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_what_onnx_prints_of_the_examples_is_read_as_onnx_reads_it(path: Path) -> None:
    text = printer.to_text(onnx.load(path, load_external_data=False))
    assert read(text).SerializeToString() == onnx.parser.parse_model(text).SerializeToString()


@of_today
def test_what_onnx_prints_of_its_own_test_models_is_read_as_onnx_reads_it(node_cases: list[TestCase]) -> None:
    for case in node_cases:
        assert case.model is not None
        text = printer.to_text(case.model)
        assert read(text).SerializeToString() == onnx.parser.parse_model(text).SerializeToString(), case.name


class TestBeyondOnnx:
    """What onnx's parser loses or refuses, though its printer writes it."""

    @staticmethod
    def written(attribute: onnx.AttributeProto) -> onnx.AttributeProto:
        made = helper.make_node("F", ["x"], ["y"], domain="my")
        made.attribute.append(attribute)
        model = helper.make_model(helper.make_graph([made], "net", [], []))
        found: onnx.AttributeProto = read(printer.to_text(model)).graph.node[0].attribute[0]
        return found

    @pytest.mark.parametrize("kind", ["tensors", "graphs", "type_protos"])
    def test_lists_of_any_type_keep_their_entries(self, kind: str) -> None:
        one = {
            "tensors": helper.make_tensor("t", onnx.TensorProto.FLOAT, [2], [1.0, 2.0]),
            "graphs": helper.make_graph([], "g", [], []),
            "type_protos": helper.make_tensor_type_proto(onnx.TensorProto.FLOAT, ["N"]),
        }[kind]
        made = helper.make_attribute("a", [one, one])
        assert self.written(made) == made

    def test_a_tensor_may_have_an_odd_name(self) -> None:
        made = helper.make_attribute("t", helper.make_tensor("/odd/name", onnx.TensorProto.INT64, [1], [3]))
        assert self.written(made) == made

    def test_a_tensor_attribute_may_lie_outside(self) -> None:
        tensor = numpy_helper.from_array(numpy_helper.to_array(helper.make_tensor("", 1, [2], [1.0, 2.0])), "t")
        tensor.ClearField("raw_data")
        tensor.data_location = onnx.TensorProto.EXTERNAL
        tensor.external_data.add(key="location", value="w.bin")
        assert self.written(helper.make_attribute("t", tensor)).t == tensor


def test_what_is_known_of_an_earlier_text_changes_nothing() -> None:
    text = graph("<float[N] y, float[2] w = {1, 2}>", "h = Relu (x)\ny = Add <a = 1> (h, x) z = Relu (y) <b = 2>")
    before = read_model(text)
    edits = {"Relu (x)": "Tanh (x)", "{1, 2}": "{1, 3}", ") z =": ") <b = 3> z =", "(y) <b = 2>": "(y)"}
    for old, new in edits.items():
        edited = text.replace(old, new)
        assert edited != text
        again, fresh = read_model(edited, before), read_model(edited)
        assert complete(again) == complete(fresh)
        assert again.faults == fresh.faults


def test_statements_that_only_moved_are_not_read_again() -> None:
    text = graph(nodes="h = Relu (x)\ny = Add (h, x)")
    before = read_model(text)
    after = read_model("# moved\n" + text.replace("Relu", "Tanh"), before)
    assert before.graph is not None
    assert after.graph is not None
    same = [a.what is b.what for a, b in zip(before.graph.nodes, after.graph.nodes)]
    assert same == [False, True]


@pytest.mark.parametrize(
    "text",
    [
        graph(nodes="y = (x)"),
        graph(nodes="y = .Relu (x)"),
        node("<a = [@b]>"),
        node("<a = [@b, 1]>"),
        f'{graph()}\n<domain: "my"> F <a: ,float = 1.0> (x) => () {{}}',
    ],
)
def test_what_onnx_takes_by_oversight_is_refused(text: str) -> None:
    onnx.parser.parse_model(text)
    assert read_model(text).faults


def test_a_line_of_hashes_behind_a_node_is_one_comment() -> None:
    """A pattern that may cut it into comments in several ways tries them all: two to the power of their number."""
    read = read_model(f"{HEADER}g (float[N] x) => (y) {{ t = Relu (x) {'#' * 200}\n{'#' * 200}\ny = Relu (t) }}")
    assert read.faults == ()
    assert [n.op_type for n in complete(read).graph.node] == ["Relu", "Relu"]


def test_attributes_behind_a_comment_behind_the_inputs_are_the_node_s() -> None:
    read = read_model(f"{HEADER}g (float[N] x) => (y) {{ y = Flatten (x) # so it may stand\n <axis = 0> }}")
    assert read.faults == ()
    assert [a.name for a in complete(read).graph.node[0].attribute] == ["axis"]
