"""What a model declares of its values is compared with what was inferred, and used only where nothing was."""

from __future__ import annotations

import pytest

from shapeinfer import check
from tests.models import checked, contract, faults, floats, made, node, outlines, parsed, texts


def output(declared: str, nodes: str = "y = Relu(x)", inputs: str = "float[N, 3] x") -> str:
    return f"g ({inputs}) => ({declared} y) {{ {nodes} }}"


@pytest.mark.parametrize(
    ("declared", "fault", "says"),
    [
        ("int64[N, 3]", "error declared-type-mismatch @ 0", "y is declared int64 but is float32"),
        ("float[N, 4]", "error declared-shape-mismatch @ 0", "axis 1 of y is declared 4 but is 3"),
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


def test_an_empty_declared_shape_is_only_a_warning() -> None:
    report = checked(output("float"))
    assert faults(report) == ["warning declared-shape-mismatch @ 0"]
    assert report.ok


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
    assert faults(report) == []
    assert contract(report) == ["M == N"]


@pytest.mark.parametrize(("more", "found"), [("y = Relu(t)", 1), ("y = MatMul(t, w)", 0)])
def test_or_asks_for_what_makes_them_equal(more: str, found: int) -> None:
    inputs = "float[M] a, float[N] b, float[N, 3] w"
    report = checked(f"g ({inputs}) => (float[K] y) <float[N] t> {{ t = Add(a, b) {more} }}")
    assert faults(report) == ["warning label-conflict @ 0"] * found


def test_swapped_names() -> None:
    report = checked("g (float[B, S] x) => (float[S, B] y) { y = Relu(x) }")
    assert faults(report) == ["warning label-conflict @ 0"] * 2
    assert [d.message for d in report.diagnostics] == [
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


def test_a_declared_number_fills_in_what_data_decides() -> None:
    report = checked("g (float[A] x) => (int64[1, 5] y) { y = NonZero(x) }")
    assert faults(report) == []
    assert texts(report)["y"] == "i64[1, 5]"


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
    assert faults(check(model, bind={"N": 4, "M": 5})) == ["error declared-shape-mismatch @ 0"]


def test_the_label_of_a_body_names_no_length_outside() -> None:
    report = checked("""g (float[N] x, bool c) => (float[] y) {
        y = If(c) <then_branch = t () => (float[K] a) { a = Relu(x) },
                   else_branch = e () => (float[K] b) { b = Concat<axis=0>(x, x) }>
    }""")
    assert faults(report) == []
    assert outlines(report)["y"] == "f32[?]"
