"""Element by element: operators of ONNX."""
