"""Tests of original programs on current TensorFlow: they need TensorFlow."""

from __future__ import annotations

import importlib.util

if importlib.util.find_spec("tensorflow") is None:
    collect_ignore_glob = ["test_*.py"]
