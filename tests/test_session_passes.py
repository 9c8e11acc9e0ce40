"""A session as a pass manager uses it: bodies, inputs, what an edit breaks, files, and costs for many sizes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

import numpy as np
import onnx
import pytest
import sympy
from hypothesis import given, note
from onnx import GraphProto, NodeProto, TensorProto, helper, numpy_helper

from shapeinfer import Diagnostic, ModelError, NodeRef, Session, Tensor, Unknown, check, symbol
from shapeinfer.diagnostics.codes import Severity
from shapeinfer.report import save
from shapeinfer.session import Body
from tests.infer.graphs import drawn, for_each, randoms
from tests.infer.patterns import STEPS
from tests.models import parsed
from tests.test_session import assert_fresh, edited, node

IF = """g (float[N, 4] x, float[N] s, bool c) => (y) {
    a = Relu(x)
    y = If(c) <then_branch = t () => (float[] u) { b = Neg(a) u = Abs(b) },
               else_branch = e () => (float[] v) { v = Abs(x) }>
}"""

NESTED = """g (float[N, 4] x, bool c, bool d) => (y) {
    y = If(c) <then_branch = t () => (u) {
        u = If(d) <then_branch = tt () => (float[] w) { w = Neg(x) },
                   else_branch = te () => (float[] r) { r = Abs(x) }>
    }, else_branch = e () => (float[] v) { v = Abs(x) }>
}"""

LOOP = """g (float[N, 4] x, int64 n, bool c) => (y, z) {
    a = Relu(x)
    y, z = Loop(n, c, a) <body = l (int64 i, bool k, float[N, 4] s) => (bool m, float[] t, float[] o) {
        m = Identity(k) b = Add(s, a) t = Relu(b) o = Neg(a)
    }>
}"""

CALLS = """<ir_version: 9, opset_import: ["" : 20, "my" : 1]>
g (float[N, 4] x) => (y, z) { a = my.F(x) y = Relu(a) z = my.F(a) }
<domain: "my", opset_import: ["" : 20]> F (p) => (q) { h = Neg(p) q = Abs(h) }"""


def body_of(proto: NodeProto, name: str) -> GraphProto:
    found: GraphProto = next(a.g for a in proto.attribute if a.name == name)
    return found


def then_branch(session: Session) -> GraphProto:
    return body_of(session.model.graph.node[session.index("y")], "then_branch")


def faults(found: tuple[Diagnostic, ...]) -> list[tuple[str, str]]:
    return [(d.code.name, d.node.output if d.node else d.value or "") for d in found]


class TestSubgraphs:
    def test_a_node_of_a_branch(self) -> None:
        session = Session(parsed(IF))
        changes = session.edit(1, 2, [node("Cast", "b", "u", to=TensorProto.DOUBLE)], graph=then_branch(session))
        assert {d.code.name for d in changes.diagnostics} == {"branches-disagree", "declared-type-mismatch"}
        assert not changes.ok
        session.edit(1, 2, [node("Abs", "b", "u")], graph=then_branch(session))
        assert session.report.ok
        assert_fresh(session)

    def test_what_it_returns_is_of_the_main_graph(self) -> None:
        session = Session(parsed(IF))
        changes = session.edit(0, 2, [node("ReduceSum", "a", "u", keepdims=0)], graph=then_branch(session))
        assert list(changes) == ["y"]
        assert changes.ok
        assert_fresh(session)

    def test_an_initializer_of_a_branch(self) -> None:
        session = Session(parsed(IF))
        weight = numpy_helper.from_array(np.zeros((4,), np.float32), "w")
        session.edit(1, 2, [node("Add", "b w", "u")], [weight], graph=then_branch(session))
        assert session.report.ok
        wrong = session.edit(
            0, 0, [], [numpy_helper.from_array(np.zeros((5,), np.float32), "w")], graph=then_branch(session)
        )
        assert faults(wrong.diagnostics) == [("not-broadcastable", "u")]
        assert len(then_branch(session).initializer) == 1
        assert_fresh(session)

    @pytest.mark.parametrize("name", ["b", "u"])
    def test_an_initializer_of_a_name_that_is_taken(self, name: str) -> None:
        session = Session(parsed(IF))
        with pytest.raises(ValueError, match=f"{name} cannot be an initializer"):
            session.edit(0, 0, [], [helper.make_tensor(name, TensorProto.FLOAT, [0], [])], graph=then_branch(session))

    def test_a_branch_inside_a_branch(self) -> None:
        session = Session(parsed(NESTED))
        inner = body_of(then_branch(session).node[0], "else_branch")
        changes = session.edit(0, 1, [node("MatMul", "x x", "r")], graph=inner)
        assert [(c, n) for c, n in faults(changes.diagnostics)] == []
        assert [r.condition for r in session.contract.all_sizes] == []
        changes = session.edit(0, 1, [node("Nothing", "x", "r")], graph=inner)
        assert faults(changes.diagnostics) == [("no-such-operator", "r")]
        assert_fresh(session)

    def test_the_body_of_a_loop(self) -> None:
        session = Session(parsed(LOOP))
        body = body_of(session.model.graph.node[1], "body")
        assert session.values["y"].text == "f32[N, 4]"
        changes = session.edit(2, 3, [node("Concat", "s s", "t", axis=1)], graph=body)
        assert changes["y"] is session.values["y"]
        assert session.values["y"].text != "f32[N, 4]"
        assert_fresh(session)

    def test_nodes_that_bring_graphs(self) -> None:
        session = Session(parsed(IF))
        whole = NodeProto()
        whole.CopyFrom(session.model.graph.node[1])
        body_of(whole, "then_branch").node[0].input[0] = "gone"
        assert faults(session.edit(1, 2, [whole]).diagnostics) == [("undefined-value", "y")]
        assert_fresh(session)


class TestFunctions:
    def test_every_call_is_inferred(self) -> None:
        session = Session(parsed(CALLS))
        changes = session.edit(1, 2, [node("ReduceSum", "h", "q", keepdims=0)], graph=session.model.functions[0])
        assert {name: fact and fact.text for name, fact in changes.items()} == {
            "a": "f32[]",
            "y": "f32[]",
            "z": "f32[]",
        }
        assert_fresh(session)

    def test_what_it_breaks(self) -> None:
        session = Session(parsed(CALLS))
        changes = session.edit(0, 1, [node("MatMul", "p p", "h")], graph=session.model.functions[0])
        assert changes.ok, "N may be 4"
        changes = session.edit(0, 1, [], graph=session.model.functions[0])
        assert {code for code, _ in faults(changes.diagnostics)} == {"undefined-value"}
        assert_fresh(session)

    def test_it_has_no_initializers(self) -> None:
        session = Session(parsed(CALLS))
        with pytest.raises(ValueError, match="a function has no initializers; use Constant nodes"):
            session.edit(0, 0, [], [helper.make_tensor("w", 1, [0], [])], graph=session.model.functions[0])


def test_what_is_no_node_and_a_graph_of_another_model() -> None:
    session = Session(parsed(IF))
    with pytest.raises(TypeError, match=r"^'x' is not a node; give those that onnx\.helper\.make_node returns$"):
        session.edit(0, 1, ["x"])  # type: ignore[list-item]
    with pytest.raises(ValueError, match=r"^the graph is not part of session\.model; give one of"):
        session.edit(0, 1, [], graph="then_branch")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"^the graph is not part of session\.model; give one of"):
        session.edit(0, 1, graph=then_branch(Session(parsed(IF))))
    with pytest.raises(ValueError, match="the graph has 2 nodes: there are none from 0 to 3"):
        session.edit(0, 3, graph=then_branch(session))


class TestInputs:
    def test_another_shape(self) -> None:
        session = Session(parsed("g (float[N, 4] x, float[4, 5] w) => (y, z) { y = MatMul(x, w) z = Relu(w) }"))
        changes = session.redeclare("x", Tensor("f32", ["B", "S", 4]))
        assert {name: fact and fact.text for name, fact in changes.items()} == {
            "x": "f32[B, S, 4]",
            "y": "f32[B, S, 5]",
        }
        assert session.model.graph.input[0].type.tensor_type.shape.dim[1].dim_param == "S"
        assert_fresh(session)

    def test_another_type(self) -> None:
        session = Session(parsed("g (float[N] x, float[N] z) => (y) { y = Add(x, z) }"))
        assert faults(session.redeclare("x", Tensor("f16", ["N"])).diagnostics) == [("element-type-mismatch", "y")]
        assert session.redeclare("z", Tensor("f16", ["N"])).diagnostics == ()
        assert session.values["y"].text == "f16[N]"
        assert_fresh(session)

    def test_formulas_and_numbers(self) -> None:
        session = Session(parsed("g (float[N] x, float[N] z) => (y) { y = Concat<axis = 0>(x, x) }"))
        session.redeclare("x", Tensor("f32", ["2*N + 1"]))
        assert session.values["y"].text == "f32[4*N + 2]"
        session.redeclare("x", Tensor("f32", [3]))
        assert session.values["y"].text == "f32[6]"
        assert_fresh(session)

    def test_it_stands_over_a_shape_in_the_options(self) -> None:
        model = parsed("g (float[3] x) => (y) { y = Relu(x) }")
        session = Session(model, shapes={"x": ["N"]})
        assert session.values["y"].text == "f32[N]"
        session.redeclare("x", Tensor("f32", [2, "M"]))
        assert session.values["y"].text == "f32[2, M]"
        assert session.report.ok
        assert_fresh(session)

    @pytest.mark.parametrize(
        ("name", "fact", "says"),
        [
            ("imge", Tensor("f32", [1]), "imge is not an input of the model; did you mean image?"),
            ("image", Unknown(), "image cannot be ?; an input has a type such as Tensor('f32', ['N', 3])"),
            ("image", Tensor("i64", [1], [3]), "image cannot have the entries i64[1]{3}; only an initializer has some"),
        ],
    )
    def test_what_is_none(self, name: str, fact: Tensor, says: str) -> None:
        session = Session(parsed("g (float[N] image) => (y) { y = Relu(image) }"))
        with pytest.raises(ValueError, match=r".") as caught:
            session.redeclare(name, fact)
        assert says in str(caught.value)
        assert session.values["y"].text == "f32[N]"


class TestRefresh:
    def test_what_was_changed_otherwise(self) -> None:
        session = Session(parsed("g (float[N] x) => (y) { y = Relu(x) z = Neg(x) }"))
        session.model.graph.output.append(helper.make_empty_tensor_value_info("z"))
        session.model.graph.output.append(helper.make_empty_tensor_value_info("gone"))
        assert faults(session.refresh().diagnostics) == [("missing-output", "gone")]
        del session.model.graph.output[-1]
        assert session.refresh().diagnostics == ()
        assert_fresh(session)

    def test_a_domain_that_is_imported_later(self) -> None:
        session = Session(parsed("g (float[N] x) => (y) { y = Relu(x) }"))
        new = node("Gelu", "x", "y")
        new.domain = "com.microsoft"
        assert faults(session.edit(0, 1, [new]).diagnostics) == [("missing-opset-import", "y")]
        assert_fresh(session)
        session.model.opset_import.append(helper.make_opsetid("com.microsoft", 1))
        assert session.refresh().diagnostics == ()
        assert session.values["y"].text == "f32[N]"
        assert_fresh(session)


class TestDiagnostics:
    def test_an_edit_that_breaks_nothing(self) -> None:
        session = Session(parsed("g (float[N, 4] x) => (y) { a = Relu(x) y = Neg(a) }"))
        changes = session.edit(0, 1, [node("Abs", "x", "a")])
        assert changes == {}
        assert changes.ok
        assert changes.diagnostics == ()

    def test_what_it_breaks_behind_it(self) -> None:
        session = Session(parsed("g (float[N, 4] x, float[N, 4] z) => (y) { a = Relu(x) y = Add(a, z) }"))
        changes = session.edit(0, 1, [node("ReduceSum", "x z", "a")])
        assert faults(changes.diagnostics) == [("element-type-not-allowed", "a")]
        changes = session.edit(0, 1, [node("Cast", "x", "a", to=TensorProto.DOUBLE)])
        assert faults(changes.diagnostics) == [("element-type-mismatch", "y")]
        assert not changes.ok
        assert changes.diagnostics[0].operands[0].value == "a"

    def test_what_was_wrong_before_is_not_repeated(self) -> None:
        session = Session(parsed("g (float[3] x, float[4] z) => (y, u) { u = Add(x, z) a = Relu(x) y = Neg(a) }"))
        assert not session.report.ok
        assert session.edit(1, 2, [node("NonZero", "x", "a")]).diagnostics == ()

    def test_except_at_the_nodes_that_it_put_there(self) -> None:
        session = Session(parsed("g (float[3] x, float[4] z) => (y) { b = Neg(x) y = Add(b, z) }"))
        changes = session.edit(1, 2, [node("Add", "b z", "y")])
        assert faults(changes.diagnostics) == [("not-broadcastable", "y")]

    def test_one_cause_is_one_finding(self) -> None:
        lines = " ".join(f"y{i} = Add(x, w)" for i in range(5))
        outputs = ", ".join(f"y{i}" for i in range(5))
        session = Session(parsed(f'g (float[N, 4] x) => ({outputs}) <float[4] w = ["location": "w"]> {{ {lines} }}'))
        wrong = session.edit(0, 0, [], [helper.make_tensor("w", TensorProto.FLOAT, [5], [0.0] * 5)])
        (found,) = wrong.diagnostics
        assert len(found.related) == 4

    def test_it_is_a_mapping_as_before(self) -> None:
        session = Session(parsed("g (float[N, 4] x) => (y) { y = Relu(x) }"))
        changes = session.edit(0, 1, [node("Relu", "x", "k"), node("Relu", "k", "y")])
        assert changes == {"k": session.values["k"]}
        assert isinstance(changes, dict)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


class TestSave:
    def session(self, folder: Path) -> Session:
        folder.mkdir()
        model = parsed("g (float[N, 4] x) => (y) { y = MatMul(x, w) }")
        model.graph.initializer.append(numpy_helper.from_array(np.ones((4, 8), np.float32), "w"))
        onnx.save(model, folder / "m.onnx", save_as_external_data=True, location="w.bin", size_threshold=0)
        return Session(folder / "m.onnx")

    def test_the_model_as_it_is_now(self, tmp_path: Path) -> None:
        session = Session(parsed("g (float[N, 4] x) => (y) { y = Relu(x) }"))
        session.edit(0, 1, [node("Neg", "x", "y")])
        session.save(tmp_path / "out.onnx")
        assert onnx.load(tmp_path / "out.onnx") == session.model

    def test_as_text(self, tmp_path: Path) -> None:
        session = Session(parsed("g (float[N, 4] x) => (y) { y = Relu(x) }"))
        session.save(tmp_path / "out.onnxtxt")
        assert "y = Relu (x)" in (tmp_path / "out.onnxtxt").read_text(encoding="utf-8")
        assert check(tmp_path / "out.onnxtxt").values == session.values

    def test_over_the_model_itself(self, tmp_path: Path) -> None:
        session = self.session(tmp_path / "a")
        at = session.index("y")
        session.edit(at, at + 1, [node("MatMul", "x w", "p"), node("Relu", "p", "y")])
        session.save(tmp_path / "a" / "m.onnx")
        assert [n.op_type for n in onnx.load(tmp_path / "a" / "m.onnx").graph.node] == ["MatMul", "Relu"]
        assert names(tmp_path / "a") == ["m.onnx", "w.bin"]

    def test_with_its_weights(self, tmp_path: Path) -> None:
        session = self.session(tmp_path / "a")
        (tmp_path / "b").mkdir()
        for _ in range(2):
            session.save(tmp_path / "b" / "out.onnx")
            whole = onnx.load(tmp_path / "b" / "out.onnx")
            assert numpy_helper.to_array(whole.graph.initializer[0]).sum() == 32
        (tmp_path / "c").mkdir()
        session.save(tmp_path / "c" / "out.onnx", external_data=False)
        assert names(tmp_path / "c") == ["out.onnx"]

    def test_weights_of_another_model_are_not_replaced(self, tmp_path: Path) -> None:
        session = self.session(tmp_path / "a")
        (tmp_path / "b").mkdir()
        (tmp_path / "b" / "w.bin").write_bytes(b"others")
        with pytest.raises(
            FileExistsError, match="other weights are in this file; save the model to another directory"
        ):
            session.save(tmp_path / "b" / "out.onnx")
        assert (tmp_path / "b" / "w.bin").read_bytes() == b"others"
        assert not (tmp_path / "b" / "out.onnx").exists()

    def test_a_missing_directory_is_named(self, tmp_path: Path) -> None:
        session = self.session(tmp_path / "a")
        target = tmp_path / "none" / "out.onnx"
        with pytest.raises(FileNotFoundError, match=r"the directory .*none does not exist") as caught:
            session.save(target)
        assert caught.value.filename == str(target)

    def test_a_link_to_a_file_elsewhere_is_not_followed(self, tmp_path: Path) -> None:
        session = self.session(tmp_path / "a")
        (tmp_path / "secret").write_bytes(b"secret")
        (tmp_path / "a" / "w.bin").unlink()
        (tmp_path / "a" / "w.bin").symlink_to(tmp_path / "secret")
        with pytest.raises(ValueError, match=r"w\.bin is a link to a file outside of the model's directory"):
            session.save(tmp_path / "out.onnx")
        assert not (tmp_path / "w.bin").exists()

    def test_weights_outside_of_its_directory_are_not_copied(self, tmp_path: Path) -> None:
        session = self.session(tmp_path / "a")
        (tmp_path / "secret").write_bytes(b"secret")
        for entry in session.model.graph.initializer[0].external_data:
            entry.value = "../secret" if entry.key == "location" else entry.value
        (tmp_path / "b" / "c").mkdir(parents=True)
        session.save(tmp_path / "b" / "c" / "out.onnx")
        assert [path.name for path in (tmp_path / "b").rglob("*")] == ["c", "out.onnx"]

    @pytest.mark.parametrize("location", [".", "", "gone.bin"])
    def test_weights_that_are_no_file(self, tmp_path: Path, location: str) -> None:
        session = self.session(tmp_path / "a")
        for entry in session.model.graph.initializer[0].external_data:
            entry.value = location if entry.key == "location" else entry.value
        (tmp_path / "b").mkdir()
        session.save(tmp_path / "b" / "out.onnx")
        assert names(tmp_path / "b") == ["out.onnx"]

    def test_whole_or_not_at_all(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        session = self.session(tmp_path / "a")
        (tmp_path / "b").mkdir()
        (tmp_path / "b" / "out.onnx").write_bytes(b"old")
        write = save._write

        def failing(file: object, pieces: Iterator[bytes]) -> None:
            if ".out.onnx." in str(getattr(file, "name", "")) or isinstance(pieces, tuple):
                raise OSError(28, "No space left on device")
            write(file, pieces)  # type: ignore[arg-type]

        monkeypatch.setattr(save, "_write", failing)
        with pytest.raises(OSError, match="No space left"):
            session.save(tmp_path / "b" / "out.onnx")
        assert names(tmp_path / "b") == ["out.onnx"]
        assert (tmp_path / "b" / "out.onnx").read_bytes() == b"old"

    def test_where_there_is_no_directory(self, tmp_path: Path) -> None:
        with pytest.raises(FileNotFoundError):
            self.session(tmp_path / "a").save(tmp_path / "none" / "out.onnx", external_data=False)


class TestCost:
    def test_for_many_sizes(self) -> None:
        session = Session(parsed("g (float[N, K] x, float[K, 8] w) => (y) { y = MatMul(x, w) }"))
        cost = session.cost()
        for n in range(5):
            assert cost.evaluate({"N": n, "K": 3}) == session.cost(bind={"N": n, "K": 3})
            assert cost.evaluate({"N": n, "K": 3}).multiply_adds == 24 * n

    def test_what_depends_on_other_dims_remains_a_formula(self) -> None:
        cost = check(parsed("g (float[N, K] x, float[K, 8] w) => (y) { y = MatMul(x, w) }")).cost()
        half = cost.evaluate({"N": 2, "unrelated": 7})
        assert str(half.multiply_adds) == "16*K"
        assert half.evaluate({"K": 3}) == cost.evaluate({"N": 2, "K": 3})
        assert cost.evaluate({symbol("N"): 2, sympy.Symbol("K"): 3}) == cost.evaluate({"N": 2, "K": 3})

    @pytest.mark.parametrize("size", [-1, 1.5, None])
    def test_what_is_no_size(self, size: int) -> None:
        cost = check(parsed("g (float[N] x) => (y) { y = Relu(x) }")).cost()
        with pytest.raises(ValueError, match=r"^N is "):
            cost.evaluate({"N": size})

    def test_sizes_after_an_edit_need_no_check(self, monkeypatch: pytest.MonkeyPatch) -> None:
        session = Session(parsed("g (float[N, 4] x, float[4, 8] w) => (y) { y = MatMul(x, w) }"))
        session.edit(
            0,
            1,
            [node("MatMul", "x w", "p"), node("MatMul", "p v", "y")],
            [helper.make_tensor("v", 1, [8, 2], [0.0] * 16)],
        )
        monkeypatch.setattr("shapeinfer.session.check", None)
        assert session.cost(bind={"N": 3}).multiply_adds == 3 * 4 * 8 + 3 * 8 * 2
        assert session.bytes("y", bind={"N": 3}) == 24


# Random edits


def bodies(session: Session) -> list[Body]:
    found: list[Body] = [session.model.graph, *session.model.functions]
    for body in found:
        found += [a.g for n in body.node for a in n.attribute if a.HasField("g")]
    return found


def edit_in_body(random: Random, session: Session) -> None:
    """Make a random edit of a random graph, which may break the model."""
    body = random.choice(bodies(session))
    count = len(body.node)
    if not count:
        return
    start = random.randrange(count)
    old, made = body.node[start], NodeProto()
    made.CopyFrom(old)
    kind = random.randrange(5)
    if kind == 0 and made.input and made.input[0]:
        read, made.input[0] = made.input[0], "fresh_name"
        session.edit(start, start + 1, [node("Relu", read, "fresh_name"), made], graph=body)
    elif kind == 1:
        session.edit(start, start + 1, graph=body)
    elif kind == 2 and made.input:
        made.input[0] = random.choice([n for other in body.node for n in other.output])
        session.edit(start, start + 1, [made], graph=body)
    elif kind == 3 and old.output:
        session.edit(start, start + 1, [node("Identity", random.choice([*session.values]), old.output[0])], graph=body)
    else:
        session.edit(start, start + 1, [made], graph=body)


@for_each(15)
@given(randoms)
def test_random_edits_of_bodies(random: Random) -> None:
    session = Session(parsed(random.choice((IF, NESTED, LOOP, CALLS))))
    for _ in range(4):
        edit_in_body(random, session)
        note(onnx.printer.to_text(session.model))
        assert_fresh(session)


def errors(found: tuple[Diagnostic, ...]) -> dict[tuple[str, NodeRef | None, str | None], tuple[str, str | None]]:
    """The errors and those of the same cause by what they are and where; each with what edits elsewhere keep of it."""
    flat = [one for d in found for one in (d, *d.related)]
    wrong = [d for d in flat if d.code.severity is Severity.ERROR]
    return {(d.code.name, d.node, d.value): (d.code.name, d.node.output if d.node else d.value) for d in wrong}


@for_each(15)
@given(randoms)
def test_what_an_edit_finds_is_what_a_check_finds(random: Random) -> None:
    """Each new error of a fresh check is among an edit's diagnostics, and each of those is one of the check's."""
    session = Session(drawn(random, STEPS, most=8).model)
    before = errors(session.report.diagnostics)
    for _ in range(2):
        if not session.model.graph.node:
            return
        note(onnx.printer.to_text(session.model))
        mine = errors(edited(random, session).diagnostics)
        after = errors(session.report.diagnostics)
        assert mine.keys() <= after.keys()
        assert {key for key, error in after.items() if error not in before.values()} <= mine.keys()
        before = after


def test_a_model_that_is_none_any_more() -> None:
    with pytest.raises(ModelError):
        Session(b"\x08\x09")
