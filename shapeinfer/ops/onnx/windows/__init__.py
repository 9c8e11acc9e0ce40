"""Sliding windows: operators of ONNX."""
