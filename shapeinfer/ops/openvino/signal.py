"""Fourier transforms; complex numbers are pairs along the last axis."""

from __future__ import annotations

from collections.abc import Sequence

from shapeinfer.diagnostics.codes import (
    DIM_MISMATCH,
    DUPLICATE_AXIS,
    LENGTH_MISMATCH,
    NEGATIVE_LENGTH,
    RANK_MISMATCH,
    TOO_FEW_ELEMENTS,
    WINDOW_TOO_LARGE,
)
from shapeinfer.diagnostics.detail import Detail
from shapeinfer.dims import AtMost, Dim, Equal, Size, add, at_least, mul, sub, text_of
from shapeinfer.facts import Shape, Tensor
from shapeinfer.ops.context import Context
from shapeinfer.ops.openvino.schema import DOMAIN, FLOATS, INDEX, operator
from shapeinfer.ops.registry import rule
from shapeinfer.shapes.contents import only_entry
from shapeinfer.shapes.movement.reshape import need_list
from shapeinfer.shapes.rank import of_rank, of_rank_at_least

for _since, _names in {7: "DFT IDFT", 9: "RDFT IRDFT"}.items():
    for _name in _names.split():
        operator(f"{_name}(data: T, axes: I, signal_size?: S) -> output: T", since=_since, T=FLOATS, I=INDEX, S=INDEX)
_FRAMES = "window: T, frame_size: I, frame_step: I"
operator(f"STFT(signal: T, {_FRAMES}; transpose_frames: bool) -> output: T", since=15, T=FLOATS, I=INDEX)
operator(
    f"ISTFT(data: T, {_FRAMES}, signal_length?: I; center: bool, normalized: bool) -> output: T",
    since=16,
    T=FLOATS,
    I=INDEX,
)


@rule("DFT", "IDFT", domain=DOMAIN, since=7)
def dft(ctx: Context, data: Tensor, axes: Tensor, signal_size: Tensor | None = None) -> Shape:
    """Transform complex numbers along some axes, which ``signal_size`` cuts or fills up."""
    _check_pairs(ctx, data)
    signal, _ = _resized(ctx, data.dims[:-1], axes, signal_size)
    return *signal, 2


@rule("RDFT", domain=DOMAIN, since=9)
def rdft(ctx: Context, data: Tensor, axes: Tensor, signal_size: Tensor | None = None) -> Shape:
    """Transform real numbers; along the last of the axes the second half, which mirrors the first, is left out."""
    of_rank_at_least(ctx, data, 1, "data")
    signal, along = _resized(ctx, data.dims, axes, signal_size)
    if along is None:
        return *(ctx.fresh() for _ in signal), 2
    last = _last(ctx, along)
    _check_length(ctx, signal[last], last)
    return *(d // 2 + 1 if i == last else d for i, d in enumerate(signal)), 2


@rule("IRDFT", domain=DOMAIN, since=9)
def irdft(ctx: Context, data: Tensor, axes: Tensor, signal_size: Tensor | None = None) -> Shape:
    """Transform complex numbers to real ones; along the last of the axes only the first half is there."""
    _check_pairs(ctx, data)
    before = data.dims[:-1]
    signal, along = _resized(ctx, before, axes, signal_size)
    if along is None:
        return tuple(ctx.fresh() for _ in signal)
    last = _last(ctx, along)
    if signal_size is not None and not _is_kept(signal_size, len(along) - 1):
        return signal
    _check_length(ctx, before[last], last)
    return tuple(mul(2, sub(d, 1)) if i == last else d for i, d in enumerate(signal))


def _check_pairs(ctx: Context, data: Tensor) -> None:
    of_rank_at_least(ctx, data, 2, "data")
    message = f"the last axis of data is {text_of(data.dims[-1])}; it must be 2 (real and imaginary part)"
    ctx.require(Equal(data.dims[-1], 2), DIM_MISMATCH, message, "data[-1]")


def _check_length(ctx: Context, size: Size, axis: int) -> None:
    message = f"axis {axis} of data is {text_of(size)}; it must be at least 1 to be transformed"
    ctx.require(at_least(size, 1), TOO_FEW_ELEMENTS, message, f"data[{axis}]")


def _last(ctx: Context, along: Sequence[int]) -> int:
    if not along:
        ctx.fail(TOO_FEW_ELEMENTS, "axes is empty; it must name an axis to transform", "axes")
    return along[-1]


def _resized(
    ctx: Context, shape: Shape, axes: Tensor, signal_size: Tensor | None
) -> tuple[Shape, tuple[int, ...] | None]:
    """Return the shape with the transformed axes in their ``signal_size``, and these axes, None if unknown.

    They are axes of ``shape``, so a negative one counts from its end.
    """
    listed = need_list(ctx, axes, "axes")
    along = _transformed_axes(ctx, listed, len(shape))
    if signal_size is None:
        return shape, along
    sizes = need_list(ctx, signal_size, "signal_size")
    if listed.shape is not None and sizes.shape is not None:
        message = (
            f"signal_size has {text_of(sizes.shape[0])} entries; expected {text_of(listed.shape[0])}, one per axis"
        )
        if ctx.require(Equal(sizes.shape[0], listed.shape[0]), LENGTH_MISMATCH, message, "signal_size[0]").is_no:
            along = None
    if along is None:
        return tuple(ctx.fresh() for _ in shape), along
    out = list(shape)
    for k, axis in enumerate(along):
        out[axis] = _transformed_size(ctx, shape[axis], sizes, k)
    return tuple(out), along


def _transformed_axes(ctx: Context, axes: Tensor, rank: int) -> tuple[int, ...] | None:
    if axes.value is None or not all(isinstance(a, int) for a in axes.value):
        return None
    found = tuple(ctx.axis(int(a), rank, at="axes") for a in axes.value if isinstance(a, int))
    if len(set(found)) != len(found):
        twice = next(a for i, a in enumerate(found) if a in found[:i])
        detail = Detail(given=twice, range=range(-rank, rank))
        ctx.fail(DUPLICATE_AXIS, f"axes {list(axes.value)} has duplicates", "axes", detail)
    return found


def _transformed_size(ctx: Context, size: Size, sizes: Tensor, k: int) -> Size:
    """Return the size that an entry of ``signal_size`` sets; -1 keeps the axis."""
    if _is_kept(sizes, k):
        return size
    asked = None if sizes.value is None else sizes.value[k]
    if isinstance(asked, int):
        message = f"entry {k} of signal_size is {asked}; it must be at least 0, or -1"
        return ctx.fresh() if ctx.require(AtMost(0, asked), NEGATIVE_LENGTH, message, "signal_size").is_no else asked
    return asked if isinstance(asked, Dim) and at_least(asked, 0).answer().is_yes else ctx.fresh()


def _is_kept(sizes: Tensor, k: int) -> bool:
    return sizes.value is not None and sizes.value[k] == -1


@rule("STFT", domain=DOMAIN, since=15)
def stft(
    ctx: Context,
    signal: Tensor,
    window: Tensor,
    frame_size: Tensor,
    frame_step: Tensor,
    *,
    transpose_frames: bool,
) -> Shape:
    """Transform frames of the signals, each some steps after the one before."""
    if signal.rank not in (1, 2):
        ctx.fail(RANK_MISMATCH, f"{ctx.port_name('signal')} is {signal.text}; it must have rank 1 or 2", "signal")
    frame, step = _frame(ctx, window, frame_size, frame_step)
    *batch, samples = signal.dims
    message = (
        f"a frame of {text_of(frame)} is longer than {ctx.port_name('signal')}, which has {text_of(samples)} samples"
    )
    fits = ctx.require(AtMost(frame, samples), WINDOW_TOO_LARGE, message, f"signal[{len(batch)}]")
    frames = ctx.fresh() if fits.is_no else (samples - frame) // step + 1
    bins = frame // 2 + 1
    return *batch, *((bins, frames) if transpose_frames else (frames, bins)), 2


def _frame(ctx: Context, window: Tensor, frame_size: Tensor, frame_step: Tensor) -> tuple[Size, Size]:
    """Return how long a frame is and how far apart they are; the window is no longer than a frame."""
    of_rank(ctx, window, 1, "window")
    of_rank(ctx, frame_size, 0, "frame_size")
    of_rank(ctx, frame_step, 0, "frame_step")
    frame, step = only_entry(ctx, frame_size, "frame_size", 1), only_entry(ctx, frame_step, "frame_step", 1)
    if window.shape is not None:
        message = f"window has {text_of(window.shape[0])} entries but frame_size is {text_of(frame)}"
        ctx.require(AtMost(window.shape[0], frame), WINDOW_TOO_LARGE, message, "window[0]")
        ctx.require(at_least(window.shape[0], 1), TOO_FEW_ELEMENTS, "the window is empty", "window[0]")
    return frame, step


@rule("ISTFT", domain=DOMAIN, since=16)
def istft(
    ctx: Context,
    data: Tensor,
    window: Tensor,
    frame_size: Tensor,
    frame_step: Tensor,
    signal_length: Tensor | None = None,
    *,
    center: bool,
) -> Shape:
    """Reassemble the signals from their frames, in their old length or that of ``signal_length``.

    Where frames are centered and of odd length, OpenVINO gives one element more than its specification says.
    """
    if data.rank not in (3, 4):
        ctx.fail(RANK_MISMATCH, f"{ctx.port_name('data')} is {data.text}; it must have rank 3 or 4", "data")
    frame, step = _frame(ctx, window, frame_size, frame_step)
    *batch, bins, frames, _ = data.dims
    message = (
        f"axis {len(batch)} of data is {text_of(bins)}; "
        f"it must be {text_of(frame // 2 + 1)} for frames of {text_of(frame)}"
    )
    ctx.equal(bins, frame // 2 + 1, DIM_MISMATCH, f"data[{len(batch)}]", message)
    if signal_length is not None:
        return *batch, only_entry(ctx, signal_length, "signal_length", 0)
    ctx.require(at_least(frames, 1), TOO_FEW_ELEMENTS, "data has no frames", f"data[{len(batch) + 1}]")
    between = mul(sub(frames, 1), step)
    if not center:
        return *batch, add(between, frame)
    if frame % 2 == 0:
        return *batch, between
    return *batch, add(between, frame % 2) if ctx.profile == "openvino" else ctx.fresh()
