"""Python 2 files, converted before they are migrated."""
