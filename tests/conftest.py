"""Lets tests start programs in processes that have imported TensorFlow already (warm_python).

``sys.executable`` is such an interpreter while tests run. TFMIGRATE_COLD=1 keeps the real one.

What takes longest comes first, so that no worker of xdist is left alone with it at the end.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import settings
from warm_python.warm_launcher import write_launcher

_FOLDER = "TFMIGRATE_WARM_PYTHON"  # tells the workers of xdist which folder is everybody's
# All cases of a folder are run by one fixture or test, which a worker that helps out would repeat.
_FIRST = ("keras", "symbols")

# Deterministic: whether CI passes does not depend on chance. A loaded machine is no failure.
_HYPOTHESIS = {"deadline": None, "derandomize": True, "database": None}
settings.register_profile("short", max_examples=25, **_HYPOTHESIS)
settings.register_profile("long", max_examples=150, **_HYPOTHESIS)
settings.load_profile("short")


def pytest_configure(config: pytest.Config) -> None:
    is_possible = sys.platform == "linux" and importlib.util.find_spec("tensorflow") is not None
    if not is_possible or os.environ.get("TFMIGRATE_COLD"):
        return
    is_worker = hasattr(config, "workerinput")
    if not is_worker:
        folder = Path(tempfile.mkdtemp(prefix="tfmigrate-warm-"))
        config.add_cleanup(lambda: shutil.rmtree(folder))
        write_launcher(folder, sys.executable)
        os.environ[_FOLDER] = str(folder)
    if is_worker or not config.getoption("numprocesses", None):
        sys.executable = str(Path(os.environ[_FOLDER]) / "python")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: item.path.parent.name not in _FIRST)


@pytest.fixture
def process_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """Has programs started by the interpreter itself: tests of what becomes of their processes."""
    monkeypatch.setenv("TFMIGRATE_COLD", "1")


@pytest.fixture(scope="session")
def reference_python() -> str:
    path = os.environ.get("TFMIGRATE_REFERENCE_PYTHON")
    if not path:
        pytest.skip("needs a TensorFlow 1.x interpreter: set TFMIGRATE_REFERENCE_PYTHON")
    return path
