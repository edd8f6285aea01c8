"""Runs an original and a migrated program and shows whether they train the same.

Importing this package does not import tensorflow: programs run in processes of their own.
"""
