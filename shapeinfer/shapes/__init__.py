"""Shape arithmetic that both dialects share. Pure: no node, no model, only sizes and a ledger."""
