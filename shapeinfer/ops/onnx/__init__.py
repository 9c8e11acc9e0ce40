"""ONNX's own operators (ai.onnx), one module for each family."""
