"""Answers about a finished inference: why a size is what it is, and why a condition is required."""
