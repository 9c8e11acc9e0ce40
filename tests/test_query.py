"""What a program may ask of a report."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from shapeinfer import Answer, Report, Tensor, check
from shapeinfer.facts import DType
from tests.models import checked, parsed

YES, NO, MAYBE = Answer

WINDOWS = """g (float[N, 3, H, W] x, float[M, 3, H, W] z) => (float[] y, float[] rows) {
    y = Add(x, z)
    flat = Constant<value = int64[2] {0, -1}>()
    rows = Reshape(y, flat)
    size = Shape(x)
    seen = NonZero(x)
    kept = Identity(flat)
}"""


@pytest.fixture(scope="module")
def report() -> Report:
    return checked(WINDOWS)


def test_a_value_has_a_shape_an_element_type_and_contents(report: Report) -> None:
    assert [str(d) for d in report.shape("x") or ()] == ["N", "3", "H", "W"]
    assert report.dtype("x") is DType.FLOAT
    assert report.contents("x") is None
    assert [str(e) for e in report.contents("size") or ()] == ["N", "3", "H", "W"]


def test_a_shape_is_given_under_sizes(report: Report) -> None:
    assert report.shape("rows", bind={"H": 4, "W": 5, "N": 2, "M": 1}) == (2, 60)
    assert [str(d) for d in report.shape("rows", bind={"H": 4}) or ()] == ["broadcast(M, N)", "12*W"]
    assert [str(d) for d in report.shape("seen", bind={"N": 2}) or ()] == ["4", "NonZero_0"]


def test_what_is_no_tensor_has_no_shape() -> None:
    report = checked("g (float[N] x) => (seq(float[N]) y) { y = SequenceConstruct(x, x) }")
    assert (report.shape("y"), report.dtype("y"), report.numel("y"), report.bytes("y")) == (None,) * 4


@pytest.mark.parametrize(
    ("a", "b", "answer"),
    [
        ("x[0]", "N", YES),
        ("rows[1]", "3*H*W", YES),
        ("x[-1]", "W", YES),
        ("H", "H + 1", NO),
        ("x[1]", 4, NO),
        ("H", "W", MAYBE),
        ("seen[1]", "N", MAYBE),
    ],
)
def test_same_dim(report: Report, a: str, b: str | int, answer: Answer) -> None:
    assert report.same_dim(a, b) is answer


@pytest.mark.parametrize(
    ("a", "b", "answer"),
    [
        ("x", ["N", 3, "H", "W"], YES),
        ("x", "x", YES),
        ("kept", "flat", YES),
        (["x[3]", "H"], ["W", "z[2]"], YES),
        ([], [], YES),
        ("x", "rows", NO),
        ("x", ["N", 4, "H", "W"], NO),
        ("x", "z", MAYBE),
        (["N", "N"], [3, 4], NO),
    ],
)
def test_same_shape(report: Report, a: str | list[str | int], b: str | list[str | int], answer: Answer) -> None:
    assert report.same_shape(a, b) is answer
    assert report.same_shape(b, a) is answer


def test_the_shape_of_what_has_none_is_that_of_itself_alone() -> None:
    report = checked("g (float[N] x, int64[K] s) => (float[] y) { y = Reshape(x, s) z = Reshape(x, s) }")
    assert report.same_shape("y", "y") is YES
    assert report.same_shape("y", "z") is MAYBE
    assert report.same_shape("y", ["N"]) is MAYBE


def test_what_the_model_needs_counts_as_known() -> None:
    report = checked(
        "g (float[N, 4] x, float[2, M] w) => (float[] y) { h = Reshape<allowzero=0>(x, s) y = MatMul(h, w)"
        " s = Constant<value = int64[2] {8, -1}>() }"
    )
    assert [r.condition for r in report.contract] == ["N == 4"]
    assert report.same_dim("N", 4) is YES
    assert report.bounds("N") == (4, 4)
    assert report.same_shape("x", [4, 4]) is YES


@pytest.mark.parametrize(
    ("dim", "divisor", "answer"), [("rows[1]", 3, YES), ("3*H + 1", 3, NO), ("H", 8, MAYBE), ("x[1]", 0, NO)]
)
def test_divisible(report: Report, dim: str, divisor: int, answer: Answer) -> None:
    assert report.divisible(dim, divisor) is answer


def test_what_the_caller_assumes_counts_too() -> None:
    model = parsed("g (float[N, K] x) => (float[] y) { y = Relu(x) }")
    assert check(model).divisible("N", 8) is MAYBE
    report = check(model, assume=["N % 8 == 0"], ranges={"K": (2, 7)})
    assert report.divisible("N", 8) is YES
    assert report.divisible("y[0]", 4) is YES
    assert report.bounds("y[1]") == (2, 7)
    assert report.same_dim("K", 9) is NO


@pytest.mark.parametrize(
    ("dim", "bounds"), [("x[1]", (3, 3)), ("N", (0, None)), ("H + 2", (2, None)), ("H - 5", (-5, None))]
)
def test_bounds(report: Report, dim: str, bounds: tuple[int | None, int | None]) -> None:
    assert report.bounds(dim) == bounds


def test_elements_and_bytes_are_formulas_or_numbers(report: Report) -> None:
    assert str(report.numel("x")) == "3*H*N*W"
    assert str(report.bytes("x")) == "12*H*N*W"
    assert report.numel("x", bind={"N": 2, "H": 4, "W": 5}) == 120
    assert str(report.bytes("x", bind={"N": 2})) == "24*H*W"


@pytest.mark.parametrize(("dtype", "size"), [("int4", 4), ("bool", 7), ("bfloat16", 14), ("string", None)])
def test_elements_below_a_byte_are_packed(dtype: str, size: int | None) -> None:
    assert checked(f"g ({dtype}[7] x) => ({dtype}[7] y) {{ y = Identity(x) }}").bytes("x") == size


def test_dims_that_are_equal_are_grouped(report: Report) -> None:
    groups = {str(dim): axes for dim, axes in report.equal_dims().items()}
    assert groups["H"] == (("x", 2), ("z", 2), ("y", 2))
    assert groups["3*H*W"] == (("rows", 1),)


def test_what_is_the_same_for_all_inputs(report: Report) -> None:
    assert report.constants() == {"flat": (0, -1), "kept": (0, -1)}


def test_the_symbols_that_a_value_depends_on(report: Report) -> None:
    assert [s.name for s in report.depends_on("rows")] == ["H", "M", "N", "W"]
    assert [(s.name, s.is_fresh) for s in report.depends_on("seen")] == [("NonZero_0", True)]
    assert report.depends_on("flat") == ()


def test_the_symbols_that_a_shape_depends_on(report: Report) -> None:
    assert [s.name for s in report.depends_on("size")] == ["H", "N", "W"]
    assert report.depends_on("size", contents=False) == ()
    assert report.depends_on("rows", contents=False) == report.depends_on("rows")


@pytest.mark.parametrize(
    ("nodes", "whole", "shape"),
    [
        ("s = Shape(x) y = SequenceConstruct(s, s)", ["K", "N"], []),
        ("y = SequenceConstruct(x)", ["K", "N"], ["K", "N"]),
        ("y = SplitToSequence<axis = 0>(x)", ["K", "N"], ["K", "N"]),
        ("s = Shape(x) y = Optional(s)", ["K", "N"], []),
        ("y = Optional(x)", ["K", "N"], ["K", "N"]),
    ],
)
def test_the_shape_of_a_container_is_that_of_its_elements(nodes: str, whole: list[str], shape: list[str]) -> None:
    report = checked(f"g (float[N, K] x) => (y) {{ {nodes} }}")
    assert [s.name for s in report.depends_on("y")] == whole
    assert [s.name for s in report.depends_on("y", contents=False)] == shape


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda r: r.shape("row"), "the model has no value row; did you mean rows?"),
        (lambda r: r.same_dim("x[4]", 1), "axis 4 is out of range for x, which has rank 4"),
        (lambda r: r.same_dim("K", 1), "'K' is no known dim"),
        (lambda r: r.bounds("H +"), "'H \\+' is neither a dim expression nor an axis such as x\\[1\\]"),
        (lambda r: r.numel("x", bind={"Q": 1}), "the model has no dim Q"),
        (lambda r: r.shape("x", bind={"Q": 1}), "the model has no dim Q"),
        (lambda r: r.live_sets(bind={"Q": 1}), "the model has no dim Q"),
        (lambda r: r.light().live_sets(), "this report has no nodes to count"),
        (lambda r: r.same_shape("x", "row"), "the model has no value row; did you mean rows?"),
        (lambda r: r.same_shape("x", 3), "3 is no shape; give the name of a value or a list of dims"),
        (lambda r: r.same_shape("x", ["Q"]), "'Q' is no known dim"),
        (lambda r: r.shape("x", bind={"N": "4"}), "N is '4'; a size is a whole number"),
        (lambda r: r.numel("x", bind={"N": -1}), "a dim cannot be negative: N = -1"),
        (lambda r: r.numel("x", bind={"N": 2, "M": 3}), "the model does not run with M = 3, N = 2: it requires"),
    ],
)
def test_what_cannot_be_asked_is_reported(report: Report, ask: Callable[[Report], object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ask(report)


def test_a_light_report_answers_from_its_contract(report: Report) -> None:
    light = report.light()
    assert light.same_dim("rows[1]", "3*H*W") is YES
    assert light.shape("rows") == report.shape("rows")


def test_no_rank_no_count() -> None:
    report = checked("g (float[N] x, int64[K] s) => (float[] y) { y = Reshape(x, s) }")
    assert report.values["y"] == Tensor("f32", None)
    assert report.numel("y") is None
    with pytest.raises(ValueError, match="the rank of y is unknown"):
        report.bounds("y[0]")
