"""A caller may say how much to spend on a model: past it the rest is unknown, with a note and exit code 3."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest

from shapeinfer import budget, check, check_many, infer_shapes
from shapeinfer.api import annotated
from shapeinfer.budget import OverBudget, look
from shapeinfer.dims import symbol
from shapeinfer.facts import Fact
from shapeinfer.graph import Call
from shapeinfer.infer import driver, result
from shapeinfer.infer.constraints.contract import Contract
from shapeinfer.infer.constraints.solver import Solver
from shapeinfer.infer.driver import forget
from shapeinfer.ops.call import Outcome, infer_call
from tests.command import Shell
from tests.ir import layer, net, parameter
from tests.models import clean, contract, faults, floats, made, node, parsed, texts

CHAIN = parsed("g (float[N] x, bool c) => (y) { a = Relu (x) b = Neg (a) y = Abs (b) }")
BRANCHES = parsed("""g (float[N] x, bool c) => (y) {
    y = If (c) <then_branch = t () => (p) { p = Relu (x) q = Neg (p) }, else_branch = e () => (r) { r = Abs (x) }>
    z = Relu (y)
}""")
SUM = parsed("g (float[A] a, float[B] b, float[C] c) => (z) { y = Concat <axis = 0> (a, b, c, a) z = Relu (y) }")


Clock = Callable[[str], None]


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """Stop the clock; what it returns makes one operator take ten seconds of it."""
    now = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])

    def takes_long(op: str) -> None:
        def inferred(call: Call, facts: Sequence[Fact | None], most: int) -> Outcome:
            if call.op_type == op:
                now[0] += 10
                look()
            return infer_call(call, facts, most)

        forget()
        monkeypatch.setattr(driver, "infer_call", inferred)

    return takes_long


class TestTime:
    def test_past_it_the_rest_is_unknown(self, clock: Clock) -> None:
        clock("Neg")
        report = check(CHAIN, max_seconds=1.5)
        assert faults(report) == ["warning budget-exceeded @ 1"]
        assert texts(report)["a"] == "f32[N]"
        assert (texts(report)["b"], texts(report)["y"]) == ("?", "?")
        assert (
            report.diagnostics[0].message == "inference took more than 1.5 seconds; everything from here on is unknown"
        )

    def test_a_declaration_still_counts(self, clock: Clock) -> None:
        clock("Relu")
        model = parsed("g (float[N] x) => (float[N] y) { a = Relu (x) y = Abs (a) }")
        assert texts(check(model, max_seconds=5))["y"] == "f32[N]"

    def test_enough_of_it_changes_nothing(self, clock: Clock) -> None:
        clock("Neg")
        assert texts(check(CHAIN, max_seconds=1000)) == clean(CHAIN)

    @pytest.mark.parametrize(("op", "place"), [("Relu", "If_0.then_branch / 0"), ("Neg", "If_0.then_branch / 1")])
    def test_it_may_end_inside_a_branch(self, clock: Clock, op: str, place: str) -> None:
        clock(op)
        report = check(BRANCHES, max_seconds=5)
        assert report.ok
        assert faults(report) == [f"warning budget-exceeded @ {place}"]

    def test_it_counts_for_each_model_anew(self, clock: Clock) -> None:
        clock("Neg")
        assert faults(check(CHAIN, max_seconds=11)) == []
        assert faults(check(CHAIN, max_seconds=11)) == []

    def test_what_a_claim_began_to_teach_is_forgotten(self, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
        def taught(solver: Solver, _news: object) -> None:
            solver.known[symbol("N")] = 7
            raise OverBudget("it took too long")

        monkeypatch.setattr(Solver, "_propagate", taught)
        report = check(parsed("g (float[N] x, float[M] w) => (y) { y = Add (x, w) z = Relu (x) }"))
        assert faults(report) == ["warning budget-exceeded @ 0"]
        assert texts(report) == {"x": "f32[N]", "w": "f32[M]", "y": "?", "z": "?"}

    def test_a_contract_that_takes_too_long_is_left_as_it_was_asked(self, monkeypatch: pytest.MonkeyPatch) -> None:
        model = parsed("g (float[N] x, float[3] w) => (y) { y = Add (x, w) }")
        assert contract(check(model)) == ["N == 1 or N == 3"]

        def slow(*_given: object) -> Contract:
            raise OverBudget("it took too long")

        monkeypatch.setattr(result, "contract_of", slow)
        report = check(model)
        assert contract(report) == ["N == 1 or N == 3"]
        assert not report.contract.holds({"N": 2})

    def test_it_holds_on_any_thread(self, clock: Clock) -> None:
        clock("Neg")
        with ThreadPoolExecutor(1) as pool:
            report = pool.submit(partial(check, CHAIN, max_seconds=5)).result()
        assert faults(report) == ["warning budget-exceeded @ 1"]


def test_without_it_nobody_looks_at_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(time, "monotonic")
    assert check(CHAIN, max_seconds=None).ok


@pytest.fixture
def grown(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the process have 100 megabytes more at every look."""
    monkeypatch.setattr(budget, "LOOKS", 1)
    sizes = itertools.count(10**9, 100 * budget.MEGABYTE)
    monkeypatch.setattr(budget, "resident", lambda: next(sizes))


class TestMemory:
    @pytest.mark.usefixtures("grown")
    def test_past_it_the_rest_is_unknown(self) -> None:
        model = made([node("Relu", f"x{i}", f"x{i + 1}") for i in range(300)], [floats("x0", "N")], ["x300"])
        report = check(model, max_memory=450)
        assert faults(report) == ["warning budget-exceeded @ 128"]
        message = "inference took more than 450 megabytes of memory; everything from here on is unknown"
        assert report.diagnostics[0].message == message
        assert (texts(report)["x128"], texts(report)["x129"]) == ("f32[N]", "?")

    @pytest.mark.usefixtures("grown")
    def test_it_ends_the_reading_too(self) -> None:
        report = check(made([node("Relu", "x")] * 300, [floats("x", "N")]), max_memory=50)
        assert faults(report) == ["warning budget-exceeded"]
        assert report.diagnostics[0].message == (
            "inference took more than 50 megabytes of memory; the model was not read completely, "
            "so nothing is known of it"
        )

    @pytest.mark.usefixtures("grown")
    def test_it_ends_the_reading_of_an_ir(self) -> None:
        layers = [layer(f"y{i}", "ReLU", "x", out="FP32 -1,8") for i in range(50)]
        assert faults(check(net(parameter("x"), *layers), max_memory=50)) == ["warning budget-exceeded"]

    def test_a_step_for_which_there_is_not_enough(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def greedy(*_given: object) -> Outcome:
            raise MemoryError

        forget()
        monkeypatch.setattr("shapeinfer.ops.call.output_fact", greedy)
        assert faults(check(CHAIN)) == ["warning budget-exceeded @ 0"]

    def test_what_the_process_had_before_does_not_count(self) -> None:
        held = b"x" * (200 * budget.MEGABYTE)
        assert check(CHAIN, max_memory=100).ok
        del held

    def test_it_is_measured(self) -> None:
        before = budget.resident()
        held = b"x" * (50 * budget.MEGABYTE)
        assert budget.resident() - before > 40 * budget.MEGABYTE
        del held


def test_a_length_of_more_operations_than_wanted_is_not_followed() -> None:
    assert texts(check(SUM))["z"] == "f32[2*A + B + C]"
    report = check(SUM, max_expression=2)
    assert faults(report) == ["note expression-too-large @ 0"]
    assert texts(report)["z"] == "f32[Concat_0]"
    assert texts(check(SUM))["z"] == "f32[2*A + B + C]"


@pytest.mark.parametrize("limit", ["max_seconds", "max_memory", "max_expression"])
@pytest.mark.parametrize("entry", [check, infer_shapes, annotated])
def test_a_budget_for_nothing_is_refused(entry: Callable[..., object], limit: str) -> None:
    with pytest.raises(ValueError, match="must be"):
        entry(CHAIN, **{limit: 0})


def test_many_models_have_one_each(model: str) -> None:
    assert [faults(report) for _, report in check_many([model, model], max_expression=2)] == [
        ["note expression-too-large @ 0"]
    ]


@pytest.fixture
def model(tmp_path: Path) -> str:
    path = tmp_path / "m.onnx"
    path.write_bytes(SUM.SerializeToString())
    return str(path)


@pytest.mark.parametrize("command", ["check", "infer"])
@pytest.mark.parametrize("value", ["0", "-1", "soon", "nan"])
@pytest.mark.parametrize("option", ["--max-seconds", "--max-memory", "--max-expression"])
def test_the_command_refuses_it_too(shell: Shell, model: str, command: str, option: str, value: str) -> None:
    ended = shell(command, f"{option}={value}", model, *(["-o", "out.onnx"] if command == "infer" else []))
    assert ended.code == 2
    assert f"Invalid value for '{option}'" in ended.err


def test_the_command_hands_on_the_expression(shell: Shell, model: str) -> None:
    ended = shell("check", "--notes", "--max-expression=2", model)
    assert "expression-too-large" in ended.out
    assert ended.code == 0


def test_a_command_whose_time_is_over_ends_with_exit_code_3(shell: Shell, model: str, clock: Clock) -> None:
    clock("Concat")
    ended = shell("check", "--max-seconds=0.5", model)
    assert "warning[budget-exceeded]" in ended.out
    assert ended.code == 3


@pytest.mark.parametrize("key", ["max-seconds", "max-memory", "max-expression"])
def test_the_configuration_may_say_it(shell: Shell, model: str, key: str, clock: Clock, grown: None) -> None:
    clock("Concat")
    Path(model).with_name("shapeinfer.toml").write_text(f"{key} = 2\n", encoding="utf-8")
    ended = shell("check", "--notes", "--config", str(Path(model).with_name("shapeinfer.toml")), model)
    assert ("expression-too-large" if key == "max-expression" else "budget-exceeded") in ended.out
