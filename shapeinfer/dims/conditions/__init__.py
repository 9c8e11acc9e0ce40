"""Conditions on dims: decided, implied, simplified and solved."""
