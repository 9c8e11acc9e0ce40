"""Products and reductions: operators of ONNX."""
