"""What does the user want to hear? Settings from files, which findings count, and what a baseline holds already."""
