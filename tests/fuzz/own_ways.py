"""Where onnxruntime runs a model in a way of its own, as the models that fuzzing makes show it; each with its reason.

What is written here is no fault of ours when a run shows something else than was inferred: the specification is on our
side, or silent. Narrow where it can be; what concerns random models of mainstream operators is in
``tests.infer.differences``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
import onnx
from attrs import frozen

from shapeinfer import Report
from shapeinfer.facts import DType, Tensor
from tests.infer.differences import copies_by_zero, is_lenient, reduces_nothing


@frozen
class Seen:
    """A model, its report at one binding, what a run made of it and what is said to be wrong with the report."""

    model: onnx.ModelProto
    bound: Report
    made: Mapping[str, Any]
    wrong: str

    @property
    def is_refusal(self) -> bool:
        """Whether an error or a condition was found where the runtime runs, and no wrong shape or content."""
        return not self.wrong.startswith("WRONG")

    def nodes(self, *names: str) -> list[onnx.NodeProto]:
        """The nodes of some operators, those of graphs inside too."""
        return [n for n in every_node(self.model.graph) if n.op_type in names]

    def is_empty(self, name: str) -> bool:
        """Whether a value has no entries."""
        made = self.made.get(name)
        if made is None:
            fact = self.bound.values.get(name)
            return isinstance(fact, Tensor) and 0 in (fact.shape or ())
        return np.size(made) == 0 if not isinstance(made, list) else any(np.size(m) == 0 for m in made)


def every_node(graph: onnx.GraphProto) -> Iterator[onnx.NodeProto]:
    """Yield the nodes of a graph and of the graphs inside it."""
    for node in graph.node:
        yield node
        for attribute in node.attribute:
            if attribute.HasField("g"):
                yield from every_node(attribute.g)


def given(node: onnx.NodeProto) -> dict[str, Any]:
    """Return the attributes of a node by name."""
    return {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute if not a.ref_attr_name}


def leaves_out_empties(seen: Seen) -> bool:
    """Concat inside graphs and ConcatFromSequence leave out empty parts before they compare ranks and axes."""
    return seen.is_refusal and any(
        any(map(seen.is_empty, n.input)) for n in seen.nodes("Concat", "ConcatFromSequence", "SequenceConstruct")
    )


def counts_axes_from_the_end(seen: Seen) -> bool:
    """Resize that keeps the aspect ratio leaves axes that are counted from the end as they are."""
    ours = (given(n) for n in seen.nodes("Resize"))
    return any(
        g.get("keep_aspect_ratio_policy", b"stretch") != b"stretch" and any(a < 0 for a in g.get("axes", ()))
        for g in ours
    )


def keeps_aspect_of_nothing(seen: Seen) -> bool:
    """Resize that keeps the aspect ratio takes sizes of 0 and below."""
    ours = [n for n in seen.nodes("Resize") if "keep_aspect_ratio_policy" in given(n)]
    sizes = [seen.made.get(n.input[3]) for n in ours if len(n.input) > 3]
    return any(s is not None and np.min(s, initial=1) <= 0 for s in sizes)


def loops_over_nothing(seen: Seen) -> bool:
    """A Loop of no iterations knows of what it would stack what its body declares, and puts 0 for the rest."""
    return any(
        seen.made.get(out) is not None and seen.made[out].shape[:1] == (0,)
        for n in seen.nodes("Loop")
        for out in n.output[max(0, len(n.input) - 2) :]
    )


def computes_in_half(seen: Seen) -> bool:
    """Half-precision operators are computed in float32, so that a chain of them rounds once."""
    arithmetic = seen.nodes(
        "Add", "Sub", "Mul", "Div", "Pow", "Sqrt", "Reciprocal", "Floor", "Ceil", "Round", "Mean", "Sum"
    )
    facts = [seen.bound.values.get(o) for n in arithmetic for o in n.output]
    return sum(isinstance(f, Tensor) and f.dtype in (DType.FLOAT16, DType.BFLOAT16) for f in facts) >= 2


def converts_what_is_no_number(seen: Seen) -> bool:
    """Cast makes some integer of what is infinite or NaN; the specification leaves open which."""
    read = [seen.made.get(n.input[0]) for n in seen.nodes("Cast", "CastLike")]
    floats = [a for a in read if isinstance(a, np.ndarray) and a.dtype.kind == "f"]
    return seen.is_refusal and not all(np.isfinite(a).all() for a in floats)


def checks_no_axis_of_nothing(seen: Seen) -> bool:
    """CumSum looks at its axis only where there is something to add up."""
    return seen.is_refusal and any(seen.is_empty(n.input[0]) for n in seen.nodes("CumSum"))


def compares_in_32_bits(seen: Seen) -> bool:
    """Max and Min of 64-bit integers are wrong for a scalar of more than 31 bits."""
    read = [seen.made.get(i) for n in seen.nodes("Max", "Min") for i in n.input]
    weights = {t.name: t for t in seen.model.graph.initializer}
    read += [onnx.numpy_helper.to_array(weights[i]) for n in seen.nodes("Max", "Min") for i in n.input if i in weights]
    large = [a for a in read if isinstance(a, np.ndarray) and a.dtype.kind in "iu" and a.size]
    return any(int(a.max()) >= 2**31 or int(a.min()) < -(2**31) for a in large)


def pairs_no_losses(seen: Seen) -> bool:
    """Losses compare neither batches nor weights, and take any reduction."""
    return bool(seen.nodes("NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss"))


NOT_CHECKED = (
    # Scatter takes a reduction that it does not know for none.
    "reduction of Scatter",
    # Split from 18 on counts its outputs where it is given neither sizes nor their number, or another number.
    "Split requires the input split",
    "num_outputs",
    # Constant with two values takes one of them.
    "Constant requires exactly one of",
    # Attention looks at the mode only for an output that nobody asks for.
    "qk_matmul_output_mode of Attention",
    # DFT takes only the real part of what is complex where it gives one side.
    "it must be 1, at DFT",
    # GroupNormalization is computed by its function body, which broadcasts.
    "(one per channel), at GroupNormalization",
    # What remains of an odd head is not rotated.
    "it must be even, at RotaryEmbedding",
    # SequenceInsert reads the first of several positions.
    "position must have one element",
    # CenterCropPad goes through the axes that a shape speaks of.
    "one per axis, at CenterCropPad",
    # Nor does it mind a size below 0.
    "a dim cannot be negative, at CenterCropPad",
    # AffineGrid has no use for the number of channels.
    "entry 1 of size is",
    # Gemm takes a vector for a row.
    "A must be a matrix; it has rank 1, at Gemm",
    # ReverseSequence counts its axes from the end too.
    "must be 0 and 1 in some order, at ReverseSequence",
    # Unique sorts for any flag.
    "sorted of Unique",
)
"""Errors for what the specification forbids and the runtime does not look at."""


def does_not_look(seen: Seen) -> bool:
    """Some attributes and lengths are not checked."""
    return seen.is_refusal and any(text in seen.wrong for text in NOT_CHECKED)


def drops_axes_of_parts(seen: Seen) -> bool:
    """SplitToSequence heeds ``keepdims`` where it is given the parts' length, and then fails unless that is 1."""
    return any(
        len(n.input) > 1 and n.input[1] and not given(n).get("keepdims", 1) for n in seen.nodes("SplitToSequence")
    )


def takes_flags_apart(seen: Seen) -> bool:
    """A flag that is neither 0 nor 1 is one or the other, not to all runtimes the same; a warning says so."""
    return any("must be 0 or 1" in d.message for d in seen.bound.diagnostics)


def reshapes_by_computed_zero(seen: Seen) -> bool:
    """A computed 0 in a target of Reshape copies an axis, which nobody who computes a length means."""
    return seen.is_refusal and copies_by_zero(seen.model, seen.bound)


def reduces_nothing_at_all(seen: Seen) -> bool:
    """Reductions of nothing do not find an axis that is counted from the end."""
    return reduces_nothing(seen.model, seen.bound)


def runs_what_is_forbidden(seen: Seen) -> bool:
    """Pools, PRelu and products are lenient."""
    return any(is_lenient(seen.model, seen.bound, i) for i in range(len(seen.model.graph.node)))


OWN_WAYS: tuple[Callable[[Seen], bool], ...] = (
    leaves_out_empties,
    counts_axes_from_the_end,
    keeps_aspect_of_nothing,
    loops_over_nothing,
    computes_in_half,
    converts_what_is_no_number,
    checks_no_axis_of_nothing,
    compares_in_32_bits,
    pairs_no_losses,
    does_not_look,
    drops_axes_of_parts,
    takes_flags_apart,
    reshapes_by_computed_zero,
    reduces_nothing_at_all,
    runs_what_is_forbidden,
)


def own_way(model: onnx.ModelProto, bound: Report, made: Mapping[str, Any], wrong: str) -> str | None:
    """Return the name of a way of the runtime's own that may be why a run does not agree, None where there is none."""
    seen = Seen(model, bound, made, wrong)
    return next((way.__name__ for way in OWN_WAYS if way(seen)), None)
