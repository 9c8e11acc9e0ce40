"""What an editor shows of a model's text: plain functions of a text that was read and checked, and a thin server."""
