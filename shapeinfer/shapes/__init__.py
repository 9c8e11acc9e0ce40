"""Shape arithmetic that both dialects share. Pure: no node, no model, only lengths and a ledger."""
