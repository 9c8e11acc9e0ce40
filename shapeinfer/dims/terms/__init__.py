"""Dims as hash-consed terms in canonical form: symbols, sums, products, floors, selections, and their arithmetic."""
