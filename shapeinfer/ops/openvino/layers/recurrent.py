"""Recurrent layers: RNN, GRU and LSTM, one step at a time or whole sequences."""

from __future__ import annotations

from shapeinfer.dims import mul
from shapeinfer.facts import Shape, Tensor
from shapeinfer.ops.context import Context
from shapeinfer.ops.openvino.schema import DOMAIN, FLOATS, INTEGERS, choice, operator
from shapeinfer.ops.registry import rule
from shapeinfer.shapes.named import NamedAxes

_LAYER = "hidden_size: int, activations?: strings, activations_alpha?: floats, activations_beta?: floats, clip?: float"
_RESET = "linear_before_reset: bool = False"
_WAY = 'direction: string = "forward"'
_CELL_1 = f'{_LAYER}, weights_format: string = "fico", input_forget: bool = False'
_WEIGHTS = "W: T, R: T, B: T"
operator(f"RNNCell(X: T, initial_hidden_state: T, {_WEIGHTS}; {_LAYER}) -> Ho: T", T=FLOATS)
operator(f"GRUCell(X: T, initial_hidden_state: T, {_WEIGHTS}; {_LAYER}, {_RESET}) -> Ho: T", since=3, T=FLOATS)
_STATES = "initial_hidden_state: T, initial_cell_state: T"
operator(f"LSTMCell(X: T, {_STATES}, {_WEIGHTS}, P?: T; {_CELL_1}) -> Ho: T, Co?: T", T=FLOATS)
operator(f"LSTMCell(X: T, {_STATES}, {_WEIGHTS}; {_LAYER}) -> Ho: T, Co?: T", since=4, T=FLOATS)
_SEQUENCE = f"initial_hidden_state: T, sequence_lengths: L, {_WEIGHTS}; {_LAYER}, {_WAY}"
operator(f"RNNSequence(X: T, {_SEQUENCE}) -> Y: T, Ho?: T", since=5, T=FLOATS, L=INTEGERS)
operator(f"GRUSequence(X: T, {_SEQUENCE}, {_RESET}) -> Y: T, Ho?: T", since=5, T=FLOATS, L=INTEGERS)
operator(
    f"LSTMSequence(X: T, {_STATES}, sequence_lengths: L, {_WEIGHTS}; {_LAYER}, {_WAY}) -> Y: T, Ho?: T, Co?: T",
    since=5,
    T=FLOATS,
    L=INTEGERS,
)

STATE = "batch directions hidden"
STATES = "batch directions steps hidden"
Weights = tuple[Tensor, Tensor, Tensor]


def _weights(axes: NamedAxes, weights: Weights, gates: int, biases: int, lead: str = "") -> None:
    """Read the weights, which stack ``gates`` gates; some have a bias more."""
    w, r, b = weights
    axes.bind("rows", mul(axes["hidden"], gates), f"{gates}*hidden_size", "hidden")
    axes.bind("biases", mul(axes["hidden"], biases), f"{biases}*hidden_size", "hidden")
    axes.read(w, "w", f"{lead} rows input")
    axes.read(r, "r", f"{lead} rows hidden")
    axes.read(b, "b", f"{lead} biases")


def _cell(
    ctx: Context, x: Tensor, states: tuple[Tensor, ...], weights: Weights, hidden_size: int, gates: int, biases: int
) -> NamedAxes:
    axes = NamedAxes(ctx)
    axes.bind("hidden", hidden_size, "hidden_size")
    axes.read(x, "x", "batch input")
    for port, state in zip(("h", "c"), states):
        axes.read(state, port, "batch hidden")
    _weights(axes, weights, gates, biases)
    return axes


def _sequence(
    ctx: Context,
    x: Tensor,
    states: tuple[Tensor, ...],
    lengths: Tensor,
    weights: Weights,
    hidden_size: int,
    direction: str,
    gates: int,
    biases: int,
) -> list[Shape]:
    """Return every step's hidden state and the last states."""
    axes = NamedAxes(ctx)
    way = choice(ctx, "direction", direction, "forward reverse bidirectional")
    axes.bind("directions", 2 if way == "bidirectional" else 1, "the number of directions")
    axes.bind("hidden", hidden_size, "hidden_size")
    axes.read(x, "x", "batch steps input")
    for port, state in zip(("h", "c"), states):
        axes.read(state, port, STATE)
    axes.read(lengths, "lengths", "batch")
    _weights(axes, weights, gates, biases, "directions")
    return [axes.shape(STATES), *(axes.shape(STATE) for _ in states)]


@rule("RNNCell", domain=DOMAIN, unranked=2)
def rnn_cell(ctx: Context, x: Tensor, h: Tensor, w: Tensor, r: Tensor, b: Tensor, *, hidden_size: int) -> Shape:
    """Return the next hidden state."""
    return _cell(ctx, x, (h,), (w, r, b), hidden_size, 1, 1).shape("batch hidden")


@rule("GRUCell", domain=DOMAIN, since=3, unranked=2)
def gru_cell(
    ctx: Context,
    x: Tensor,
    h: Tensor,
    w: Tensor,
    r: Tensor,
    b: Tensor,
    *,
    hidden_size: int,
    linear_before_reset: bool = False,
) -> Shape:
    """Return the next hidden state."""
    biases = 4 if linear_before_reset else 3
    return _cell(ctx, x, (h,), (w, r, b), hidden_size, 3, biases).shape("batch hidden")


@rule("LSTMCell", domain=DOMAIN, unranked=2)
def lstm_cell(
    ctx: Context,
    x: Tensor,
    h: Tensor,
    c: Tensor,
    w: Tensor,
    r: Tensor,
    b: Tensor,
    p: Tensor | None = None,
    *,
    hidden_size: int,
) -> list[Shape]:
    """Return the next hidden state and cell; the first version has weights for peepholes."""
    axes = _cell(ctx, x, (h, c), (w, r, b), hidden_size, 4, 4)
    axes.bind("peepholes", mul(3, axes["hidden"]), "3*hidden_size", "hidden")
    axes.read(p, "p", "peepholes")
    return [axes.shape("batch hidden"), axes.shape("batch hidden")]


@rule("RNNSequence", domain=DOMAIN, since=5, unranked=[4, 3])
def rnn_sequence(
    ctx: Context,
    x: Tensor,
    h: Tensor,
    lengths: Tensor,
    w: Tensor,
    r: Tensor,
    b: Tensor,
    *,
    hidden_size: int,
    direction: str = "forward",
) -> list[Shape]:
    """Return every step's hidden state and the last one."""
    return _sequence(ctx, x, (h,), lengths, (w, r, b), hidden_size, direction, 1, 1)


@rule("GRUSequence", domain=DOMAIN, since=5, unranked=[4, 3])
def gru_sequence(
    ctx: Context,
    x: Tensor,
    h: Tensor,
    lengths: Tensor,
    w: Tensor,
    r: Tensor,
    b: Tensor,
    *,
    hidden_size: int,
    direction: str = "forward",
    linear_before_reset: bool = False,
) -> list[Shape]:
    """Return every step's hidden state and the last one."""
    biases = 4 if linear_before_reset else 3
    return _sequence(ctx, x, (h,), lengths, (w, r, b), hidden_size, direction, 3, biases)


@rule("LSTMSequence", domain=DOMAIN, since=5, unranked=[4, 3, 3])
def lstm_sequence(
    ctx: Context,
    x: Tensor,
    h: Tensor,
    c: Tensor,
    lengths: Tensor,
    w: Tensor,
    r: Tensor,
    b: Tensor,
    *,
    hidden_size: int,
    direction: str = "forward",
) -> list[Shape]:
    """Return every step's hidden state, the last one and the last cell."""
    return _sequence(ctx, x, (h, c), lengths, (w, r, b), hidden_size, direction, 4, 4)
