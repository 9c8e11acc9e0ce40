"""Python programs in an editor, with the shapes of the models that were exported from them."""
