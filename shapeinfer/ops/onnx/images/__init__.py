"""Images, regions and boxes: operators of ONNX."""
