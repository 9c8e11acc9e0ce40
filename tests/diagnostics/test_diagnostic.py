"""A diagnostic is data: its text, its published form, and the exception that stands for it."""

from __future__ import annotations

import json
import pickle

import pytest
from attrs import evolve

from shapeinfer import Detail, Diagnostic, NodeRef, Operand, ShapeInferError
from shapeinfer.diagnostics import codes, errors
from shapeinfer.diagnostics.codes import CODES, Code, Severity
from shapeinfer.diagnostics.diagnostic import SourceLine
from shapeinfer.diagnostics.errors import TwoSidedError, error_for
from shapeinfer.diagnostics.finding import Port, ports
from shapeinfer.diagnostics.ledger import Ledger, RuleStopped
from shapeinfer.dims import Equal, Size, better, broadcast, parse, symbol
from tests.each import each

NODE = NodeRef(3, "/layer/add", "Add", "", ("If_0.then_branch",), "sum")
FAULT = Diagnostic(
    codes.NOT_BROADCASTABLE,
    Severity.ERROR,
    "axis 1 is 3 in A and 4 in B",
    NODE,
    "A",
    1,
    (
        Operand("A", "x", "f32[2, 3]", 1, "3: axis 1 of input x", dim=3),
        Operand("B", "w", "f32[4]", 0, dim=parse("N + 1")),
    ),
    ("a note",),
    line=12,
    source=SourceLine("net.py", 7, "x + w"),
    detail=Detail(output_axis=1),
    module="layer",
)


def test_text() -> None:
    assert FAULT.text == (
        'error[not-broadcastable]: axis 1 is 3 in A and 4 in B, at Add "/layer/add" (node 3 in If_0.then_branch)'
    )
    assert FAULT.help == "shapeinfer explain not-broadcastable"
    assert [o.text for o in FAULT.operands] == ["A  x  f32[2, 3]  3: axis 1 of input x", "B  w  f32[4]"]


@pytest.mark.parametrize(
    ("node", "text"),
    [
        (NodeRef(0, "", "Relu"), "Relu (node 0)"),
        (NodeRef(0, "n", "Relu"), 'Relu "n" (node 0)'),
        (NodeRef(1, "", "Gelu", "com.microsoft"), "com.microsoft::Gelu (node 1)"),
        (NodeRef(1, "", "F", "f", ("a.body", "f::G")), "f::F (node 1 in a.body / f::G)"),
    ],
)
def test_a_place_as_text(node: NodeRef, text: str) -> None:
    assert node.text == text


def test_the_published_form() -> None:
    form = FAULT.to_dict()
    assert json.loads(json.dumps(form)) == {
        "code": "not-broadcastable",
        "severity": "error",
        "message": "axis 1 is 3 in A and 4 in B",
        "node": {
            "index": 3,
            "name": "/layer/add",
            "op_type": "Add",
            "domain": "",
            "graph": ["If_0.then_branch"],
            "output": "sum",
        },
        "port": "A",
        "axis": 1,
        "operands": [
            {
                "port": "A",
                "value": "x",
                "fact": "f32[2, 3]",
                "axis": 1,
                "entry": None,
                "dim": 3,
                "origin": "3: axis 1 of input x",
            },
            {"port": "B", "value": "w", "fact": "f32[4]", "axis": 0, "entry": None, "dim": "N + 1", "origin": ""},
        ],
        "detail": {"output_axis": 1},
        "notes": ["A  x  f32[2, 3]  3: axis 1 of input x", "B  w  f32[4]", "a note"],
        "help": "shapeinfer explain not-broadcastable",
        "line": 12,
        "column": None,
        "source": {"file": "net.py", "line": 7, "code": "x + w"},
        "module": "layer",
        "fingerprint": FAULT.fingerprint,
        "related": [],
        "fix": None,
    }
    assert Diagnostic(codes.CYCLE, Severity.ERROR, "m").to_dict()["node"] is None


@each(CODES.values(), name=lambda code: str(code.name))
def test_every_code_has_an_exception_that_carries_it(code: Code) -> None:
    diagnostic = Diagnostic(code, code.severity, "what is wrong", NODE)
    error = error_for([diagnostic, FAULT])
    assert isinstance(error, ShapeInferError)
    assert (error.code, error.node, error.diagnostic) == (code.name, NODE, diagnostic)
    assert str(error).startswith(f"{code.severity}[{code.name}]: what is wrong, at Add")
    assert str(error).endswith("(and 1 more)")


def test_no_code_has_two_exceptions() -> None:
    listed = [c.name for group in errors._CLASSES.values() for c in group]
    assert len(listed) == len(set(listed))
    assert set(listed) <= set(CODES)


def test_names_of_codes_are_kebab_case_and_titles_sentences() -> None:
    for name, code in CODES.items():
        assert name == code.name == name.lower().replace("_", "-")
        assert code.title[0].isupper()
        assert code.title.endswith(".")


def test_an_exception_shows_both_sides_and_survives_pickling() -> None:
    error = error_for([FAULT])
    assert isinstance(error, TwoSidedError)
    assert error.lhs is FAULT.operands[0]
    assert error.rhs is FAULT.operands[1]
    assert error.axis == 1
    assert "3: axis 1 of input x" in str(error)
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error)
    assert again.diagnostics == error.diagnostics
    assert str(again) == str(error)


@pytest.mark.parametrize(
    ("detail", "form"),
    [
        (Detail(), {}),
        (Detail("axis", 4, range(-3, 3)), {"attribute": "axis", "given": 4, "range": [-3, 2]}),
        (Detail(given=0, range=range(0)), {"given": 0, "range": [0, -1]}),
        (Detail("min", float("nan")), {"attribute": "min", "given": "nan"}),
        (Detail("pads", (1, 0.5)), {"attribute": "pads", "given": [1, 0.5]}),
        (Detail(allowed=("float32", "float64")), {"allowed": ["float32", "float64"]}),
    ],
)
def test_what_else_a_message_states_as_data(detail: Detail, form: dict[str, object]) -> None:
    assert json.loads(json.dumps(detail.to_dict(), allow_nan=False)) == form


def test_of_an_input_that_is_absent_the_message_states_all() -> None:
    absent = Diagnostic(
        codes.MISSING_INPUT, Severity.ERROR, "Add requires input 1 (B)", operands=(Operand("B", "", ""),)
    )
    assert absent.shown == ()
    assert absent.to_dict()["notes"] == []
    assert str(error_for([absent])) == "error[missing-input]: Add requires input 1 (B)"


def test_a_side_that_is_not_known_is_none() -> None:
    error = error_for([Diagnostic(codes.NOT_BROADCASTABLE, Severity.ERROR, "m")])
    assert isinstance(error, TwoSidedError)
    assert (error.lhs, error.rhs, error.axis, error.node) == (None, None, None, None)


class TestFingerprint:
    """What tells a fault again after the model around it changed."""

    MADE = evolve(FAULT, message="axis 0 of A is NonZero_3", notes=())

    @pytest.mark.parametrize(
        "changed",
        [
            evolve(MADE, node=evolve(NODE, index=9)),
            evolve(MADE, node=evolve(NODE, name="another")),
            evolve(MADE, node=evolve(NODE, graph=("If_7.then_branch",))),
            evolve(MADE, message="axis 0 of A is NonZero_12"),
            evolve(MADE, notes=("something else is known",)),
            evolve(MADE, operands=()),
            evolve(MADE, severity=Severity.WARNING, line=99, source=None),
        ],
    )
    def test_it_does_not_depend_on_where_the_node_stands(self, changed: Diagnostic) -> None:
        assert changed.fingerprint == self.MADE.fingerprint

    @pytest.mark.parametrize(
        "other",
        [
            evolve(MADE, code=codes.DIM_MISMATCH),
            evolve(MADE, node=evolve(NODE, output="product")),
            evolve(MADE, node=evolve(NODE, graph=())),
            evolve(MADE, node=None),
            evolve(MADE, port="B"),
            evolve(MADE, axis=0),
            evolve(MADE, message="axis 0 of A is 2*NonZero_3"),
        ],
    )
    def test_another_fault_has_another(self, other: Diagnostic) -> None:
        assert other.fingerprint != self.MADE.fingerprint

    def test_a_node_that_makes_nothing_is_reported_by_its_name(self) -> None:
        silent = evolve(FAULT, node=evolve(NODE, output=""))
        assert silent.fingerprint != evolve(silent, node=evolve(NODE, output="", name="other")).fingerprint

    def test_it_is_the_same_for_every_run(self) -> None:
        assert FAULT.fingerprint == "211e7b3091f025bd942e97c2a8365a91"


@pytest.mark.parametrize(
    ("at", "read"),
    [
        ("", ()),
        ("a", (Port("a"),)),
        ("a[-1] b[-2]", (Port("a", None, -1), Port("b", None, -2))),
        ("inputs.3[0]", (Port("inputs", 3, 0),)),
        ("shape{1} pads", (Port("shape", entry=1), Port("pads"))),
    ],
)
def test_ports(at: str, read: tuple[Port, ...]) -> None:
    assert ports(at) == read
    assert ports(at) is ports(at)


class TestLedger:
    N = symbol("N")

    def test_what_is_asked_ends_in_one_of_three_ways(self) -> None:
        ledger = Ledger()
        for condition in (Equal(3, 3), Equal(3, 4), Equal(self.N, 4), Equal(self.N, 4)):
            ledger.require(condition, codes.DIM_MISMATCH, "m", "a[0]")
        assert [f.code.name for f in ledger.findings] == ["dim-mismatch"]
        assert [c.condition for c in ledger.claims] == [Equal(self.N, 4)], "asked twice, kept once"
        assert ledger.claims[0].ports == (Port("a", None, 0),)

    def test_two_lengths_that_agree_give_the_better_known(self) -> None:
        ledger = Ledger()
        assert ledger.equal(self.N, 4) == 4
        assert ledger.equal(4, 4) == 4
        assert len(ledger.claims) == 1

    def test_two_lengths_that_do_not_give_a_new_one(self) -> None:
        ledger = Ledger()
        made = ledger.equal(3, 4, at="a[0] b[1]")
        assert made is ledger.fresh_symbols[0]
        (finding,) = ledger.findings
        assert finding.message == "axis 0 of a is 3 but axis 1 of b is 4"

    def test_a_fault_may_end_the_rule(self) -> None:
        ledger = Ledger()
        with pytest.raises(RuleStopped):
            ledger.fail(codes.RANK_MISMATCH, "m", "x")
        assert ledger.findings[0].code is codes.RANK_MISMATCH

    def test_new_lengths_are_unlike_each_other(self) -> None:
        ledger = Ledger()
        assert ledger.fresh() is not ledger.fresh()

    @pytest.mark.parametrize(
        ("a", "b", "best"),
        [
            (4, symbol("N"), 4),
            (symbol("q", fresh=True), symbol("batch"), symbol("batch")),
            (parse("N + M"), symbol("K"), symbol("K")),
            (symbol("B"), symbol("A"), symbol("A")),
            (broadcast(symbol("A"), symbol("B")), symbol("K_long_name"), symbol("K_long_name")),
        ],
    )
    def test_the_better_known_of_two(self, a: Size, b: Size, best: Size) -> None:
        assert better(a, b) is better(b, a) is best
