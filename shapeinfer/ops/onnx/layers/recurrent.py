"""Recurrent layers: RNN, LSTM and GRU in one or two directions."""

from __future__ import annotations

from collections.abc import Sequence

from shapeinfer.diagnostics.codes import INVALID_ATTRIBUTE, LENGTH_MISMATCH
from shapeinfer.diagnostics.detail import Detail
from shapeinfer.dims import mul
from shapeinfer.facts import Shape, Tensor
from shapeinfer.ops.context import Context
from shapeinfer.ops.registry import rule
from shapeinfer.shapes.named import NamedAxes

DIRECTIONS = {"forward": 1, "reverse": 1, "bidirectional": 2}
FUNCTIONS = (
    "Relu Tanh Sigmoid Affine LeakyRelu ThresholdedRelu ScaledTanh HardSigmoid Elu Softsign Softplus".lower().split()
)
"""The names of activations, whose case does not count."""
STATE = "directions batch hidden", "batch directions hidden"
"""A state's axes by layout: the batch comes first where ``layout`` is set."""
STEPS = "steps batch input", "batch steps input"
STATES = "steps directions batch hidden", "batch steps directions hidden"


@rule("RNN", since=1, unranked=[4, 3])
def rnn(
    ctx: Context,
    x: Tensor,
    w: Tensor,
    r: Tensor,
    b: Tensor | None = None,
    sequence_lens: Tensor | None = None,
    initial_h: Tensor | None = None,
    *,
    activations: Sequence[str] = ("Tanh", "Tanh"),
    direction: str = "forward",
    hidden_size: int | None = None,
    layout: int = 0,
) -> list[Shape]:
    """Return every step's hidden state and the last one."""
    _activations(ctx, activations, 1, direction)
    axes = _layer(ctx, 1, direction, hidden_size, layout, (x, w, r, b, sequence_lens, initial_h))
    return [axes.shape(STATES[layout]), axes.shape(STATE[layout])]


@rule("GRU", since=3, unranked=[4, 3])
def gru(
    ctx: Context,
    x: Tensor,
    w: Tensor,
    r: Tensor,
    b: Tensor | None = None,
    sequence_lens: Tensor | None = None,
    initial_h: Tensor | None = None,
    *,
    activations: Sequence[str] | None = None,
    direction: str = "forward",
    hidden_size: int | None = None,
    layout: int = 0,
) -> list[Shape]:
    """Return every step's hidden state and the last one."""
    _activations(ctx, activations, 2, direction)
    axes = _layer(ctx, 3, direction, hidden_size, layout, (x, w, r, b, sequence_lens, initial_h))
    return [axes.shape(STATES[layout]), axes.shape(STATE[layout])]


@rule("GRU", since=1, unranked=[4, 3])
def gru_as_first_defined(
    ctx: Context,
    x: Tensor,
    w: Tensor,
    r: Tensor,
    b: Tensor | None = None,
    sequence_lens: Tensor | None = None,
    initial_h: Tensor | None = None,
    *,
    direction: str = "foward",
    hidden_size: int | None = None,
) -> list[Shape]:
    """Return every step's hidden state and the last one."""
    # The first version's default is misspelt in its schema.
    way = "forward" if direction == "foward" else direction
    axes = _layer(ctx, 3, way, hidden_size, 0, (x, w, r, b, sequence_lens, initial_h))
    return [axes.shape(STATES[0]), axes.shape(STATE[0])]


@rule("LSTM", since=1, unranked=[4, 3, 3])
def lstm(
    ctx: Context,
    x: Tensor,
    w: Tensor,
    r: Tensor,
    b: Tensor | None = None,
    sequence_lens: Tensor | None = None,
    initial_h: Tensor | None = None,
    initial_c: Tensor | None = None,
    p: Tensor | None = None,
    *,
    activations: Sequence[str] | None = None,
    direction: str = "forward",
    hidden_size: int | None = None,
    layout: int = 0,
) -> list[Shape]:
    """Return every step's hidden state, the last one and the last cell."""
    _activations(ctx, activations, 3, direction)
    axes = _layer(ctx, 4, direction, hidden_size, layout, (x, w, r, b, sequence_lens, initial_h))
    axes.read(initial_c, "initial_c", STATE[layout])
    axes.bind("peepholes", mul(axes["hidden"], 3), "3*hidden_size", "hidden")
    axes.read(p, "p", "directions peepholes")
    return [axes.shape(STATES[layout]), axes.shape(STATE[layout]), axes.shape(STATE[layout])]


def _activations(ctx: Context, names: Sequence[str] | None, each: int, direction: str) -> None:
    """Check that the activations are known, and that there are enough for each direction."""
    unknown = [name for name in names or () if name.lower() not in FUNCTIONS]
    if unknown:
        ctx.report(
            INVALID_ATTRIBUTE,
            f"unknown activation {unknown[0]!r}; it must be one of {', '.join(FUNCTIONS)}",
            detail=Detail("activations", allowed=tuple(FUNCTIONS)),
        )
    count = each * DIRECTIONS.get(direction, 1)
    if names and len(names) < count:
        ctx.report(LENGTH_MISMATCH, f"activations has {len(names)} entries; expected {count}")


def _layer(
    ctx: Context,
    gates: int,
    direction: str,
    hidden_size: int | None,
    layout: int,
    inputs: tuple[Tensor, Tensor, Tensor, Tensor | None, Tensor | None, Tensor | None],
) -> NamedAxes:
    """Name the axes of the inputs that all recurrent layers share; ``gates`` stack their weights."""
    x, w, r, b, sequence_lens, initial_h = inputs
    axes = _attributes(ctx, direction, hidden_size, layout)
    axes.read(x, "x", STEPS[layout])
    axes.read(r, "r", "directions _ hidden")
    axes.read(initial_h, "initial_h", STATE[layout])
    axes.read(sequence_lens, "sequence_lens", "batch")
    axes.bind("rows", mul(axes["hidden"], gates), f"{gates}*hidden_size", "hidden")
    axes.bind("biases", mul(axes["rows"], 2), f"{2 * gates}*hidden_size", "rows")
    axes.read(w, "w", "directions rows input")
    axes.read(r, "r", "_ rows _")
    axes.read(b, "b", "directions biases")
    return axes


def _attributes(ctx: Context, direction: str, hidden_size: int | None, layout: int) -> NamedAxes:
    """Name the sizes that the attributes set."""
    if direction not in DIRECTIONS:
        ctx.fail(
            INVALID_ATTRIBUTE,
            f"direction is {direction!r}; it must be one of {', '.join(DIRECTIONS)}",
            detail=Detail("direction", allowed=tuple(DIRECTIONS)),
        )
    if layout not in (0, 1):
        ctx.fail(INVALID_ATTRIBUTE, f"layout is {layout}; it must be 0 or 1", detail=Detail("layout"))
    axes = NamedAxes(ctx)
    axes.bind("directions", DIRECTIONS[direction], "num_directions")
    if hidden_size is not None:
        axes.bind("hidden", hidden_size, "hidden_size")
    return axes
