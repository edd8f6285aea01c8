"""Tests of ``tfmigrate checkpoint``: they need TensorFlow, one of them a real TensorFlow 1.x."""

from __future__ import annotations

import importlib.util

if importlib.util.find_spec("tensorflow") is None:
    collect_ignore_glob = ["test_*.py"]
