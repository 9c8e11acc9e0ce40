"""What does each operator do? One module for each family, one function for each rule."""
