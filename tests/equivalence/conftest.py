"""Tests that run whole programs, two of them with a real TensorFlow 1.x."""

from __future__ import annotations

import os

import pytest
from fixture_cases import CASES


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "folder" in metafunc.fixturenames:
        metafunc.parametrize("folder", CASES, ids=lambda path: path.name)


@pytest.fixture(scope="session")
def estimator_python() -> str:
    path = os.environ.get("TFMIGRATE_ESTIMATOR_PYTHON")
    if not path:
        pytest.skip("needs a TensorFlow 2.15 interpreter: set TFMIGRATE_ESTIMATOR_PYTHON")
    return path
