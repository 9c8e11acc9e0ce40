"""Comparison of two models by meaning: symbols by place, conditions by implication."""
