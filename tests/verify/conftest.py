"""Lets the tests of this folder import ``verify_support``, with readable assertions."""

import importlib.util
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
pytest.register_assert_rewrite("verify_support")


@pytest.fixture(scope="session")
def tensorflow_installed():
    if importlib.util.find_spec("tensorflow") is None:
        pytest.skip("runs programs: needs tensorflow (pip install 'tfmigrate[runtime]')")
