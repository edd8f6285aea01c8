"""Which files are worth parsing, and which belong together, by their bytes."""
