"""Movement of entries: axes, indices, slices, padding, reshaping."""
