"""Operators of onnxruntime's internal domain for channels last."""
