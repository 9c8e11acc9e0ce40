"""What is remembered between models has a bound in bytes, whatever their names are."""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Callable, Iterator

import pytest
from onnx import ModelProto, TensorProto, helper

from shapeinfer import check, remembered
from shapeinfer.budget import MEGABYTE, Budget, spending
from shapeinfer.infer import driver
from shapeinfer.ops.signature import KEPT, signature
from tests.hostile.many import hostile, measured

MODELS = 21
LENGTH = 20_000
"""Characters of a name: without a bound each of these models leaves about a megabyte behind."""
BOUND = 2 << 20
SLACK = 6 << 20
"""Besides what is counted: what the last model left, and short things."""


def named(name: str) -> ModelProto:
    """A model that bears a name wherever a name can be, each time another one."""
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [f"d{name}", 3])
    value = helper.make_tensor_value_info(f"v{name}", TensorProto.FLOAT, [f"e{name}", 4])
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, None)
    function = helper.make_function(
        "my", f"F{name}", ["a"], ["b"], [helper.make_node("Relu", ["a"], ["b"])], [helper.make_opsetid("", 20)]
    )
    nodes = [
        helper.make_node("Concat", ["x", "x"], [f"v{name}"], axis=0),
        helper.make_node(f"Op{name}", ["x"], ["a"]),
        helper.make_node("Relu", ["x"], ["b"], domain=f"d{name}"),
        helper.make_node(f"F{name}", ["x"], ["c"], domain="my"),
        helper.make_node("Einsum", ["x"], ["e"], equation=f"{name}->i"),
        helper.make_node("Einsum", ["x"], ["f"], equation=f"i{name}->i".replace("_", " ")),
        helper.make_node("Cast", ["x"], ["g"], to=1, **{f"a{name}": "b"}),
        helper.make_node("Constant", [], ["h"], value_strings=[name]),
        helper.make_node("NonZero", ["x"], [f"n{name}"]),
        helper.make_node("Identity", ["h"], ["i"]),
        helper.make_node("Add", [f"n{name}", "x"], ["y"]),
    ]
    graph = helper.make_graph(nodes, f"g{name}", [x], [y], value_info=[value])
    imports = [helper.make_opsetid("", 20), helper.make_opsetid("my", 1), helper.make_opsetid(f"d{name}", 1)]
    return helper.make_model(graph, opset_imports=imports, functions=[function], ir_version=9)


def wide(name: str) -> ModelProto:
    """A model of long lists: of attributes, of axes, of what a constant holds."""
    seed = int(name[:6])
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [seed + i for i in range(2000)])
    y = helper.make_tensor_value_info("y", TensorProto.INT64, None)
    nodes = [
        helper.make_node("Transpose", ["x"], ["a"], perm=[*range(seed, seed + 2000)]),
        helper.make_node("Constant", [], ["b"], value_ints=[seed + i for i in range(1000)]),
        helper.make_node("Add", ["b", "b"], ["y"]),
        helper.make_node("Concat", ["x", "x"], ["c"], axis=seed),
    ]
    graph = helper.make_graph(nodes, "g", [x], [y])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)


def names() -> Iterator[str]:
    return (f"{i:06}{'_' * LENGTH}" for i in range(MODELS))


@pytest.mark.parametrize("model", [named, wide])
def test_hostile_models_leave_no_more_behind_than_a_bound(
    model: Callable[[str], ModelProto], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remembered, "MOST", BOUND)
    remembered.make_room()
    check(model("000000"))  # modules, tables of operators
    tracemalloc.start()
    try:
        for i, name in enumerate(names()):
            check(model(name))
            if not i % 20:
                gc.collect()
                assert tracemalloc.get_traced_memory()[0] < BOUND + SLACK, f"after {i + 1} models"
    finally:
        tracemalloc.stop()


def test_versions_that_nobody_imports_are_not_all_kept() -> None:
    for version in range(2 * KEPT):
        signature("", "Relu", 1000 + version)
    assert signature.cache_info().currsize <= KEPT


class TestAProcessThatGrows:
    """Grown by an eighth of the memory that a model may take, it forgets everything before the next model."""

    BUDGET = Budget(memory=80)

    @pytest.fixture
    def emptied(self, monkeypatch: pytest.MonkeyPatch) -> list[str]:
        times: list[str] = []
        monkeypatch.setattr(remembered, "_tables", [lambda: times.append("emptied")])
        monkeypatch.setattr(remembered, "_held", 0)
        return times

    def grow(self, monkeypatch: pytest.MonkeyPatch, *megabytes: float) -> None:
        for size in megabytes:
            monkeypatch.setattr(remembered, "resident", lambda size=size: size * MEGABYTE)
            with spending(self.BUDGET):
                remembered.make_room()

    def test_it_remembers_as_long_as_it_grows_little(self, monkeypatch: pytest.MonkeyPatch, emptied: list[str]) -> None:
        monkeypatch.setattr(remembered, "_start", 100 * MEGABYTE)
        self.grow(monkeypatch, 101, 105, 110)
        assert emptied == []

    def test_it_forgets_before_it_nears_the_budget(self, monkeypatch: pytest.MonkeyPatch, emptied: list[str]) -> None:
        monkeypatch.setattr(remembered, "_start", 100 * MEGABYTE)
        self.grow(monkeypatch, 105, 111)
        assert emptied == ["emptied"]

    def test_it_remembers_anew_though_the_system_got_nothing_back(
        self, monkeypatch: pytest.MonkeyPatch, emptied: list[str]
    ) -> None:
        monkeypatch.setattr(remembered, "_start", 100 * MEGABYTE)
        self.grow(monkeypatch, 111, 111, 112, 121, 122)
        assert emptied == ["emptied"] * 2

    def test_every_table_of_an_inference_is_emptied(self, monkeypatch: pytest.MonkeyPatch) -> None:
        check(named("000001"))
        assert driver._memo
        monkeypatch.setattr(remembered, "_start", 0)
        monkeypatch.setattr(remembered, "resident", lambda: 10_000 * MEGABYTE)
        remembered.make_room()
        assert not driver._memo


def test_no_two_hostile_models_are_alike() -> None:
    models = [hostile(number) for number in range(20)]
    assert len({model.SerializeToString() for model in models}) == 20
    assert hostile(7) == models[7]
    for model in models:
        assert check(model).diagnostics


def test_many_hostile_models_leave_little_behind() -> None:
    taken = dict(measured(0, 150))
    assert taken[150] - taken[100] < 20
