"""A model's contract for other programs: one module per format, listed in one table."""

from __future__ import annotations

import importlib
from contextlib import nullcontext
from typing import Final, Literal, TypeAlias, get_args

from shapeinfer.api.report import Report
from shapeinfer.budget import FINISHING, OverBudget, spending

ContractFormat: TypeAlias = Literal["python", "json-schema", "triton", "tensorrt", "torch-export"]

_HOMES: Final = {
    "python": "guard",
    "json-schema": "json_schema",
    "triton": "triton",
    "tensorrt": "tensorrt",
    "torch-export": "torch_export",
}
CONTRACT_FORMATS: Final = get_args(ContractFormat)
"""The formats by their name in ``contract --format``."""


def render_contract(
    report: Report,
    format: ContractFormat,  # noqa: A002 - as in --format
    *,
    name: str = "",
    max_size: int | None = None,
) -> str:
    """Return the contract of a checked model as text for another program.

    ``name`` is what the text calls the model, by default the name of its file. ``max_size`` is the greatest size of
    dims that nothing else bounds, where a format must name one (``triton``, ``tensorrt``).

    Raises TypeError for what is no report, ValueError for an unknown format, a model with errors, a report in its light
    form, and for a contract that the format cannot express.
    """
    if format not in _HOMES:
        raise ValueError(f"{format!r} is not a format of contracts; known ones: {', '.join(CONTRACT_FORMATS)}")
    if not isinstance(report, Report):
        raise TypeError(f"render_contract() takes a report, which check() returns, not {type(report).__name__}")
    if max_size is not None and max_size < 1:
        raise ValueError(f"max_size is {max_size}; it must be at least 1")
    from shapeinfer.report.contract_formats.interface import interface_of

    render = importlib.import_module(f"{__name__}.{_HOMES[format]}").render
    with nullcontext() if report.result is None else spending(report.result.budget, FINISHING):
        try:
            written: str = render(interface_of(report, name), max_size)
        except OverBudget as over:
            raise ValueError(f"writing the contract exceeded the limits of the check: {over}") from None
    return written
