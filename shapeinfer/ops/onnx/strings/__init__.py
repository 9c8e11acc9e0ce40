"""Strings: operators of ONNX."""
