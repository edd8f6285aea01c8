"""Lets the tests of this folder import its modules; skips them where tensorflow is missing."""

import importlib.util
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
collect_ignore = []
if importlib.util.find_spec("tensorflow") is None:
    collect_ignore += ["test_equivalent_parameters.py", "test_symbol_numbers.py"]
