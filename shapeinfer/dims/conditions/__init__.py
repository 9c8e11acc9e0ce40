"""Conditions on dims: asked, implied, simplified and solved."""
