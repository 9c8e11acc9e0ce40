"""Layers of networks: operators of ONNX."""
