"""Lets the tests of this folder import ``support``, with readable assertions."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
pytest.register_assert_rewrite("support", "hazards")
