"""Editor features for a model's text: plain functions of a checked text, and a thin server."""
