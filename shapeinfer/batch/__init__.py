"""Which models, and who checks them? Directories, globs and URLs, one after the other or on many processes."""
