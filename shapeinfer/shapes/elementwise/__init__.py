"""Element-wise: broadcasting, and arithmetic on known entries."""
