"""Layers of networks: operators of OpenVINO."""
