"""Make static input dims of a model symbolic where nothing forbids other sizes, and find what blocks the rest."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

import onnx

from shapeinfer.api import spending_on
from shapeinfer.api.options import Keywords, Options, options_from
from shapeinfer.dims import Dim, Size, substitute, symbol, text_of
from shapeinfer.frontends.formats import ModelLike, load_onnx
from shapeinfer.frontends.onnx.model import graph_of
from shapeinfer.frontends.onnx.write import annotate, give_sizes
from shapeinfer.graph import Graph
from shapeinfer.rewrite.freeing import Axis, Search, Sizes, free
from shapeinfer.rewrite.generalized import BlockedDim, FreeDim, Generalized

if TYPE_CHECKING:
    from typing_extensions import Unpack


def generalize(
    model: ModelLike, *, options: Options | None = None, weights: bool = True, **keywords: Unpack[Keywords]
) -> Generalized:
    """Return a copy of an ONNX model in which every static input dim is free that nothing keeps from other sizes.

    Dims that must be equal get one name: ``batch`` for a first axis that inputs share, a name that the model has
    already, else ``<input>_<axis>``. A dim stays static, and is listed with what blocks it, unless inference proves
    that the model runs with another size of it and all others unchanged. What the model needs of the new dims is its
    ``contract``. Types in ``value_info`` and of outputs are inferred anew.

    ``options`` and keywords are those of ``check``; inputs in ``shapes`` stay as given. Their limits apply to each
    inference. Without ``weights`` those of a large file are left out of the copy, for who writes them from the file
    itself. Raises ModelError for what is no ONNX model, the ShapeInferError of the fault for one with errors.
    """
    chosen = options_from(options, keywords)
    with spending_on(chosen.budget, model):
        source = load_onnx(model, weights=weights)
        graph = graph_of(source, default_inputs=chosen.default_inputs)
    search = Search(graph, chosen)
    sizes, blocks = search.run()
    names = _names(graph, sizes)
    sizes = {axis: substitute(size, names) for axis, size in sizes.items()}
    result = search.full(sizes)
    out = onnx.ModelProto()
    out.CopyFrom(source)
    give_sizes(out, graph.inputs, result.graph.inputs)
    if result.graph is not graph or chosen.constraints.has_sizes:
        sized = chosen.constraints.has_sizes
        annotate(out, result.graph, result.given_scopes(), result.stands_for, sized=sized)
    return Generalized(
        out,
        tuple(FreeDim(a.input, a.axis, search.static[a], text_of(size)) for a, size in sorted(free(sizes).items())),
        tuple(
            BlockedDim(a.input, a.axis, search.static[a], _renamed(blocks[a].message, names), blocks[a].node)
            for a in sorted(blocks)
        ),
        result.contract,
    )


def _names(graph: Graph, sizes: Sizes) -> dict[Dim, Size]:
    """Return ``batch`` in the place of the dim of most first axes, where these are all its axes."""
    taken = {s.name for fact in graph.inputs.values() for s in fact.symbols}
    axes: dict[Dim, list[Axis]] = {}
    for axis, size in free(sizes).items():
        if isinstance(size, Dim) and size.is_symbol and size.name not in taken:
            axes.setdefault(size, []).append(axis)
    first = {dim: held for dim, held in axes.items() if all(axis.axis == 0 for axis in held)}
    if not first or "batch" in taken or any(s.name == "batch" for s in axes):
        return {}
    dim, held = max(first.items(), key=lambda item: len(item[1]))
    rank = len(graph.inputs[held[0].input].shape or ())
    return {dim: symbol("batch")} if len(held) > 1 or rank > 1 else {}


def _renamed(message: str, names: Mapping[Dim, Size]) -> str:
    for dim, name in names.items():
        message = re.sub(rf"\b{re.escape(text_of(dim))}\b", text_of(name), message)
    return message
