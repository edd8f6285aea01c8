"""Conversion of Python 2 files before they are migrated."""
