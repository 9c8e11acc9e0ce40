"""Codes, findings, places, and the exceptions with them."""
