"""Entries copied, picked, reordered and repeated: operators of ONNX."""
