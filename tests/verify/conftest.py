"""Skips what needs NumPy or TensorFlow where they are not installed."""

from __future__ import annotations

import importlib.util

import pytest

collect_ignore_glob = []
if importlib.util.find_spec("numpy") is None:
    collect_ignore_glob.append("test_*.py")
else:
    from changed_program import changed  # noqa: F401 - a fixture
    from native_program import native  # noqa: F401 - a fixture


@pytest.fixture(scope="session")
def tensorflow_installed() -> None:
    if importlib.util.find_spec("tensorflow") is None:
        pytest.skip("runs programs: needs tensorflow (pip install 'tfmigrate[runtime]')")
