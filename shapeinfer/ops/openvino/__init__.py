"""OpenVINO's operators according to its specification (opset1 to opset16), one module per family."""
