"""Tests on real GPUs: `pytest -m gpu` runs them, and they are skipped where there is none."""

from __future__ import annotations

import importlib.util
import platform
import subprocess
import sys
from pathlib import Path

import pytest

_ASK = (
    "import tensorflow as tf; gpus = tf.config.list_physical_devices('GPU');"
    "print(tf.__version__, len(gpus))"
)

if importlib.util.find_spec("tensorflow") is None:
    collect_ignore_glob = ["test_*.py"]


def why_there_is_no_gpu() -> str | None:
    """Returns why tests on GPUs cannot be run; None where they can, and writes down on what."""
    from gpu_fixtures import RESULTS, keep

    # Asked first: TensorFlow takes seconds to say the same.
    if not Path("/proc/driver/nvidia/version").exists() and not list(Path("/dev").glob("nvidia*")):
        return "this machine has no NVIDIA GPU"
    asked = subprocess.run(
        [sys.executable, "-c", _ASK], capture_output=True, text=True, timeout=300
    )
    if asked.returncode:
        return f"TensorFlow does not start: {asked.stderr[-300:]}"
    version, count = asked.stdout.split()
    if count == "0":
        return f"TensorFlow {version} finds no GPU: are its CUDA libraries there (tfmigrate[gpu])?"
    query = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]
    listed = subprocess.run(query, capture_output=True, text=True, check=True).stdout
    RESULTS.unlink(missing_ok=True)
    name, driver = listed.splitlines()[0].split(", ")
    machine = {"gpu": name, "gpus": int(count), "driver": driver, "tensorflow": version}
    keep("machine", "this", {**machine, "python": platform.python_version()})
    return None


@pytest.fixture(scope="session")
def gpu() -> None:
    """Skips a test where there is no GPU."""
    reason = why_there_is_no_gpu()
    if reason is not None:
        pytest.skip(reason)
