"""Skips this folder where tensorflow is missing; lets its tests import ``native_cases``."""

import importlib.util
import os
import sys
from pathlib import Path

import pytest

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
sys.path.insert(0, str(Path(__file__).parent))

_HERE = Path(__file__).parent
_MISSING = importlib.util.find_spec("tensorflow") is None


class _Skipped(pytest.Item):
    """Stands for a test file that needs tensorflow."""

    def runtest(self) -> None:
        pytest.skip("tensorflow is not installed: pip install 'tfmigrate[runtime]'")


class _SkippedFile(pytest.File):
    """A test file that is not imported, because tensorflow is missing."""

    def collect(self) -> list[_Skipped]:
        return [_Skipped.from_parent(self, name="needs_tensorflow")]


def pytest_pycollect_makemodule(
    module_path: Path, parent: pytest.Collector
) -> pytest.Collector | None:
    if _MISSING and module_path.parent == _HERE:
        return _SkippedFile.from_parent(parent, path=module_path)
    return None
