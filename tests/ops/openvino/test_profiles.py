"""What OpenVINO itself answered to broadcasts of every kind, case by case: ``tests/data/openvino_broadcast.txt``.

A line is an operator with its version, the mode, the axis if one is given, the inputs, and the answer. An input is a
shape ``[2,3..6]``, in which ``0..`` has no upper bound and ``[...]`` is of unknown rank, or entries ``{4,-1}``. The
answer is a shape or ``err``.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from shapeinfer import Tensor, infer_op, symbol
from shapeinfer.diagnostics.errors import ShapeInferError
from shapeinfer.dims import Size
from shapeinfer.facts import Fact, Profile, UnknownRank

RECORDED = (Path(__file__).parents[2] / "data" / "openvino_broadcast.txt").read_text(encoding="utf-8").splitlines()
LINE = re.compile(r"(?P<op>\w+)-(?P<version>\d) (?P<mode>\w+) axis=(?P<axis>-?\d*) (?P<inputs>.*) -> (?P<answer>.*)")
AXIS = {
    ("Add", 1): "auto_broadcast.auto_broadcast_axis",
    ("Broadcast", 1): "mode.auto_broadcast_axis",
    ("Broadcast", 3): "mode.mode.axis",
}
KNOWN_LESS = 3
"""Two ranges that overlap in part: the condition that they agree is all we say of them in one call."""


def sizes(text: str, name: str) -> list[Size]:
    return [_size(part, f"{name}{i}") for i, part in enumerate(text.split(","))] if text else []


def _size(text: str, name: str) -> Size:
    low, dots, high = text.partition("..")
    return symbol(name, int(low), int(high) if high else None) if dots else int(low)


def given(text: str, dtype: str, name: str) -> Fact:
    inside = text[1:-1]
    if text == "[...]":
        return Tensor(dtype, None)
    if text == "{...}":  # the shape of a tensor of unknown rank
        return Tensor(dtype, [symbol(name)])
    entries = sizes(inside, name) if ".." in inside or text.startswith("[") else _numbers(inside)
    return Tensor(dtype, entries) if text.startswith("[") else Tensor(dtype, [len(entries)], entries)


def _numbers(text: str) -> list[Size]:
    return [int(part) for part in text.split(",")] if text else []


def answer(line: str, profile: Profile) -> str:
    """Infer one line and spell the result as the file does."""
    found = LINE.fullmatch(line)
    assert found is not None, line
    key = found["op"], int(found["version"])
    attributes: dict[str, Any] = {"auto_broadcast" if key[0] == "Add" else "mode": found["mode"]}
    if found["axis"]:
        attributes[AXIS[key]] = int(found["axis"])
    second = "float32" if key[0] == "Add" else "int64"
    inputs = [given(x, second if i else "float32", f"i{i}_") for i, x in enumerate(found["inputs"].split(" "))]
    try:
        (made,) = infer_op(key[0], inputs, attributes, dialect="openvino", version=key[1], profile=profile)
    except ShapeInferError:
        return "err"
    assert isinstance(made, Tensor)
    try:
        return f"[{','.join(map(_spelled, made.dims))}]"
    except UnknownRank:
        return "[...]"


def _spelled(size: Size) -> str:
    if isinstance(size, int):
        return str(size)
    low, high = size.bounds()
    return f"{low}..{'' if high is None else high}"


def recorded(line: str) -> str:
    said = line.rpartition(" -> ")[2]
    return "err" if said == "crash" else said


def test_under_its_own_profile_openvino_agrees() -> None:
    differing = [line for line in RECORDED if answer(line, "openvino") != recorded(line)]
    assert len(differing) <= KNOWN_LESS, differing
    assert not [line for line in differing if "err" in (answer(line, "openvino"), recorded(line))]


@pytest.mark.parametrize("profile", ["spec", "openvino"])
def test_no_length_that_openvino_gives_is_excluded(profile: Profile) -> None:
    for line in RECORDED:
        ours, theirs = answer(line, profile), recorded(line)
        if "err" in (ours, theirs) or "[...]" in (ours, theirs):
            continue
        pairs = list(zip(sizes(ours[1:-1], "a"), sizes(theirs[1:-1], "b"), strict=True))
        assert all(_overlap(a, b) for a, b in pairs), (line, ours)


def _overlap(a: Size, b: Size) -> bool:
    (low, high), (least, most) = (
        (s, s) if isinstance(s, int) else tuple(float("inf") if bound is None else bound for bound in s.bounds())
        for s in (a, b)
    )
    return max(low, least) <= min(high, most)


@pytest.mark.parametrize(
    ("line", "openvino", "spec"),
    [
        ("Add-1 pdpd axis=1 [2,4] [1,1,1]", "err", "[2,4]"),
        ("Add-1 pdpd axis=0 [0,3] [1,3]", "err", "[0,3]"),
        ("Add-1 pdpd axis=0 [1,3] [0..,3]", "[0..,3]", "[1,3]"),
        ("Broadcast-3 explicit axis= [2,2] {2,2,2} {1,1}", "[2,2,2]", "err"),
        ("Broadcast-3 numpy axis= [2..3] {5}", "[5]", "err"),
        ("Broadcast-3 numpy axis= [3] {-1}", "[0..]", "err"),
        ("Broadcast-3 numpy axis= [0] {-4}", "[0]", "err"),
        ("Broadcast-3 numpy axis= [3] {9223372036854775807}", "[0..]", "err"),
        ("Broadcast-3 numpy axis= [2,3] [1]", "[0..]", "err"),
        ("Broadcast-3 explicit axis= [] {1} {0}", "[1]", "err"),
        ("Broadcast-1 explicit axis= [3] {2,3}", "[2,3]", "err"),
        ("Broadcast-1 pdpd axis=0 [2] {2,3}", "err", "[2,3]"),
        ("Broadcast-3 pdpd axis=0 [2] {2,3}", "err", "[2,3]"),
        ("Broadcast-3 pdpd axis=0 [2,3,4] {2,3}", "[2,3]", "err"),
        ("Broadcast-3 pdpd axis=0 [2] {1}", "[2]", "err"),
    ],
)
def test_where_specification_and_implementation_differ(line: str, openvino: str, spec: str) -> None:
    assert (answer(f"{line} -> ", "openvino"), answer(f"{line} -> ", "spec")) == (openvino, spec)


def test_what_neither_allows_is_an_error_under_both() -> None:
    line = "Broadcast-3 numpy axis= [3] {4} -> "
    assert answer(line, "openvino") == answer(line, "spec") == "err"
