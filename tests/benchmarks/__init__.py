"""Benchmarks: what shape inference costs, beside other engines and as models grow. No test runs them."""
