"""A pytest plugin that writes down what each test costs; scripts/costs/test_costs.py reads it.

A line of JSON for each test, in a file of each pytest process below TFMIGRATE_COSTS. Programs that
run in forks of the warm interpreter are not children of pytest: tests/warm_python writes their
lines, with the test that PYTEST_CURRENT_TEST names.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Generator
from pathlib import Path
from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage
from typing import Any

import pytest


def processor_time(who: int) -> float:
    """Returns the seconds of processor time, in user and system mode, so far."""
    usage = getrusage(who)
    return usage.ru_utime + usage.ru_stime


def write(line: dict[str, Any]) -> None:
    """Appends a line to the file of this process."""
    path = Path(os.environ["TFMIGRATE_COSTS"]) / f"tests-{os.getpid()}.jsonl"
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection(session: pytest.Session) -> Generator[None, object, object]:
    """Writes down what it took to start pytest and to collect."""
    result = yield
    cost = {"self": processor_time(RUSAGE_SELF), "children": processor_time(RUSAGE_CHILDREN)}
    write({"collection": True, "wall": 0.0, **cost})
    return result


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(
    item: pytest.Item, nextitem: pytest.Item | None
) -> Generator[None, object, object]:
    """Writes down what a test took, its fixtures included."""
    start = time.monotonic()
    own, children = processor_time(RUSAGE_SELF), processor_time(RUSAGE_CHILDREN)
    result = yield
    cost = {
        "wall": time.monotonic() - start,
        "self": processor_time(RUSAGE_SELF) - own,
        "children": processor_time(RUSAGE_CHILDREN) - children,
    }
    write({"test": item.nodeid, **cost})
    return result
