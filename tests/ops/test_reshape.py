"""Reshape, Squeeze, Unsqueeze and Identity: the entries and their order stay, the shape changes."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

import pytest

from shapeinfer.diagnostics.ledger import Ledger, RuleStopped
from shapeinfer.dims import Dim, Size, evaluate, parse
from shapeinfer.frontends.onnx.attributes import read_attributes
from shapeinfer.graph import Call
from shapeinfer.ops.call import infer_call
from shapeinfer.shapes.movement.reshape import reshaped
from tests.models import checked, contract, texts
from tests.ops.spec import agrees_with_a_run, fact, fault, infer, outline


def target(*entries: object) -> str:
    """Return the fact of a tensor that holds a shape."""
    return f"i64[{len(entries)}]{{{', '.join(map(str, entries))}}}"


def conditions(op: str, *inputs: str) -> list[str]:
    """Return what a call asks of the symbols of its inputs."""
    made = infer_call(Call(op, "", 21, read_attributes([])), [fact(i) for i in inputs])
    assert not made.findings, made.findings
    return [c.condition.text for c in made.claims]


@pytest.mark.parametrize(
    ("shape", "output"),
    [
        ([4, 2, 3], "f32[4, 2, 3]"),
        ([2, 12], "f32[2, 12]"),
        ([2, 3, 2, 2], "f32[2, 3, 2, 2]"),
        ([24], "f32[24]"),
        ([2, -1, 2], "f32[2, 6, 2]"),
        ([-1, 2, 3, 4], "f32[1, 2, 3, 4]"),
        ([2, 0, 4, 1], "f32[2, 3, 4, 1]"),
        ([2, 0, 1, -1], "f32[2, 3, 1, 4]"),
    ],
)
def test_reshape_as_in_its_examples(shape: Sequence[int], output: str) -> None:
    assert infer("Reshape", "f32[2, 3, 4]", target(*shape)) == output


@pytest.mark.parametrize(
    ("data", "shape", "output", "asked"),
    [
        ("f32[B, S, 2048]", ["B", "S", -1, 64], "f32[B, S, 32, 64]", ["B >= 1", "S >= 1"]),
        ("f32[B, S, H, 64]", [0, 0, -1], "f32[B, S, 64*H]", ["B >= 1", "S >= 1"]),
        ("f32[B, S, H, 64]", ["B", "S", "64*H"], "f32[B, S, 64*H]", []),
        ("f32[B, 4, S, 8]", [-1, "S", 8], "f32[4*B, S, 8]", ["S >= 1"]),
        ("f32[4*B, S, 8]", ["B", 4, "S", 8], "f32[B, 4, S, 8]", ["S >= 1"]),
        ("f32[N, 6]", ["N", -1, 2], "f32[N, 3, 2]", ["N >= 1"]),
        ("f32[N, 6]", [-1, 3], "f32[2*N, 3]", []),
        ("f32[N, 6]", [-1, 4], "f32[N + N//2, 4]", ["N % 2 == 0"]),
        ("f32[N, 6]", ["M", 2], "f32[M, 2]", ["M == 3*N"]),
        ("f32[B, S]", ["B", "T"], "f32[B, T]", ["T >= 1 or S == 0", "B*S == B*T"]),
        ("f32[B, H, W, 8]", ["B", "H*W", 8], "f32[B, H*W, 8]", ["W >= 1 or H == 0"]),
        ("f32[1, N, 6]", ["N", 6], "f32[N, 6]", ["N >= 1"]),
        ("f32[N]", ["N - 1", -1], "f32[N - 1, N//(N - 1)]", None),
    ],
)
def test_reshape_by_symbols_and_what_it_asks_of_them(
    data: str, shape: Sequence[object], output: str, asked: list[str] | None
) -> None:
    assert infer("Reshape", data, target(*shape)) == output
    if asked is not None:
        assert conditions("Reshape", data, target(*shape)) == asked


@pytest.mark.parametrize(
    ("data", "shape", "output"),
    [
        ("f32[B, S]", "i64[1]", "f32[B*S]"),
        ("f32[B, 32]", target("?", 32), "f32[B, 32]"),
        ("f32[B, 32]", target("B", "?"), "f32[B, ?]"),
        ("f32[B, 6]", target("?", "?", 3), "f32[?, ?, 3]"),
        ("f32[B, 6]", "i64[3]", "f32[?, ?, ?]"),
        ("f32[B, 6]", "i64[K]", "f32[...]"),
        ("f32[B, 6]", "i64[...]", "f32[...]"),
        ("f32[...]", target(0, -1, "B", 5), "f32[?, ?, ?, 5]"),
        ("?[4]", target(2, 2), "?[2, 2]"),
    ],
)
def test_reshape_as_less_is_known(data: str, shape: str, output: str) -> None:
    assert outline("Reshape", data, shape) == output


@pytest.mark.parametrize(
    ("data", "shape", "code"),
    [
        ("f32[2, 3]", [4, 2], "volume-mismatch"),
        ("f32[2, 3]", [4, -1], "volume-mismatch"),
        ("f32[B, 12]", ["B", -1, 5], "volume-mismatch"),
        ("f32[2, 3]", [6, 0], "volume-mismatch"),
        ("f32[0, 6]", [0, -1], "volume-mismatch"),
        ("f32[2, 3]", [2, 3, 0], "axis-out-of-range"),
        ("f32[2, 3]", [-2, 3], "negative-length"),
        ("f32[2, 3]", [-1, -1], "invalid-value"),
    ],
)
def test_reshape_to_what_cannot_be(data: str, shape: Sequence[object], code: str) -> None:
    assert fault("Reshape", data, target(*shape)) == code


def test_the_shape_has_one_axis() -> None:
    assert fault("Reshape", "f32[6]", "i64[]{6}") == "rank-mismatch"


def test_allowzero_takes_zero_for_a_length() -> None:
    assert infer("Reshape", "f32[0, 6]", target(7, 0), allowzero=1) == "f32[7, 0]"
    assert fault("Reshape", "f32[2, 6]", target(2, 0), allowzero=1) == "volume-mismatch"
    assert fault("Reshape", "f32[0, 6]", target(0, -1), allowzero=1) == "volume-mismatch"


def test_before_opset_5_the_shape_is_an_attribute() -> None:
    assert infer("Reshape", "f32[N, 6]", shape=[0, 2, -1], version=1) == "f32[N, 2, 3]"
    assert fault("Reshape", "f32[N, 6]", version=1) == "missing-attribute"


@pytest.mark.parametrize(
    ("data", "shape"),
    [
        ("f32[N, 6]", [-1, 3]),
        ("f32[N, 6]", [0, 2, 3]),
        ("f32[N, 6]", ["N", 3, 2]),
        ("f32[N, M, 6]", ["N", "M", 3, 2]),
        ("f32[N, M, 6]", ["N*M", 6]),
        ("f32[M, N, 6]", ["M", -1]),
        ("f32[M, N, 6]", [-1]),
    ],
)
def test_reshape_agrees_with_a_run(data: str, shape: Sequence[object]) -> None:
    bindings = [{"N": 0, "M": 2}, {"N": 1, "M": 1}, {"N": 4, "M": 3}]
    if shape == ["N*M", 6]:
        bindings = bindings[1:]  # an entry of 0 would copy M: the claim keeps that out
    agrees_with_a_run("Reshape", data, target(*shape), bindings=bindings)


def reshaped_by_numbers(shape: Sequence[int], entries: Sequence[int]) -> tuple[int, ...] | None:
    """Reshape as a runtime does, None where it refuses."""
    if any(e == 0 and i >= len(shape) for i, e in enumerate(entries)) or sorted(entries)[:2] == [-1, -1]:
        return None
    out = [shape[i] if e == 0 else e for i, e in enumerate(entries)]
    volume, rest = math.prod(shape), math.prod(e for e in out if e != -1)
    if -1 in out and rest and volume % rest == 0:
        out[out.index(-1)] = volume // rest
    return tuple(out) if math.prod(out) == volume and -1 not in out else None


ENTRIES = [parse(text) for text in ("-1", "0", "2", "N", "M", "N*M", "2*N")]
SHAPES = [[parse(d) for d in text.split()] for text in ("N", "N M", "M N 2", "2*N M", "2 2*N*M", "3 N", "4")]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_reshape_by_symbols_is_right_for_every_size_it_lets_through(shape: list[Size]) -> None:
    for entries in itertools.chain.from_iterable(itertools.product(ENTRIES, repeat=k) for k in (1, 2, 3)):
        ledger = Ledger()
        try:
            made = reshaped(ledger, tuple(shape), entries)
        except RuleStopped:
            made = ()
        for n, m in itertools.product(range(3), repeat=2):
            env = {"N": n, "M": m}
            numbers, given = ([evaluate(d, env) for d in sizes] for sizes in (shape, entries))
            real = reshaped_by_numbers(numbers, given)
            bound: dict[Dim, Size] = {d: env[d.name] for c in ledger.claims for d in c.condition.symbols}
            asked = all(c.condition.substitute(bound).answer().is_yes for c in ledger.claims)
            assert not (ledger.findings and real), f"{shape} to {entries} runs at {env}"
            if real is None:
                assert ledger.findings or not asked, f"{shape} to {entries} fails at {env}"
            elif asked:
                known = all(isinstance(d, int) or not any(s.is_slot for s in d.symbols) for d in made)
                assert not known or tuple(evaluate(d, env) for d in made) == real, f"{shape} to {entries} at {env}"


@pytest.mark.parametrize(
    ("data", "axes", "output"),
    [
        ("f32[1, 3, 1, 5]", [0], "f32[3, 1, 5]"),
        ("f32[1, 3, 1, 5]", [-2], "f32[1, 3, 5]"),
        ("f32[1, 3, 1, 5]", [0, 2], "f32[3, 5]"),
        ("f32[1, 3, 1, 5]", None, "f32[3, 5]"),
        ("f32[1, N]", [0], "f32[N]"),
        ("f32[1, N]", None, "f32[...]"),
        ("f32[1, N]", [1], "f32[1]"),
        ("f32[1, 3]", [], "f32[...]"),
        ("f32[2, 3]", [], "f32[2, 3]"),
        ("f32[...]", [0], "f32[...]"),
    ],
)
def test_squeeze(data: str, axes: Sequence[int] | None, output: str) -> None:
    assert infer("Squeeze", data, *([] if axes is None else [target(*axes)])) == output
    attributes: dict[str, Any] = {} if axes is None else {"axes": axes}
    assert axes == [] or infer("Squeeze", data, version=11, **attributes) == output


@pytest.mark.parametrize(
    ("data", "axes", "output"),
    [
        ("f32[1, 3, 5]", "i64[1]", "f32[3, 5]"),
        ("f32[1, 3, N]", "i64[1]", "f32[?, ?]"),
        ("f32[1, 3, 5]", "i64[K]", "f32[...]"),
        ("f32[1, 3, 5]", "i64[2]", "f32[3, 5]"),  # which name the same axis
        ("f32[A, N]", "i64[2]", "f32[...]"),
    ],
)
def test_squeeze_of_axes_known_by_number_only(data: str, axes: str, output: str) -> None:
    assert outline("Squeeze", data, axes) == output


@pytest.mark.parametrize(
    ("axes", "code"),
    [([1], "squeeze-not-one"), ([2], "axis-out-of-range"), ([-3], "axis-out-of-range")],
)
def test_squeeze_of_what_cannot_be(axes: Sequence[int], code: str) -> None:
    assert fault("Squeeze", "f32[1, 3]", target(*axes)) == code
    assert fault("Squeeze", "f32[1, 3]", axes=axes, version=11) == code


def test_squeeze_of_an_axis_of_unknown_length_asks_that_it_is_one() -> None:
    assert conditions("Squeeze", "f32[N, 3]", target(0)) == ["N == 1"]


@pytest.mark.parametrize(("data", "axes"), [("f32[3, 5]", "i64[1]"), ("f32[]", "i64[2]")])
def test_squeezing_where_no_axis_is_one(data: str, axes: str) -> None:
    assert fault("Squeeze", data, axes) == "squeeze-not-one"


@pytest.mark.parametrize(
    ("data", "axes", "output"),
    [
        ("f32[3, 4, 5]", [0, 4], "f32[1, 3, 4, 5, 1]"),
        ("f32[3, 4, 5]", [4, 0], "f32[1, 3, 4, 5, 1]"),
        ("f32[N]", [-1], "f32[N, 1]"),
        ("f32[]", [0], "f32[1]"),
        ("f32[...]", [0], "f32[...]"),
    ],
)
def test_unsqueeze(data: str, axes: Sequence[int], output: str) -> None:
    assert infer("Unsqueeze", data, target(*axes)) == output
    assert infer("Unsqueeze", data, axes=axes, version=11) == output


def test_unsqueeze_by_axes_known_by_number_only() -> None:
    assert outline("Unsqueeze", "f32[N, 3]", "i64[2]") == "f32[?, ?, ?, ?]"
    assert infer("Unsqueeze", "f32[N, 3]", "i64[K]") == "f32[...]"


@pytest.mark.parametrize(("axes", "code"), [([0, 0], "duplicate-axis"), ([4], "axis-out-of-range")])
def test_unsqueeze_to_what_cannot_be(axes: Sequence[int], code: str) -> None:
    assert fault("Unsqueeze", "f32[3]", target(*axes)) == code


@pytest.mark.parametrize(("op", "axis"), [("Squeeze", -2), ("Unsqueeze", -1)])
@pytest.mark.parametrize("version", [1, 11])
def test_negative_axes_are_taken_in_all_versions_as_runtimes_do(op: str, axis: int, version: int) -> None:
    agrees_with_a_run(op, "f32[1, N]", axes=[axis], version=version, bindings=[{"N": 0}, {"N": 3}])


def test_entries_keep_their_order() -> None:
    assert infer("Reshape", "i64[4]{1, N, 3, 4}", target(2, 2)) == "i64[2, 2]{1, N, 3, 4}"
    assert infer("Squeeze", "i64[1]{N}", target(0)) == "i64[]{N}"
    assert infer("Unsqueeze", "i64[]{N}", target(0)) == "i64[1]{N}"


@pytest.mark.parametrize(
    "given", ["f32[N, 3]", "i64[2]{4, N}", "f32[...]", "seq(f32[N])", "optional(f32[N])", "optional(seq(i64[]))"]
)
def test_identity_passes_everything_through(given: str) -> None:
    assert infer("Identity", given) == given


@pytest.mark.parametrize(("op", "axes"), [("Squeeze", [1]), ("Unsqueeze", [0, -1])])
def test_axes_agree_with_a_run(op: str, axes: Sequence[int]) -> None:
    agrees_with_a_run(op, "f32[N, 1, 3]", target(*axes), bindings=[{"N": 0}, {"N": 1}, {"N": 4}])


class TestAnEntryThatMayBeZero:
    """Where an entry of 0 copies an axis, a model runs whose volumes do not agree with a length of 0."""

    # the number of entries that are not zero, as an entry of a shape and as the length of an axis
    COUNT = "n = NonZero(x) f = Cast<to = 1>(n) t = Shape(n) one = Constant<value = int64[1] {1}>() k = Gather(t, one)"

    def test_what_only_data_decides_teaches_nothing(self) -> None:
        """t*H rounded down is 0 where t is small: Reshape then copies its axis, and Tile repeats nothing."""
        body = "s = Shape(x) f = Cast<to = 1>(s) m = Mul(f, t) i = Cast<to = 7>(m) y = Tile(m, i) r = Reshape(m, i)"
        report = checked(f"g (float[H] x, float t) => (y, r) {{ {body} }}")
        assert (texts(report)["y"], texts(report)["r"]) == ("f32[Cast_0]", "f32[1]")
        assert report.result is not None
        assert report.result.at_run_time.text == "Cast_0 >= 0"

    def test_it_is_kept_where_it_copies_the_same(self) -> None:
        report = checked(f"g (float[N, 4] x) => (r) {{ {self.COUNT} r = Reshape(f, t) }}")
        assert texts(report)["r"] == "f32[2, NonZero_0]"
        report = checked(
            f"""g (float[N, 4] x) => (r) <int64[1] m = {{-1}}> {{ {self.COUNT}
            u = Transpose(f) v = Concat<axis = 0>(k, m) r = Reshape(u, v) }}"""
        )
        assert texts(report)["r"] == "f32[NonZero_0, 2]"

    def test_it_is_open_where_it_copies_another(self) -> None:
        report = checked(
            f"""g (float[N, 4] x) => (r) <int64[2] m = {{-1, 2}}> {{ {self.COUNT}
            v = Concat<axis = 0>(k, m) r = Reshape(f, v) }}"""
        )
        assert texts(report)["r"] == "f32[Reshape_0, Reshape_1, 2]"

    @pytest.mark.parametrize("order", [["z", "r"], ["r", "z"]])
    def test_it_is_open_where_it_is_zero_for_large_sizes(self, order: list[str]) -> None:
        """A model that runs for every P from 5 on, and there alone."""
        steps = {"z": "z = Gather(x, four)", "r": "r = Reshape(x, t)"}
        report = checked(
            f"""g (float[P] x) => (z, r) <int64[1] two = {{2}}, int64[1] rest = {{-1}}, int64[1] four = {{4}}> {{
            p = Shape(x) q = Div(two, p) t = Concat<axis = 0>(q, rest) {" ".join(steps[name] for name in order)} }}"""
        )
        assert not report.errors
        assert contract(report) == ["P >= 5"]
        assert texts(report)["r"] == "f32[P, 1]"

    @pytest.mark.parametrize(
        ("data", "shape", "asked"),
        [
            ("f32[N, 4, 4]", [4, "3 - N", 4], "N >= 4"),  # below 0 it infers
            ("f32[N, 4, N]", [2, "N", 0], "N == 0"),  # it copies 4, and the volumes are 0
            ("f32[4, M, 0]", ["M//4", "M"], "M == 0"),  # it copies 4, and M
        ],
    )
    def test_as_a_length_it_never_fits(self, data: str, shape: Sequence[object], asked: str) -> None:
        assert conditions("Reshape", data, target(*shape)) == [asked]

    def test_its_readings_are_the_condition(self) -> None:
        (asked,) = conditions("Reshape", "f32[P]", target("2//P", -1))
        assert asked == "2//P == 0 and P >= 1 or 2//P >= 1 and P % (2//P) == 0"
        assert outline("Reshape", "f32[P, 3]", target("2//P", -1, 3)) == "f32[?, ?, 3]"
