"""Sliding windows of convolutions and pools."""
