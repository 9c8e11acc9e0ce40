"""How do we say it? Codes, findings, places, and the errors that carry them."""
