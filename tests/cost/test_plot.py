"""``shapeinfer cost --plot``: the cost against one dim, as a picture."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from shapeinfer.cost.curve import POINTS, Point, curve
from tests.command import GOOD, Shell
from tests.cost.test_command import MODEL
from tests.models import checked

EVEN = """g (float[H] x, float[4, 8] w) => (float[] y) {
    s = Constant<value_ints = [-1, 4]>()
    h = Reshape(x, s)
    y = MatMul(h, w)
}"""


def points(model: str, dim: str, low: int, high: int) -> list[Point]:
    report = checked(model)
    return curve(report.cost(), report.contract, dim, low, high)


def test_each_size_of_a_short_range() -> None:
    found = points(MODEL, "N", 1, 3)
    assert found == [Point(1, 32, 80), Point(2, 64, 160), Point(3, 96, 240)]


def test_some_sizes_of_a_long_range_with_both_ends() -> None:
    found = points(MODEL, "N", 1, 100_000)
    assert len(found) == POINTS
    assert (found[0].size, found[-1].size) == (1, 100_000)


def test_sizes_that_break_the_contract_are_skipped() -> None:
    assert [p.size for p in points(EVEN, "H", 1, 14)] == [4, 8, 12]
    assert all(p.size % 4 == 0 for p in points(EVEN, "H", 1, 100_000))


def test_a_range_in_which_nothing_runs() -> None:
    with pytest.raises(ValueError, match="runs for none of the sampled sizes of H"):
        points(EVEN, "H", 1, 3)


def test_another_dim_must_be_given() -> None:
    with pytest.raises(ValueError, match="the cost depends on M, too; add --bind M=SIZE"):
        points("g (float[N, M] x) => (float[] y) { y = Neg(x) }", "N", 1, 3)


def test_what_only_data_decides_cannot_be_drawn() -> None:
    with pytest.raises(ValueError, match="the cost depends on NonZero_0, which"):
        points("g (float[N] x) => (int64[] y) { y = NonZero(x) }", "N", 1, 3)


@pytest.mark.parametrize(("name", "opening"), [("c.png", b"\x89PNG"), ("c.SVG", b"<?xml")])
def test_the_picture_is_the_same_each_time(shell: Shell, name: str, opening: bytes) -> None:
    made = []
    for _ in range(2):
        ended = shell("cost", shell.save("$m_{\\x}$.onnx", MODEL), "--plot", "N=1..40", "-o", name)
        assert (ended.code, ended.out, ended.err) == (0, "", "")
        made.append((shell.folder / name).read_bytes())
    assert made[0] == made[1]
    assert made[0].startswith(opening)


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("--plot", "N=1..4"), "--plot NAME=LOW..HIGH and -o FILE must be used together"),
        (("-o", "c.png"), "--plot NAME=LOW..HIGH and -o FILE must be used together"),
        (("--plot", "N", "-o", "c.png"), "'N' is not of the form NAME=LOW..HIGH, such as seq=1..4096"),
        (("--plot", "N=1..", "-o", "c.png"), "'N=1..' is not of the form NAME=LOW..HIGH"),
        (("--plot", "N=4..1", "-o", "c.png"), "4..1 is an empty range; LOW must be at most HIGH"),
        (("--plot", "N=1..4", "-o", "c.pdf"), "c.pdf must end in .png or .svg"),
        (("--plot", "M=1..4", "-o", "c.png"), "M is not a symbolic dim of an input; those are N"),
        (("--plot", "N=1..4", "--bind", "N=2", "-o", "c.png"), "N is not a symbolic dim of an input; those are none"),
        (
            ("--plot", "N=1..4", "-o", "absent/c.png"),
            "absent/c.png was not written: the directory absent does not exist",
        ),
    ],
)
def test_what_cannot_be_drawn_is_reported(shell: Shell, args: tuple[str, ...], said: str) -> None:
    ended = shell("cost", shell.save("m.onnx", MODEL), *args)
    assert (ended.code, ended.out) == (2, "")
    assert said in ended.err
    assert not list(Path(shell.folder).glob("c.*"))


def test_without_matplotlib_it_states_what_to_install(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    ended = shell("cost", shell.save("m.onnx", GOOD), "--plot", "N=1..4", "-o", "c.png")
    assert (ended.code, ended.out) == (2, "")
    assert "--plot needs matplotlib; install it with pip install 'shapeinfer[plot]'" in ended.err
