"""A caller may say how much to spend on a model: past it the rest is unknown, with a note and exit code 3."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from shapeinfer import check
from tests.command import Shell
from tests.models import clean, faults, parsed, texts

CHAIN = parsed("g (float[N] x, bool c) => (y) { a = Relu (x) b = Neg (a) y = Abs (b) }")
BRANCHES = parsed("""g (float[N] x, bool c) => (y) {
    y = If (c) <then_branch = t () => (p) { p = Relu (x) q = Neg (p) }, else_branch = e () => (r) { r = Abs (x) }>
    z = Relu (y)
}""")
SUM = parsed("g (float[A] a, float[B] b, float[C] c) => (z) { y = Concat <axis = 0> (a, b, c, a) z = Relu (y) }")


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every look at the clock take a second."""
    now = iter(range(10**6))
    monkeypatch.setattr(time, "monotonic", lambda: float(next(now)))


@pytest.mark.usefixtures("slow")
class TestTime:
    def test_past_it_the_rest_is_unknown(self) -> None:
        report = check(CHAIN, max_seconds=1.5)
        assert [f for f in faults(report) if "unused" not in f] == ["warning budget-exceeded @ 1"]
        assert texts(report)["a"] == "f32[N]"
        assert (texts(report)["b"], texts(report)["y"]) == ("?", "?")
        assert report.diagnostics[0].message == "inference took more than 1.5 seconds; from here on all is unknown"

    def test_a_declaration_still_counts(self) -> None:
        model = parsed("g (float[N] x) => (float[N] y) { a = Relu (x) y = Abs (a) }")
        assert texts(check(model, max_seconds=0.5))["y"] == "f32[N]"

    def test_enough_of_it_changes_nothing(self) -> None:
        assert texts(check(CHAIN, max_seconds=1000)) == clean(CHAIN)

    @pytest.mark.parametrize("seconds", [0.5, 1.5, 2.5, 3.5, 4.5])
    def test_it_may_end_inside_a_branch(self, seconds: float) -> None:
        report = check(BRANCHES, max_seconds=seconds)
        assert report.ok
        assert "budget-exceeded" in {d.code.name for d in report.diagnostics}


def test_without_it_nobody_looks_at_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(time, "monotonic")
    assert check(CHAIN).ok


def test_a_length_of_more_operations_than_wanted_is_not_followed() -> None:
    assert texts(check(SUM))["z"] == "f32[2*A + B + C]"
    report = check(SUM, max_expression=2)
    assert faults(report) == ["note expression-too-large @ 0"]
    assert texts(report)["z"] == "f32[Concat_0]"
    assert texts(check(SUM))["z"] == "f32[2*A + B + C]"


@pytest.mark.parametrize("limits", [{"max_seconds": 0}, {"max_seconds": -1.0}, {"max_expression": 0}])
def test_a_budget_for_nothing_is_refused(limits: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="must be"):
        check(CHAIN, **limits)  # type: ignore[arg-type]


@pytest.fixture
def model(tmp_path: Path) -> str:
    path = tmp_path / "m.onnx"
    path.write_bytes(SUM.SerializeToString())
    return str(path)


@pytest.mark.parametrize("command", ["check", "infer"])
@pytest.mark.parametrize("option", ["--max-seconds=0", "--max-seconds=soon", "--max-expression=0"])
def test_the_command_refuses_it_too(shell: Shell, model: str, command: str, option: str) -> None:
    ended = shell(command, option, model, *(["-o", "out.onnx"] if command == "infer" else []))
    assert ended.code == 2
    assert f"Invalid value for '{option.partition('=')[0]}'" in ended.err


def test_the_command_hands_on_the_expression(shell: Shell, model: str) -> None:
    ended = shell("check", "--notes", "--max-expression=2", model)
    assert "expression-too-large" in ended.out
    assert ended.code == 0


@pytest.mark.usefixtures("slow")
def test_a_command_whose_time_is_over_ends_with_exit_code_3(shell: Shell, model: str) -> None:
    ended = shell("check", "--max-seconds=0.5", model)
    assert "warning[budget-exceeded]" in ended.out
    assert ended.code == 3
