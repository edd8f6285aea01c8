"""The recorder: what runs inside the user's interpreter.

``all_sessions.py`` is what is started, and calls ``record.py``. All of it runs on Python 3.6 or
newer and TensorFlow 1.12 to 2.21, ``native`` and what only it imports on TensorFlow 2.16 or newer.

The process that compares imports nothing of it; ``shared.py`` next to this folder has what both
need.
"""
