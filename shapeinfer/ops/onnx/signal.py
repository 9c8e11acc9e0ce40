"""Fourier transforms, and the windows and filters that go with them."""

from __future__ import annotations

from shapeinfer.diagnostics.codes import (
    AXIS_OUT_OF_RANGE,
    DIM_MISMATCH,
    RANK_MISMATCH,
    TOO_FEW_ELEMENTS,
    WINDOW_TOO_LARGE,
)
from shapeinfer.diagnostics.detail import Detail
from shapeinfer.dims import AnyOf, AtMost, Equal, Size, at_least, text_of
from shapeinfer.facts import Fact, Shape, Tensor, tensor
from shapeinfer.ops.context import Context
from shapeinfer.ops.onnx.elementwise.cast import element_type
from shapeinfer.ops.registry import rule
from shapeinfer.shapes.contents import only_entry, scalar, single
from shapeinfer.shapes.rank import of_rank_at_least


@rule("DFT", since=20)
def dft(
    ctx: Context,
    x: Tensor,
    dft_length: Tensor | None = None,
    axis: Tensor | None = None,
    *,
    inverse: int = 0,
    onesided: int = 0,
) -> Shape:
    """Transform along one axis; the last axis holds real and imaginary parts."""
    which: int | None = -2
    if axis is not None:
        single(ctx, axis, "axis")
        known_axis = scalar(ctx, axis)
        which = known_axis if isinstance(known_axis, int) else None
    return _transformed(ctx, x, dft_length, which, inverse, onesided)


@rule("DFT", since=17)
def first_dft(
    ctx: Context,
    x: Tensor,
    dft_length: Tensor | None = None,
    *,
    axis: int = 1,
    inverse: int = 0,
    onesided: int = 0,
) -> Shape:
    """Transform along one axis; the last axis holds real and imaginary parts."""
    return _transformed(ctx, x, dft_length, axis, inverse, onesided)


def _transformed(
    ctx: Context, x: Tensor, dft_length: Tensor | None, axis: int | None, inverse: int, onesided: int
) -> Shape:
    """Return the shape after the transform along ``axis``, which may be unknown."""
    of_rank_at_least(ctx, x, 2, "x")
    length = None if dft_length is None else only_entry(ctx, dft_length, "dft_length", 1)
    to_real = bool(inverse and onesided)
    _require_components(ctx, x, "x", (2,) if to_real else (1,) if onesided else (1, 2))
    parts = 1 if to_real else 2
    if axis is None:
        changed = length is not None or onesided
        return *((ctx.fresh() for _ in x.dims[:-1]) if changed else x.dims[:-1]), parts
    k = ctx.axis(axis, x.rank, negative=True, at="x")
    if k == x.rank - 1:
        message = (
            f"axis {axis} of {ctx.port_name('x')} has the real and imaginary parts; choose another axis to transform"
        )
        ctx.fail(AXIS_OUT_OF_RANGE, message, f"x[{k}]", Detail(given=axis, range=range(-x.rank, x.rank - 1)))
    out = [*x.dims[:-1], parts]
    out[k] = _bins(ctx, x.dims, k, length, to_real=to_real, onesided=bool(onesided))
    return tuple(out)


def _require_components(ctx: Context, x: Tensor, port: str, allowed: tuple[int, ...]) -> None:
    """Require that the last axis is 1 for real numbers or 2 for complex ones, as far as both are allowed."""
    last = x.dims[-1]
    open_ones = [n for n in allowed if not Equal(last, n).answer().is_no] or allowed
    conditions = tuple(Equal(last, n) for n in open_ones)
    condition = conditions[0] if len(conditions) == 1 else AnyOf(conditions)
    message = f"the last axis of {ctx.port_name(port)} is {text_of(last)}; it must be {' or '.join(map(str, allowed))}"
    ctx.require(condition, DIM_MISMATCH, message, f"{port}[-1]")


def _bins(ctx: Context, shape: Shape, axis: int, length: Size | None, *, to_real: bool, onesided: bool) -> Size:
    """Return how long the transformed axis is: half as long where the other half mirrors it."""
    size = shape[axis]
    if length is not None or onesided:
        # If another axis is empty the output is empty, too, provided that its size is known: half of 0 is not.
        others = (Equal(d, 0) for i, d in enumerate(shape[:-1]) if i != axis)
        empty = tuple(c for c in others if not c.answer().is_no and (length is not None or not to_real))
        message = f"axis {axis} of {ctx.port_name('x')} is {text_of(size)}; it must be at least 1 to be transformed"
        condition = AnyOf((at_least(size, 1), *empty)) if empty else at_least(size, 1)
        ctx.require(condition, TOO_FEW_ELEMENTS, message, f"x[{axis}]")
    if length is None:
        length = 2 * (size - 1) if to_real else size
    return length // 2 + 1 if onesided and not to_real else length


@rule("STFT", since=17, unranked=4)
def stft(
    ctx: Context,
    signal: Tensor,
    frame_step: Tensor,
    window: Tensor | None = None,
    frame_length: Tensor | None = None,
    *,
    onesided: int = 1,
) -> Shape:
    """Transform frames of the signal, each some steps after the one before."""
    if signal.rank not in (2, 3):
        ctx.fail(RANK_MISMATCH, f"{ctx.port_name('signal')} is {signal.text}; it must have rank 3", "signal")
    step = only_entry(ctx, frame_step, "frame_step", 1)
    if signal.rank == 3:
        _require_components(ctx, signal, "signal", (1, 2))
    batch, samples, *_ = signal.dims
    frame, place = _frame(ctx, samples, window, frame_length)
    message = (
        f"a frame of {text_of(frame)} is longer than {ctx.port_name('signal')}, which has {text_of(samples)} samples"
    )
    fits = ctx.require(AtMost(frame, samples), WINDOW_TOO_LARGE, message, f"signal[1] {place}")
    frames = ctx.fresh() if fits.is_no else (samples - frame) // step + 1
    return batch, frames, frame // 2 + 1 if onesided else frame, 2


def _frame(ctx: Context, samples: Size, window: Tensor | None, frame_length: Tensor | None) -> tuple[Size, str]:
    """Return the size of a frame and its place: ``frame_length``, else the window's, else the whole signal's."""
    wide = None
    if window is not None:
        if window.rank != 1:
            ctx.fail(RANK_MISMATCH, f"{ctx.port_name('window')} is {window.text}; it must have rank 1", "window")
        wide = window.dims[0]
        ctx.require(at_least(wide, 1), TOO_FEW_ELEMENTS, f"{ctx.port_name('window')} has no entries", "window[0]")
    if frame_length is None:
        return (samples, "") if wide is None else (wide, "window[0]")
    length = only_entry(ctx, frame_length, "frame_length", 1)
    if wide is None:
        return length, "frame_length"
    message = f"frame_length is {text_of(length)} but window has {text_of(wide)} entries"
    return ctx.equal(wide, length, DIM_MISMATCH, "window[0] frame_length", message), "frame_length"


def _window(ctx: Context, operator: str, size: Tensor, output_datatype: int) -> Fact:
    dtype = element_type(ctx, operator, "output_datatype", output_datatype)
    return tensor(dtype, (only_entry(ctx, size, "size", 0),))


@rule("BlackmanWindow", since=17, unranked=1)
def blackman_window(ctx: Context, size: Tensor, *, output_datatype: int = 1) -> Fact:
    """Return a Blackman window of so many points."""
    return _window(ctx, "BlackmanWindow", size, output_datatype)


@rule("HammingWindow", since=17, unranked=1)
def hamming_window(ctx: Context, size: Tensor, *, output_datatype: int = 1) -> Fact:
    """Return a Hamming window of so many points."""
    return _window(ctx, "HammingWindow", size, output_datatype)


@rule("HannWindow", since=17, unranked=1)
def hann_window(ctx: Context, size: Tensor, *, output_datatype: int = 1) -> Fact:
    """Return a Hann window of so many points."""
    return _window(ctx, "HannWindow", size, output_datatype)


@rule("MelWeightMatrix", since=17, unranked=2)
def mel_weight_matrix(
    ctx: Context,
    num_mel_bins: Tensor,
    dft_length: Tensor,
    sample_rate: Tensor,
    lower_edge_hertz: Tensor,
    upper_edge_hertz: Tensor,
    *,
    output_datatype: int = 1,
) -> Fact:
    """Return the matrix from the bins of a one-sided spectrum to those of the mel scale."""
    dtype = element_type(ctx, "MelWeightMatrix", "output_datatype", output_datatype)
    single(ctx, sample_rate, "sample_rate")
    single(ctx, lower_edge_hertz, "lower_edge_hertz")
    single(ctx, upper_edge_hertz, "upper_edge_hertz")
    bins = only_entry(ctx, num_mel_bins, "num_mel_bins", 0)
    return tensor(dtype, (only_entry(ctx, dft_length, "dft_length", 0) // 2 + 1, bins))
