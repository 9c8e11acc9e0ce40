"""A session's facts are those of a fresh check after every edit, whatever the edit is."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

import onnx
import pytest
from hypothesis import given, note
from onnx import NodeProto, TensorProto, helper

from shapeinfer import ModelError, Report, Session, check, infer_shapes
from shapeinfer.infer.result import Result
from shapeinfer.session import Edited
from tests.effort import within
from tests.infer.graphs import drawn, for_each, randoms
from tests.infer.patterns import STEPS
from tests.models import parsed

CHAIN = """g (float[N, 4] x, float[N, 8] z) => (float[] y) <float[4, 8] w = ["location": "w"]> {
    a = Relu(x)
    b = MatMul(a, w)
    c = Neg(b)
    y = Add(c, z)
}"""


def node(op_type: str, inputs: str, outputs: str, **attributes: int) -> NodeProto:
    made: NodeProto = helper.make_node(op_type, inputs.split(), outputs.split(), **attributes)  # type: ignore[arg-type]
    return made


def learned(result: Result) -> list[object]:
    """What an inference knows beside the facts."""
    return [[a.condition for a in result.pending], result.learned, result.narrowed, result.labels, result.known]


def assert_fresh(session: Session) -> None:
    fresh = assert_facts_are_fresh(session)
    assert session.report.to_dict() == fresh.to_dict()


def assert_facts_are_fresh(session: Session) -> Report:
    """Hold what a session knows against a check of its model, and return that."""
    fresh = check(session.model)
    assert {n: f.text for n, f in session.values.items()} == {n: f.text for n, f in fresh.values.items()}
    assert dict(session.values) == dict(fresh.values)
    assert session.result is not None
    assert fresh.result is not None
    assert learned(session.result) == learned(fresh.result)
    return fresh


def test_an_edit_tells_what_it_changed() -> None:
    session = Session(parsed(CHAIN))
    at = session.index("c")
    assert session.edit(at, at + 1, [node("Abs", "b", "d"), node("Cast", "d", "c", to=TensorProto.DOUBLE)]) == {
        "c": session.values["c"],
        "d": session.values["d"],
        "y": session.values["y"],
    }
    assert session.values["c"].text == "f64[N, 8]"
    assert [n.op_type for n in session.model.graph.node] == ["Relu", "MatMul", "Abs", "Cast", "Add"]
    assert [d.code.name for d in session.report.errors] == ["element-type-mismatch"]
    assert [d.code.name for d in session.report.errors[0].related] == ["declared-type-mismatch"]


def test_an_edit_that_keeps_the_facts_changes_nothing_else() -> None:
    session = Session(parsed(CHAIN))
    before = dict(session.values)
    assert session.edit(0, 1, [node("Sigmoid", "x", "a")]) == {}
    assert dict(session.values) == before
    assert session.same_dim("b[0]", "x[0]").is_yes


def test_a_node_becomes_an_initializer() -> None:
    session = Session(parsed(CHAIN))
    weight = helper.make_tensor("a", TensorProto.FLOAT, [3, 4], [0.0] * 12)
    changes = session.edit(0, 1, [], [weight])
    assert {name: fact and fact.text for name, fact in changes.items()} == {
        "a": None,
        "b": "f32[3, 8]",
        "c": "f32[3, 8]",
        "y": "f32[3, 8]",
    }
    assert_fresh(session)


def test_another_initializer_of_the_same_name() -> None:
    session = Session(parsed(CHAIN))
    changes = session.edit(0, 0, [], [helper.make_tensor("w", TensorProto.FLOAT, [4, 1], [0.0] * 4)])
    assert list(changes) == ["b", "c"]
    assert [len(t.dims) for t in session.model.graph.initializer] == [2]
    assert_fresh(session)


def test_what_an_edit_breaks_is_in_the_report() -> None:
    session = Session(parsed(CHAIN))
    assert session.edit(0, 1)["a"] is None
    assert [d.code.name for d in session.report.errors] == ["undefined-value"]
    session.edit(0, 0, [node("Relu", "x", "a")])
    assert session.report.ok
    assert_fresh(session)


def test_the_facts_of_an_if_hang_on_the_nodes_behind_it() -> None:
    squeezed = """g (float[N, C, 3] x) => (float[] y) {
        one = Constant<value = int64[1] {1}>() s = Shape(x) d = Gather(s, one) k = Equal(d, one)
        t = If(k) <then_branch = p () => (a) { a = Squeeze(x, one) }, else_branch = q () => (b) { b = Relu(x) }>
        y = Relu(t)
    }"""
    session = Session(parsed(squeezed))
    assert session.values["t"].text == "f32[...]"
    session.edit(5, 6, [helper.make_node("Transpose", ["t"], ["y"], perm=[1, 0])])
    assert session.values["t"].text == "f32[N, 3]"
    assert_fresh(session)
    session.edit(5, 6, [node("Neg", "t", "y")])
    assert session.values["t"].text == "f32[...]"
    assert_fresh(session)


def test_conditions_come_and_go_with_their_nodes() -> None:
    session = Session(parsed("g (float[A] x, float[B] z) => (float[] y) { a = Relu(x) y = Add(a, z) }"))
    assert [r.condition for r in session.contract.all_sizes] == ["A == B or A == 1 or B == 1"]
    session.edit(1, 2, [node("Identity", "a", "y")])
    assert not session.contract
    assert_fresh(session)


def test_values_that_a_subgraph_reads() -> None:
    session = Session(
        parsed("""g (float[N] x, bool c) => (float[] y) {
            a = Relu(x)
            y = If(c) <then_branch = t () => (float[] u) { u = Neg(a) },
                       else_branch = e () => (float[] v) { v = Abs(x) }>
        }""")
    )
    session.edit(0, 1, [node("Cast", "x", "a", to=TensorProto.DOUBLE)])
    assert not session.report.ok
    assert_fresh(session)


def test_a_node_that_needs_a_condition_no_more() -> None:
    session = Session(parsed("g (float[A] x, float[B] z) => (y) { a = Relu(x) y = Add(a, z) }"))
    session.edit(0, 1, [node("Relu", "z", "a")])
    assert session.values["y"].text == "f32[B]"
    assert_fresh(session)


def test_what_taught_a_length_is_taken_out() -> None:
    session = Session(
        parsed("g (float[1, A] x, float[B, 1] z, bool[S] s) => (u, c) { c = NonZero(s) u = MatMul(x, z) }")
    )
    assert session.same_dim("A", "B").is_yes
    session.edit(1, 2, [node("Relu", "z", "u")])
    assert session.same_dim("A", "B").is_maybe
    assert_fresh(session)


def test_what_was_learned_before_a_node_counts_for_its_successor() -> None:
    session = Session(
        parsed("""g (float[N] x, float[4, 8] w, float[4] v) => (y, u) {
            i = NonZero(x)
            k = Cast<to = 1>(i)
            u = MatMul(k, w)
            y = Add(k, v)
        }""")
    )
    before = session.result
    assert session.edit(3, 4, [node("Mul", "k v", "y")]) == {}
    assert session.result is before
    assert_fresh(session)


def test_a_declared_type_helps_where_less_is_known() -> None:
    model = parsed("""g (float[N, 4] x, float u) => (y) <float[N, 4] b> { b = Relu(x) y = Neg(x) }""")
    del model.graph.input[1].type.tensor_type.shape.dim[:]
    model.graph.input[1].type.tensor_type.ClearField("shape")
    session = Session(model)
    session.edit(0, 1, [node("Relu", "u", "b")])
    assert session.values["b"].text == "f32[N, 4]"
    assert_fresh(session)


@pytest.mark.parametrize(("start", "stop"), [(-1, 1), (0, 5), (3, 2)])
def test_a_slice_that_is_not_there(start: int, stop: int) -> None:
    with pytest.raises(ValueError, match=f"the graph has 4 nodes: there are none from {start} to {stop}"):
        Session(parsed(CHAIN)).edit(start, stop)


@pytest.mark.parametrize("name", ["x", "b", "fresh"])
def test_an_initializer_of_a_name_that_is_taken(name: str) -> None:
    session = Session(parsed(CHAIN))
    with pytest.raises(ValueError, match=f"{name} cannot be an initializer"):
        session.edit(0, 0, [node("Relu", "x", "fresh")], [helper.make_tensor(name, TensorProto.FLOAT, [0], [])])
    assert len(session.model.graph.node) == 4


def test_the_maker_of_a_value_that_nothing_makes() -> None:
    with pytest.raises(ValueError, match="no node of the main graph computes w"):
        Session(parsed(CHAIN)).index("w")


def test_only_onnx_models() -> None:
    with pytest.raises(ModelError, match="this is an OpenVINO IR, not an ONNX model"):
        Session(b"<?xml version='1.0'?><net></net>")


def test_an_edit_of_a_long_model_is_little_work() -> None:
    count = 5_000
    lines = " ".join(f"v{i} = Relu(v{i - 1})" for i in range(1, count))
    session = Session(parsed(f"g (float[N, 4] x) => (float[] y) {{ v0 = Relu(x) {lines} y = Relu(v{count - 1}) }}"))
    at = session.index("v2500")
    with within(500):
        assert list(session.edit(at, at + 1, [node("Neg", "v2499", "n"), node("Neg", "n", "v2500")])) == ["n"]


# Random edits


def edited(random: Random, session: Session) -> Edited:
    """Make one random edit, some of which break the model."""
    nodes = session.model.graph.node
    values = [*session.values, *(t.name for t in session.model.graph.initializer)]
    fresh = (f"e{i}" for i in itertools.count() if f"e{i}" not in values)
    start = random.randrange(len(nodes))
    old = nodes[start]
    made = NodeProto()
    made.CopyFrom(old)
    kind = random.choice((*range(10), 0, 0, 9, 9))  # rather one that breaks nothing
    if kind == 9 and made.input:
        name = next(fresh)
        read, made.input[0] = made.input[0], name
        return session.edit(start, start + 1, [node("Relu", read, name), made])
    if kind == 0 and old.output:
        made.output[0] = next(fresh)
        return session.edit(start, start + 1, [made, node("Identity", made.output[0], old.output[0])])
    if kind == 1 and old.output:
        return session.edit(start, start + 1, [node("Relu", random.choice(values), old.output[0])])
    if kind == 2 and made.input:
        made.input[random.randrange(len(made.input))] = random.choice(values)
        return session.edit(start, start + 1, [made])
    if kind == 3 and made.attribute:
        a = random.choice(made.attribute)
        a.i += random.choice((-1, 1))
        a.ints[:] = random.sample(list(a.ints), len(a.ints))
        return session.edit(start, start + 1, [made])
    if kind == 4:
        return session.edit(start, start + 1)
    if kind == 5:
        stop = min(len(nodes), start + 3)
        return session.edit(start, stop, random.sample(list(nodes[start:stop]), stop - start))
    if kind == 6 and session.model.graph.initializer:
        return session.edit(0, 0, [], [other(random, random.choice(session.model.graph.initializer))])
    if kind == 7 and len(old.output) == 1:
        return session.edit(start, start + 1, [], [weight(old.output[0], [random.randint(1, 3) for _ in range(2)])])
    return session.edit(start, start, [node("Add", f"{random.choice(values)} {random.choice(values)}", next(fresh))])


def weight(name: str, dims: Sequence[int]) -> TensorProto:
    made = TensorProto(name=name, data_type=TensorProto.FLOAT, dims=dims, data_location=TensorProto.EXTERNAL)
    made.external_data.add(key="location", value="w")
    return made


def other(random: Random, tensor: TensorProto) -> TensorProto:
    """An initializer of the same name and another shape, or with other entries where those are integers."""
    if tensor.data_type != TensorProto.INT64:
        return weight(tensor.name, [d + random.choice((0, 0, 1)) for d in tensor.dims])
    entries = onnx.numpy_helper.to_array(tensor)
    return onnx.numpy_helper.from_array(entries + random.choice((-1, 0, 1)), tensor.name)


def hold(random: Random, note: Callable[[str], object]) -> None:
    """Make a random model and edit it; after each edit all is as a fresh check finds it."""
    model = drawn(random, STEPS, most=12).model
    outputs = list(model.graph.output)
    del model.graph.output[:]
    model.graph.output.extend(o for o in outputs if o is outputs[-1] or random.randrange(8) == 0)
    if random.randrange(4) == 0:
        model = infer_shapes(model)
    session = Session(model)
    for _ in range(6):
        if not session.model.graph.node:
            return
        note(onnx.printer.to_text(session.model))
        before = dict(session.values)
        changes = edited(random, session)
        assert_fresh(session)
        after = dict(session.values)
        different = {n for n in {**before, **after} if before.get(n) is not after.get(n)}
        assert changes == {n: after.get(n) for n in different}


@for_each(30)
@given(randoms)
def test_random_edits_of_random_models(random: Random) -> None:
    hold(random, note)


def test_random_edits_of_exported_models(some_model: Path) -> None:
    random = Random(0)
    session = Session(onnx.load(some_model, load_external_data=False))
    for _ in range(4):
        edited(random, session)
    assert_facts_are_fresh(session)
