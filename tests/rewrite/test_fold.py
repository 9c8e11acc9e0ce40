"""What ``fold`` takes, gives and refuses."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import onnx
import pytest

from shapeinfer import GraphError, ModelError, ShapeInferError, check, fold
from shapeinfer.frontends.formats import ModelLike
from shapeinfer.rewrite.folded import REWRITES
from tests.models import parsed
from tests.rewrite.runs import ops, refolded

TEXT = """g (float[N, 3, 4] x) => (float[A, B] y) <int64[1] w = {12}> {
    n = Shape<start=0, end=1>(x) t = Concat<axis=0>(n, w) h = Identity(x) y = Reshape(h, t)
}"""


def test_it_says_what_it_did() -> None:
    folded = fold(parsed(TEXT))
    assert (folded.before, folded.after) == (4, 1)
    assert folded.counts == {"copy": 1, "reshape-target": 1, "unused": 2}
    assert [(r.rewrite, r.op_type, r.output) for r in folded.rewrites] == [
        ("copy", "Identity", "h"),
        ("reshape-target", "Reshape", "y"),
        ("unused", "Concat", "t"),
        ("unused", "Shape", "n"),
    ]


def test_it_says_so_as_json() -> None:
    told = fold(parsed(TEXT)).to_dict()
    assert json.loads(json.dumps(told)) == told
    assert set(told) == {"before", "after", "counts", "rewrites", "contract"}
    assert set(told["counts"]) <= set(REWRITES)


def test_a_node_whose_name_is_no_text_is_told_of_all_the_same() -> None:
    model = parsed(TEXT)
    for node in model.graph.node:
        node.name = "name"
    told = fold(model.SerializeToString().replace(b"name", b"\xffame")).to_dict()
    assert {r["name"] for r in json.loads(json.dumps(told))["rewrites"]} == {"\ufffdame"}


@pytest.mark.parametrize("kind", ["path", "text", "bytes", "proto"])
def test_a_model_comes_as_check_takes_it(kind: str, tmp_path: Path) -> None:
    model = parsed(TEXT)
    path = tmp_path / "m.onnx"
    path.write_bytes(model.SerializeToString())
    forms: dict[str, ModelLike] = {"path": path, "text": str(path), "bytes": path.read_bytes(), "proto": model}
    assert ops(fold(forms[kind]).model.graph) == ["Reshape"]


def test_it_tells_under_which_conditions_the_outputs_are_the_same() -> None:
    model = parsed("g (float[N, 4] x) => (float[A, B] y) <int64[2] t = {-1, 8}> { a = Identity(x) y = Reshape(a, t) }")
    assert [r.condition for r in fold(model).contract] == ["N % 2 == 0"]


def test_the_conditions_are_simplified_when_they_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*asked: object) -> object:
        raise AssertionError("nobody reads the contract")

    with monkeypatch.context() as patched:
        patched.setattr("shapeinfer.infer.result.contract_of", refused)
        folded = fold(parsed(TEXT), assume=["N >= 1"])
    assert folded.contract == check(parsed(TEXT), assume=["N >= 1"]).contract


def test_what_it_gives_can_be_sent_to_another_process() -> None:
    model = parsed("g (float[N, 4] x) => (float[A, B] y) <int64[2] t = {-1, 8}> { a = Identity(x) y = Reshape(a, t) }")
    folded = fold(model)
    came = pickle.loads(pickle.dumps(folded))
    assert (came.model, came.rewrites, came.contract) == (folded.model, folded.rewrites, folded.contract)


def test_sizes_that_are_given_stand_in_the_inputs() -> None:
    model = parsed("g (float[N, S, 3] x, float[S] z) => (float[A] y) { s = Shape(x) y = Cast<to=1>(s) }")
    folded = fold(model, bind={"N": 2}, shapes={"z": (5,)}).model
    shapes = [onnx.helper.printable_value_info(v) for v in folded.graph.input]
    assert shapes == ["%x[FLOAT, 2x5x3]", "%z[FLOAT, 5]"]
    assert ops(folded.graph) == ["Constant"]


def test_what_tells_the_type_of_an_output_stays() -> None:
    """The first target asks for rows, and with rows the batch is 1; a constant one would not have asked."""
    model = parsed("""g (float[B, S, 12] x, float[1, S] k) => (float[a, b, c] y, float[d, e, f] z)
    <int64[1] c12 = {12}, int64[1] m = {-1}> {
        n = Shape<start=0, end=1>(k) s = Shape<start=1, end=2>(x) t = Concat<axis=0>(m, s, c12) y = Reshape(x, t)
        u = Concat<axis=0>(n, s, c12) z = Reshape(x, u)
    }""")
    folded = refolded(model, {"B": 1, "S": 3})
    before, after = check(model), check(folded)
    assert [after.values[name] for name in "yz"] == [before.values[name] for name in "yz"]


def test_sizes_are_given_once_where_a_model_is_folded_twice() -> None:
    """What tells the type of an output is kept, and then the rest is tried."""
    model = parsed("""g (float[B, S, 12] x, float[1, S] k, float[M] w)
    => (float[a, b, c] y, float[d, e, f] z, float[h] v) <int64[1] c12 = {12}, int64[1] m = {-1}> {
        n = Shape<start=0, end=1>(k) s = Shape<start=1, end=2>(x) t = Concat<axis=0>(m, s, c12) y = Reshape(x, t)
        u = Concat<axis=0>(n, s, c12) z = Reshape(x, u) v = Identity(w)
    }""")
    folded = fold(model, bind={"M": 3}).model
    assert onnx.helper.printable_value_info(folded.graph.input[2]) == "%w[FLOAT, 3]"


class TestRefused:
    def test_a_model_with_errors(self) -> None:
        model = parsed("g (float[N, 3] x, float[4] z) => (float[A, B] y) { y = Add(x, z) }")
        with pytest.raises(ShapeInferError, match="axis 1 of A is 3 and axis 0 of B is 4"):
            fold(model)

    def test_nodes_in_an_order_that_does_not_work(self) -> None:
        model = parsed("g (float[N] x) => (float[A] y) { y = Neg(a) a = Abs(x) }")
        with pytest.raises(GraphError, match="before node 1 computes it"):
            fold(model)

    def test_what_is_no_model(self) -> None:
        with pytest.raises(ModelError, match="not an ONNX model"):
            fold(b"hello, world")

    def test_an_openvino_ir(self) -> None:
        with pytest.raises(ModelError, match="this is an OpenVINO IR, not an ONNX model"):
            fold(b"<?xml version='1.0'?><net name='n' version='11'></net>")

    def test_a_size_of_no_dim(self) -> None:
        with pytest.raises(ShapeInferError, match="K is not a dim of any input"):
            fold(parsed(TEXT), bind={"K": 2})

    def test_an_assumption_that_cannot_be_read(self) -> None:
        with pytest.raises(ShapeInferError, match="the assumption 'N %% 2' cannot be read: "):
            fold(parsed(TEXT), assume=["N %% 2"])


def test_what_a_budget_leaves_unknown_is_left_alone() -> None:
    assert fold(parsed(TEXT), max_seconds=1e-9).counts == {"copy": 1}
