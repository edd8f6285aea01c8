"""Tests of between-graph training: they need TensorFlow."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "cluster"))

if importlib.util.find_spec("tensorflow") is None:
    collect_ignore_glob = ["test_*.py"]
