"""Tests on real GPUs: `pytest -m gpu` runs them, and they are skipped where there is none.

scripts/gpu/prove.py runs them in several calls, with the options below.
"""

from __future__ import annotations

import platform
import subprocess
import sys
import time
from collections.abc import Generator
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from gpu_results import Findings

_RESULTS = Path(__file__).parents[2] / "build" / "gpu_results.json"
_ASK = (
    "import tensorflow as tf; gpus = tf.config.list_physical_devices('GPU');"
    "print(tf.__version__, len(gpus))"
)


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("GPUs", "only with the folder tests/gpu on the command line")
    group.addoption("--rehearse", action="store_true", help="CPUs take the places of GPUs")
    group.addoption("--gpu-results", type=Path, default=_RESULTS, help="file of findings")
    group.addoption("--gpu-resume", action="store_true", help="leave out what the file has")
    group.addoption("--gpu-until", type=float, help="start no test after this time (epoch)")


def findings_of(config: pytest.Config) -> Findings:
    return Findings(config.getoption("--gpu-results", default=_RESULTS))


def pytest_configure(config: pytest.Config) -> None:
    is_worker = hasattr(config, "workerinput")
    if not is_worker and not config.getoption("--gpu-resume", default=True):
        findings_of(config).path.unlink(missing_ok=True)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--gpu-resume", default=False):
        ended = findings_of(config).read("ended")
        config.hook.pytest_deselected(items=[item for item in items if item.name in ended])
        items[:] = [item for item in items if item.name not in ended]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if call.when == "call" and item.get_closest_marker("gpu"):
        why = None if call.excinfo is None else call.excinfo.exconly()[-2000:]
        ended = {"seconds": round(report.duration, 1), "failed": why}
        findings_of(item.config).keep("ended", item.name, ended)
    return report


def why_there_is_no_gpu(findings: Findings) -> str | None:
    """Returns why tests on GPUs cannot be run; None where they can, and writes down on what."""
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
    name, driver = listed.splitlines()[0].split(", ")
    keep_machine(findings, {"gpu": name, "gpus": int(count), "driver": driver}, version)
    return None


def keep_machine(findings: Findings, machine: dict[str, Any], tensorflow: str) -> None:
    python = platform.python_version()
    about = {**machine, "tensorflow": tensorflow, "python": python, "date": f"{date.today()}"}
    findings.keep("machine", "this", about)


@pytest.fixture(scope="session")
def findings(pytestconfig: pytest.Config) -> Findings:
    """The file of findings."""
    return findings_of(pytestconfig)


@pytest.fixture(scope="session")
def kind(pytestconfig: pytest.Config, findings: Findings) -> str:
    """What the programs run on: "gpu", in a rehearsal "cpu"; skips tests where there is none."""
    if pytestconfig.getoption("--rehearse", default=False):
        from importlib.metadata import version

        keep_machine(findings, {"gpu": "no GPU", "gpus": 0, "driver": None}, version("tensorflow"))
        return "cpu"
    reason = why_there_is_no_gpu(findings)
    if reason is not None:
        pytest.skip(reason)
    return "gpu"


@pytest.fixture(autouse=True)
def time_left(pytestconfig: pytest.Config) -> None:
    """Skips a test that this call has no time for; the next one runs it."""
    until = pytestconfig.getoption("--gpu-until", default=None)
    if until is not None and time.time() > until:
        pytest.skip("no time left in this call")
