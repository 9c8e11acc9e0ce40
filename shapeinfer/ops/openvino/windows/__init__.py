"""Sliding windows: operators of OpenVINO."""
