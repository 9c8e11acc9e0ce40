"""Resize and Upsample: axes made longer or shorter, by factors or to given lengths."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest

from tests.infer.running import session
from tests.models import checked, floats, made, texts
from tests.ops.claims import asks, foretells_a_run
from tests.ops.spec import agrees_with_a_run, array_of, fact, fault, infer, outline

SIZES = [{"N": 0, "H": 4, "W": 6}, {"N": 1, "H": 5, "W": 7}, {"N": 2, "H": 0, "W": 1}, {"N": 2, "H": 9, "W": 2}]
BY_FACTORS = [(10, ()), (11, ("f32[0]",)), (13, ("",)), (18, ("",)), (19, ("",))]


@pytest.mark.parametrize(("version", "roi"), BY_FACTORS)
@pytest.mark.parametrize(
    ("factors", "space"),
    [
        ("2, 2", "2*H, 2*W"),
        ("0.5, 3", "H//2, 3*W"),
        ("1, 0.25", "H, W//4"),
        ("1.5, 0.75", "(3*H)//2, (3*W)//4"),
    ],
)
def test_binary_fractions_of_a_symbol_are_exact(version: int, roi: tuple[str, ...], factors: str, space: str) -> None:
    inputs = ("f32[N, 3, H, W]", *roi, f"f32[4]{{1, 1, {factors}}}")
    assert infer("Resize", *inputs, version=version) == infer("Identity", f"f32[N, 3, {space}]")
    agrees_with_a_run("Resize", *inputs, version=version, bindings=SIZES)


@pytest.mark.parametrize("factor", [0.3, 0.1, 0.7, 1 / 3, 2.3, 1e-3])
def test_other_factors_round_as_single_precision_does(factor: float) -> None:
    inputs = "f32[1, 1, H, 4]", "", f"f32[4]{{1, 1, {factor}, 1}}"
    expected = f"f32[1, 1, floor(f32(f32({np.float32(factor)!s})*H)), 4]"
    assert infer("Resize", *inputs, version=19) == expected
    agrees_with_a_run("Resize", *inputs, version=19, bindings=[{"H": h} for h in (1, 7, 9, 10, 30, 1000)])


@pytest.mark.parametrize(
    ("x", "scales", "output"),
    [
        ("f32[N, 3, 4, 6]", "f32[4]{1, 1, ?, 2}", "f32[N, 3, ?, 12]"),
        ("f32[N, 3, 4, 6]", "f32[4]", "f32[?, ?, ?, ?]"),
        ("f32[N, 3, 4, 6]", "f32[K]", "f32[?, ?, ?, ?]"),
        ("f32[N, 3, 4, 6]", "f32[...]", "f32[?, ?, ?, ?]"),
        ("f32[...]", "f32[4]{1, 1, 2, 2}", "f32[?, ?, 2*?, 2*?]"),
        ("f32[...]", "f32[...]", "f32[...]"),
        ("?[N, 4]", "f32[2]{1, 2}", "?[N, 8]"),
    ],
)
def test_what_is_known_of_the_output_as_less_is_known_of_factors(x: str, scales: str, output: str) -> None:
    assert outline("Resize", x, "", scales) == output


@pytest.mark.parametrize(("version", "more"), [(11, ("f32[0]", "f32[0]")), (13, ("", "")), (19, ("", ""))])
def test_lengths_may_be_given_instead(version: int, more: tuple[str, ...]) -> None:
    assert infer("Resize", "f32[N, 3, H, 6]", *more, "i64[4]{N, 3, 2*H, 9}", version=version) == "f32[N, 3, 2*H, 9]"
    agrees_with_a_run("Resize", "f32[1, 3, 4, 6]", *more, "i64[4]{1, 3, 8, 9}", version=version, bindings=[{}])


@pytest.mark.parametrize(
    ("x", "sizes", "output"),
    [
        ("f32[...]", "i64[4]{1, 3, N, 9}", "f32[1, 3, N, 9]"),
        ("f32[N, 3, 4, 6]", "i64[4]{?, 3, 8, 8}", "f32[?, 3, 8, 8]"),
        ("f32[N, 3, 4, 6]", "i64[K]", "f32[?, ?, ?, ?]"),
        ("f32[...]", "i64[...]", "f32[...]"),
    ],
)
def test_what_is_known_of_the_output_as_less_is_known_of_lengths(x: str, sizes: str, output: str) -> None:
    assert outline("Resize", x, "", "", sizes) == output


EMPTY, FACTORS, LENGTHS = "f32[0]", "f32[4]{1, 1, 2, 2}", "i64[4]{1, 3, 8, 9}"


@pytest.mark.parametrize("version", [11, 12, 13, 18, 19])
@pytest.mark.parametrize(
    ("scales", "sizes", "output"),
    [
        (EMPTY, LENGTHS, "f32[1, 3, 8, 9]"),
        (FACTORS, "", "f32[1, 3, 8, 12]"),
        (FACTORS, LENGTHS, "conflicting-arguments"),
        (FACTORS, "i64[0]", "conflicting-arguments"),
        (EMPTY, "", "missing-input"),
        (EMPTY, "i64[0]", "length-mismatch"),
    ],
)
def test_empty_scales_stand_for_none_and_empty_sizes_for_nothing(
    version: int, scales: str, sizes: str, output: str
) -> None:
    inputs = "f32[1, 3, 4, 6]", "f32[0]", scales, sizes
    found = infer if "[" in output else fault
    assert found("Resize", *inputs, version=version) == output
    arrays = [a for i, text in enumerate(inputs[1:], 1) if (a := constant(f"i{i}", text)) is not None]
    names = ["x", *(f"i{i}" if text else "" for i, text in enumerate(inputs[1:], 1))]
    model = made(
        [onnx.helper.make_node("Resize", names, ["y"])],
        [floats("x", 1, 3, 4, 6)],
        opsets={"": version},
        initializers=arrays,
    )
    try:
        (real,) = session(model).run(None, {"x": np.ones((1, 3, 4, 6), np.float32)})
    except Exception:  # noqa: BLE001 - whatever the runtime has against it
        real = None
    assert (real is not None) == (found is infer)
    assert real is None or f"f32{list(real.shape)}" == output


def constant(name: str, text: str) -> onnx.TensorProto | None:
    given = fact(text)
    return None if given is None else onnx.numpy_helper.from_array(array_of(given, {}), name)


def test_scales_that_may_be_empty_must_be_so_beside_sizes() -> None:
    assert infer("Resize", "f32[1, 3, 4, 6]", "", "f32[K]", LENGTHS, version=13) == "f32[1, 3, 8, 9]"
    assert asks("Resize", "f32[1, 3, 4, 6]", "", "f32[K]", LENGTHS) == ["conflicting-arguments: K == 0"]


@pytest.mark.parametrize("axes", [[2, 3], [-2, -1]])
def test_axes_that_are_not_named_stay(axes: list[int]) -> None:
    assert infer("Resize", "f32[N, C, 4, W]", "", "f32[2]{2, 0.5}", axes=axes) == "f32[N, C, 8, W//2]"
    assert infer("Resize", "f32[N, C, 4, W]", "", "f32[2]", axes=axes).startswith("f32[N, C, ")  # type: ignore[union-attr]
    agrees_with_a_run("Resize", "f32[N, 3, H, W]", "", "f32[2]{2, 0.5}", axes=axes, version=18, bindings=SIZES)


def test_entries_follow_the_order_of_the_axes() -> None:
    assert infer("Resize", "f32[1, 3, 4, 6]", "", "", "i64[2]{8, 9}", axes=[3, 2]) == "f32[1, 3, 9, 8]"


@pytest.mark.parametrize("policy", ["not_larger", "not_smaller"])
@pytest.mark.parametrize("before", [(4, 6), (3, 7), (2, 4), (4, 8), (3, 4)])
@pytest.mark.parametrize("wanted", [(7, 8), (5, 5), (1, 1), (2, 1)])
def test_proportions_can_be_kept(before: tuple[int, int], wanted: tuple[int, int], policy: str) -> None:
    inputs = f"f32[1, 1, {before[0]}, {before[1]}]", "", "", f"i64[2]{{{wanted[0]}, {wanted[1]}}}"
    given: dict[str, Any] = {"axes": [2, 3], "keep_aspect_ratio_policy": policy, "version": 18}
    agrees_with_a_run("Resize", *inputs, bindings=[{}], **given)


@pytest.mark.parametrize(("policy", "output"), [("not_larger", "f32[1, 1, 4, 6]"), ("not_smaller", "f32[1, 1, 7, 11]")])
def test_a_half_is_rounded_up(policy: str, output: str) -> None:
    wanted = "i64[2]{7, 6}" if policy == "not_larger" else "i64[2]{7, 8}"
    assert infer("Resize", "f32[1, 1, 4, 6]", "", "", wanted, axes=[2, 3], keep_aspect_ratio_policy=policy) == output


ALONG_TWO: dict[str, Any] = {"axes": [2, 3], "version": 18}
WANTED = ((3, 5), (3, 0), (0, 2), (0, 0), (0, 64))


@pytest.mark.parametrize(
    ("policy", "before", "made"),
    [
        ("not_larger", (3, 64), [(0, 5), None, None, None, None]),
        ("not_larger", (3, 0), [None, (3, 0), None, None, None]),
        ("not_larger", (0, 0), [None, None, None, (0, 0), None]),
        ("not_larger", (0, 4), [None, None, (0, 2), None, (0, 4)]),
        ("not_smaller", (3, 64), [(3, 64), (3, 64), (0, 2), None, (3, 64)]),
        ("not_smaller", (3, 0), [None, (3, 0), None, (3, 0), None]),
        ("not_smaller", (0, 0), [None, None, None, (0, 0), None]),
        ("not_smaller", (0, 4), [None, None, (0, 4), (0, 4), (0, 64)]),
    ],
)
def test_proportions_of_nothing(policy: str, before: tuple[int, int], made: list[tuple[int, int] | None]) -> None:
    """As onnxruntime answers for each of WANTED, None where it refuses."""
    for wanted, real in zip(WANTED, made, strict=True):
        inputs = f"f32[1, 1, {before[0]}, {before[1]}]", "", "", f"i64[2]{{{wanted[0]}, {wanted[1]}}}"
        given = ALONG_TWO | {"keep_aspect_ratio_policy": policy}
        if real is None:
            assert fault("Resize", *inputs, **given) == "too-few-elements"
        else:
            found = outline("Resize", *inputs, **given)
            expected = ["?" if d == "?" else str(n) for d, n in zip(str(found)[10:-1].split(", "), real)]
            assert found == f"f32[1, 1, {', '.join(expected)}]"


def test_the_largest_factor_decides_where_another_is_zero() -> None:
    """The smallest one is 0 then, by which nothing is scaled."""
    inputs = "f32[1, 1, 3, N]", "", "", "i64[2]{3, 0}"
    assert outline("Resize", *inputs, **ALONG_TWO, keep_aspect_ratio_policy="not_smaller") == "f32[1, 1, ?, ?]"
    assert asks("Resize", *inputs, **ALONG_TWO, keep_aspect_ratio_policy="not_smaller") == []
    assert asks("Resize", *inputs, **ALONG_TWO, keep_aspect_ratio_policy="not_larger") == ["too-few-elements: N == 0"]
    assert infer("Resize", "f32[1, 1, 3, 64]", *inputs[1:], **ALONG_TWO, keep_aspect_ratio_policy="not_smaller") == (
        "f32[1, 1, 3, 64]"
    )
    inputs = "f32[1, 1, 3, N]", "", "", "i64[2]{0, 5}"
    assert asks("Resize", *inputs, **ALONG_TWO, keep_aspect_ratio_policy="not_smaller") == ["too-few-elements: N >= 1"]


def test_an_axis_of_nothing_limits_the_others_to_what_they_are() -> None:
    """From 0 to 0 the factor is 1. The condition that the axis is 0 is used for the shape."""
    body = 'y = Resize <keep_aspect_ratio_policy = "not_larger", mode = "nearest"> (x, "", "", sizes)'
    report = checked(f"g (float[M, N] x) => (y) <int64[2] sizes = {{0, 2}}> {{ {body} }}")
    assert not report.errors
    assert texts(report)["y"] == "f32[0, min(2, N)]"


PROPORTIONS = [
    ("not_larger", "7, 8", "min(7, {of_w}), min(8, {of_h})"),
    ("not_smaller", "7, 8", "max(7, {of_w}), max(8, {of_h})"),
    ("not_larger", "8, 656", "min(8, {of_w}), min(656, {of_h})"),
]
TIES = [{"H": 27, "W": 6}, {"H": 6, "W": 27}, {"H": 41, "W": 656}, {"H": 1, "W": 1}, {"H": 3, "W": 4}, {"H": 9, "W": 2}]


@pytest.mark.parametrize(("policy", "sizes", "space"), PROPORTIONS)
def test_proportions_of_symbols_are_floats_of_single_precision(policy: str, sizes: str, space: str) -> None:
    """Also where a half is lost: 27*(7/6) is less than 31.5 there."""
    inputs, given = ("f32[N, 1, H, W]", "", "", f"i64[2]{{{sizes}}}"), ALONG_TWO | {"keep_aspect_ratio_policy": policy}
    high, wide = sizes.split(", ")
    of_w, of_h = f"floor(f64(0.5 + f32(H*f32({wide}/W))))", f"floor(f64(0.5 + f32(W*f32({high}/H))))"
    assert infer("Resize", *inputs, **given) == f"f32[N, 1, {space.format(of_w=of_w, of_h=of_h)}]"
    assert asks("Resize", *inputs, **given) == ["too-few-elements: H >= 1", "too-few-elements: W >= 1"]
    agrees_with_a_run("Resize", *inputs, bindings=[{"N": 1} | b for b in TIES], **given)


@pytest.mark.parametrize(
    ("x", "sizes", "space"),
    [
        ("f32[1, 1, H, 6]", "7, 6", "min(7, H), min(6, floor(f64(0.5 + f32(6*f32(7/H)))))"),
        ("f32[1, 1, H, H]", "7, 8", "7, 7"),
        ("f32[1, 1, H, W]", "H, 8", "min(H, floor(f64(0.5 + f32(H*f32(8/W))))), min(8, W)"),
        ("f32[1, 1, H, W]", "7, S", "?, ?"),
        ("f32[1, 1, H, W]", "2*H, 8", "?, ?"),
        ("f32[1, 1, H, W]", "0, 8", "0, ?"),
    ],
)
def test_what_is_known_of_proportions(x: str, sizes: str, space: str) -> None:
    """An axis that stays what it is has the factor 1, be it 0 or not; the factor of 0 to 0 is 1 too."""
    given = ALONG_TWO | {"keep_aspect_ratio_policy": "not_larger"}
    assert outline("Resize", x, "", "", f"i64[2]{{{sizes}}}", **given) == f"f32[1, 1, {space}]"


@pytest.mark.parametrize(
    ("inputs", "attributes", "code"),
    [
        (("", "", "i64[3]{1, 3, 8}"), {}, "length-mismatch"),
        (("", "f32[3]{1, 2, 2}"), {}, "length-mismatch"),
        (("", "f32[4]{1, 1, 2, 2}"), {"axes": [2, 3]}, "length-mismatch"),
        (("", "f32[4]{1, 1, 2, 2}", "i64[4]{1, 3, 8, 8}"), {}, "conflicting-arguments"),
        ((), {}, "missing-input"),
        (("", "f32[4]{1, 1, 0, 2}"), {}, "invalid-value"),
        (("", "f32[4]{1, 1, -2, 2}"), {}, "invalid-value"),
        (("", "f32[2, 2]"), {}, "rank-mismatch"),
        (("", "", "i64[4]{1, 3, 0, 8}"), {}, "too-few-elements"),
        (("", "", "i64[4]{1, 3, -8, 8}"), {}, "negative-length"),
        (("", "f32[2]{2, 2}"), {"axes": [2, 2]}, "duplicate-axis"),
        (("", "f32[2]{2, 2}"), {"axes": [2, 4]}, "axis-out-of-range"),
        (("", "f32[2]{2, 2}"), {"axes": [2, 3], "keep_aspect_ratio_policy": "not_larger"}, "invalid-attribute"),
        (("", "", "i64[2]{2, 2}"), {"axes": [2, 3], "keep_aspect_ratio_policy": "fit"}, "invalid-attribute"),
    ],
)
def test_what_resize_refuses(inputs: tuple[str, ...], attributes: dict[str, Any], code: str) -> None:
    assert fault("Resize", "f32[1, 3, 4, 4]", *inputs, **attributes) == code


@pytest.mark.parametrize(
    ("x", "sizes", "asked"),
    [
        ("f32[1, 3, H, 4]", "i64[4]{1, 3, 8, 8}", ["H >= 1"]),
        ("f32[1, 3, H, 4]", "i64[4]{1, 3, 0, 8}", ["H == 0"]),
        ("f32[1, 3, 4, H]", "i64[4]{1, 3, 8, S}", ["H == 0 and S == 0 or H >= 1 and S >= 1"]),
        ("f32[N, 3, 4, 4]", "i64[4]{N, 3, 8, ?}", ["?0 >= 1"]),
    ],
)
def test_nothing_cannot_be_made_longer_nor_something_nothing(x: str, sizes: str, asked: list[str]) -> None:
    of_some = [a.split(": ")[1] for a in asks("Resize", x, "", "", sizes) if a.startswith("too-few-elements")]
    assert of_some == asked
    assert asks("Resize", "f32[N, 3, H, 4]", "", "", "i64[4]{N, 3, 2*H, 8}") == []
    assert asks("Resize", "f32[N, 3, H, 4]", "", "f32[K]") == ["length-mismatch: K == 4"]


@pytest.mark.parametrize("version", [7, 9])
def test_upsample_takes_factors_of_at_least_one(version: int) -> None:
    def run(check: Any, *scales: float) -> Any:
        if version == 7:
            return check("Upsample", "f32[N, 3, H, W]", scales=[float(s) for s in scales], version=version)
        listed = f"f32[{len(scales)}]{{{', '.join(map(str, scales))}}}"
        return check("Upsample", "f32[N, 3, H, W]", listed, version=version)

    assert run(infer, 1, 1, 2, 1.5) == infer("Identity", "f32[N, 3, 2*H, (3*W)//2]")
    assert run(fault, 1, 1, 2, 0.5) == ("invalid-attribute" if version == 7 else "invalid-value")
    assert run(fault, 1, 2, 2) == "length-mismatch"


def test_upsample_agrees_with_a_run() -> None:
    sizes = [{"N": 1, "H": 4, "W": 6}, {"N": 2, "H": 5, "W": 1}]
    agrees_with_a_run("Upsample", "f32[N, 3, H, W]", "f32[4]{1, 1, 2, 1.5}", version=9, bindings=sizes)
    agrees_with_a_run("Upsample", "f32[N, 3, H, W]", scales=[1.0, 1.0, 2.0, 1.5], version=7, bindings=sizes)


def test_the_first_upsample_takes_images() -> None:
    factors: dict[str, Any] = {"height_scale": 2.0, "width_scale": 3.0, "version": 1}
    assert infer("Upsample", "f32[N, 3, H, W]", **factors) == "f32[N, 3, 2*H, 3*W]"
    assert outline("Upsample", "f32[...]", **factors) == "f32[?, ?, 2*?, 3*?]"
    assert fault("Upsample", "f32[N, 3, H]", **factors) == "rank-mismatch"


def test_computed_scales_are_positive() -> None:
    assert asks("Resize", "f32[2, 3]", "", "f32[2]{1, N}") == ["invalid-value: N >= 1"]
    for version in (13, 18, 19):
        sizes = [{"N": n} for n in range(3)]
        foretells_a_run("Resize", "f32[2, 3]", "", "f32[2]{1, N}", version=version, mode="nearest", bindings=sizes)
