"""Linear algebra: matrix products, Einstein sums, reductions."""
