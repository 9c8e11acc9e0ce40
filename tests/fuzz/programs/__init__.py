"""Random programs on shape tensors that end in operators whose output's shape they decide."""
