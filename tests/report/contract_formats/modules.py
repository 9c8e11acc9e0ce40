"""Runs what the formats write: a guard as a function, and the Dims of torch.export by a stand-in for them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

import pytest
from attrs import frozen

from shapeinfer import Report, check, render_contract
from tests.models import parsed


def contract(text: str, form: Any, **options: Any) -> str:
    """The contract of a model in ONNX's text syntax."""
    max_size = options.pop("max_size", None)
    return render_contract(check(parsed(text), **options), form, max_size=max_size)


def module(source: str) -> dict[str, Any]:
    """The names of a module, by running it."""
    names: dict[str, Any] = {}
    exec(compile(source, "generated", "exec"), names)
    return names


def guard(of: Report | str, **options: Any) -> Callable[[Mapping[str, Any]], dict[str, int]]:
    """The function that checks the inputs of a model."""
    report = check(parsed(of), **options) if isinstance(of, str) else of
    found: Callable[[Mapping[str, Any]], dict[str, int]] = module(render_contract(report, "python"))["check_inputs"]
    return found


def refusal(check_inputs: Callable[[Mapping[str, Any]], Any], inputs: Mapping[str, Any]) -> str:
    """What a guard says against inputs, empty where it accepts them."""
    try:
        check_inputs(inputs)
    except ValueError as error:
        return str(error)
    return ""


@frozen
class StandIn:
    """A Dim of torch.export: ``a*root + b``, in the operations that torch has for it."""

    name: str
    min: int = 0
    max: int | None = None
    a: int = 1
    b: int = 0

    def __mul__(self, factor: int) -> StandIn:
        assert factor > 0
        return StandIn(self.name, self.min, self.max, self.a * factor, self.b * factor)

    __rmul__ = __mul__

    def __add__(self, number: int) -> StandIn:
        return StandIn(self.name, self.min, self.max, self.a, self.b + number)

    def __sub__(self, number: int) -> StandIn:
        return self + -number


def dynamic_shapes(source: str, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What a module of Dims gives, without torch."""

    def dim(name: str, **bounds: int) -> StandIn:
        assert name.isidentifier()
        return StandIn(name, **bounds)

    dim.STATIC = None  # type: ignore[attr-defined]
    export = ModuleType("torch.export")
    export.Dim = dim  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "torch", ModuleType("torch"))
    monkeypatch.setitem(sys.modules, "torch.export", export)
    found: dict[str, Any] = module(source)["dynamic_shapes"]
    return found
