"""Sequences and optionals: operators of ONNX."""
