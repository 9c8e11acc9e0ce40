"""Tensors made of numbers, shapes and patterns: operators of OpenVINO."""
