"""Lets tests start programs in processes that have imported TensorFlow already (warm_python).

``sys.executable`` is such an interpreter while tests run. TFMIGRATE_COLD=1 keeps the real one.
Where TensorFlow is not installed, the files that need it are skipped.

Folders whose cases are run by one program for a whole file come first: one worker of xdist then
runs them all, where one that helped out at the end would run the program again.
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
_FIRST = ("symbols", "tf1_shim")
# Ids of tests that reach nothing that cheaper ones do not: `make test-all` runs them, each night.
_COVERED_ELSEWHERE = Path(__file__).with_name("covered_elsewhere.txt")

_WITHOUT_TENSORFLOW = importlib.util.find_spec("tensorflow") is None
# Folders and files of tests that import TensorFlow or run programs that do.
_NEED_TENSORFLOW = (
    "between_graph", "checkpoint", "cluster", "constructs", "equivalence", "keras", "learn",
    "native", "programs", "runtime", "tf1_shim", "towers",
    "gpu/test_on_gpus.py", "gpu/test_without_a_gpu.py",
    "hosts/test_verify_on_hosts.py", "mutations/test_graphs_run.py",
    "symbols/test_equivalent_parameters.py", "symbols/test_keras_classes.py",
    "symbols/test_symbol_numbers.py",
)  # fmt: skip

# Modules beside tests whose assertions are to be as readable.
pytest.register_assert_rewrite("hazards", "learn_support", "runtime_support", "support")
_NEEDY_FOLDERS = tuple(f"{name}/" for name in _NEED_TENSORFLOW if not name.endswith(".py"))

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ["TFMIGRATE_RECORDINGS"] = ""  # no test takes a recording of another

# Deterministic: whether CI passes does not depend on chance. A loaded machine is not a failure.
_HYPOTHESIS = {"deadline": None, "derandomize": True, "database": None}
settings.register_profile("short", max_examples=25, **_HYPOTHESIS)
settings.register_profile("long", max_examples=150, **_HYPOTHESIS)
settings.load_profile("short")


def pytest_configure(config: pytest.Config) -> None:
    if sys.platform != "linux" or _WITHOUT_TENSORFLOW or os.environ.get("TFMIGRATE_COLD"):
        return
    is_worker = hasattr(config, "workerinput")
    if not is_worker:
        folder = Path(tempfile.mkdtemp(prefix="tfmigrate-warm-"))
        config.add_cleanup(lambda: shutil.rmtree(folder))
        write_launcher(folder, sys.executable)
        os.environ[_FOLDER] = str(folder)
    if is_worker or not config.getoption("numprocesses", None):
        sys.executable = str(Path(os.environ[_FOLDER]) / "python")


@pytest.hookimpl(optionalhook=True)  # xdist may be off
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int | None:
    """Returns one worker more than there are cores: tests of clusters and time limits wait."""
    del config
    return None if _WITHOUT_TENSORFLOW else (os.cpu_count() or 1) + 1


class _Skipped(pytest.Item):
    """Stands for a test file that needs TensorFlow."""

    def runtest(self) -> None:
        pytest.skip("tensorflow is not installed: pip install 'tfmigrate[runtime]'")


class _SkippedFile(pytest.File):
    """A test file that is not imported, because TensorFlow is missing."""

    def collect(self) -> list[_Skipped]:
        return [_Skipped.from_parent(self, name="needs_tensorflow")]


def pytest_pycollect_makemodule(
    module_path: Path, parent: pytest.Collector
) -> pytest.Collector | None:
    name = module_path.relative_to(Path(__file__).parent).as_posix()
    if _WITHOUT_TENSORFLOW and (name in _NEED_TENSORFLOW or name.startswith(_NEEDY_FOLDERS)):
        return _SkippedFile.from_parent(parent, path=module_path)
    return None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    elsewhere = set(_COVERED_ELSEWHERE.read_text("utf-8").splitlines())
    for item in items:
        if item.nodeid in elsewhere:
            item.add_marker(pytest.mark.long)
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
