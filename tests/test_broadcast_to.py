"""One shape broadcast onto another, aligned at the last axes or along axes that are named."""

from __future__ import annotations

from typing import Any

import pytest

from shapeinfer import AxisError, BroadcastError, Operand, RankError, ShapeInferError, broadcast_to


@pytest.mark.parametrize(
    ("shape", "target", "axes", "out"),
    [
        ((3,), (2, 3), None, "2, 3"),
        ((2, 1), (2, 3), None, "2, 3"),
        ((), ("N", 3), None, "N, 3"),
        ((1,), (0,), None, "0"),
        (("N",), ("M", "N"), None, "M, N"),
        (("N",), ("M",), None, "M"),
        ((5,), ("N", "M"), None, "N, 5"),
        ((2,), (2, 3), [0], "2, 3"),
        ((2, 4), (2, 3, 4), (0, 2), "2, 3, 4"),
        ((1, "K"), (2, 3, "K"), [1, 2], "2, 3, K"),
        ((7,), (2, "N"), [1], "2, 7"),
        ((), (2, 3), [], "2, 3"),
    ],
)
def test_shapes(shape: Any, target: Any, axes: Any, out: str) -> None:
    assert ", ".join(map(str, broadcast_to(shape, target, axes=axes))) == out


@pytest.mark.parametrize(
    ("shape", "target", "axes", "kind", "message"),
    [
        (
            (3, 1),
            (1, 4),
            None,
            BroadcastError,
            "axis 0 of shape is 3 but axis 0 of target is 1; it must be 1 to broadcast shape to target",
        ),
        ((4,), (2, 3), None, BroadcastError, "axis 0 of shape is 4 but axis 1 of target is 3;"),
        ((0,), (2,), None, BroadcastError, "axis 0 of shape is 0 but axis 0 of target is 2;"),
        ((1, 2, 3), (2, 3), None, RankError, "shape has rank 3, more than the rank 2 of target"),
        ((3,), (3,), [0, 1], RankError, "axes has 2 entries; expected 1, one per axis of shape"),
        ((3,), (2, 3), [2], AxisError, "entry 0 of axes is 2, outside [0, 1]"),
        ((3,), (2, 3), [-1], AxisError, "entry 0 of axes is -1, outside [0, 1]"),
        ((2, 3), (3, 2), [1, 0], AxisError, "entry 1 of axes is 0, below entry 0, which is 1; axes must ascend"),
        ((2, 2), (3, 2), [1, 1], AxisError, "entries 0 and 1 of axes are both 1"),
        ((3,), (2, 3), [0], BroadcastError, "axis 0 of shape is 3 but axis 0 of target, to which entry 0 of axes"),
    ],
)
def test_what_does_not_fit(shape: Any, target: Any, axes: Any, kind: type[ShapeInferError], message: str) -> None:
    with pytest.raises(ShapeInferError) as caught:
        broadcast_to(shape, target, axes=axes)
    assert type(caught.value) is kind
    assert caught.value.diagnostic.message.startswith(message)


def test_the_error_has_both_sides() -> None:
    with pytest.raises(BroadcastError) as caught:
        broadcast_to((4,), (2, 3))
    error = caught.value
    assert (error.lhs, error.rhs) == (
        Operand("shape", "shape", "[4]", 0, dim=4),
        Operand("target", "target", "[2, 3]", 1, dim=3),
    )
    assert (error.axis, error.output_axis) == (0, 1)
