"""Which files are worth parsing, and which belong together: asked of their bytes."""
