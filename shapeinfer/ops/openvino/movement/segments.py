"""Segments of tensors, and rows of sparse ones."""

from __future__ import annotations

from shapeinfer.diagnostics.codes import INDEX_OUT_OF_RANGE
from shapeinfer.dims import Size
from shapeinfer.facts import Contents, Shape, Tensor
from shapeinfer.ops.context import Context
from shapeinfer.ops.openvino.schema import ANY, DOMAIN, INDEX, NUMBERS, choice, operator
from shapeinfer.ops.registry import rule
from shapeinfer.shapes.contents import only_entry
from shapeinfer.shapes.named import NamedAxes
from shapeinfer.shapes.rank import of_rank, of_rank_at_least

operator(
    "SegmentMax(data: T, segment_ids: I, num_segments?: N; fill_mode: string) -> output: T",
    since=16,
    T=NUMBERS,
    I=INDEX,
    N=INDEX,
)
operator(
    "SparseFillEmptyRows(values: T, dense_shape: I, indices: I, default_value: T)"
    " -> output_indices: I, output_values?: T, empty_row_indicator?: bool",
    since=16,
    T=ANY,
    I=INDEX,
)


@rule("SegmentMax", domain=DOMAIN, since=16)
def segment_max(
    ctx: Context, data: Tensor, segment_ids: Tensor, num_segments: Tensor | None = None, *, fill_mode: str
) -> Shape:
    """Return one row per segment: ``num_segments``, or as many as the last segment id requires."""
    choice(ctx, "fill_mode", fill_mode, "zero lowest")
    of_rank_at_least(ctx, data, 1, "data")
    of_rank(ctx, segment_ids, 1, "segment_ids")
    if data.shape is not None and segment_ids.shape is not None:
        ctx.equal(data.shape[0], segment_ids.shape[0], at="data[0] segment_ids[0]")
    if num_segments is not None:
        of_rank(ctx, num_segments, 0, "num_segments")
        return only_entry(ctx, num_segments, "num_segments", 0), *data.dims[1:]
    ids = _integers(segment_ids.value)
    return max(ids) + 1 if ids else ctx.fresh(), *data.dims[1:]


def _integers(value: Contents | None) -> list[int] | None:
    """Return entries that are all known to be integers, else None."""
    found = [v for v in value or () if isinstance(v, int)]
    return found if value is not None and len(found) == len(value) else None


@rule("SparseFillEmptyRows", domain=DOMAIN, since=16, unranked=[2, 1, 1])
def sparse_fill_empty_rows(
    ctx: Context, values: Tensor, dense_shape: Tensor, indices: Tensor, default_value: Tensor
) -> list[Shape]:
    """Add an entry to each empty row of a sparse matrix, and return which rows those are."""
    axes = NamedAxes(ctx)
    axes.bind("coordinates", 2, "a row and a column")
    axes.read(values, "values", "entries")
    axes.read(indices, "indices", "entries coordinates")
    axes.read(dense_shape, "dense_shape", "coordinates")
    of_rank(ctx, default_value, 0, "default_value")
    rows = ctx.dims(dense_shape, "dense_shape")[0] if dense_shape.shape == (2,) else ctx.fresh()
    entries = _filled(ctx, axes, indices, rows)
    return [(entries, 2), (entries,), (rows,)]


def _filled(ctx: Context, axes: NamedAxes, indices: Tensor, rows: Size) -> Size:
    """Return how many entries there are with one in each row."""
    known = _integers(indices.value)
    if known is None or not isinstance(rows, int):
        return ctx.fresh()
    taken = set(known[::2])
    if not all(0 <= row < rows for row in taken):
        ctx.fail(
            INDEX_OUT_OF_RANGE,
            f"a row in indices is out of range for the {rows} rows of dense_shape",
            "indices dense_shape",
        )
    return len(known) // 2 + rows - len(taken)
