"""From what a rule found to what a person reads: at which node, since when, and why."""
