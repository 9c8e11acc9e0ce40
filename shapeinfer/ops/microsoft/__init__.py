"""Operators that onnxruntime's optimizer, quantizer and tools write, domain ``com.microsoft``."""
