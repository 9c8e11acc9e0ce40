"""Dims and conditions in the notation of others: text, plain data and sympy."""
