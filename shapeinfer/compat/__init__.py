"""The functions of other packages that ours can stand in for, with their signatures."""
