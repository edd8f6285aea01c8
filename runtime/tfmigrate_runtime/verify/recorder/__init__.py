"""The recorder: what runs inside the user's interpreter, on Python 3.6 or newer.

The process that compares imports nothing of it; ``shared.py`` next to this folder has what both
need.
"""
