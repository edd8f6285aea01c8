"""Skips what needs NumPy or TensorFlow where they are not installed."""

from __future__ import annotations

import importlib.util

collect_ignore_glob = []
if importlib.util.find_spec("numpy") is None:
    collect_ignore_glob.append("test_*.py")
elif importlib.util.find_spec("tensorflow") is None:
    collect_ignore_glob.append("test_record*.py")
