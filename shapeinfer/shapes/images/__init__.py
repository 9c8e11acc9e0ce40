"""Images: scale factors and sampling points."""
