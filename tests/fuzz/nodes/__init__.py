"""ONNX's own cases for operators with symbolic inputs, and changed attributes, versions and wiring."""
