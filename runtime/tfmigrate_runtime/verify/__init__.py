"""Runs an original and a migrated program and compares how they train.

``record`` runs in the user's interpreter, everything else here needs NumPy and rich only.
"""
