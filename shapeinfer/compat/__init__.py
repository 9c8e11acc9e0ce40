"""Drop-in replacements of functions of other packages, with their signatures."""
