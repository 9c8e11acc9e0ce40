"""Tensors generated from numbers, shapes and patterns: operators of OpenVINO."""
