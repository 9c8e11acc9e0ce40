"""Scan and SequenceMap: a body over slices or elements, every pass alike (ONNX operators "Scan", "SequenceMap")."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from shapeinfer.diagnostics import codes
from shapeinfer.diagnostics.detail import Detail
from shapeinfer.diagnostics.finding import Claim
from shapeinfer.dims import Equal, Size, equal
from shapeinfer.facts import (
    UNKNOWN,
    Fact,
    SequenceType,
    Tensor,
    tensor,
)
from shapeinfer.infer.bodies.loops import fits, same_kind, stacked
from shapeinfer.infer.bodies.speculative import in_one_pass, infer_body, subgraph, with_own_symbols
from shapeinfer.infer.diagnosis.diagnose import node_ref
from shapeinfer.infer.driver import Run
from shapeinfer.infer.scope import Scope


def infer_scan(run: Run, scope: Scope, index: int, facts: Sequence[Fact | None]) -> list[Fact]:
    """Run the body over slices of the scan inputs; its scan outputs are stacked to as many."""
    node = scope.graph.nodes[index]
    values = node.call.attributes.values
    batched = node.call.opset < 9
    given = list(facts[1:] if batched else facts)
    count = int(values.get("num_scan_inputs", 0))
    names = list(subgraph(scope, index, "body").inputs)
    states = len(given) - count
    if not 0 <= states < len(given):
        message = f"num_scan_inputs is {count}, the node has {len(given)} inputs to scan"
        run.report(codes.INVALID_ATTRIBUTE, message, scope, index, Detail("num_scan_inputs", count))
        return []
    if len(names) != len(given):
        message = f"the body takes {len(names)} inputs, the scan passes {len(given)}"
        run.report(codes.SUBGRAPH_MISMATCH, message, scope, index)
        return []
    scanned = len(subgraph(scope, index, "body").outputs) - states
    if not _lists(run, scope, index, values, {"input": count, "output": scanned}):
        return []
    axes = [int(a) for a in values.get("scan_input_axes", (0,) * count)]
    slices, trips = _slices(run, scope, index, given[states:], axes, 1 if batched else 0)
    mark = run.namer.count
    carried = [_unbatched(f or UNKNOWN) if batched else f or UNKNOWN for f in given[:states]]
    # A state keeps its shape (ONNX operator "Scan"), not what it holds.
    before = [tensor(f.dtype, f.shape) if isinstance(f, Tensor) else f for f in carried]
    outputs = in_one_pass(run, lambda: infer_body(run, scope, index, "body", dict(zip(names, [*before, *slices]))))
    if len(outputs) < states:
        message = f"the body returns {len(outputs)} outputs; expected {states} states"
        run.report(codes.SUBGRAPH_MISMATCH, message, scope, index)
        return []
    fits(run, scope, index, len(outputs))
    for i, (was, now) in enumerate(zip(before, outputs)):
        same_kind(run, scope, index, f"state {i}", was, now)
    after = [_kept(run, scope, index, i, *pair) for i, pair in enumerate(zip(before, outputs))]
    out_axes = [int(a) for a in values.get("scan_output_axes", (0,) * (len(outputs) - states))]
    scans = []
    for fact, axis in zip(outputs[states:], out_axes):
        rank = len(fact.shape) + 1 if isinstance(fact, Tensor) and fact.shape is not None else None
        if rank is not None and not -rank <= axis < rank:
            message = f"scan output axis {axis} is out of range for an output of rank {rank}"
            detail = Detail("scan_output_axes", axis, range(-rank, rank))
            run.report(codes.AXIS_OUT_OF_RANGE, message, scope, index, detail)
            fact, axis = UNKNOWN, 0
        scans.append(stacked(run, mark, fact, trips, axis))
    if batched:
        batch = next((f.shape[0] for f in given if isinstance(f, Tensor) and f.shape), None)
        first = run.namer.fresh("Scan") if batch is None else batch
        return [_prefixed(f, first) for f in (*after, *scans)]
    return [*after, *scans]


def _lists(run: Run, scope: Scope, index: int, values: Mapping[str, Any], counts: Mapping[str, int]) -> bool:
    """Check the attributes that have an entry for each scan input or output: directions are 0 or 1."""
    fits_counts = True
    for kind, count in counts.items():
        for name in (f"scan_{kind}_axes", f"scan_{kind}_directions"):
            given = values.get(name)
            if given and len(given) != count:
                message = f"{name} has {len(given)} entries for {count} scan {kind}s"
                run.report(codes.LENGTH_MISMATCH, message, scope, index)
                fits_counts = False
            elif given and name.endswith("directions") and not set(given) <= {0, 1}:
                message = f"{name} is {list(given)}; a direction is 0, forward, or 1, backward"
                run.report(codes.INVALID_ATTRIBUTE, message, scope, index, Detail(name, tuple(given)))
    return fits_counts


def _kept(run: Run, scope: Scope, index: int, state: int, before: Fact, after: Fact) -> Fact:
    """Return a state of a scan, whose shape every pass must leave as it is."""
    if (
        isinstance(before, Tensor)
        and isinstance(after, Tensor)
        and before.shape is not None
        and after.shape is not None
    ):
        same = len(before.shape) == len(after.shape)
        if not same or any(equal(a, b).is_no for a, b in zip(before.shape, after.shape)):
            message = (
                f"state {state} is {before.text} before an iteration and {after.text} after it; it must keep its shape"
            )
            run.report(codes.DIM_MISMATCH, message, scope, index)
    return before


def _slices(
    run: Run, scope: Scope, index: int, inputs: Sequence[Fact | None], axes: Sequence[int], first: int
) -> tuple[list[Fact], Size]:
    """The scan inputs without the axis that is scanned (and without the batch axis), and its length."""
    out: list[Fact] = []
    trips: Size | None = None
    for fact, axis in zip(inputs, axes):
        if not isinstance(fact, Tensor) or fact.shape is None:
            out.append(tensor(fact.dtype, None) if isinstance(fact, Tensor) else UNKNOWN)
            continue
        at = first + axis if axis >= 0 else len(fact.shape) + axis
        if not first <= at < len(fact.shape):
            message = f"scan axis {axis} is out of range for an input of rank {len(fact.shape)}"
            detail = Detail("scan_input_axes", axis, range(first - len(fact.shape), len(fact.shape) - first))
            run.report(codes.AXIS_OUT_OF_RANGE, message, scope, index, detail)
            out.append(tensor(fact.dtype, None))
            continue
        length = fact.shape[at]
        if trips is not None and not _agree(run, scope, index, trips, length):
            run.report(codes.DIM_MISMATCH, f"scan inputs have {trips} and {length} slices", scope, index)
        trips = length if trips is None or isinstance(length, int) else trips
        out.append(tensor(fact.dtype, tuple(d for i, d in enumerate(fact.shape) if i >= first and i != at)))
    return out, run.namer.fresh("Scan") if trips is None else trips


def _agree(run: Run, scope: Scope, index: int, a: Size, b: Size) -> bool:
    """Whether two lengths can be equal, which the node needs."""
    claim = Claim(Equal(a, b), codes.DIM_MISMATCH, f"scan inputs have {a} and {b} slices")
    answer, _ = run.state.solver.decide(claim, node_ref(scope.graph.nodes[index], index, scope.path))
    return not answer.is_no


def _unbatched(fact: Fact) -> Fact:
    if isinstance(fact, Tensor) and fact.shape:
        return tensor(fact.dtype, fact.shape[1:])
    return fact


def _prefixed(fact: Fact, length: Size) -> Fact:
    if isinstance(fact, Tensor) and fact.shape is not None:
        return tensor(fact.dtype, (length, *fact.shape))
    return fact


def infer_sequence_map(run: Run, scope: Scope, index: int, facts: Sequence[Fact | None]) -> list[Fact]:
    """Infer the body over one element of each sequence; each output is a sequence of as many."""
    names = list(subgraph(scope, index, "body").inputs)
    if len(names) != len(facts):
        message = f"the body takes {len(names)} inputs, the operator passes {len(facts)}"
        run.report(codes.SUBGRAPH_MISMATCH, message, scope, index)
        return []
    given = {n: f.element if isinstance(f, SequenceType) else f for n, f in zip(names, facts)}
    mark = run.namer.count
    outputs = in_one_pass(run, lambda: infer_body(run, scope, index, "body", given))
    fits(run, scope, index, len(outputs))
    length = facts[0].length if isinstance(facts[0], SequenceType) else None
    return [SequenceType(with_own_symbols(run, mark, f), length) for f in outputs]
