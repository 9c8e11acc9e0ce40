"""The profile for trtexec: each of its three shapes satisfies the contract."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import pytest

from shapeinfer import Report, check, render_contract
from tests.models import parsed
from tests.report.contract_formats.modules import contract, guard, refusal
from tests.report.contract_formats.test_python import PAST, PATCHES

EXAMPLES = Path(__file__).parents[3] / "examples" / "models"


def profile(line: str) -> dict[str, dict[str, tuple[int, ...]]]:
    """The shapes of each argument; names in these tests hold no colon."""
    found = {}
    for argument in shlex.split(line):
        kind, _, each = argument.partition("=")
        parts = (part.split(":") for part in each.split(","))
        found[kind] = {name: tuple(map(int, shape.split("x"))) for name, shape in parts}
    return found


def shapes(report: Report, **options: Any) -> dict[str, list[tuple[int, ...]]]:
    """The three shapes of each input, which the guard of the same report accepts and which rise."""
    found = profile(render_contract(report, "tensorrt", **options))
    assert list(found) == ["--minShapes", "--optShapes", "--maxShapes"]
    fixed = {n: f.shape for n, f in (report.graph.inputs if report.graph else {}).items() if f.shape is not None}
    assert [refusal(guard(report), {**fixed, **each}) for each in found.values()] == ["", "", ""]
    of_input = {name: [each[name] for each in found.values()] for name in found["--minShapes"]}
    for least, best, most in of_input.values():
        assert all(a <= b <= c for a, b, c in zip(least, best, most))
    return of_input


def test_it_goes_from_the_smallest_sizes_up_to_64_or_4_times_them() -> None:
    found = shapes(check(parsed(PATCHES), assume=["batch >= 1", "width >= 50"]))
    assert found == {"image": [(1, 3, 16, 50), (8, 3, 32, 100), (64, 3, 64, 200)]}


def test_ranges_and_numbers_are_what_the_caller_gave() -> None:
    report = check(parsed(PATCHES), ranges={"batch": (2, 8), "height": (300, 900)}, bind={"width": 640})
    assert shapes(report) == {"image": [(2, 3, 300, 640), (4, 3, 519, 640), (8, 3, 900, 640)]}


def test_max_size_bounds_what_nothing_else_does() -> None:
    report = check(parsed(PATCHES), ranges={"height": (16, 900)})
    assert shapes(report, max_size=512)["image"][2] == (512, 3, 900, 512)


def test_every_shape_satisfies_what_relates_dims() -> None:
    found = shapes(check(parsed(PAST), assume=["total == past + seq", "seq % 8 == 0", "past <= 100"]))
    assert found["new"] == [(8, 4), (24, 4), (64, 4)]
    assert found["mask"] == [(9, 4), (34, 4), (164, 4)]


def test_dims_that_share_a_bound_share_it_evenly() -> None:
    text = "g (float[batch, past] x, float[seq] y) => (a, b) { a = Relu (x) b = Relu (y) }"
    found = shapes(check(parsed(text), assume=["past + seq <= 512"]), max_size=512)
    assert (found["x"][2], found["y"][2]) == ((512, 256), (256,))


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.onnx")), ids=lambda path: path.stem)
def test_the_shapes_of_examples_are_allowed(path: Path) -> None:
    report = check(path)
    found = profile(render_contract(report, "tensorrt"))
    for each in found.values():
        assert check(path, shapes=each).ok


def test_inputs_of_fixed_shape_are_left_out() -> None:
    assert contract("g (float[2] x) => (y) { y = Relu (x) }", "tensorrt") == ""
    assert "k:" not in contract("g (float[n] x, float[3] k) => (y) { y = Relu (x) }", "tensorrt")


@pytest.mark.parametrize(
    ("text", "options", "said"),
    [
        (
            "g (float[] x) => (y) { y = Relu (x) }",
            {},
            "input x can have no profile: its rank is unknown; give its shape with --shape",
        ),
        (
            "g (seq(float[n]) s) => (y) { y = SequenceLength (s) }",
            {},
            "input s can have no profile: it is seq(f32[n])",
        ),
        (
            "g (float[n] x) => (y) { y = Relu (x) }",
            {"shapes": {"x": ["9 - n"]}, "assume": ["n <= 8"]},
            "no profile was found: x shrinks where the dims in its formulas grow",
        ),
        (
            "g (float[n, m] x) => (y) { y = Relu (x) }",
            {"assume": ["n*n == 2*m*m"]},
            "no profile was found: no sizes were found that satisfy the contract; fix some with --bind",
        ),
    ],
)
def test_where_there_is_no_profile_it_says_why(text: str, options: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=r".") as raised:
        contract(text, "tensorrt", **options)
    assert str(raised.value) == said
