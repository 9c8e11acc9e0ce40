"""Operators of onnxruntime-extensions: tokenizers, and texts, segments and signals."""
