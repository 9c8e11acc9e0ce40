"""Why an axis has the length it has."""

from __future__ import annotations

from pathlib import Path

import onnx
import pytest
from click.testing import CliRunner

from shapeinfer.cli import cli
from tests.models import parsed

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
