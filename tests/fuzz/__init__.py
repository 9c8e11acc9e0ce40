"""Fuzzing: broken and hostile input, made at random. ``python -m tests.fuzz onnx`` runs it."""
