"""Slice: start and end are clamped to the axis, a negative one counts from its end."""

from __future__ import annotations

import itertools

import pytest

from tests.ops.claims import asks
from tests.ops.spec import agrees_with_a_run, fault, infer

MAX, MIN = 2**63 - 1, -(2**63)


def cut(x: str, start: object, end: object, step: object = 1) -> str | list[str]:
    return infer("Slice", x, f"i64[1]{{{start}}}", f"i64[1]{{{end}}}", "i64[1]{0}", f"i64[1]{{{step}}}")


def test_the_examples_of_its_documentation() -> None:
    assert infer("Slice", "f32[2, 4]", "i64[2]{1, 0}", "i64[2]{2, 3}", "i64[2]{0, 1}", "i64[2]{1, 2}") == "f32[1, 2]"
    assert infer("Slice", "f32[2, 4]", "i64[2]{0, 1}", "i64[2]{-1, 1000}") == "f32[1, 3]"


@pytest.mark.parametrize(
    ("start", "end", "step", "output"),
    [
        (0, MAX, 1, "f32[H]"),
        (0, 2**31 - 1, 1, "f32[H]"),
        (2, MAX, 1, "f32[max(0, H - 2)]"),
        (2, 10, 1, "f32[max(0, min(8, H - 2))]"),
        (0, -1, 1, "f32[max(0, H - 1)]"),
        (-5, MAX, 1, "f32[min(5, H)]"),
        (0, MAX, 2, "f32[(H + 1)//2]"),
        (1, MAX, 2, "f32[H//2]"),
        (-1, MIN, -1, "f32[H]"),
        (-1, -MAX, -2, "f32[(H + 1)//2]"),
        (5, 5, 1, "f32[0]"),
        ("s", "s + k", 1, "f32[max(0, min(H - s, k))]"),
        ("H - 1", MAX, 1, "f32[min(1, H)]"),
        (0, MAX, "v", "f32[(H + v - 1)//v]"),
        ("H - 3", MAX, 1, "f32[max(0, min(-H*min(1, max(-H + 3, 0)) + 3, H))]"),
    ],
)
def test_lengths_of_a_symbolic_axis(start: object, end: object, step: object, output: str) -> None:
    assert cut("f32[H]", start, end, step) == output


@pytest.mark.parametrize(
    ("start", "end", "step"), [("a*b*c*d - e - 7", MAX, 1), (0, MAX, "v - 1"), (0, MAX, "-v"), (-1, MAX, -1)]
)
def test_a_length_is_unknown_where_a_sign_the_step_or_the_runtime_decides(
    start: object, end: object, step: object
) -> None:
    assert cut("f32[H]", start, end, step) == "f32[Slice_0]"


def test_a_length_that_is_stepped_by_must_not_be_0() -> None:
    def conditions(step: str) -> list[str]:
        return asks("Slice", "f32[H]", "i64[1]{0}", "i64[1]{9}", "i64[1]{0}", f"i64[1]{{{step}}}")

    assert conditions("N") == ["invalid-value: N >= 1"]
    assert conditions("2 - N") == ["invalid-value: -N + 2 >= 1 or -N + 2 <= -1"]
    assert conditions("N + 1") == []
    assert conditions("?") == []


@pytest.mark.parametrize(
    ("inputs", "output"),
    [
        (("f32[4, N]", "i64[1]{1}", "i64[1]{3}", "i64[1]{0}"), "f32[2, N]"),
        (("f32[4, N]", "i64[2]{1, ?}", "i64[2]{3, 5}"), "f32[2, Slice_0]"),
        (("f32[4, N]", "i64[1]", "i64[1]", "i64[1]{1}"), "f32[4, Slice_0]"),
        (("f32[4, N]", "i64[1]{1}", "i64[1]{3}", "i64[1]"), "f32[Slice_0, Slice_1]"),
        (("f32[4, N]", "i64[k]", "i64[k]"), "f32[Slice_0, Slice_1]"),
        (("f32[4, N]", "i64[...]", "i64[...]"), "f32[Slice_0, Slice_1]"),
        (("f32[4, N]", "i64[...]", "i64[1]{2}", "i64[1]{0}"), "f32[Slice_0, N]"),
        (("f32[...]", "i64[1]{1}", "i64[1]{3}"), "f32[...]"),
        (("?[4]", "i64[1]{1}", "i64[1]{3}"), "?[2]"),
    ],
)
def test_what_is_known_of_the_output_as_less_is_known_of_the_inputs(inputs: tuple[str, ...], output: str) -> None:
    assert infer("Slice", *inputs) == output


def test_opset_1_has_attributes() -> None:
    assert infer("Slice", "f32[4, N]", version=9, starts=[1], ends=[3], axes=[1]) == "f32[4, max(0, min(2, N - 1))]"
    assert infer("Slice", "f32[4, N]", version=1, starts=[0, 0], ends=[-1, 2**31 - 1]) == "f32[3, N]"
    assert infer("Slice", "i64[3]{4, N, 6}", version=1, starts=[1], ends=[9]) == "i64[2]{N, 6}"


@pytest.mark.parametrize(
    ("inputs", "code"),
    [
        (("f32[4, 5]", "i64[2]{0, 0}", "i64[2]{2, 2}", "i64[1]{0}"), "length-mismatch"),
        (("f32[4, 5]", "i64[2]{0, 0}", "i64[1]{2}"), "length-mismatch"),
        (("f32[4, 5]", "i64[1]{0}", "i64[1]{2}", "i64[1]{0}", "i64[2]{1, 1}"), "length-mismatch"),
        (("f32[4, 5]", "i64[1]{0}", "i64[1]{2}", "i64[1]{2}"), "axis-out-of-range"),
        (("f32[4, 5]", "i64[3]{0, 0, 0}", "i64[3]{2, 2, 2}"), "axis-out-of-range"),
        (("f32[4, 5]", "i64[2]{0, 0}", "i64[2]{2, 2}", "i64[2]{1, -1}"), "duplicate-axis"),
        (("f32[4, 5]", "i64[1]{0}", "i64[1]{2}", "i64[1]{0}", "i64[1]{0}"), "invalid-value"),
        (("f32[4, 5]", "i64[]{0}", "i64[]{2}"), "rank-mismatch"),
    ],
)
def test_faults(inputs: tuple[str, ...], code: str) -> None:
    assert fault("Slice", *inputs) == code


def test_lists_of_the_attributes_must_be_of_one_length() -> None:
    assert fault("Slice", "f32[4, 5]", version=1, starts=[0, 0], ends=[1]) == "length-mismatch"


@pytest.mark.parametrize(
    ("start", "end", "step", "output"),
    [
        (1, 3, 1, "i64[2]{3, H}"),
        (-1, MIN, -1, "i64[4]{W, H, 3, N}"),
        (0, MAX, 2, "i64[2]{N, H}"),
        (-2, MAX, 1, "i64[2]{H, W}"),
    ],
)
def test_entries_in_the_range_are_kept(start: int, end: int, step: int, output: str) -> None:
    assert cut("i64[4]{N, 3, H, W}", start, end, step) == output


def test_entries_of_a_matrix() -> None:
    inputs = "i64[2, 3]{1, 2, 3, 4, 5, 6}", "i64[2]{0, 1}", "i64[2]{1, 3}"
    assert infer("Slice", *inputs) == "i64[1, 2]{2, 3}"


BINDINGS = [{"H": h} for h in (0, 1, 2, 5, 9)]


@pytest.mark.parametrize("step", [1, 2, 7, -1, -2])
def test_it_agrees_with_a_run(step: int) -> None:
    for start, end in itertools.product((0, 2, -1, -4), (0, 3, -1, -3, 100, MIN if step < 0 else MAX)):
        inputs = f"i64[1]{{{start}}}", f"i64[1]{{{end}}}", "i64[1]{0}", f"i64[1]{{{step}}}"
        agrees_with_a_run("Slice", "f32[H, 2]", *inputs, bindings=BINDINGS)


@pytest.mark.parametrize(
    ("start", "end"), [("s", MAX), ("s", "s + e"), (0, "e"), ("-1 - s", "e"), ("H - 1", MAX), ("H - 2", "H")]
)
def test_symbolic_ranges_agree_with_a_run(start: object, end: object) -> None:
    bindings = [{"H": h, "s": s, "e": e} for h in (0, 1, 4) for s in (0, 2, 9) for e in (0, 3)]
    agrees_with_a_run("Slice", "f32[H]", f"i64[1]{{{start}}}", f"i64[1]{{{end}}}", bindings=bindings)


@pytest.mark.parametrize("step", [1, 2])
@pytest.mark.parametrize(
    ("start", "end"), [("s - 2", MAX), ("2 - s", MAX), ("-s", MAX), (0, "e - 2"), ("s - 3", "e - 1"), (-4, "2 - e")]
)
def test_of_an_axis_of_known_length_an_index_may_have_either_sign(start: object, end: object, step: int) -> None:
    inputs = f"i64[1]{{{start}}}", f"i64[1]{{{end}}}", "i64[1]{0}", f"i64[1]{{{step}}}"
    assert "Slice" not in infer("Slice", "f32[5]", *inputs)
    bindings = [{"s": s, "e": e} for s in (0, 1, 2, 3, 6, 7, 8, 20) for e in (0, 1, 2, 5, 7)]
    agrees_with_a_run("Slice", "f32[5]", *inputs, bindings=bindings)


@pytest.mark.parametrize(
    ("start", "end", "step"),
    [
        ("s - 2", MAX, 1),
        ("H - s", MAX, 1),
        (0, "e - 2", 2),
        ("s + e - H", "H - e", 1),
        ("s", MAX, "e"),
        (-3, "s", "e + 1"),
    ],
)
def test_cases_of_a_sign_and_a_step_that_is_a_length_agree_with_a_run(start: object, end: object, step: object) -> None:
    inputs = f"i64[1]{{{start}}}", f"i64[1]{{{end}}}", "i64[1]{0}", f"i64[1]{{{step}}}"
    assert "Slice" not in infer("Slice", "f32[H]", *inputs)
    bindings = [{"H": h, "s": s, "e": e} for h in (0, 1, 2, 5) for s in (0, 1, 3, 9) for e in (1, 2, 6)]
    agrees_with_a_run("Slice", "f32[H]", *inputs, bindings=bindings)


def test_cases_of_a_sign_are_not_told_apart_where_data_decides_or_the_sizes_are_long() -> None:
    assert infer("Slice", "f32[5]", "i64[1]{a*b + c*d + e*f - 2}", f"i64[1]{{{MAX}}}") == "f32[Slice_0]"
