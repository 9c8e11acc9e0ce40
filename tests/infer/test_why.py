"""Why an axis has the length it has."""

from __future__ import annotations

import pickle
from pathlib import Path

import onnx
import pytest
from click.testing import CliRunner

from shapeinfer import check
from shapeinfer.cli import cli
from tests.models import checked, parsed

CACHE = """g (float[B, H, S, 8] q, float[B, H, S, 8] k, float[B, H, P, 8] past) => (float[a, b, c, d] y) {
    keys = Concat <axis = 2> (past, k)
    turned = Transpose <perm = [0, 1, 3, 2]> (keys)
    y = MatMul (q, turned)
}"""


@pytest.fixture
def cache(tmp_path: Path) -> str:
    path = tmp_path / "cache.onnx"
    onnx.save(parsed(CACHE), path)
    return str(path)


def test_the_way_goes_back_to_where_lengths_join(cache: str) -> None:
    found = CliRunner().invoke(cli, ["why", cache, "y[3]"])
    assert found.exit_code == 0
    assert found.output.splitlines() == [
        "axis 3 of y is P + S",
        "  by MatMul (node 2), from axis 3 of turned",
        "  by Transpose (node 1), from axis 2 of keys",
        "  by Concat (node 0), from axis 2 of k and axis 2 of past",
        "P: axis 2 of input past",
        "S: axis 2 of input q",
    ]


def test_a_single_way_goes_back_to_the_input(cache: str) -> None:
    found = CliRunner().invoke(cli, ["why", cache, "y[2]"])
    assert found.output.splitlines()[-2:] == ["  axis 2 of input q", "S: axis 2 of input q"]


def test_a_length_that_data_decides_says_so(tmp_path: Path) -> None:
    onnx.save(parsed("g (float[N] x) => (int64[a, b] y) { n = NonZero (x) y = Neg (n) }"), tmp_path / "m.onnx")
    found = CliRunner().invoke(cli, ["why", str(tmp_path / "m.onnx"), "y[1]"])
    assert found.output.splitlines()[1:] == [
        "  by Neg (node 1), from axis 1 of n",
        "  computed by NonZero (node 0)",
        "b: data-dependent",
    ]


@pytest.mark.parametrize(
    ("axis", "says"),
    [
        ("y", "not of the form"),
        ("y[a]", "not of the form"),
        ("y[--1]", "not of the form"),
        ("z[0]", "no value z"),
        ("y[4]", "it has no axis 4"),
    ],
)
def test_what_is_not_there_is_bad_usage(cache: str, axis: str, says: str) -> None:
    found = CliRunner().invoke(cli, ["why", cache, axis])
    assert found.exit_code == 2
    assert says in found.output


class TestTrace:
    """``Report.trace``: what ``why`` prints, for programs."""

    def test_steps_name_the_nodes_and_the_axes_that_they_compute_the_size_from(self) -> None:
        trace = checked(CACHE).trace("y", -1)
        assert (trace.value, trace.axis, str(trace.size)) == ("y", 3, "P + S")
        assert [(step.node and step.node.op_type, step.sources) for step in trace.steps] == [
            ("MatMul", (("turned", 3),)),
            ("Transpose", (("keys", 2),)),
            ("Concat", (("k", 2), ("past", 2))),
        ]

    def test_axes_are_all_that_the_size_is_computed_from(self) -> None:
        trace = checked(CACHE).trace("y", 3)
        assert trace.axes == (("y", 3), ("turned", 3), ("keys", 2), ("past", 2), ("k", 2))

    def test_text_is_what_why_prints(self, cache: str) -> None:
        printed = CliRunner().invoke(cli, ["why", cache, "y[2]"]).output
        assert str(check(cache).trace("y", 2)) == printed.rstrip()

    def test_subgraphs_are_followed_too(self) -> None:
        report = checked("""g (bool c, float[N] x) => (float[M] y) {
            y = If (c) <then_branch = t () => (p) { one = Relu (x) p = Neg (one) }, else_branch = e () => (q) {
                q = Abs (x)
            }>
        }""")
        inner = next(graph for graph in report.scopes if graph.name == "t")
        trace = report.trace("p", 0, graph=inner)
        assert trace.axes[:2] == (("p", 0), ("one", 0))
        assert trace.steps[0].node is not None
        assert trace.steps[0].node.graph == ("If_0.then_branch",)

    @pytest.mark.parametrize(
        ("value", "axis", "says"),
        [("z", 0, "the model has no value z"), ("y", 4, "it has no axis 4"), ("y", -5, "it has no axis -5")],
    )
    def test_an_axis_that_is_not_there_is_named(self, value: str, axis: int, says: str) -> None:
        with pytest.raises(ValueError, match=says):
            checked(CACHE).trace(value, axis)

    def test_a_report_without_nodes_says_how_to_get_one_with_them(self) -> None:
        light = pickle.loads(pickle.dumps(checked(CACHE)))
        with pytest.raises(ValueError, match="holds no nodes to follow; check the model again in this process"):
            light.trace("y", 3)
