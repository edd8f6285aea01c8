"""Lets the tests of this folder import its programs; skips them where tensorflow is missing."""

import importlib.util
import os
import sys
from pathlib import Path

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
sys.path.insert(0, str(Path(__file__).parent))
collect_ignore = []
if importlib.util.find_spec("tensorflow") is None:
    collect_ignore += ["test_constructs.py"]
