"""What a model declares of its values is compared with what was inferred, and assumed only where nothing was."""

from __future__ import annotations

import pytest

from shapeinfer import Report, check
from tests.models import checked, contract, faults, floats, made, node, outlines, parsed, texts


def output(declared: str, nodes: str = "y = Relu(x)", inputs: str = "float[N, 3] x") -> str:
    return f"g ({inputs}) => ({declared} y) {{ {nodes} }}"


@pytest.mark.parametrize(
    ("declared", "fault", "says"),
    [
        ("int64[N, 3]", "error declared-type-mismatch @ 0", "y is declared int64 but is float32"),
        ("float[N, 4]", "warning declared-shape-mismatch @ 0", "axis 1 of y is declared 4 but is 3"),
        (
            "float[3]",
            "error declared-shape-mismatch @ 0",
            "y is declared f32[3] but is f32[N, 3]: the ranks differ",
        ),
        ("seq(float[N, 3])", "error declared-type-mismatch @ 0", "y is declared seq(tensor(float)) but is float32"),
    ],
)
def test_an_output_that_is_declared_wrong(declared: str, fault: str, says: str) -> None:
    report = checked(output(declared))
    assert faults(report) == [fault]
    assert report.diagnostics[0].message == says
    assert texts(report)["y"] == "f32[N, 3]"


@pytest.mark.parametrize("declared", ["float[N, 3]", "float[]", "float[K, L]", "float[unk__3, 3]"])
def test_an_output_that_is_declared_right_or_less(declared: str) -> None:
    assert faults(checked(output(declared))) == []
    assert texts(checked(output(declared)))["y"] == "f32[N, 3]"


@pytest.mark.parametrize("declared", ["float", "float[N, 1, 3]"])
def test_a_shape_left_empty_or_an_axis_of_1_is_only_a_warning(declared: str) -> None:
    report = checked(output(declared))
    assert faults(report) == ["warning declared-shape-mismatch @ 0"]
    assert report.ok
    assert texts(report)["y"] == "f32[N, 3]"


@pytest.mark.parametrize(
    ("declared", "nodes", "holds"),
    [
        ("float[1, 3]", "y = Relu(x)", "axis 0 of y is declared 1 but is N; it holds only for N == 1"),
        ("float[6, 3]", "y = Concat<axis=0>(x, x)", "axis 0 of y is declared 6 but is 2*N; it holds only for N == 3"),
        ("float[7, 3]", "y = Concat<axis=0>(x, x)", "axis 0 of y is declared 7 but is 2*N"),
    ],
)
def test_a_length_of_an_example_is_a_warning_that_says_where_it_holds(declared: str, nodes: str, holds: str) -> None:
    """Exporters write the sizes that they traced; no runtime refuses a model for that."""
    report = checked(output(declared, nodes))
    assert faults(report) == ["warning declared-shape-mismatch @ 0"]
    assert report.diagnostics[0].message == holds
    assert not any("declared" in r.message for r in report.contract.all_sizes)


@pytest.mark.parametrize(
    ("node", "holds"),
    [
        ("m = MatMul(w, x)", "axis 0 of y is declared 2 but is N, which is 5"),
        ("m = Mul(v, x)", "axis 0 of y is declared 2 but is N"),
    ],
)
def test_also_where_another_node_pins_it(node: str, holds: str) -> None:
    report = checked(output("float[2, 3]", f"y = Relu(x) {node}", "float[N, 3] x, float[2, 5] w, float[5, 3] v"))
    assert faults(report) == ["warning declared-shape-mismatch @ 0", "warning pinned-dim @ 1"]
    assert report.diagnostics[0].message == holds


@pytest.mark.parametrize("dims", [(5, 50, 1), (1, 5, 50, 2)])
def test_a_wrong_value_info_is_a_warning_and_what_was_inferred_goes_on(dims: tuple[int, ...]) -> None:
    model = made(
        [node("Add", "a b", "m"), node("Relu", "m")],
        [floats("a", 1, 5, 50, 1), floats("b", 5, 50, 1)],
        value_info=[floats("m", *dims)],
    )
    report = check(model)
    assert faults(report) == ["warning declared-shape-mismatch @ 0"]
    assert texts(report)["y"] == "f32[1, 5, 50, 1]"


def test_a_name_that_an_input_bears_means_its_size() -> None:
    report = checked(output("float[M, 3]", inputs="float[N, 3] x, float[M] m"))
    assert faults(report) == ["warning label-conflict @ 0"]
    assert report.diagnostics[0].message == "axis 0 of y is declared M but is N"


def test_unless_the_model_needs_the_two_to_be_equal() -> None:
    both = "p = MatMul(x, m) y = Relu(x)"
    report = checked(output("float[3, M]", both, "float[3, N] x, float[M] m"))
    assert faults(report) == ["warning tied-dims @ 0"]
    assert contract(report) == ["M == N"]


@pytest.mark.parametrize("more", ["y = Relu(t)", "y = MatMul(t, w)"])
def test_or_asks_for_what_makes_them_equal(more: str) -> None:
    inputs = "float[M] a, float[N] b, float[N, 3] w"
    report = checked(f"g ({inputs}) => (float[K] y) <float[N] t> {{ t = Add(a, b) {more} }}")
    assert faults(report) == ["warning tied-dims @ 0"]


def test_swapped_names() -> None:
    report = checked("g (float[B, S] x) => (float[S, B] y) { y = Relu(x) }")
    assert faults(report) == ["warning label-conflict @ 0"]
    (first,) = report.diagnostics
    assert [d.message for d in (first, *first.related)] == [
        "axis 0 of y is declared S but is B",
        "axis 1 of y is declared B but is S",
    ]


def test_a_name_of_an_inputs_odd_text_is_no_label_either() -> None:
    model = made([node("Relu", "k")], [floats("x", "batch size"), floats("k", "K")])
    model.graph.output[0].CopyFrom(floats("y", "batch size"))
    assert faults(check(model)) == ["warning label-conflict @ 0"]


def test_a_label_is_adopted_everywhere() -> None:
    report = checked("g (float[A, 7] x) => (int64[NZ, 2] y) { n = NonZero(x) y = Transpose(n) m = Relu(y) }")
    assert faults(report) == []
    assert {v: texts(report)[v] for v in "nym"} == {"n": "i64[2, NZ]", "y": "i64[NZ, 2]", "m": "i64[NZ, 2]"}


def test_a_label_is_adopted_inside_formulas() -> None:
    report = checked("g (float[A] x) => (int64[1, NZ] n, int64[] y) { n = NonZero(x) y = Concat<axis=1>(n, n) }")
    assert texts(report)["y"] == "i64[1, 2*NZ]"


def test_a_label_for_two_lengths_is_reported_and_dropped() -> None:
    report = checked("g (float[A] a, float[B] b) => (float[K] p, float[K] q) { p = Concat<axis=0>(a, a) q = Relu(b) }")
    assert faults(report) == ["warning label-conflict @ 1"]
    (diagnostic,) = report.diagnostics
    assert diagnostic.message == "the name K is declared for q, where it stands for B"
    assert diagnostic.notes == ("elsewhere it stands for 2*A",)
    assert (texts(report)["p"], texts(report)["q"]) == ("f32[2*A]", "f32[B]")
    assert contract(report) == []


def test_a_label_is_never_a_condition() -> None:
    """A made-up name on two values of an unknown operator does not say that the two are equal."""
    model = made(
        [node("Op", "", "a", domain="my"), node("Op", "", "b", domain="my"), node("Add", "a b")],
        value_info=[floats("a", "Q", None), floats("b", "Q", None)],
    )
    report = check(model)
    assert outlines(report)["y"] == "f32[?, ?]"
    assert len({s for n in "ab" for s in report.values[n].symbols}) == 4
    assert contract(report) == []


def test_what_is_declared_of_an_unknown_operators_outputs_is_used() -> None:
    model = made(
        [node("Op", "x", "h", domain="my"), node("Concat", "h w", axis=1)],
        [floats("x", "N"), floats("w", "N", 10)],
        value_info=[floats("h", "N", 7)],
    )
    report = check(model)
    assert faults(report) == ["warning unknown-operator @ 0", "note assumed-declaration @ 0"]
    assert texts(report)["y"] == "f32[N, 17]"


def test_a_declared_formula_of_the_inputs_is_used_too() -> None:
    model = made(
        [node("Op", "x", "h", domain="my"), node("Relu", "h")],
        [floats("x", "N"), floats("w", "M")],
        value_info=[floats("h", "N + M")],
    )
    assert texts(check(model))["y"] == "f32[M + N]"


# What only a declaration says is assumed, and the assumption is listed


def assumed(report: Report) -> list[str]:
    return [a.text for a in report.assumptions]


def test_a_declared_number_fills_in_what_data_decides() -> None:
    report = checked("g (float[A] x) => (int64[1, 5] y) { y = NonZero(x) }")
    assert faults(report) == ["note assumed-declaration @ 0"]
    assert report.diagnostics[0].message == "axis 1 of y is 5, as declared; nothing else determines it"
    assert texts(report)["y"] == "i64[1, 5]"
    assert assumed(report) == ["axis 1 of y is 5"]
    assert report.to_dict()["assumptions"][0]["declared"] == "5"


def test_also_where_something_else_is_known_of_it() -> None:
    """Of entries that ConstantOfShape takes for lengths it is known that they are at least 0."""
    text = "g (int64[2] s) => (float[5, n] y) { a, b = Split<num_outputs=2>(s) h = Concat<axis=0>(a, b) "
    report = checked(text + "c = ConstantOfShape(h) y = Relu(c) }")
    assert outlines(report)["y"] == "f32[5, ?]"
    assert assumed(report) == ["axis 0 of y is 5"]


def test_what_follows_from_it_does_so_for_that_value_alone() -> None:
    text = "g (float[A] x) => (int64[1, a] y, int64[b, 1] z) <int64[1, 5] h> { n = NonZero(x) h = Neg(n) "
    report = checked(text + "y = Abs(h) z = Transpose(n) }")
    assert texts(report) == {"x": "f32[A]", "n": "i64[1, b]", "h": "i64[1, 5]", "y": "i64[1, 5]", "z": "i64[b, 1]"}
    assert assumed(report) == ["axis 1 of h is 5"]


def test_nothing_is_assumed_of_what_later_nodes_show() -> None:
    """Half of a length that may be below 2 is unknown until MatMul shows that it is 8."""
    text = """g (float[H, 3] x, float[1] f, float[2, 8] w, float[2, M] z, float[M, 2] v) => (y, m)
        <int64[1] two = {2}, float[9] e> {
        h = Shape<start=0, end=1>(x) r = Sub(h, two) half = Div(r, two) e = Expand(f, half)
        u = Add(z, e) y = MatMul(u, v) m = MatMul(w, x)
    }"""
    report = checked(text)
    assert (texts(report)["e"], assumed(report)) == ("f32[3]", [])
    assert "9" not in report.contract.text
    assert faults(report) == ["warning declared-shape-mismatch @ 3", "warning pinned-dim @ 6"]


def test_what_contradicts_it_names_it() -> None:
    text = (
        "g (float[N] x, int64[1, 6] z) => (int64[1, b] y) <int64[1, 5] h> { h = NonZero(x) k = Neg(h) y = Add(k, z) }"
    )
    report = checked(text)
    assert faults(report) == ["error not-broadcastable @ 2"]
    assert report.diagnostics[0].notes == ("assuming that axis 1 of h is 5, as declared",)
    assert assumed(report) == []  # of a model with errors nothing is promised


def test_a_number_is_not_assumed_where_inputs_decide_too() -> None:
    text = "g (float[A] x, int64[1, B] m) => (int64[1, 9] y) { n = NonZero(x) y = Concat<axis=1>(n, m) }"
    report = checked(text)
    assert outlines(report)["y"] == "i64[1, ?]"
    assert (faults(report), assumed(report)) == ([], [])


def test_nor_what_cannot_be() -> None:
    report = checked("g (float[A] x) => (int64[1, 5] y) { n = NonZero(x) y = Concat<axis=1>(n, n) }")
    assert faults(report) == ["warning declared-shape-mismatch @ 1"]


def test_a_shape_of_unknown_rank_is_assumed() -> None:
    report = checked("g (float[N] x, int64[r] shape) => (float[N, 4] y) { y = Reshape(x, shape) }")
    assert texts(report)["y"] == "f32[N, 4]"
    assert assumed(report) == ["y is f32[N, 4]"]


LOOP = """g (float[N] x, int64 n, bool c) => (r, s) {{ r, s = Loop(n, c, x) <body = b
    (int64 i, bool go, float[{m}] t) => (bool on, float[{k}] u, int64[1, {z}] nz) {{
        on = Identity(go) {u} nz = NonZero(t)
    }}> }}"""


def test_in_a_body_too() -> None:
    report = checked(LOOP.format(m="m", k="k", z=5, u="u = Relu(t)"))
    assert outlines(report)["s"] == "i64[?, 1, 5]"
    assert assumed(report) == ["axis 1 of nz is 5"]
    assert [a.node.graph for a in report.assumptions if a.node] == [("Loop_0.body",)]


@pytest.mark.parametrize("u", ["u = Relu(t)", "u = Concat<axis=0>(t, t)"])
def test_but_not_for_what_comes_into_a_body_or_changes_there(u: str) -> None:
    """The body declares the size of an example; a run with another goes on."""
    report = checked(LOOP.format(m=1, k=1, z="z", u=u))
    assert outlines(report)["r"] == ("f32[N]" if "Relu" in u else "f32[?]")
    assert assumed(report) == []


def test_a_body_is_given_a_rank_only_where_nothing_is_known_of_it() -> None:
    text = """g (float[N] x, int64[q] shape, int64 n, bool c) => (r) {{ h = {h} r = Loop(n, c, h) <body = b
        (int64 i, bool go, float[2, 3] t) => (bool on, float[] u) {{ on = Identity(go) u = {u} }}> }}"""
    unknown = checked(text.format(h="Reshape(x, shape)", u="Relu(t)"))
    assert assumed(unknown) == ["t is f32[2, 3]"]
    growing = checked(text.format(h="Relu(x)", u="Unsqueeze(t, i)"))
    assert assumed(growing) == []
    assert outlines(growing)["r"] == "f32[...]"


def test_what_remains_unknown_for_want_of_time_is_assumed_as_declared() -> None:
    model = parsed("g (float[N] x) => (float[N, 7] y) { h = my.Op(x) y = Relu(h) }")
    assert assumed(check(model)) == ["y is f32[N, 7]"]


def test_elements_of_a_declared_sequence_keep_lengths_of_their_own() -> None:
    """One unnamed dim is another than the next one, also within an element."""
    sequence = parsed("g (seq(float[]) s) => (s) { }").graph.input[0]
    shape = sequence.type.sequence_type.elem_type.tensor_type.shape
    shape.dim.add()
    shape.dim.add()
    nodes = [node("Op", "", "s", domain="my"), node("SequenceAt", "s i", "e"), node("Transpose", "e", "t")]
    index = parsed("g (int64 i) => (i) { }").graph.input[0]
    report = check(made([*nodes, node("Add", "e t")], [index], value_info=[sequence]))
    shape = getattr(report.values["e"], "shape", None)
    assert shape is not None
    assert shape[0] is not shape[1]


def test_declarations_mean_the_sizes_that_dims_are_bound_to() -> None:
    model = parsed(output("float[M, 3]", inputs="float[N, 3] x, float[M] m"))
    assert faults(check(model, bind={"N": 4, "M": 4})) == []
    report = check(model, bind={"N": 4, "M": 5})
    assert faults(report) == ["warning label-conflict @ 0"]
    assert report.diagnostics[0].message == "axis 0 of y is declared M, which is 5, but is 4"


def test_a_name_stays_one_when_it_is_bound() -> None:
    """For no size that the contract allows is it worse than a warning."""
    expanded = parsed("g (float[N, 1] x, float[M, 5] z) => (float[N, 5] y) { s = Shape(z) y = Expand(x, s) }")
    assert contract(check(expanded)) == ["M == N or M == 1 or N == 1"]
    assert faults(check(expanded)) == ["warning tied-dims @ 1"]
    for bind in ({"N": 1}, {"N": 1, "M": 7}):
        assert faults(check(expanded, bind=bind)) == ["warning label-conflict @ 1"]
    assert faults(check(expanded, bind={"N": 7, "M": 7})) == []


def test_a_name_fits_where_the_branch_itself_shows_it() -> None:
    """Reshape asks for what no one outside needs: there the batch is at least 1."""
    report = checked("""g (float[batch, seq, 8] x, float[batch, past, 8] old, bool c) => (y) {
        y = If(c) <then_branch = t () => (float[batch, "past + seq", 8] k) <int64[3] to = {0, -1, 8}> {
                r = Reshape(x, to) k = Concat<axis=1>(old, r)
            }, else_branch = e () => (float[batch, seq, 8] m) { m = Relu(x) }>
    }""")
    assert faults(report) == []


def test_a_name_fits_where_what_the_model_asks_for_makes_parts_of_it_equal() -> None:
    """Concat needs ``(H + 1)//2 == 2*((H + 3)//4)``, of which the declaration holds a product."""
    report = checked("""g (float[1, 8, H, W] x) => (y)
        <float[4] s = {1, 1, 2, 2}, int64[3] t = {0, 16, -1}, float[1, 16, "((H + 1)//2)*((W + 1)//2)"] r> {
        p = MaxPool<kernel_shape=[1, 1], strides=[2, 2]>(x)
        q = MaxPool<kernel_shape=[1, 1], strides=[4, 4]>(x)
        u = Resize<mode="nearest", coordinate_transformation_mode="asymmetric", nearest_mode="floor">(q, , s)
        c = Concat<axis=1>(p, u) r = Reshape(c, t) y = Relu(r)
    }""")
    assert faults(report) == []


def test_the_label_of_a_body_names_no_length_outside() -> None:
    report = checked("""g (float[N] x, bool c) => (float[] y) {
        y = If(c) <then_branch = t () => (float[K] a) { a = Relu(x) },
                   else_branch = e () => (float[K] b) { b = Concat<axis=0>(x, x) }>
    }""")
    assert faults(report) == []
    assert outlines(report)["y"] == "f32[?]"


def test_nodes_that_compute_the_same_have_one_length_for_what_data_decides() -> None:
    """An exporter writes NonZero once for each use, and one name for both."""
    report = checked("""g (float[N] x) => (int64[1, K] a, int64[K, 1] b) {
        m = NonZero(x) n = NonZero(x) a = Neg(m) b = Transpose(n)
    }""")
    assert faults(report) == []
    assert (texts(report)["a"], texts(report)["b"]) == ("i64[1, K]", "i64[K, 1]")


@pytest.mark.parametrize(
    "nodes",
    ["m = NonZero(x) n = NonZero(y)", "m = my.Find(x) n = my.Find(x)", "m = NonZero(x) n = TopK(z, k)"],
)
def test_but_not_others(nodes: str) -> None:
    report = checked(f"g (float[N] x, float[N] y, float[9] z, int64[1] k) => (int64[a, b] a) {{ {nodes} a = Neg(m) }}")
    assert not {*report.values["m"].symbols} & {*report.values["n"].symbols}
