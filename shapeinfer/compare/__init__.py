"""What changed between two models? Their reports compared by meaning: symbols by place, conditions by implication."""
