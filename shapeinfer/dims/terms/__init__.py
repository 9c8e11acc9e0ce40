"""Dims as terms in one normal form: symbols, sums, products, floors and selections, and their arithmetic."""
