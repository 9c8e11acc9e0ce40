"""Which findings count, and what is expected of a model."""

from __future__ import annotations

from pathlib import Path

import pytest

from shapeinfer import Report, check
from shapeinfer.config.expected import narrowed, unfinished
from shapeinfer.config.policy import apply_settings
from shapeinfer.config.settings import FailOn, ModelSettings, Settings
from shapeinfer.diagnostics.codes import Severity
from tests.models import checked, fault, faults

BROKEN = "main (float[N, 64] a, float[N, 128] b) => (float[N, 64] y) { y = Add (a, b) z = my.F (a) }"
ALL = ["error not-broadcastable @ 0", "warning unknown-operator @ 1"]
EVEN = """main (float[N, 6] x) => (float[M, 4] y) {
    s = Constant <value = int64[2] {-1, 4}> ()
    y = Reshape (x, s)
}"""


@pytest.fixture(scope="module")
def report() -> Report:
    return checked(BROKEN)


@pytest.mark.parametrize(
    ("settings", "found"),
    [
        (Settings(), ALL),
        (Settings(select=frozenset({"unknown-operator"})), ALL[1:]),
        (Settings(select=frozenset()), []),
        (Settings(ignore=frozenset({"not-broadcastable"})), ALL[1:]),
        (Settings(select=frozenset({"unknown-operator"}), ignore=frozenset({"unknown-operator"})), []),
        (Settings(severity={"not-broadcastable": None}), ALL[1:]),
        (Settings(severity={"unknown-operator": Severity.ERROR}), [ALL[0], "error unknown-operator @ 1"]),
        (Settings(severity={"not-broadcastable": Severity.NOTE}), ["note not-broadcastable @ 0", ALL[1]]),
    ],
)
def test_findings_are_chosen_and_weighed(report: Report, settings: Settings, found: list[str]) -> None:
    assert faults(apply_settings(report, settings, ModelSettings())) == found


def test_a_model_has_codes_of_its_own_to_ignore(report: Report) -> None:
    assert faults(apply_settings(report, Settings(), ModelSettings(ignore=frozenset({"not-broadcastable"})))) == ALL[1:]


def test_an_error_that_is_none_any_more_leaves_the_report_ok(report: Report) -> None:
    assert apply_settings(report, Settings(severity={"not-broadcastable": Severity.WARNING}), ModelSettings()).ok


def test_that_a_model_was_not_checked_is_always_reported(tmp_path: Path) -> None:
    missing = check(tmp_path / "none.onnx")
    assert faults(apply_settings(missing, Settings(select=frozenset({"cycle"})), ModelSettings())) == [
        "error unreadable"
    ]


class TestAnExpectedContract:
    @pytest.mark.parametrize("expected", [["N % 2 == 0"], ["N % 4 == 0", "N >= 1"], ["N == 2"], ["N == 2 or N == 6"]])
    def test_one_that_implies_the_model_s_is_kept(self, expected: list[str]) -> None:
        assert narrowed(checked(EVEN), expected) == []

    @pytest.mark.parametrize(
        ("expected", "sizes"),
        [([], "N = 1"), (["N >= 4"], "N = 5"), (["N % 3 == 0"], "N = 3"), (["N == 2 or N == 5"], "N = 5")],
    )
    def test_sizes_that_were_allowed_and_fail_are_an_error_at_the_node(self, expected: list[str], sizes: str) -> None:
        (found,) = narrowed(checked(EVEN), expected)
        assert fault(found) == "error contract-narrowed @ 1"
        assert found.message == f"the model requires N % 2 == 0, but the expected contract allows {sizes}"

    def test_a_name_that_no_input_bears_is_an_error(self) -> None:
        (found,) = narrowed(checked(EVEN), ["N % 2 == 0", "batch >= 1"])
        assert fault(found) == "error contract-narrowed"
        assert found.message.endswith("'batch' is no known dim; known are N")

    def test_of_a_model_that_cannot_be_read_nothing_is_reported(self, tmp_path: Path) -> None:
        assert narrowed(check(tmp_path / "none.onnx"), ["N >= 1"]) == []

    def test_it_is_held_against_each_model_that_has_one(self) -> None:
        found = apply_settings(checked(EVEN), Settings(), ModelSettings(contract=("N >= 1",)))
        assert faults(found) == ["error contract-narrowed @ 1"]

    def test_it_may_be_weighed_as_other_findings(self) -> None:
        settings = Settings(severity={"contract-narrowed": Severity.WARNING})
        assert apply_settings(checked(EVEN), settings, ModelSettings(contract=())).ok


class TestIncompleteTypes:
    def test_values_of_unknown_type_or_rank_are_named(self) -> None:
        report = checked("main (float[N] x, int64[K] s) => (y) { y = my.F (x) z = Reshape (x, s) w = Relu (z) }")
        (found,) = unfinished(report)
        assert found.message == "the type or rank of 3 of 5 values is unknown: y, z, w"

    def test_a_length_that_depends_on_data_is_no_gap(self) -> None:
        assert unfinished(checked("main (float[N] x) => (y) { y = NonZero (x) }")) == []

    def test_of_a_model_with_errors_nothing_is_reported(self) -> None:
        assert unfinished(checked(BROKEN.replace("z = my.F (a)", "z = my.F (y)"))) == []

    def test_they_are_an_error_only_where_that_is_asked_for(self) -> None:
        report = checked("main (float[N] x) => (y) { y = my.F (x) }")
        assert apply_settings(report, Settings(), ModelSettings()).ok
        assert faults(apply_settings(report, Settings(fail_on=FailOn.INCOMPLETE), ModelSettings()))[1:] == [
            "error incomplete-types"
        ]
