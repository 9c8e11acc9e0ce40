"""Operator rules: one module per family, one function per rule."""
